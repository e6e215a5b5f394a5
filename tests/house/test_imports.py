"""Imports point one way, and happen at the top of a file unless that is measured to cost."""

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

# What each room may import besides itself, also inside functions and for types.
LOW = {
    *("arguments", "arrays", "errors", "exact", "later", "long_fraction", "notebook", "ragged"),
    "__version__",
}
DATA = LOW | {"kernels", "data"}
ATTACKS = DATA | {"release", "adversaries"}
MAY_IMPORT = {
    "arrays": set(),
    "errors": set(),
    "later": set(),
    "notebook": set(),
    "ragged": {"arrays"},
    "arguments": {"arrays", "errors"},
    "long_fraction": set(),
    "exact": {"arguments", "arrays", "errors", "long_fraction"},
    "kernels": {"arrays"},
    "data": DATA,
    "engines": DATA,
    "release": DATA,
    "adversaries": DATA | {"release"},
    "criteria": ATTACKS,
    "utility": ATTACKS,
    "marginals": ATTACKS | {"criteria", "utility"},
    "dp": ATTACKS | {"criteria", "utility"},
    "search": ATTACKS | {"criteria", "utility", "marginals", "dp"},
}
MAY_IMPORT["auditing"] = MAY_IMPORT["search"] | {"search", "engines"}
MAY_IMPORT["report"] = MAY_IMPORT["auditing"] | {"auditing"}
MAY_IMPORT["workflow"] = MAY_IMPORT["report"] | {"report"}
# Surfaces parse and show: of the rooms that compute, they know public names only (`gyges` itself).
MAY_IMPORT["cli"] = LOW | {"data", "release", "auditing", "report", "workflow"}
MAY_IMPORT["studio"] = MAY_IMPORT["cli"]
MAY_IMPORT["cli"] = MAY_IMPORT["cli"] | {"studio"}  # `gyges studio` starts the page
MAY_IMPORT["__init__"] = {*MAY_IMPORT} - {"cli", "studio"}  # the public names
MAY_IMPORT["__main__"] = {"cli"}  # `python -m gyges`
ENGINE_PARTS = {"ibis", "duckdb", "pyspark", "psycopg"}

# Functions may import optional extras …
EXTRAS = {"cryptography", "opendp", "pandas", "polars", "psycopg", "pyspark"}
# … what a command can do without, with the seconds that the import takes …
SECONDS = {
    "charset_normalizer": 0.02,
    "duckdb": 0.04,
    "ibis": 0.12,
    "numba": 0.18,
    "pyarrow": 0.07,
    "pyreadstat": 0.19,
    "python_calamine": 0.01,
    "rich": 0.02,
    "scipy.optimize": 0.18,
    "scipy.sparse": 0.06,
    "scipy.special": 0.10,
    "scipy.stats": 0.39,
    "xlsxwriter": 0.09,
    "gyges.adversaries.ambiguous_matches": 0.10,  # numba
    "gyges.adversaries.joint_attack": 0.05,
    "gyges.adversaries.people_lookup": 0.10,  # numba
    "gyges.auditing.against_original": 0.10,  # numba
    "gyges.auditing.foreign_tables": 0.14,  # numba
    "gyges.auditing.form_groups": 0.01,
    "gyges.auditing.form_noise": 0.03,
    "gyges.auditing.form_views": 0.12,  # networkx
    "gyges.dp.noisy_release": 0.02,
    "gyges.kernels.compiled": 0.06,  # numpy
    "gyges.kernels.tally": 0.10,  # numba
    "gyges.marginals.published_views": 0.08,  # networkx
    "gyges.marginals.selection": 0.08,  # networkx
    "gyges.release.lookup": 0.10,  # numba
    "gyges.release.mapping": 0.01,
    "gyges.report.page": 0.11,
    "gyges.search.buckets": 0.01,
    "gyges.search.centroids": 0.10,  # numba
    "gyges.search.lattice": 0.02,
    "gyges.search.least_loss": 0.05,
    "gyges.search.microaggregation": 0.04,
    "gyges.search.mondrian_larger_than_memory": 0.04,
    "gyges.search.partition": 0.07,
    "gyges.search.publish_large": 0.04,
    "gyges.search.publish_on_workers": 0.01,
    "gyges.search.suppression": 0.04,
    "gyges.utility": 0.10,  # cells and tables
    "gyges.workflow.inside_report": 0.11,
    "gyges.workflow.noise_options": 0.02,
}
# … what only one operating system has, and the command after Ctrl-C is answered.
OTHERS = {"resource": "not on Windows", "gyges.cli.main": "Ctrl-C is answered while it loads"}


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


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


def test_the_table_itself_points_one_way():
    table = nx.DiGraph((room, there) for room, row in MAY_IMPORT.items() for there in row - {room})
    assert nx.is_directed_acyclic_graph(table)
    assert {room_of(path) for path in FILES} == set(MAY_IMPORT)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_one_way(path):
    room = room_of(path)
    tree = parsed(path)
    for name in (*imported(tree), *loaded_later(tree)):
        if name.startswith("gyges."):
            assert name.split(".")[1] in MAY_IMPORT[room] | {room}, f"{room} imports {name}"
        if name.partition(".")[0] in ENGINE_PARTS:
            assert room == "engines", f"{path.name} imports {name}: only engines may"
        assert name.partition(".")[0] != "reproduction"


def in_functions(path: Path) -> set[str]:
    """What the functions of a file import: modules, or names of modules."""
    tree = parsed(path)
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]
    return {name for function in functions for name in imported(function)} | loaded_later(tree)


def loaded_later(tree: ast.Module) -> set[str]:
    """What a file loads by its name: Later("module", "name")."""
    calls = [one for one in ast.walk(tree) if isinstance(one, ast.Call)]
    later = [one for one in calls if isinstance(one.func, ast.Name) and one.func.id == "Later"]
    return {".".join(ast.literal_eval(argument) for argument in one.args) for one in later}


def reasons(name: str) -> set[str]:
    """The entries of the lists above that allow a function to import a name."""
    parts = name.split(".")
    prefixes = {".".join(parts[:n]) for n in range(1, len(parts) + 1)}
    return prefixes & {*EXTRAS, *SECONDS, *OTHERS}


CLI = [path for path in FILES if room_of(path) == "cli"]
VERBS = sorted({name for path in CLI for name in in_functions(path) if not reasons(name)})


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_function_imports_only_what_is_listed_with_its_reason(path):
    allowed = VERBS if path in CLI else []
    assert [name for name in in_functions(path) if not reasons(name) and name not in allowed] == []
    assert re.findall(r"import .*# \d.* s\b", path.read_text(encoding="utf-8")) == []  # see SECONDS


@pytest.mark.parametrize("module", sorted({name.rpartition(".")[0] for name in VERBS}))
def test_a_verb_imports_when_it_runs_only_what_loads_numpy(module):
    """`gyges --help` loads none of it: it takes 0.05 s instead of 0.55 s."""
    code = f"import sys, {module}; sys.exit('numpy' not in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_reason_to_import_in_a_function_is_still_needed():
    used = set().union(*(reasons(name) for path in FILES for name in in_functions(path)))
    assert {*SECONDS, *OTHERS} - used == set()


@pytest.mark.parametrize("path", REPRODUCTION, ids=lambda path: path.name)
def test_the_reproduction_uses_public_names_only(path):
    """It imports `gyges` itself and none of its rooms, and touches nothing with an underscore."""
    assert [name for name in imported(parsed(path)) if name.startswith("gyges.")] == []
    own = re.compile(r"(?<!self)(?<!cls)\._(?!_)\w+")
    assert own.findall(path.read_text(encoding="utf-8")) == []


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def import_graph() -> nx.DiGraph:
    """Which module imports which, inside functions too; but not what only type checkers read."""
    modules, graph = {module_of(path): path for path in FILES}, nx.DiGraph()
    for module, path in modules.items():
        tree = parsed(path)
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                node.body = []
        for name in (*imported(tree), *loaded_later(tree)):
            there = name if name in modules else name.rpartition(".")[0]
            if there in modules:
                graph.add_edge(module, there)
    return graph


@cache
def circles() -> list[list[str]]:
    """Modules that import each other."""
    return [sorted(c) for c in nx.strongly_connected_components(import_graph()) if len(c) > 1]


@pytest.mark.parametrize("room", sorted(set(MAY_IMPORT) - {"__init__"}))
def test_no_module_imports_itself_through_others(room):
    """A function-level import hides a cycle from Python, not from the reader."""
    assert [c for c in circles() if any(f"{m}.".split(".")[1] == room for m in c)] == []
