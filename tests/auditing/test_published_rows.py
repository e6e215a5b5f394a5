"""Risks of re-identification agree with comparing the published rows one by one."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.auditing.notes import MINIMALITY
from gyges.release.make_release import make_release
from gyges.release.partition_of_cells import Partition
from gyges.report.page import report_pages
from tests.oracles import population as oracle

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")


def read(columns, published=()):
    schema = gy.Schema(quasi_identifiers=["age", "sex"], sensitive="ill", published=published)
    return gy.read(columns, schema)


@st.composite
def releases(draw):
    n = draw(st.integers(1, 8))
    some = {
        "age": draw(st.lists(st.integers(20, 24), min_size=n, max_size=n)),
        "sex": draw(st.lists(st.sampled_from("FM"), min_size=n, max_size=n)),
        "ill": draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n)),
        "visit": draw(st.lists(st.sampled_from("xyz"), min_size=n, max_size=n)),
    }
    table = read(some, ["visit"] if draw(st.booleans()) else [])
    drawn = draw(st.lists(st.integers(0, 2), min_size=len(table.cells), max_size=len(table.cells)))
    _, group = np.unique(drawn, return_inverse=True)
    partition = Partition(table.cells, group.astype(np.int64), int(group.max()) + 1)
    form = draw(st.sampled_from(["generalized", "bucketized"]))
    return make_release(table, partition, form, rng=np.random.default_rng(1))


@settings(max_examples=150)
@given(releases())
def test_re_identification_is_by_the_rows_that_look_alike_and_not_by_groups(release):
    rows = release.tables.get("data", release.tables.get("people")).to_pylist()
    seen = [name for name in ("age", "sex", "visit") if name in rows[0]]
    looks = [tuple(row[name] for name in seen) for row in rows]
    quasi = [(row["age"], row["sex"]) for row in rows]
    found = gy.audit(release)
    assert (
        found.measures["classical"].prosecutor,
        found.measures["classical"].marketer,
    ) == oracle.prosecutor(looks)
    alike = [looks.count(one) for one in looks]
    assert found.measures["classical"].n_alone == found.measures["shown"].n_unique == alike.count(1)
    assert found.measures["classical"].n_worst == alike.count(min(alike))
    assert found.measures["shown"].n_unique_by_quasi == sum(quasi.count(one) == 1 for one in quasi)
    n_shown = 0
    if "visit" in rows[0] and "ill" in rows[0]:
        n_shown = sum(
            len({other["ill"] for other, l in zip(rows, looks, strict=True) if l == look}) == 1
            for look in looks
        )
    assert found.measures["shown"].n_value_shown == n_shown
    assert found.measures["shown"].published == (("visit",) if "visit" in rows[0] else ())


def people_table(n=60):
    return {
        "age": [20 + i for i in range(n)],
        "sex": ["F", "M"] * (n // 2),
        "ill": [f"v{i % 6}" for i in range(n)],
    }


def test_a_bucketized_release_is_not_described_as_if_rows_looked_alike():
    """The audit claimed a probability of at most 20% for people who are unique."""
    release = gy.publish(read(people_table()), [gy.DistinctDiversity(5)], method="buckets")
    found = gy.audit(release)
    assert found.measures["classical"].k >= 5 and found.measures["classical"].prosecutor == 1
    assert found.measures["classical"].n_alone == 60 and found.measures["classical"].marketer == 1
    pages = report_pages(release)
    for text in (str(found), str(release), pages["report.html"]):
        assert "unchanged" in text and "the link from a person" in text
    assert "60 of 60 rows (100%)" in pages["report.html"]
    assert "Every row looks the same" not in pages["report.html"]
    assert "is certain to pick the right one for 60 of 60 rows" in pages["report.html"]


def test_published_columns_are_part_of_what_an_attacker_sees():
    columns = {**people_table(), "ward": [f"w{i % 30}" for i in range(60)]}
    release = gy.publish(read(columns, ["ward"]), [gy.KAnonymity(10)], allow_singling_out=True)
    found = gy.audit(release)
    rows = release.tables["data"].to_pylist()
    looks = [(row["age"], row["sex"], row["ward"]) for row in rows]
    unique = sum(looks.count(look) == 1 for look in looks)
    assert (
        unique > 0
        and found.measures["shown"].n_unique == unique
        and found.measures["shown"].n_unique_by_quasi == 0
    )
    page = report_pages(release)["report.html"]
    for text in (str(found), page):
        assert "Each row also shows ward unchanged." in text
        assert f"{unique:,} of 60 rows" in text and "can be read off" in text
    assert "ward" in str(release) and found.measures["classical"].prosecutor == 1
    assert "Every row looks the same" not in page


def test_groups_alone_are_taken_to_look_alike():
    found = gy.audit(gy.Groups.from_lists([["a", "b"], ["a", "c", "d"]]))
    assert found.measures.get("shown") is None and found.measures[
        "classical"
    ].prosecutor == Fraction(1, 2)


SEVEN = ["a"] * 2 + ["b"] * 5


def one_group(world, rules, method):
    """Whether the release of a world (who has HIV) is a single group."""
    others = iter(["Flu", "Gout", "Mumps", "Asthma", "Cold"])
    ill = ["HIV" if i in world else next(others) for i in range(7)]
    schema = gy.Schema(quasi_identifiers=["q"], sensitive="ill")
    release = gy.publish(gy.read({"q": SEVEN, "ill": ill}, schema), rules, method=method)
    return len(release.groups) == 1


@pytest.mark.parametrize("method", ["lattice", "partition"])
@pytest.mark.parametrize(
    "rule",
    [
        gy.ProbabilisticDiversity(2),
        gy.Safety(confidence="0.6", k=0),
        gy.Skyline({"HIV": [(0, 0, 0, "0.6")]}),
    ],
    ids=lambda rule: type(rule).__name__,
)
def test_that_the_finest_safe_release_is_chosen_tells_who_has_hiv(rule, method):
    """The example of docs/weaknesses.md: by the groups alone HIV has probability 2/7."""
    worlds = list(combinations(range(7), 2))
    coarse = [world for world in worlds if one_group(world, [rule], method)]
    assert len(worlds) == 21 and coarse == [(0, 1)]


def test_every_audit_and_report_says_that_minimality_is_not_covered():
    release = gy.publish(read(people_table()), [gy.KAnonymity(5)])
    assert MINIMALITY in gy.audit(release).notes and MINIMALITY in str(gy.audit(release))
    pages = report_pages(release)
    assert all(MINIMALITY in pages[name] for name in ("report.html", "report.json"))


def test_a_column_that_is_exact_in_some_rows_is_not_called_generalized():
    columns = {"age": [20, 20, 20, 31, 33, 34], "sex": list("FFFMMM"), "ill": list("abcabc")}
    release = gy.publish(read(columns), [gy.KAnonymity(3)])
    assert set(release.labels["age"]) == {"20", "30-34"}
    said = " ".join(finding.sentence for finding in gy.audit(release).findings)
    assert "Each row shows exact sex, and age (generalized in some rows)." in said


@pytest.mark.parametrize("hierarchy", [gy.Hierarchy.intervals(20, 40), gy.Hierarchy.cuts(25, 45)])
def test_intervals_of_numbers_are_not_exact_where_one_is_missing(hierarchy):
    """An audit said "exact age" of 0-19, because a missing value makes numbers categories."""
    columns = {"age": [20, 21, 22, 41, 42, 43, None, None], "sex": list("FFFMMMFM")}
    schema = gy.Schema(quasi_identifiers=["age", "sex"], hierarchies={"age": hierarchy})
    table = gy.read(columns, schema, missing="value")
    release = gy.publish(table, [gy.KAnonymity(2)])
    labels = set(release.labels["age"])
    assert labels & {"20-39", "<25", "25-44"} and "(missing)" in labels
    said = " ".join(finding.sentence for finding in gy.audit(release).findings)
    assert "Each row shows generalized age, and sex (generalized in some rows)." in said


def test_a_value_that_one_person_has_is_said_to_find_their_row():
    columns = {"age": [20] * 4, "sex": list("FFFF"), "ill": ["a", "a", "b", "c"]}
    release = gy.publish(read(columns), [gy.KAnonymity(4)])
    said = [finding.sentence for finding in gy.audit(release).findings]
    assert "Apart from 'ill', every row looks the same as at least 3 others." in said
    assert any(s.startswith("2 of 4 rows (50%) have a value of 'ill' that no other") for s in said)


@pytest.mark.parametrize(
    ("values_per_person", "people", "values", "revealed"),
    [
        ("one", [3, 2], [["a", "a", "a"], ["a", "b"]], 3),
        ("set", [2, 2], [["a", "a", "b"], ["a", "b"]], 2),
        ("multiset", [3, 1], [["c", "c", "c", "c"], ["a"]], 1),  # one of the 3 may have none
    ],
)
def test_how_many_people_the_release_alone_exposes_is_read_first(
    values_per_person, people, values, revealed
):
    groups = gy.Groups.from_lists(values, people=people, values_per_person=values_per_person)
    first = [finding for finding in gy.audit(groups).findings if finding.place == "first"]
    assert [finding.number for finding in first] == [Fraction(revealed, sum(people))]


def test_publishing_warns_of_values_that_the_release_alone_reveals():
    columns = {"age": [20, 20, 30, 30], "sex": list("FFMM"), "ill": ["a", "a", "b", "c"]}
    release = gy.publish(read(columns), [gy.KAnonymity(2)])
    assert any("reveals a value of 'ill' of 2 rows" in notice for notice in release.notices)
    release = gy.publish(read(columns), [gy.KAnonymity(2), gy.DistinctDiversity(2)])
    assert not any("reveals" in notice for notice in release.notices)


def test_a_code_that_looks_like_a_range_is_not_called_generalized():
    """`51-01301` and `[70-80)` are values of the original, as they were."""
    columns = {
        "age": ["[70-80)"] * 3 + ["51-01301"] * 3,
        "sex": list("FFFFFF"),
        "ill": list("abcabc"),
    }
    release = gy.publish(read(columns), [gy.KAnonymity(3)])
    said = " ".join(finding.sentence for finding in gy.audit(release).findings)
    assert "Each row shows exact age and sex." in said


def test_a_report_counts_the_cells_that_were_suppressed():
    columns = {"age": [20, 20, 20, 31, 33, 34], "sex": list("FFFMMM"), "ill": list("abcabc")}
    release = gy.publish(read(columns), [gy.KAnonymity(3)], method="suppression")
    page = report_pages(release)["report.html"]
    assert '<th scope="row">Suppressed cells</th><td>3 of 12 (25%)</td>' in page
