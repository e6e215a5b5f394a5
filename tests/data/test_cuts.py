"""Own points between intervals: every label is true, ends are open, and a release is verified."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.data.values import Kind
from gyges.errors import HierarchyError
from gyges.release.label_spans import span_of
from tests.cli.commands import gyges, write_csv

NUMBERS = st.one_of(st.integers(-50, 150), st.integers(-500, 1500).map(lambda n: n / 10))


@given(
    values=st.lists(NUMBERS, min_size=1, max_size=12, unique=True),
    points=st.lists(NUMBERS, min_size=1, max_size=5, unique=True).map(sorted),
)
def test_a_label_covers_exactly_the_numbers_between_two_points(values, points):
    ladder = gy.Hierarchy.cuts(*points).bind(values)
    labels = [ladder.labels[1][code] for code in ladder.ancestors[1]]
    place = [sum(point <= value for point in points) for value in values]
    for one, here in zip(values, labels, strict=True):
        span = span_of(here, Kind.NUMBER)
        assert span is not None and span.low <= one <= span.high
        assert (span.low == -math.inf) == (one < points[0])
        assert (span.high == math.inf) == (one >= points[-1])
    alike = [[a == b for b in place] for a in place]
    assert alike == [[a == b for b in labels] for a in labels]
    assert list(ladder.labels[1]) == [
        label for _, label in sorted(dict(zip(place, labels, strict=True)).items())
    ]


@pytest.mark.parametrize("points", [(), (5, 5), (9, 3), ("a",), (True,), (math.inf,), (math.nan,)])
def test_points_that_do_not_grow_are_refused(points):
    with pytest.raises(HierarchyError, match="numbers that grow"):
        gy.Hierarchy.cuts(*points)


def test_a_project_with_own_points_is_published_and_verified(tmp_path):
    """Top and bottom coding: nobody below 18 or above 89 is told apart."""
    people = {
        "age": [5 + i * 7 % 95 for i in range(200)],
        "sex": ["f", "m"] * 100,
        "disease": [("Flu", "Gout", "HIV")[i % 3] for i in range(200)],
    }
    write_csv(tmp_path / "people.csv", people)
    (tmp_path / "gyges.toml").write_text(
        '[data]\nsource = "people.csv"\n[columns]\nquasi_identifiers = ["age", "sex"]\n'
        'sensitive = "disease"\n[hierarchies]\nage = { cuts = [18, 40, 65, 90] }\n'
        '[publish]\nmethod = "lattice"\n[[require]]\nrule = "k-anonymity"\nk = 3\n'
    )
    code, out, err = gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)
    assert code == 0, out + err
    assert set(gy.load(tmp_path / "release").labels["age"]) == {
        "<18", "18-39", "40-64", "65-89", ">=90",
    }  # fmt: skip
    for words in ((), ("--original", "people.csv")):
        code, out, err = gyges("verify", "release", *words, folder=tmp_path)
        assert code == 0, out + err
    code, out, err = gyges("audit", "release", "--original", "people.csv", folder=tmp_path)
    assert code in (0, 3), out + err
