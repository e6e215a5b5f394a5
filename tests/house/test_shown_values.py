"""Printing an object, in a terminal, a notebook or a traceback, shows no row and no value."""

from __future__ import annotations

import ast
import dataclasses
from pathlib import Path

import pytest

import gyges as gy
from gyges.engines.read import open_source
from gyges.release.mapping import load_mapping, save_mapping

SOURCE = Path(__file__).resolve().parents[2] / "src" / "gyges"
SECRET = "telltale"
COLUMNS = {
    "patient": [f"{SECRET}-p{i}" for i in range(40)],
    "town": [f"{SECRET}-t{i % 8}" for i in range(40)],
    "disease": [f"{SECRET}-d{i % 4}" for i in range(40)],
    "year": [1999 + i % 2 for i in range(40)],
}
SCHEMA = gy.Schema(
    identifiers=["patient"],
    quasi_identifiers=["town"],
    sensitive="disease",
    dropped=["year"],
    hierarchies={"town": gy.Hierarchy.from_tree(sorted(set(COLUMNS["town"])))},
)


def objects(start):
    """Everything of ours that can be reached from an object, through fields, lists and dicts."""
    waiting, seen = [start], {}
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen[id(one)] = one
        if isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, (list, tuple)):
            waiting += one
        elif type(one).__module__.startswith("gyges"):
            waiting += getattr(one, "__dict__", {}).values()
            if dataclasses.is_dataclass(one):
                waiting += [getattr(one, field.name) for field in dataclasses.fields(one)]
    return [one for one in seen.values() if type(one).__module__.startswith("gyges")]


def kept(kind, folder):
    table = gy.read(COLUMNS, SCHEMA)
    if kind == "large":
        return gy.read(COLUMNS, SCHEMA, memory_limit="8GB")
    if kind == "marginals":
        return gy.Marginals.of(table, [{"town": 1, "disease": 0}])
    if kind == "source":
        return open_source(COLUMNS)
    if kind == "mapping":
        save_mapping(gy.publish(table, [gy.KAnonymity(3)]), folder / "mapping.json")
        return load_mapping(folder / "mapping.json")
    if kind in ("partition", "lattice", "suppression", "buckets", "microaggregation"):
        release = gy.publish(table, [gy.KAnonymity(3)], method=kind)
        return [release, release.group_of_row, release.candidates(table)]
    return table


@pytest.mark.parametrize(
    "kind",
    ["table", "large", "source", "mapping", "marginals", "partition", "lattice",
     "suppression", "buckets", "microaggregation"],
)  # fmt: skip
def test_no_object_shows_a_value_of_the_table(kind, tmp_path):
    found = objects(kept(kind, tmp_path))
    assert found
    for one in found:
        assert SECRET not in repr(one), type(one)
        is_published = isinstance(one, (gy.Release, gy.Groups, gy.Marginals))
        if hasattr(one, "_repr_html_") and not is_published:
            assert SECRET not in one._repr_html_()
        if not is_published:
            assert SECRET not in str(one), type(one)


def test_a_table_shows_roles_and_counts():
    table = gy.read(COLUMNS, SCHEMA)
    said = str(table).splitlines()
    assert said[0] == "a table of 40 people"
    assert [line.split() for line in said[1:]] == [
        ["identifier", "patient"],
        ["quasi-identifier", "town", "8", "values"],
        ["sensitive", "disease", "4", "values"],
        ["dropped", "year"],
    ]
    assert "8 values" in table._repr_html_() and "town" in table._repr_html_()


@pytest.mark.parametrize("room", ["data", "engines", "release", "search"])
def test_a_data_class_that_holds_arrays_does_not_print_its_fields(room):
    """`eq=False` marks the classes that hold arrays or rows; their fields are people's values."""
    for path in sorted((SOURCE / room).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for made in node.decorator_list if isinstance(node, ast.ClassDef) else ():
                options = {k.arg: ast.literal_eval(k.value) for k in getattr(made, "keywords", ())}
                if options.get("eq") is False:
                    assert options.get("repr") is False, f"{path.name}: {node.name}"
