"""Values with signs of their own: every release of them is read back as it was written."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.release.label_reading import covers_all
from gyges.release.set_labels import members_of, set_label, value_label

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
SIGNS = ",{}[]()\"'|;/* a-=+@\t\n"
NASTY = [
    "", " ", "*", "**", "a*", ",", ", ", "a, b", "a", "b", "{a, b}", "{a}", '{"a"}', '"', '""',
    '"a"', "a|b", "[a, b]", "[", " a", "a ", "a or b", "a;b", "a/b", "'a'", "{", "}",
    "{}", "=1+1", "na",
]  # fmt: skip
TEXTS = st.one_of(st.sampled_from(NASTY), st.text(SIGNS, max_size=6))
VALUES = TEXTS.filter(bool)  # an empty text in a table is a missing value
MANY = settings(max_examples=max(200, settings().max_examples))


def domain(values):
    schema = gy.Schema(quasi_identifiers=["it"], kinds={"it": "category"})
    return gy.read({"it": list(values)}, schema).cells.domains[0]


@MANY
@given(st.lists(TEXTS, min_size=1, max_size=5, unique=True))
@example(["East, rural", "North"])
def test_a_set_is_read_back_as_its_members(texts):
    assert members_of(set_label(texts)) == texts


@pytest.mark.parametrize(
    "texts",
    [["Flu"], ["a", "b"], ["and/or", "b;c"], ["a or b", "c"], ["20-29", "(x)"], ["é", "1.5"]],
)
def test_without_such_signs_a_label_is_spelled_as_ever(texts):
    assert set_label(texts) == "{" + ", ".join(texts) + "}"
    assert all(value_label(text) == text for text in texts)


@MANY
@given(st.lists(VALUES, min_size=2, max_size=7, unique=True), st.data())
@example(["East, rural", "East", "rural", "North"], None)
def test_a_label_covers_the_values_of_which_it_was_written_and_no_others(values, data):
    column = domain(values)
    n = 2 if data is None else data.draw(st.integers(1, len(values)))
    chosen = list(column.values[:n])
    label = value_label(chosen[0]) if n == 1 else set_label(chosen)
    covered = covers_all([label], column)[label]
    assert [v for v, there in zip(column.values, covered, strict=True) if there] == chosen
    assert covers_all([label], column, theirs=True)[label][covered].all(), "nobody is excluded"


def hostile_table(values, seed):
    rng = np.random.default_rng(seed)
    drawn = [[values[int(i)] for i in rng.integers(0, len(values), 24)] for _ in range(3)]
    names = ["a, b", "{x}", "ill"]
    schema = gy.Schema(
        quasi_identifiers=names[:2], sensitive=names[2], kinds=dict.fromkeys(names, "category")
    )
    return gy.read(dict(zip(names, drawn, strict=True)), schema)


@settings(max_examples=max(80, settings().max_examples))
@given(
    st.lists(VALUES, min_size=2, max_size=6, unique=True),
    st.sampled_from(["partition", "lattice", "suppression", "buckets", "microaggregation"]),
    st.sampled_from(["csv", "parquet"]),
    st.integers(0, 99),
)
def test_a_release_of_hostile_values_is_verified_and_everybody_is_found_in_it(
    values, method, format, seed
):
    """Saved, loaded, verified with the original, and asked where everybody is, in so many words."""
    table = hostile_table(values, seed)
    rules = [gy.ProbabilisticDiversity(1)] if method == "buckets" else [gy.KAnonymity(2)]
    release = gy.publish(table, rules, method=method)
    with tempfile.TemporaryDirectory() as folder:
        out = release.save(Path(folder) / "out", format=format)
        assert gy.verify(out).holds
        found = gy.verify(out, original=table)
        assert not found.refuted, str(found)
        loaded = gy.load(out)
        candidates = loaded.candidates(table)
    if release.form == "generalized":
        shown, read = labels_of(release), labels_of(loaded)
        own = [shown[group] for group in release.group_of_row]
        for row, cell in enumerate(table.cell_of_row):
            there = candidates.groups[candidates.starts[cell] : candidates.starts[cell + 1]]
            assert own[row] in [read[group] for group in there]


def labels_of(release):
    """What the rows of each group show."""
    return list(
        zip(*(release.labels[name] for name in release.roles.quasi_identifiers), strict=True)
    )
