"""What pages show is what `gy.publish` makes, and each figure equals a slow count of the rows."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.engines.read import open_source
from gyges.report.skyline_slices import largest_k, slices_picture
from gyges.search.methods import METHODS
from gyges.workflow.alternatives import alternatives, risks_of
from gyges.workflow.column_profiles import CountedPeople, column_profile, n_together
from gyges.workflow.project_file import project_of
from gyges.workflow.project_lines import Place
from gyges.workflow.project_rules import make_rule
from gyges.workflow.release_in_memory import riskiest_groups
from gyges.workflow.trial_details import trial_details
from gyges.workflow.trial_release import NothingSafe, TrialRelease, try_rules, worst_of_rule
from tests.studio.served import people

SCHEMA = gy.Schema(
    identifiers=["patient"],
    quasi_identifiers=["age", "zip", "sex", "children"],
    sensitive="disease",
    hierarchies={"age": gy.Hierarchy.intervals(5, 10, 20, 40), "zip": gy.Hierarchy.prefixes()},
)


@pytest.fixture(scope="module")
def table():
    return gy.read(people(300), SCHEMA)


def histograms(groups):
    """The groups as a set: how many people, and how often each value."""
    return Counter(
        (int(size), tuple(sorted(groups.value_counts_in(place).items())))
        for place, size in enumerate(groups.sizes)
    )


@pytest.mark.parametrize("method", ["partition", "lattice", "suppression"])
@pytest.mark.parametrize("rules", [[gy.KAnonymity(4)], [gy.KAnonymity(3), gy.Safety("0.8", 1)]])
def test_a_trial_is_the_release_that_would_be_published(table, method, rules):
    trial = try_rules(table, rules, method=method)
    release = gy.publish(table, rules, method=method)
    assert isinstance(trial, TrialRelease)
    assert histograms(trial.groups) == histograms(release.groups)
    assert trial.loss == pytest.approx(release.loss) and trial.n_suppressed == release.n_left_out
    assert [rule.text for rule in trial.rules] == [claim.text for claim in release.claims]


def test_what_cannot_hold_is_not_called_safe_and_something_that_would_pass_does(table):
    found = try_rules(table, [gy.DistinctDiversity(11)])
    assert isinstance(found, NothingSafe)
    [near] = found.nearest
    assert near.words == "l = 10"
    assert isinstance(try_rules(table, [gy.DistinctDiversity(10)]), TrialRelease)


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=5), min_size=1, max_size=4))
def test_the_worst_case_of_a_group_is_the_largest_share_counted_by_hand(values):
    groups = gy.Groups.from_lists(values)
    expected = max(Fraction(max(Counter(g).values()), len(g)) for g in values)
    found = worst_of_rule({"rule": "distinct diversity", "l": 1}, groups)
    assert found.risk == expected
    smallest = worst_of_rule({"rule": "k-anonymity", "k": 1}, groups)
    assert smallest.risk == min(map(len, values))
    facts = worst_of_rule({"rule": "safety", "confidence": "1", "k": 1}, groups)
    assert facts.risk == gy.max_disclosure(groups, k=1).probability


@pytest.mark.parametrize("kind", ["set", "multiset"])
def test_the_worst_case_of_several_values_is_their_breach(kind):
    groups = gy.Groups.from_lists([["a", "b"], ["a", "c"]], people=[2, 3], values_per_person=kind)
    found = worst_of_rule({"rule": "distinct diversity", "l": 1}, groups)
    assert found.risk == max(gy.breach(groups, value).probability for value in "abc")


def test_the_worst_case_of_a_skyline_is_the_worst_of_its_points():
    groups = gy.Groups.from_lists([["a", "a", "b", "c"], ["b", "c", "c", "a"]])
    points = {"a": [[1, 0, 0, "0.9"]], "*": [[0, 1, 1, "0.9"]]}
    expected = max(
        gy.breach(groups, "a", l=1).probability,
        *(gy.breach(groups, value, k=1, m=1).probability for value in "bc"),
    )
    assert worst_of_rule({"rule": "skyline", "points": points}, groups).risk == expected


def test_alternatives_hold_what_they_promise_and_can_be_published(table):
    require = [{"rule": "k-anonymity", "k": 3}, {"rule": "distinct diversity", "l": 2}]
    told = []
    found = alternatives(table, {"method": "partition"}, require, lambda *said: told.append(said))
    assert {one.kind for one in found} == {"current", "method", "size", "node"} and told
    looks = Counter(table.cell_of_row.tolist())  # of rows that show quasi-identifiers unchanged
    assert [one.title for one in found if one.is_exact] == ["method buckets"]
    for one in found:
        is_beaten = any(
            (other.risk <= one.risk and other.loss < one.loss)
            or (other.risk < one.risk and other.loss <= one.loss)
            for other in found
        )
        assert one.is_undominated == (not is_beaten), one.title
        assert one.risk == gy.max_disclosure(one.trial.groups, k=1).probability
        risks = risks_of(one)
        sizes, groups = one.trial.groups.sizes, one.trial.groups
        fewest = min(looks.values()) if one.is_exact else int(sizes.min())
        assert risks.pop("row") == Fraction(1, fewest)
        assert risks == {str(k): gy.max_disclosure(groups, k=k).probability for k in range(3)}
    for one in [one for one in found if one.kind == "node"][:4]:
        stated = {"method": "lattice", "require": require, **one.changes.get("publish", {})}
        rules = [make_rule(rule) for rule in stated.pop("require")]
        release = gy.publish(table, rules, **stated)
        assert histograms(release.groups) == histograms(one.trial.groups)
        assert release.levels == stated["levels"]
    for one in [one for one in found if one.kind in ("method", "size")]:
        method = one.changes.get("publish", {}).get("method", "partition")
        rules = [make_rule(rule) for rule in one.changes.get("require", require)]
        assert gy.publish(table, rules, method=method).claims
        assert method in METHODS


def test_a_node_that_is_not_safe_is_refused_and_an_unknown_column_too(table):
    with pytest.raises(gy.GygesError, match="does not satisfy the rules"):
        gy.publish(table, gy.KAnonymity(5), method="lattice", levels={})
    with pytest.raises(gy.GygesError, match="not a quasi-identifier"):
        gy.publish(table, gy.KAnonymity(5), method="lattice", levels={"disease": 1})
    with pytest.raises(gy.GygesError, match="level of age"):
        gy.publish(table, gy.KAnonymity(5), method="lattice", levels={"age": 99})


def test_details_of_a_trial_are_those_of_the_published_release(table):
    rules = [gy.KAnonymity(4)]
    trial = try_rules(table, rules)
    details = trial_details(table, trial)
    release = gy.publish(table, rules)
    compared = gy.audit(release).before_after
    both = (details.compared, compared)
    exact = [[(m.column, m.before, m.lowest, m.highest) for m in one.means] for one in both]
    assert exact[0] == exact[1] and len(exact[0]) == 2
    rounded = [[m.estimate for m in one.means] for one in both]
    rounded = [
        r + [c.after for c in one.correlations] for r, one in zip(rounded, both, strict=True)
    ]
    assert rounded[0] == pytest.approx(rounded[1]) and len(rounded[0]) == 3
    assert [d.before for d in details.compared.distributions] == [
        d.before for d in compared.distributions
    ]
    raw = people(300)
    shown = [list(row.before) for row in details.rows]
    assert shown == [[str(raw[name][i]) for name in details.columns] for i in range(len(shown))]
    labels = {tuple(row.values()) for row in release.tables["data"].to_pylist()}
    for row in details.rows:
        assert tuple(row.after) in {tuple(map(str, one)) for one in labels}


def test_the_riskiest_groups_are_those_with_the_largest_share(table):
    release = gy.publish(table, [gy.KAnonymity(4)])
    found = riskiest_groups(release)
    groups = release.groups
    pairs = zip(groups.most_frequent.tolist(), groups.sizes.tolist(), strict=True)
    shares = sorted((Fraction(most, size) for most, size in pairs), reverse=True)
    assert [Fraction(one.n_with_value, one.people) for one in found] == shares[: len(found)]


def project(**columns):
    hierarchies = {"age": {"tree": {"young": ["1", "2"]}}}
    stated = {"data": {"source": "x.csv"}, "columns": columns, "hierarchies": hierarchies}
    return project_of(stated, Place())


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(st.integers(1, 4), st.sampled_from("xyz"), st.sampled_from(["F", "M"])),
        min_size=1, max_size=15,
    )
)  # fmt: skip
def test_whom_a_column_singles_out_is_counted_as_by_hand(rows):
    age, town, sex = zip(*rows, strict=True)
    source, _ = open_source({"age": list(age), "town": list(town), "sex": list(sex)})
    stated = project(quasi_identifiers=["age", "town"])
    people = CountedPeople.of(source, stated)
    n_chosen = people.n_alone(["age", "town"])
    found = column_profile(people, "sex", stated)
    assert found.n_distinct == len(set(sex))
    assert found.n_alone == sum(1 for n in Counter(sex).values() if n == 1)
    chosen = ["age", "town"]
    together = n_together(people, "sex", chosen, n_chosen)
    assert together == sum(1 for n in Counter(rows).values() if n == 1)
    assert sorted(found.bars) == sorted(Counter(sex).items())
    own = column_profile(people, "age", stated)
    assert n_together(people, "age", chosen, n_chosen) == sum(
        1 for n in Counter(zip(age, town, strict=True)).values() if n == 1
    )
    assert set(own.unplaced) == {str(one) for one in age if one > 2}
    assert bool(own.problem) == bool(own.unplaced)


VISITS = st.lists(
    st.tuples(st.integers(1, 4), st.sampled_from([1, 2, None]), st.sampled_from("xy")),
    min_size=1,
    max_size=12,
)


@settings(max_examples=60)
@given(VISITS, st.booleans(), st.booleans())
def test_people_are_counted_not_their_rows(rows, is_person, in_duckdb):
    """A person with two visits was counted as two people whom the column singles out."""
    who, age, town = zip(*rows, strict=True)
    columns = {"who": list(who), "age": list(age), "town": list(town)}
    source, _ = open_source(duckdb_table(columns) if in_duckdb else columns)
    named = {"person": "who"} if is_person else {"identifiers": ["who"]}
    stated = project(quasi_identifiers=["age"], **named)
    people = CountedPeople.of(source, stated)
    assert people.n_people == len(set(who))
    for place, name in ((1, "age"), (2, "town"), (0, "who")):
        found = column_profile(people, name, stated)
        held = {value: {row[0] for row in rows if row[place] == value} for value in columns[name]}
        assert found.n_alone == len({p for p in who if {p} in held.values()}), name
        together = {
            key: {row[0] for row in rows if (row[1], row[place]) == key}
            for key in {(row[1], row[place]) for row in rows}
        }
        n_found = n_together(people, name, ["age"], people.n_alone(["age"]))
        assert n_found == len({p for p in who if {p} in together.values()}), name
    shown = dict(column_profile(people, "town", stated).bars)
    assert shown == {one: len({row[0] for row in rows if row[2] == one}) for one in set(town)}


@settings(max_examples=30)
@given(VISITS, st.booleans())
def test_a_column_with_very_many_values_is_counted_and_not_read(rows, is_person):
    """Five million identifiers were read one by one to be shown as "a value of its own"."""
    who, age, town = zip(*rows, strict=True)
    source, _ = open_source({"who": list(who), "age": list(age), "town": list(town)})
    named = {"person": "who"} if is_person else {"identifiers": ["who"]}
    stated = project(quasi_identifiers=["age"], **named)
    people = CountedPeople.of(source, stated)
    usual = {name: column_profile(people, name, stated) for name in ("who", "age", "town")}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("gyges.workflow.column_profiles._MOST_CODED", 0)
        for name in ("who", "town"):
            found = column_profile(people, name, stated)
            assert (found.n_alone, found.bars) == (usual[name].n_alone, ())
            assert found.n_distinct == found.n_more == len(set(who if name == "who" else town))
        used = column_profile(people, "age", stated)
        assert used.bars == usual["age"].bars


def duckdb_table(columns):
    import ibis
    import pyarrow as pa

    kinds = pa.schema([("who", pa.int64()), ("age", pa.int64()), ("town", pa.string())])
    return ibis.duckdb.connect().create_table("t", pa.table(columns, schema=kinds))


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=5))
def test_a_slice_of_a_skyline_is_the_largest_safe_k(points):
    for l in range(6):
        for m in range(6):
            safe = [k for k in range(7) if any(l <= a and k <= b and m <= c for a, b, c in points)]
            assert largest_k(points, l, m) == (max(safe) if safe else None)
    assert slices_picture(points).data
