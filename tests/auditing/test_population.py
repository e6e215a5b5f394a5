"""Risks against a population agree with their definitions on tiny tables."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.auditing.classical import classical_risks
from gyges.auditing.population import findings_of, fit_population, population_risks
from gyges.auditing.presence import Fitting, presence
from gyges.errors import ReleaseError
from gyges.release.label_reading import covers_all
from gyges.release.make_release import make_release
from gyges.release.partition_of_cells import Partition
from tests import strategies
from tests.oracles import population as oracle

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")

AGES = gy.Hierarchy.intervals(5, 10, 20)
ZIPS = gy.Hierarchy.prefixes()
SCHEMA = gy.Schema(quasi_identifiers=["age", "zip"], hierarchies={"age": AGES, "zip": ZIPS})
PUBLISHED = gy.Schema(
    quasi_identifiers=["age", "zip"], sensitive="disease", hierarchies={"age": AGES, "zip": ZIPS}
)


@st.composite
def releases_in_a_population(draw):
    """A release of the first people of a population, in any partition, and that population."""
    n = draw(st.integers(2, 6))
    ages = draw(st.lists(st.integers(0, 12), min_size=n, max_size=n))
    zips = draw(st.lists(st.sampled_from(["14850", "14853", "13068"]), min_size=n, max_size=n))
    population = {"age": ages, "zip": zips}
    inside = draw(st.integers(1, min(n, 4)))
    some = {name: values[:inside] for name, values in population.items()}
    table = gy.read({**some, "disease": draw(st.lists(st.sampled_from("ab"), min_size=inside,
                                                      max_size=inside))}, PUBLISHED)  # fmt: skip
    drawn = draw(st.lists(st.integers(0, 2), min_size=len(table.cells), max_size=len(table.cells)))
    _, group = np.unique(drawn, return_inverse=True)
    partition = Partition(table.cells, group.astype(np.int64), int(group.max()) + 1)
    form = draw(st.sampled_from(["generalized", "bucketized"]))
    release = make_release(table, partition, form, rng=np.random.default_rng(1))
    return release, gy.read(population, SCHEMA), list(zip(ages, zips, strict=True))


def row_fits(release, population):
    """For each published row, whether it may be a person's (given as age and zip)."""
    if release.form == "bucketized":
        rows = release.tables["people"].select(["age", "zip"]).to_pylist()
        return [lambda p, r=r: (str(p[0]), p[1]) == (r["age"], r["zip"]) for r in rows]
    domains = population.cells.domains
    covers = [
        covers_all(release.labels[name], domain)
        for name, domain in zip(["age", "zip"], domains, strict=True)
    ]

    def fits(group):
        def one(person):
            return all(
                covers[i][release.labels[name][group]][domains[i].values.index(person[i])]
                for i, name in enumerate(["age", "zip"])
            )

        return one

    return [fits(g) for g, n in enumerate(release.groups.sizes) for _ in range(n)]


@given(releases_in_a_population())
def test_every_risk_agrees_with_its_definition(made):
    release, population, people = made
    fits = row_fits(release, population)
    risk = population_risks(release, population)
    assert risk.k_map == oracle.k_map(fits, people)
    assert risk.journalist == oracle.journalist(fits, people)
    assert risk.marketer == oracle.marketer(fits, people)
    shares = oracle.presence(fits, people)
    assert risk.n_unclear == 0 and risk.n_lacking == 0
    assert risk.presence == (min(shares), max(shares))
    found = presence(fit_population(release, population))
    cell_of = population.cell_of_row
    assert [found[cell] for cell in cell_of] == shares
    assert all(one.sentence for one in findings_of(risk))


@settings(max_examples=200)
@given(
    st.lists(st.sets(st.integers(0, 2)), min_size=1, max_size=6),
    st.lists(st.integers(0, 2), min_size=3, max_size=3),
)
def test_presence_is_the_share_of_worlds_however_classes_overlap(fits, rows):
    """Each person is a separate cell; impossible worlds have no probability."""
    assume(sum(rows) <= 4)
    starts = np.cumsum([0, *map(len, fits)])
    classes = np.array([c for one in fits for c in sorted(one)], dtype=np.int64)
    fitting = Fitting(np.ones(len(fits), dtype=np.int64), np.array(rows), starts, classes)
    found = presence(fitting)
    row_of = [c for c, n in enumerate(rows) for _ in range(n)]
    expected = oracle.presence([lambda p, c=c: c in p for c in row_of], fits)
    if expected is None:
        assert None in found or any(c not in set(classes) for c in row_of)
    else:
        assert found == expected


def test_people_who_fit_two_overlapping_groups_count_for_both():
    """1485* contains 14850: anyone with 14850 may have a row of either group."""
    fitting = Fitting(
        people=np.array([2, 3]),  # 14850, 14853
        rows=np.array([1, 2]),  # one row 14850, two rows 1485*
        starts=np.array([0, 2, 3]),
        classes=np.array([0, 1, 1]),
    )
    assert list(fitting.matches) == [2, 5]
    worlds = [
        (a, b)
        for a in range(2)  # behind 14850
        for b in [(i, j) for i in range(5) for j in range(5) if i != j and a not in (i, j)]
    ]
    in_first = Fraction(sum(a == 0 or 0 in b for a, b in worlds), len(worlds))
    in_second = Fraction(sum(2 in b for a, b in worlds), len(worlds))
    assert presence(fitting) == [in_first, in_second]


def test_an_incomplete_population_is_reported():
    table = gy.read({"age": [1, 2, 30], "zip": ["14850"] * 3, "disease": list("aab")}, PUBLISHED)
    partition = Partition(table.cells, np.array([0, 0, 1]), 2)
    release = make_release(table, partition, "generalized", rng=np.random.default_rng(1))
    others = gy.read({"age": [1, 50], "zip": ["14850", "14850"]}, SCHEMA)
    risk = population_risks(release, others)
    assert (risk.k_map, risk.journalist, risk.n_unmatched, risk.n_lacking) == (0, 1, 1, 3)
    assert any("fit nobody in the population" in one.sentence for one in findings_of(risk))


def test_too_many_overlaps_are_reported_and_not_guessed():
    n = 40
    starts = np.arange(0, 2 * n + 1, 2)
    classes = np.array([[i, (i + 1) % n] for i in range(n)]).ravel()
    fitting = Fitting(np.full(n, 9), np.full(n, 3), starts, classes)
    assert presence(fitting) == [None] * n


@given(strategies.value_lists(max_groups=4))
def test_the_prosecutor_and_the_marketer_agree_with_comparing_rows(values):
    found = classical_risks(gy.Groups.from_lists(values))
    rows = [g for g, held in enumerate(values) for _ in held]
    assert (found.prosecutor, found.marketer) == oracle.prosecutor(rows)
    sizes = [len(held) for held in values]
    assert found.n_worst == sum(n for n in sizes if n == min(sizes))
    assert found.n_alone == sizes.count(1)


def test_an_audit_takes_a_population_and_other_releases():
    columns = {
        "age": [21, 22, 23, 24, 61, 62, 63, 64],
        "zip": ["14850", "14853"] * 4,
        "disease": list("abcdabcd"),
    }
    table = gy.read(columns, PUBLISHED)
    one = gy.publish(table, [gy.KAnonymity(4)])
    two = gy.publish(table, [gy.KAnonymity(2)], method="lattice")
    found = gy.audit(one, population=table, others=[two])
    assert found.measures["population"].k_map == 4 and found.measures["population"].presence == (
        1,
        1,
    )
    assert found.measures["joined"].n_releases == 2 and found.measures["joined"].n_people == 8
    assert "journalist" in str(found) and "Together with another release" in str(found)
    again = gy.audit(one, population=table, others=(release for release in [two]))
    assert (
        again.measures["joined"] == found.measures["joined"]
    )  # what can be read once is not used up by a check
    with pytest.raises(ReleaseError, match="must be looked up"):
        gy.audit(one, others=[two])
    with pytest.raises(ReleaseError, match="labels"):
        gy.audit(one.groups, population=table)


def test_an_audit_says_what_the_counts_of_two_releases_prove_and_what_they_leave_open():
    """Sets stay the same on both days; only the difference of the groups tells who is new."""
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="ill")
    days = [
        {"age": [31] * 3 + [52] * 3, "ill": ["flu", "gout", "mumps"] * 2},
        {"age": [31] * 4 + [52] * 3, "ill": ["flu", "gout", "gout", "mumps", "flu", "gout", "flu"]},
    ]
    tables = [gy.read(day, schema) for day in days]
    one, two = (gy.publish(table, [gy.KAnonymity(3)]) for table in tables)
    audit = gy.audit(two, original=tables[1], others=[one])
    said = [finding for finding in audit.findings if finding.attacker == "holds other releases"]
    assert "at least" in said[0].sentence and "the groups that they fit" in said[0].sentence
    assert any(not finding.is_checked for finding in said) and not audit.is_complete
    again = gy.audit(two, original=tables[1], others=[two])
    said = [finding for finding in again.findings if finding.attacker == "holds other releases"]
    assert "makes the value of 0 of 7 rows" in said[0].sentence
    assert all(finding.is_checked for finding in said)
