"""What a certificate states beside its claims: what the tables contradict is refused."""

from __future__ import annotations

import pytest

import gyges as gy
from gyges.errors import ReleaseError
from tests.auditing.forging import read_rows, read_stated, rehash, write_rows, write_stated

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
K_3 = gy.KAnonymity(3)
PEOPLE = {
    "name": [f"p{i}" for i in range(24)],
    "age": [20 + i for i in range(24)],
    "born": [f"2024-{1 + i % 12:02}-05" for i in range(24)],
    "ill": ["flu", "gout", "cold"] * 8,
}


def saved(tmp_path, rules=(K_3,), shapes=(), **options):
    schema = gy.Schema(
        identifiers=["name"],
        quasi_identifiers=["age", "born"],
        sensitive="ill",
        shapes=dict(shapes),
    )
    made = gy.publish(gy.read(PEOPLE, schema), list(rules), seed=1, **options)
    return made.save(tmp_path / "out")


def with_counterfeits(directory):
    """All people but one of the first group leave, and counterfeits take their places."""
    path = directory / "people.csv"
    head, *rows = read_rows(path)
    place = head.index("group")
    first = [row for row in rows if row[place] == "1"]
    kept = [row for row in rows if row[place] != "1" or row is first[0]]
    write_rows(path, [head, *kept])
    stated = read_stated(directory)
    stated |= {"counterfeits": [[1, len(first) - 1]], "n_people": len(kept)}
    return stated


def test_counterfeits_do_not_pass_for_people(tmp_path):
    """One person beside two counterfeits was confirmed as "at least 3 people"."""
    directory = saved(tmp_path, form="bucketized")
    assert gy.verify(directory).holds
    write_stated(directory, with_counterfeits(directory))
    rehash(directory)
    with pytest.raises(ReleaseError, match="would count as people"):
        gy.verify(directory)


@pytest.mark.parametrize(("n_earlier", "is_read"), [(0, False), (2, True)])
def test_only_m_invariance_after_earlier_releases_counts_members(tmp_path, n_earlier, is_read):
    directory = saved(tmp_path, form="bucketized")
    stated = with_counterfeits(directory)
    rule = {"name": "MInvariance", "m": 2, "n_earlier": n_earlier}
    write_stated(directory, stated | {"claims": [{"rule": rule, "text": "", "risk": "2"}]})
    rehash(directory)
    if is_read:
        assert gy.verify(directory).unchecked and not gy.verify(directory).refuted
    else:
        with pytest.raises(ReleaseError, match="would count as people"):
            gy.verify(directory)


SHAPES = {"age": {"top": 40, "round": 5}, "born": {"period": "quarter"}}


@pytest.mark.parametrize("options", [
    {}, {"form": "bucketized"}, {"labels": "sets"}, {"method": "microaggregation"},
    {"method": "lattice", "suppression": "1"},
])  # fmt: skip
def test_shapes_that_the_tables_have_are_confirmed_and_told(tmp_path, options):
    found = gy.verify(saved(tmp_path, shapes=SHAPES, **options))
    assert found.holds
    assert "Made coarser when it was read: 'age' (top 40, round 5)." in found.statements


@pytest.mark.parametrize(("options", "shape"), [
    ({}, {"age": {"top": 30}}),
    ({}, {"age": {"bottom": 38}}),
    ({"method": "suppression", "rules": [gy.KAnonymity(1)]}, {"age": {"round": 7}}),
    ({"form": "bucketized"}, {"age": {"top": 42}}),
    ({"form": "bucketized"}, {"age": {"round": 2}}),
    ({"form": "bucketized"}, {"born": {"period": "month"}}),
    ({"method": "suppression", "rules": [gy.KAnonymity(1)]}, {"born": {"period": "year"}}),
    ({}, {"ill": {"top": 3}}),
    ({}, {"ill": {"period": "week"}}),
])  # fmt: skip
def test_shapes_that_the_tables_do_not_have_are_refused(tmp_path, options, shape):
    """Ages up to 43 were confirmed as cut off at 30, and people were looked up by that."""
    directory = saved(tmp_path, **options)
    stated = read_stated(directory)
    stated["roles"]["shapes"] = shape
    write_stated(directory, stated)
    with pytest.raises(ReleaseError, match="shape would have changed"):
        gy.verify(directory)
