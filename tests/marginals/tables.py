"""Random small tables with hierarchies, in the oracle's form and in gyges' form."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

from hypothesis import settings
from hypothesis import strategies as st

import gyges as gy
from gyges.errors import GygesWarning
from tests.oracles import marginals as oracle

# For properties whose oracle is slow: a quarter of the examples asked for.
FEW = settings(max_examples=max(25, settings().max_examples // 4))

FLAT2 = [("{c}0", "*"), ("{c}1", "*")]
FLAT3 = [("{c}0", "*"), ("{c}1", "*"), ("{c}2", "*")]
UNEVEN = [("{c}0", "{c}A", "*"), ("{c}1", "{c}A", "*"), ("{c}2", "{c}B", "*")]
DEEP = [
    ("{c}0", "{c}A", "{c}X", "*"),
    ("{c}1", "{c}A", "{c}X", "*"),
    ("{c}2", "{c}B", "{c}X", "*"),
    ("{c}3", "{c}C", "{c}Y", "*"),
]
SHAPES = {"flat2": FLAT2, "flat3": FLAT3, "uneven": UNEVEN, "deep": DEEP}


@dataclass(frozen=True)
class Case:
    """A table and views, for the oracle (rows, paths, views) and for gyges (table, named)."""

    rows: list
    paths: list
    views: list

    @property
    def names(self):
        return [f"q{i}" for i in range(len(self.paths) - 1)] + ["s"]

    @property
    def sensitive(self):
        return len(self.paths) - 1

    @property
    def heights(self):
        return [len(next(iter(column.values()))) - 1 for column in self.paths]

    @property
    def named(self):
        return [{self.names[column]: level for column, level in v.items()} for v in self.views]

    @property
    def table(self):
        hierarchies = {
            name: gy.Hierarchy(tuple(column[value] for value in sorted(column)))
            for name, column in zip(self.names[:-1], self.paths[:-1], strict=True)
        }
        schema = gy.Schema(
            quasi_identifiers=self.names[:-1], sensitive="s", hierarchies=hierarchies
        )
        columns = {name: [row[i] for row in self.rows] for i, name in enumerate(self.names)}
        with warnings.catch_warnings():  # a single sensitive value is worth a warning elsewhere
            warnings.simplefilter("ignore", GygesWarning)
            return gy.read(columns, schema)

    @property
    def marginals(self):
        return gy.Marginals.of(self.table, self.named)

    def as_row(self, cell):
        return dict(zip(self.names, cell, strict=True))


@st.composite
def cases(draw, shapes=("flat2", "uneven"), max_columns=3, max_rows=8, n_values=3, max_views=3):
    """A case with at least one view; the sensitive domain is what occurs."""
    chosen = draw(st.lists(st.sampled_from(shapes), min_size=1, max_size=max_columns))
    paths = []
    for i, shape in enumerate(chosen):
        rows = [tuple(label.format(c="abc"[i]) for label in row) for row in SHAPES[shape]]
        paths.append({row[0]: row for row in rows})
    values = [f"s{i}" for i in range(n_values)]
    row = st.tuples(*(st.sampled_from(sorted(path)) for path in paths), st.sampled_from(values))
    rows = draw(st.lists(row, min_size=1, max_size=max_rows))
    present = sorted({row[-1] for row in rows})
    paths.append({value: (value, "*") for value in present})
    views = draw(st.lists(view_of(paths), min_size=1, max_size=max_views))
    return Case(rows, paths, views)


@st.composite
def view_of(draw, paths):
    """A view that names at least one column; the sensitive one at level 0."""
    last = len(paths) - 1
    view = {}
    for column, path in enumerate(paths):
        top = 0 if column == last else len(next(iter(path.values()))) - 1
        level = draw(st.none() | st.integers(0, top))
        if level is not None:
            view[column] = level
    return view or {last: 0}


def decomposable_cases(**limits):
    """Cases whose views decompose."""
    return cases(**limits).filter(
        lambda case: oracle.is_decomposable(case.views, _resolution_heights(case))
    )


@st.composite
def tangled_cases(draw, max_rows=10, n_values=2):
    """Cases whose views do not decompose: every pair of two columns and the sensitive one."""
    shapes = [draw(st.sampled_from(["flat2", "uneven"])) for _ in range(2)]
    paths = []
    for i, shape in enumerate(shapes):
        rows = [tuple(label.format(c="ab"[i]) for label in row) for row in SHAPES[shape]]
        paths.append({row[0]: row for row in rows})
    paths.append({f"s{i}": (f"s{i}", "*") for i in range(n_values)})
    row = st.tuples(*(st.sampled_from(sorted(path)) for path in paths))
    rows = draw(st.lists(row, min_size=2, max_size=max_rows))
    rows += [(*rows[0][:-1], value) for value in paths[-1]]  # every sensitive value occurs
    levels = [st.integers(0, len(SHAPES[shape][0]) - 2) for shape in shapes]
    views = [
        {0: draw(levels[0]), 1: draw(levels[1])},
        {1: draw(levels[1]), 2: 0},
        {0: draw(levels[0]), 2: 0},
    ]
    return Case(rows, paths, views)


def _resolution_heights(case):
    return [*case.heights[:-1], 1]


def is_decomposable(case):
    """By the oracle."""
    return oracle.is_decomposable(case.views, _resolution_heights(case))
