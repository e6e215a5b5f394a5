"""The house rules that a machine can check."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "gyges"
FILES = sorted(SOURCE.rglob("*.py"))
REPRODUCTION = sorted((ROOT / "reproduction").glob("*.py"))

# What each room may import. A room imports only what stands in its row (and itself).
LOW = {"arguments", "arrays", "errors", "exact", "notebook", "ragged", "__version__"}
DATA = {"kernels", "data"}
MAY_IMPORT = {
    "arrays": set(),
    "ragged": {"arrays"},
    "errors": set(),
    "arguments": {"arrays", "errors"},
    "exact": {"arguments", "arrays", "errors"},
    "notebook": set(),
    "kernels": {"arrays"},
    "data": LOW | DATA,
    "engines": LOW | DATA,
    "release": LOW | DATA,
    "adversaries": LOW | DATA | {"release"},
    "criteria": LOW | DATA | {"release", "adversaries"},
    "utility": LOW | DATA | {"release", "adversaries"},
    "search": LOW | DATA | {"release", "adversaries", "criteria", "utility", "marginals", "dp"},
    "marginals": LOW | DATA | {"release", "adversaries", "criteria", "utility"},
    "dp": LOW | DATA | {"release", "adversaries", "criteria", "utility"},
    "auditing": LOW
    | DATA
    | {"release", "adversaries", "criteria", "utility", "search", "marginals", "dp", "engines"},
}
MAY_IMPORT["report"] = MAY_IMPORT["auditing"] | {"auditing"}
MAY_IMPORT["workflow"] = MAY_IMPORT["report"] | {"report"}  # it writes a release's report
MAY_IMPORT |= {room: MAY_IMPORT["workflow"] | {"workflow"} for room in ("cli", "studio")}
ENGINE_PARTS = {"ibis", "duckdb", "pyspark", "psycopg"}


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports_of(path: Path) -> list[str]:
    return imported(ast.parse(path.read_text(encoding="utf-8"), filename=str(path)))


def imported(tree: ast.AST) -> list[str]:
    """The names that a module imports, also inside its functions."""
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{ast.unparse(node)}: absolute imports only"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_one_way(path):
    room = room_of(path)
    if room == "__init__":
        return
    allowed = MAY_IMPORT[room] | {room}
    for name in imports_of(path):
        if name.startswith("gyges."):
            there = name.split(".")[1]
            assert there in allowed, f"{room} imports {name}"
        if name.partition(".")[0] in ENGINE_PARTS:
            assert room == "engines", f"{path.name} imports {name}: only engines may"


# What the command imports while it runs, besides public names: it parses and prints.
OF_THE_COMMAND = LOW | {"cli", "workflow", "report", "auditing"}
FOR_CTRL_C = {"data.held_folders", "release.undisturbed"}  # what must end before the process does


@pytest.mark.parametrize("path", sorted((SOURCE / "cli").glob("*.py")), ids=lambda path: path.name)
def test_the_command_asks_the_workflow_and_computes_nothing(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    only_types = [
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in node.body
    ]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node not in only_types:
            _, _, there = (node.module or "").partition("gyges.")
            assert not there or there in FOR_CTRL_C or there.split(".")[0] in OF_THE_COMMAND, there


@pytest.mark.parametrize("path", REPRODUCTION, ids=lambda path: path.name)
def test_the_reproduction_uses_public_names_only(path):
    """It imports `gyges` itself and none of its rooms, and touches nothing with an underscore."""
    assert [name for name in imports_of(path) if name.startswith("gyges.")] == []
    own = re.compile(r"(?<!self)(?<!cls)\._(?!_)\w+")
    assert own.findall(path.read_text(encoding="utf-8")) == []


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def import_graph() -> nx.DiGraph:
    """Which module imports which, inside functions too; but not what only type checkers read."""
    modules, graph = {module_of(path): path for path in FILES}, nx.DiGraph()
    for module, path in modules.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                node.body = []
        for name in imported(tree):
            there = name if name in modules else name.rpartition(".")[0]
            if there in modules:
                graph.add_edge(module, there)
    return graph


@cache
def circles() -> list[list[str]]:
    """Modules that import each other."""
    return [sorted(c) for c in nx.strongly_connected_components(import_graph()) if len(c) > 1]


ROOMS = sorted({room_of(path) for path in FILES} - {"__init__"})


@pytest.mark.parametrize("room", ROOMS)
def test_no_module_imports_itself_through_others(room):
    """A function-level import hides a cycle from Python, not from the reader."""
    assert [c for c in circles() if any(f"{m}.".split(".")[1] == room for m in c)] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_room_imports_the_reproduction(path):
    assert [n for n in imports_of(path) if n.partition(".")[0] == "reproduction"] == []


@pytest.mark.parametrize(
    "path", [*FILES, *REPRODUCTION], ids=lambda path: str(path.relative_to(ROOT))
)
def test_files_are_short_and_say_what_they_are(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 600
    if text.strip():
        assert ast.get_docstring(ast.parse(text)), f"{path} has no docstring"


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
    for node in ast.walk(ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8"))):
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
