"""Values that no argument wants, and small changes that make a right argument wrong."""

from __future__ import annotations

import copy
import math
import random
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

HUGE = Fraction(10**6_000 + 1, 10**5_999 + 3)  # more digits than Python turns into text

SCALARS = [
    None,
    True,
    False,
    -1,
    0,
    1,
    2,
    7,
    2**70,
    -(2**70),
    10**5_000,
    0.5,
    -0.0,
    5.0,
    1e-300,
    1e308,
    math.inf,
    -math.inf,
    math.nan,
    1j,
    HUGE,
    Fraction(1, 3),
    Fraction(-1, 2**80),
    Decimal("NaN"),
    Decimal("Infinity"),
    Decimal("1e999999999"),
    "",
    " ",
    "x",
    "0.5",
    "1/2",
    "0/0",
    "1/0",
    "1e400",
    "1e-400",
    "1e999999999",
    "-1e-999999999",
    "9" * 5_000,
    "nan",
    "inf",
    "-1",
    "*",
    "\x00",
    "\ud800",
    "é" * 300,
    "one",
    "Flu",
    "age",
    "2GB",
    "9e9GB",
    b"",
    b"\xff\xfe",
    object(),
    type,
    lambda: None,
    Ellipsis,
    NotImplemented,
    ValueError("x"),
    Path("no/such/file.csv"),
    "no/such/file.csv",
    Path(),
    ".",
    range(3),
    range(10**12),
    slice(None),
    np.int64(3),
    np.float32(0.5),
    np.datetime64("NaT"),
    np.str_("x"),
    np.bool_(True),
    pd.NA,
    pd.NaT,
    pa.scalar(3),
]

CONTAINERS = [
    [],
    (),
    {},
    set(),
    frozenset({1}),
    [[]],
    [None],
    [math.nan],
    [1, "x", None],
    ["age"],
    ["age", "age"],
    [["Flu"], None],
    [["Flu"], ["Gout", []]],
    [[["Flu"]]],
    [{"age": 0}],
    [{"age": -1}],
    [{"age": 2**70}],
    [{"age": "x"}],
    {"x": 1},
    {None: None},
    {"age": None},
    {"age": "x"},
    {"age": 0},
    {"age": []},
    {"age": {}},
    {1: 2},
    {"Flu": [(0, 0)]},
    {"Flu": [(0, 0, 0, "x")]},
    {"*": None},
    [(1, 2)],
    [("0.5",)],
    [("0.5", 0, 0)],
    ["ab"],
    "ab",
    np.array([]),
    np.array(3),
    np.array([1, 2, 3]),
    np.array([-1, 2**62, 0]),
    np.array([0.5, math.nan]),
    np.array(["a", "b"]),
    np.array([None, object()], dtype=object),
    np.zeros((2, 2)),
    np.zeros((0, 3)),
    np.zeros((2, 2, 2)),
    np.full((3, 3), math.inf),
    np.array([1 + 2j]),
    np.array(["2020-01-01"], dtype="datetime64[D]"),
    np.ma.masked_array([1, 2], [True, False]),
    pd.Series([1, 2]),
    pd.DataFrame(),
    pd.DataFrame({"age": [1, 2]}),
    pd.DataFrame([[1, 2]], columns=["age", "age"]),
    pd.DataFrame({"age": [1, "x", None]}),
    pd.DataFrame({("a", "b"): [1]}),
    pa.table({}),
    pa.table({"age": pa.array([[1], [2, 3]])}),
    pa.table({"age": pa.array([{"a": 1}])}),
    pa.array([1, None]),
    (n for n in range(2)),
    iter([None]),
]


def _deep(depth: int) -> list[object]:
    nested: list[object] = []
    for _ in range(depth):
        nested = [nested]
    return nested


CONTAINERS += [_deep(5_000)]


class Liar:
    """Claims to have a length, items and a value, and breaks each promise."""

    def __len__(self) -> int:
        return 3

    def __getitem__(self, place: object) -> object:
        raise KeyError(place)

    def __str__(self) -> str:
        return "liar"


POOL = [*SCALARS, *CONTAINERS, Liar()]


def spoiled(right: object, chance: random.Random) -> object:
    """A wrong argument: one of the pool, or the right one with a part of it made wrong."""
    if chance.random() < 0.5 or not _has_parts(right):
        return chance.choice(POOL)
    return _changed(right, chance)


def _has_parts(right: object) -> bool:
    return isinstance(right, (list, tuple, dict, str, np.ndarray)) and len(right) > 0


def _changed(right: object, chance: random.Random) -> object:
    if isinstance(right, dict):
        return _changed_dict(right, chance)
    if isinstance(right, np.ndarray):
        return _changed_array(right, chance)
    if isinstance(right, str):
        return _changed_text(right, chance)
    return _changed_list(list(right), type(right), chance)


def _changed_list(parts: list[object], kind: type, chance: random.Random) -> object:
    place = chance.randrange(len(parts))
    what = chance.randrange(6)
    if what == 0:
        del parts[place]
    elif what == 1:
        parts.append(copy.copy(parts[place]))
    elif what == 2:
        return [parts]
    elif what == 3:
        return str(parts)
    else:
        parts[place] = spoiled(parts[place], chance)
    return kind(parts)


def _changed_dict(parts: dict[object, object], chance: random.Random) -> object:
    parts = dict(parts)
    key = chance.choice(list(parts))
    what = chance.randrange(5)
    if what == 0:
        del parts[key]
    elif what == 1:
        parts[chance.choice([None, 3, "", "no such column", ("a", 1), 2.5])] = parts.pop(key)
    elif what == 2:
        return list(parts.items())
    else:
        parts[key] = spoiled(parts[key], chance)
    return parts


def _changed_text(text: str, chance: random.Random) -> str:
    place = chance.randrange(len(text))
    inserted = chance.choice(["(", '"', "\x00", "->", "=", " ", "9" * 30, "é", "\n", ""])
    return text[:place] + inserted + text[place + chance.randrange(2) :]


def _changed_array(array: np.ndarray, chance: random.Random) -> object:
    changes = [
        lambda: array[:-1],
        lambda: array[None],
        lambda: array.ravel()[0],
        lambda: array.astype(object),
        lambda: array.astype(str),
        lambda: -array - 1,
        lambda: array.astype(float) * 1e300 * 1e300,
        lambda: array + 10**6,
        lambda: array.astype(float) + 0.5,
        lambda: np.where(np.arange(array.size).reshape(array.shape) == 0, np.nan, array),
        lambda: np.concatenate([array, array]),
        lambda: array.tolist(),
        lambda: array.T,
        lambda: array * 0,
    ]
    with np.errstate(all="ignore"):
        return chance.choice(changes)()
