"""Small random cells for the searches, with numbers, categories and trees, made without rows."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from gyges.data.cells import Cells, Domain
from gyges.data.hierarchy import Hierarchy
from gyges.data.values import Kind

VALUES = "abcdefgh"


def number(name, values):
    return Domain(name, Kind.NUMBER, tuple(values), np.ones(len(values), dtype=bool))


def category(name, n_codes, hierarchy=None):
    values = tuple(f"{name}{code}" for code in range(n_codes))
    ladder = hierarchy.bind(values) if hierarchy else None
    return Domain(name, Kind.CATEGORY, values, np.ones(n_codes, dtype=bool), ladder)


@st.composite
def trees(draw, name, n_codes):
    """A hierarchy over n_codes leaves with one or two levels between them and the root."""
    groups = draw(st.lists(st.integers(0, 2), min_size=n_codes, max_size=n_codes))
    sides = draw(st.lists(st.integers(0, 1), min_size=3, max_size=3))
    return Hierarchy(
        tuple((f"{name}{i}", f"g{g}", f"s{sides[g]}", "*") for i, g in enumerate(groups))
    )


@st.composite
def domains(draw, name, kinds=("number", "category", "tree")):
    n_codes = draw(st.integers(1, 5))
    kind = draw(st.sampled_from(kinds))
    if kind == "number":
        places = st.lists(st.integers(-5, 20), min_size=n_codes, max_size=n_codes, unique=True)
        return number(name, sorted(draw(places)))
    if kind == "tree":
        return category(name, n_codes, draw(trees(name, n_codes)))
    return category(name, n_codes)


@st.composite
def some_cells(
    draw,
    max_cells=10,
    max_columns=3,
    kinds=("number", "category", "tree"),
    values_per_person="one",
    n_values=3,
    max_count=4,
):
    """`Cells` with up to `max_cells` distinct combinations."""
    made = [draw(domains(f"q{j}", kinds)) for j in range(draw(st.integers(1, max_columns)))]
    rows = st.tuples(*(st.integers(0, len(domain) - 1) for domain in made))
    cells = draw(st.lists(rows, min_size=1, max_size=max_cells, unique=True))
    people, entries = [], []
    for cell in cells:
        counts = st.lists(st.integers(0, max_count), min_size=n_values, max_size=n_values)
        if values_per_person == "one":
            held = draw(counts.filter(any))
            people.append(sum(held))
        else:
            held = draw(counts)
            least = max(held) if values_per_person == "set" else 1
            people.append(draw(st.integers(max(least, 1), max_count + 2)))
        entries += [(cell, value, n) for value, n in enumerate(held) if n]
    return make_cells(made, cells, people, entries, values_per_person, n_values)


def make_cells(made, cells, people, entries, values_per_person="one", n_values=3):
    values = tuple(VALUES[:n_values])
    return Cells.from_entries(
        domains=made,
        codes=np.array(cells, dtype=np.int32).reshape(len(cells), len(made)),
        people=np.array(people, dtype=np.int64),
        sensitive=Domain("s", Kind.CATEGORY, values, np.ones(n_values, dtype=bool)),
        entry_codes=np.array([e[0] for e in entries], dtype=np.int32).reshape(
            len(entries), len(made)
        ),
        value_codes=np.array([e[1] for e in entries], dtype=np.int32),
        value_counts=np.array([e[2] for e in entries], dtype=np.int64),
        values_per_person=values_per_person,
    )


def plain(cells):
    """The same cells for the oracles: people, values and columns as plain lists and dicts."""
    codes = [tuple(int(c) for c in row) for row in cells.codes]
    people = dict(zip(codes, cells.people.tolist(), strict=True))
    held = {
        cell: {
            int(cells.value_codes[e]): int(cells.value_counts[e])
            for e in range(cells.starts[i], cells.starts[i + 1])
        }
        for i, cell in enumerate(codes)
    }
    columns = []
    for domain in cells.domains:
        if domain.ladder is not None and not domain.is_ordered:
            levels = domain.ladder.ancestors
            paths = [
                [(level, int(levels[level, code])) for level in range(len(levels))]
                for code in range(len(domain))
            ]
            columns.append(("tree", paths))
        else:
            columns.append(("line", domain.positions.tolist()))
    return people, held, columns


def as_lists(partition):
    """The groups of a partition as sorted lists of cells."""
    groups = [[] for _ in range(partition.n_groups)]
    for row, group in zip(partition.cells.codes, partition.group_of_cell, strict=True):
        groups[group].append(tuple(int(c) for c in row))
    return sorted(sorted(group) for group in groups)
