from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from gyges.kernels import compiled


def test_a_compiled_function_computes_what_the_plain_one_does():
    @compiled.compiled(cache=False)
    def total(numbers):
        summed = 0.0
        for number in numbers:
            summed += number
        return summed

    before = numba.config.CACHE_DIR
    assert total(np.arange(5.0)) == total.py_func(np.arange(5.0)) == 10.0
    assert before == numba.config.CACHE_DIR


def test_the_folder_is_named_after_the_text_of_all_kernels(tmp_path, monkeypatch):
    """Code that was compiled from another text is not found again."""
    here = Path(compiled.__file__)
    for path in here.parent.glob("*.py"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(compiled, "__file__", str(tmp_path / here.name))
    one = compiled._folder.__wrapped__()
    assert one == compiled._folder.__wrapped__()
    (tmp_path / "tally.py").write_text("changed")
    assert compiled._folder.__wrapped__() != one


def test_a_kernel_that_takes_too_long_as_written_is_compiled_and_begins_again(monkeypatch):
    monkeypatch.undo()  # of running every call both ways
    monkeypatch.setattr(compiled, "_PATIENCE", 0.02)

    @compiled.compiled(few=10, cache=False)
    def step(numbers):
        numbers[0] += 1.0
        return numbers[0]

    @compiled.compiled(few=10, cache=False)
    def walk(numbers, steps):
        last = 0.0
        for _ in range(steps):
            last = step(numbers)
        return last

    assert "dispatcher" not in walk.__dict__
    numbers = np.zeros(3)
    assert walk(numbers, 10) == numbers[0] == 10.0
    assert "dispatcher" not in walk.__dict__, "few steps need no compiler"
    numbers = np.zeros(3)
    assert walk(numbers, 100_000) == numbers[0] == 100_000.0, "nothing is counted twice"
    assert "dispatcher" in walk.__dict__


def test_few_items_run_compiled_once_the_function_is(monkeypatch):
    """A process that goes on pays once for loading a kernel, not for every small call."""
    monkeypatch.undo()

    @compiled.compiled(few=3, cache=False)
    def total(numbers):
        return numbers.sum()

    assert total(np.arange(4)) == 6
    monkeypatch.setattr(total, "py_func", None)
    assert total(np.arange(3)) == 3


def test_where_numba_and_kept_code_are_at_hand_little_is_run_as_written(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(compiled, "_PATIENCE", 600)

    @compiled.compiled(few=3, cache=False)
    def counted(numbers):
        last = 0
        for i in range(1_000_000):
            last = i + numbers[0]
        return last

    monkeypatch.setitem(counted.__dict__, "_is_kept", True)
    for _ in range(3):
        assert counted(np.zeros(1, np.int64)) == 999_999
    assert "dispatcher" in counted.__dict__


def test_many_items_are_compiled_at_once_and_results_have_pythons_own_numbers(monkeypatch):
    monkeypatch.undo()

    @compiled.compiled(few=3, cache=False)
    def both(numbers):
        return numbers[0], numbers[:1]

    few, many = both(np.arange(3)), both(np.arange(4))
    assert type(few[0]) is type(many[0]) is int and "dispatcher" in both.__dict__
    with pytest.raises(ZeroDivisionError):
        compiled.compiled(few=3)(lambda a: 1 // int(a[0]))(np.zeros(1, np.int64))
    assert compiled._here.deadline is None, "after an error, too"


COMPILES = """
import numpy as np
import pytest
from gyges.kernels.atom_costs import reach
from gyges.kernels.compiled import _folder
sizes = np.ones(30_000, np.int64)
found = reach(sizes, np.arange(30_001), 5)
print(found, sum(reach.dispatcher.stats.cache_misses.values()), _folder())
"""


def copied_package(folder):
    package = folder / "installed" / "gyges"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(compiled.__file__).parents[1], package, ignore=ignored)
    return package


def started(package, **environment):
    path = {**os.environ, "PYTHONPATH": str(package.parent), **environment}
    return subprocess.Popen(
        [sys.executable, "-c", COMPILES],
        env=path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_an_installation_that_cannot_be_written_to_and_no_home_folder(tmp_path):
    """As in a container with a read-only image: it compiles, and keeps nothing."""
    package = copied_package(tmp_path)
    (package / "kernels" / "__pycache__").write_text("a file: nobody can write below it")
    said, problem = started(package, HOME="/dev/null", PYTHONDONTWRITEBYTECODE="1").communicate()
    assert said.split() == ["1", "1", "None"], problem
    command = "from gyges.cli.start import run; run()"
    done = subprocess.run(
        [sys.executable, "-c", command, "demo"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(package.parent), "HOME": "/dev/null"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0 and "WHAT IS PROMISED" in done.stdout, done.stderr
    said, problem = started(package, HOME=str(tmp_path)).communicate()
    assert said.split()[2].startswith(str(tmp_path / ".cache" / "gyges")), problem


def test_two_processes_that_compile_at_once_do_not_disturb_each_other(tmp_path):
    package = copied_package(tmp_path)
    both = [started(package) for _ in range(2)]
    answers = {one.communicate() for one in both}
    assert {said.split()[0] for said, _ in answers} == {"1"}, answers
    assert [process.returncode for process in both] == [0, 0]
    said, problem = started(package).communicate()
    assert said.split()[:2] == ["1", "0"], "the third finds what they kept" + problem
