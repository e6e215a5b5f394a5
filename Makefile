# The two commands of the README. Each sets up its own .venv; nothing else is touched.
PYTHON ?= python3
BIN := .venv/bin
WORKERS ?= 2

.PHONY: demo test test-long audit-noise lint types bench papers docs package constraints clean

demo: .venv/installed
	$(BIN)/gyges demo

test: .venv/installed-for-tests lint types
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -q

test-long: .venv/installed-for-tests
	$(BIN)/python -m pytest -q -m long

# Membership tests of every noise mechanism, at length: the least epsilon that an attacker sees.
audit-noise: .venv/installed-for-tests
	GYGES_NOISE_RUNS=100000 $(BIN)/python -m pytest -q tests/dp/test_membership.py tests/dp/test_mechanisms.py

lint: .venv/installed-for-tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/installed-for-tests
	$(BIN)/mypy

bench: .venv/installed-for-tests
	$(BIN)/python -m benchmarks

# The documentation as a site in site/, which needs no network to be read.
docs: .venv/installed-for-tests
	$(BIN)/python -m mkdocs build --strict --quiet

# Wheel and sdist: built, installed into a clean environment, used there.
package: .venv/installed-for-tests
	$(BIN)/python -m pytest -q -m long tests/package
	$(BIN)/python -m build --outdir dist

# The versions that the tests ran with.
constraints: .venv/installed-for-tests
	$(BIN)/python .ci/constraints.py > constraints.txt

# Every figure and table of the papers, rerun; PAPERS=--fast for small samples.
papers: .venv/installed-for-tests
	$(BIN)/python -m reproduction run --all $(PAPERS)

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

.venv/installed: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[studio]'
	touch $@

.venv/installed-for-tests: pyproject.toml .ci/system-packages | .venv/bin/python
	bash .ci/system-packages
	$(BIN)/python -m pip install --quiet --editable '.[test,spark,postgres,dp,studio,sign,docs]'
	touch $@ .venv/installed

clean:
	rm -rf .venv .hypothesis .mypy_cache .ruff_cache .pytest_cache
