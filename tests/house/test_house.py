"""The house rules that a machine can check."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from benchmarks.__main__ import KNOWN
from gyges.auditing.forms import FORMS
from gyges.criteria.rules import RULES
from gyges.search.methods import METHODS

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "gyges"
FILES = sorted(SOURCE.rglob("*.py"))
REPRODUCTION = sorted((ROOT / "reproduction").glob("*.py"))


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


@pytest.mark.parametrize(
    "path", [*FILES, *REPRODUCTION], ids=lambda path: str(path.relative_to(ROOT))
)
def test_files_are_short_and_say_what_they_are(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    if text.strip():
        assert ast.get_docstring(parsed(path)), f"{path} has no docstring"


MOST_LINES = 40


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of a function's body, without its signature and docstring."""
    first = function.body[1 if ast.get_docstring(function) and len(function.body) > 1 else 0]
    return (function.end_lineno or 0) - first.lineno + 1


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_functions_are_short(path):
    functions = [one for one in ast.walk(parsed(path)) if isinstance(one, ast.FunctionDef)]
    assert {one.name: length(one) for one in functions if length(one) > MOST_LINES} == {}


# Files of one name, because they are about the same idea.
SAME_IDEA = {
    "audit.py": "the audit, and its verb on the command line",
    "ledger.py": "the ledger, and its verb on the command line",
    "other_releases.py": "the attack with other releases, and what an audit reports of it",
    "publish.py": "gy.publish, and its verb on the command line",
    "skyline.py": "the rule of a knowledge skyline, and the verb that shows a skyline",
    "verify.py": "gy.verify, and its verb on the command line",
}


def test_no_two_files_have_one_name_unless_they_are_the_same_idea():
    places = defaultdict(list)
    for path in FILES:
        if path.name != "__init__.py":
            places[path.name].append(str(path.relative_to(SOURCE)))
    repeated = {name: found for name, found in places.items() if len(found) > 1}
    assert {name: found for name, found in repeated.items() if name not in SAME_IDEA} == {}
    assert set(SAME_IDEA) == set(repeated), "the list names a file that is no longer repeated"


def test_no_two_public_classes_have_one_name():
    places = defaultdict(list)
    for path in FILES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(SOURCE)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


ROOMS = [*sorted(SOURCE.glob("*/__init__.py")), ROOT / "reproduction" / "__init__.py"]


@pytest.mark.parametrize("room", ROOMS, ids=lambda p: p.parent.name)
def test_a_room_lists_only_files_that_it_has(room):
    """A file that was renamed or taken away is no longer in the list of its room."""
    listed = re.findall(r"(?<![\w/])\w+\.py\b", room.read_text(encoding="utf-8"))
    assert {name for name in listed if not (room.parent / name).is_file()} == set()


def test_every_citation_is_in_the_references():
    known = set(re.findall(r"@\w+\{(\w+),", (ROOT / "docs" / "references.bib").read_text()))
    cited = re.compile(r"\[([A-Z][A-Za-z]+\d{4}[A-Z]?)(?:,[^\]]*)?\]")
    for path in [*FILES, *REPRODUCTION]:
        for key in cited.findall(path.read_text(encoding="utf-8")):
            assert key in known, f"{path.name} cites {key}, which is not in references.bib"


def test_every_public_name_can_be_loaded_and_is_typed():
    import gyges

    typed = set()
    for node in ast.walk(parsed(SOURCE / "__init__.py")):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gyges."):
            typed |= {alias.asname for alias in node.names if alias.asname}
    assert typed | {"__version__"} == set(gyges.__all__)
    for name in gyges.__all__:
        assert getattr(gyges, name) is not None


def test_importing_gyges_loads_no_engine_and_compiles_nothing():
    code = "import sys, gyges; print(sorted({name.partition('.')[0] for name in sys.modules}))"
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    for heavy in ("numpy", "numba", "pyarrow", "ibis", "duckdb", "pandas", "scipy", "plotly"):
        assert f"'{heavy}'" not in shown


def rules_asked_for(path: Path) -> set[str]:
    """The rules of RULES whose class a file asks for with isinstance."""
    calls = [one for one in ast.walk(parsed(path)) if isinstance(one, ast.Call)]
    asked = [one.args[1] for one in calls if ast.unparse(one.func) == "isinstance"]
    named = {name.id for one in asked for name in ast.walk(one) if isinstance(name, ast.Name)}
    return named & {known.class_name for known in RULES}


def test_no_file_treats_one_rule_in_a_special_way():
    """But for a rule's own file, and the attacker whose knowledge the rule is about."""
    homes = {known.home.rpartition(".")[2]: known.class_name for known in RULES}
    found = {path: rules_asked_for(path) - {homes.get(path.stem)} for path in FILES}
    named = {path.name: rules for path, rules in found.items() if rules}
    assert named == {"prior_knowledge.py": {"Beliefs"}}
    base = ast.walk(parsed(SOURCE / "criteria" / "base.py"))
    mentioned = {one.id for one in base if isinstance(one, ast.Name)}
    assert mentioned & {known.class_name for known in RULES} == set()


def test_no_file_asks_for_a_form_or_method_by_its_name():
    """Each form and method answers for itself: GROUP_FORMS, FORMS, METHODS."""
    names, asked = {*FORMS, *METHODS}, {}
    for path in FILES:
        compared = [one for one in ast.walk(parsed(path)) if isinstance(one, ast.Compare)]
        sides = [side for one in compared for side in (one.left, *one.comparators)]
        texts = {one.value for side in sides for one in ast.walk(side) if is_text(one)}
        asked[path.name] = texts & names
    others = {
        "published_rows.py": {"generalized"},  # a kind of label
        "project_reference.py": {"dp"},  # a section of the project file
    }
    assert {name: found for name, found in asked.items() if found} == others


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


@pytest.mark.parametrize("name", KNOWN)
def test_every_benchmark_can_be_run_by_its_name(name):
    assert callable(importlib.import_module(f"benchmarks.{name}").rows)


def test_no_file_names_a_machine_or_a_registry():
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split("\0")
    if not any(tracked):
        pytest.skip("not a git checkout")
    secret = re.compile(r"(?<![\w.])/(?:work|root|home)/\w|pypi\.org|pythonhosted|npmjs\.org")
    for name in filter(None, tracked):
        path = ROOT / name
        if path.suffix in (".png", ".svg", ".ico") or not path.is_file():
            continue
        found = secret.search(path.read_text(encoding="utf-8", errors="replace"))
        assert not found or path == Path(__file__), f"{name} names {found}"


COUNTED = re.compile(r"\{[^{}]*:,\} (person|people|groups?|views?|releases?|checks?)\b")
# Where 1 cannot occur, or the noun counts something else: "3 of 40 people", "all 40 people".
BEFORE = re.compile(r"(of|of the|all|to|more than|block) ?(f\"|\s|\")*$")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_counted_noun_is_written_by_the_shared_helper(path):
    """`counted` knows that one of them is "1 person" and "1 group"."""
    text = path.read_text(encoding="utf-8")
    found = [one for one in COUNTED.finditer(text) if not BEFORE.search(text[: one.start()])]
    assert [text[one.start() - 30 : one.end()] for one in found] == []
