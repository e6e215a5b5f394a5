"""Files that a command is given: right ones, hostile ones, and right ones with a change."""

from __future__ import annotations

import datetime
import json
import random
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.fuzz.calls import AGES, ILLS, ZIPS

PROJECT = {
    "data": {"source": "patients.csv", "missing": "error", "missing_marks": ["?"]},
    "columns": {
        "identifiers": ["name"],
        "quasi_identifiers": ["age", "zip"],
        "sensitive": "ill",
        "kinds": {"zip": "code"},
    },
    "hierarchies": {
        "age": {"intervals": [10, 20, 40]},
        "zip": {"prefixes": True},
        "ill": {"tree": {"lung": ["Flu", "Asthma"], "other": ["Gout"]}},
    },
    "publish": {"method": "partition", "out": "new", "format": "csv", "seed": 1},
    "require": [{"rule": "k-anonymity", "k": 2}, {"rule": "distinct diversity", "l": 2}],
    "ledger": {"file": "ledger.sqlite", "keep": False},
    "dp": {
        "epsilon": "2",
        "delta": 0,
        "views": [["zip", "ill"]],
        "levels": {"age": 1},
        "domains": {"age": {"from": 20, "to": 80}, "zip": ["14850"], "ill": ["Flu"]},
        "budget": {"epsilon": 5},
    },
}

NOISE = {
    "epsilon": "2",
    "delta": 0,
    "views": [["zip", "ill"]],
    "domains": {"zip": sorted(set(ZIPS)), "ill": sorted(set(ILLS))},
}

# Values that a key of a project file is set to.
TOML_VALUES = [
    "",
    "x",
    "1e999999999",
    "1e400",
    "0/0",
    "\x00",
    -1,
    0,
    1,
    2**62,
    10**30,
    0.5,
    1e300,
    float("inf"),
    float("nan"),
    True,
    [],
    [[]],
    ["x"],
    [1, "x"],
    {},
    {"x": 1},
    datetime.date(2024, 1, 31),
    "lattice",
    "buckets",
    "dp",
    "marginals",
    "age",
    "patients.parquet",
    "nothing.csv",
    ".",
]


def write_right_files(folder: Path) -> None:
    """A table as CSV and as Parquet, and the project that publishes it."""
    people = [f"p{number}" for number in range(len(AGES))]
    lines = [",".join(map(str, row)) for row in zip(people, AGES, ZIPS, ILLS, strict=True)]
    (folder / "patients.csv").write_text("\n".join(["name,age,zip,ill", *lines]) + "\n")
    columns = {"name": people, "age": AGES, "zip": ZIPS, "ill": ILLS}
    pq.write_table(pa.table(columns), folder / "patients.parquet")
    (folder / "gyges.toml").write_text(toml(PROJECT))
    noisy = {**PROJECT, "require": [], "publish": {"method": "dp", "out": "new"}, "dp": NOISE}
    (folder / "noisy.toml").write_text(toml(noisy))
    (folder / "tree.csv").write_text("Flu,lung,*\nAsthma,lung,*\nGout,other,*\n")


def hostile_tables(folder: Path) -> list[str]:
    """Tables that cannot be read, or hold what no column holds; their names."""
    right = (folder / "patients.csv").read_bytes()
    parquet = (folder / "patients.parquet").read_bytes()
    head = b"name,age,zip,ill\n"
    contents = {
        "empty.csv": b"",
        "head.csv": head,
        "no_head.csv": right.split(b"\n", 1)[1],
        "ragged.csv": right + b"p99,1\n",
        "wide.csv": right + b"p99,1,2,3,4,5\n",
        "nul.csv": right.replace(b"Flu", b"F\x00u"),
        "bom.csv": b"\xef\xbb\xbf" + right,
        "utf16.csv": right.decode().encode("utf-16"),
        "latin.csv": right.replace(b"Flu", b"Fl\xfc"),
        "quote.csv": right.replace(b"Flu", b'"Flu', 1),
        "one_column.csv": b"ill\n" + b"\n".join(ill.encode() for ill in ILLS),
        "twice.csv": right.replace(b"name,age", b"age,age", 1),
        "blank_name.csv": right.replace(b"name,age", b",age", 1),
        "huge_field.csv": right + b"p99,30,14850," + b"F" * 300_000 + b"\n",
        "numbers.csv": head + b"1,1e400,2,3\n2,nan,inf,-0\n3,99999999999999999999999,1,1\n",
        "blank.csv": head + b",,,\n" * 5,
        "binary.csv": bytes(range(256)) * 20,
        "crlf.csv": right.replace(b"\n", b"\r\n"),
        "cr.csv": right.replace(b"\n", b"\r"),
        "lines.csv": b"\n" * 50,
        "semicolon.csv": right.replace(b",", b";"),
        "cut.parquet": parquet[: len(parquet) // 2],
        "no_magic.parquet": b"x" * 100,
        "empty.parquet": b"",
        "swapped.parquet": parquet[::-1],
        "csv.parquet": right,
        "parquet.csv": parquet,
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    for name, column in _columns().items():
        table = pa.table({"name": range(len(column)), "age": column, "zip": column, "ill": column})
        pq.write_table(table, folder / f"{name}.parquet")
    pq.write_table(pa.table({}), folder / "no_columns.parquet")
    nobody = pa.table({"name": ["x"], "age": [1], "zip": ["x"], "ill": ["x"]}).slice(0, 0)
    pq.write_table(nobody, folder / "no_rows.parquet")
    (folder / "folder.csv").mkdir()
    odd = ["no_columns.parquet", "no_rows.parquet", "folder.csv", "nothing.csv"]
    return [*contents, *(f"{name}.parquet" for name in _columns()), *odd]


def _columns() -> dict[str, pa.Array]:
    moment = datetime.datetime(2024, 1, 31, 12)
    return {
        "list": pa.array([[1], [2, 3]]),
        "struct": pa.array([{"a": 1}, {"a": 2}]),
        "map": pa.array([[("a", 1)], []], pa.map_(pa.string(), pa.int64())),
        "decimal": pa.array([Decimal("1.5"), Decimal("2.5")]),
        "binary": pa.array([b"a", b"\xff"]),
        "duration": pa.array([datetime.timedelta(1), datetime.timedelta(2)]),
        "time": pa.array([datetime.time(1), datetime.time(2)]),
        "null": pa.nulls(2),
        "dictionary": pa.array(["a", "b"]).dictionary_encode(),
        "float": pa.array([float("nan"), float("inf")]),
        "half": pa.array([1.5, 2.5], pa.float16()),
        "moment": pa.array([moment, moment], pa.timestamp("ns", "UTC")),
        "large": pa.array([2**63, 2**64 - 1], pa.uint64()),
        "bool": pa.array([True, None]),
        "view": pa.array(["a", "b"], pa.string_view()),
    }


def changed_bytes(content: bytes, chance: random.Random) -> bytes:
    """A file with some bytes replaced, cut out, doubled or put in."""
    changed = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(changed) + 1)
        what = chance.randrange(5)
        if what == 0:
            changed[place : place + 1] = bytes([chance.randrange(256)])
        elif what == 1:
            del changed[place : place + chance.randint(1, 30)]
        elif what == 2:
            changed[place:place] = changed[place : place + chance.randint(1, 30)]
        elif what == 3:
            changed[place:place] = chance.choice(
                [b'"', b",", b"\n", b"\x00", b"[", b"}", b"9" * 40]
            )
        else:
            del changed[place:]
    return bytes(changed)


def changed_tree(stated: object, chance: random.Random, values: list[object]) -> object:
    """Plain data (dicts and lists) with one place changed, dropped or added."""
    if isinstance(stated, dict) and stated and chance.random() < 0.9:
        key = chance.choice(list(stated))
        what = chance.randrange(8)
        if what == 0:
            return {name: held for name, held in stated.items() if name != key}
        if what == 1:
            return stated | {chance.choice(["x", "k", "folder", "rule", "", "é"]): stated[key]}
        return stated | {key: changed_tree(stated[key], chance, values)}
    if isinstance(stated, list) and stated and chance.random() < 0.8:
        place = chance.randrange(len(stated))
        if chance.random() < 0.2:
            return stated[:place] + stated[place + 1 :]
        changed = changed_tree(stated[place], chance, values)
        return [*stated[:place], changed, *stated[place + 1 :]]
    return chance.choice(values)


def toml(project: dict[str, object]) -> str:
    """A project file; one section a line, written inline."""
    return "\n".join(f"{_key(key)} = {_toml(value)}" for key, value in project.items()) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)} = {_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, float):
        return str(value)
    return json.dumps(value)


def _key(key: object) -> str:
    return json.dumps(str(key))
