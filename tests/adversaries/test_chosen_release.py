"""The minimality attack equals running the search in every world."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries.chosen_release import TOO_MANY, choice_posteriors
from gyges.adversaries.divided_values import divisions, least_divisions, n_worlds
from gyges.auditing.minimality import choice_risk
from gyges.auditing.original_places import OriginalPlaces
from gyges.auditing.rerun_worlds import rerun_posteriors
from gyges.errors import NothingSafeError
from gyges.release.groups_of_cells import everybody, groups_of_cells
from gyges.search.methods import METHODS
from gyges.search.recorded_cuts import part_test, recorded_choice
from tests.cli.commands import gyges, write_csv
from tests.oracles import choice

JOBS = {"office": ["clerk", "boss", "typist"], "field": ["farmer", "nurse"], "sea": ["pilot"]}
HIERARCHIES = {"job": gy.Hierarchy.from_tree(JOBS)}
EVERY_JOB = [job for jobs in JOBS.values() for job in jobs]
RULES = [
    gy.ProbabilisticDiversity(2),
    gy.ProbabilisticDiversity("1.5"),
    gy.DistinctDiversity(2),
    gy.EntropyDiversity("1.5"),
    gy.RecursiveDiversity(2, 2),
    gy.TCloseness("0.3"),
]


def read(columns):
    quasi = [name for name in columns if name != "ill"]
    hierarchies = {name: one for name, one in HIERARCHIES.items() if name in quasi}
    schema = gy.Schema(quasi_identifiers=quasi, sensitive="ill", hierarchies=hierarchies)
    return gy.read(columns, schema)


def rows_of(release):
    return Counter(map(tuple, zip(*release.tables["data"].to_pydict().values(), strict=True)))


def by_definition(columns, release, rules, **options):
    """The posterior of each person, by running `gy.publish` in every world."""

    def published(world):
        try:
            return rows_of(gy.publish(read({**columns, "ill": world}), rules, **options))
        except NothingSafeError:
            return None

    groups = release.group_of_row.tolist()
    return choice.choice_posterior(columns["ill"], groups, published, rows_of(release))


@st.composite
def tiny_tables(draw, names=("age", "job", "pet"), most=8):
    n = draw(st.integers(3, most))
    chosen = draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
    of = {
        "age": st.integers(0, 3),
        "job": st.sampled_from(EVERY_JOB),
        "pet": st.sampled_from(["cat", "dog", "eel"]),
    }
    columns = {name: draw(st.lists(of[name], min_size=n, max_size=n)) for name in chosen}
    return {**columns, "ill": draw(st.lists(st.sampled_from("uvw"), min_size=n, max_size=n))}


def found_posteriors(release, found):
    """What the fast code found, as the oracle states it: for each row, the value's probability."""
    table, values = release.table, release.table.sensitive_values
    of_cell = {
        c: dict(zip(one.values, after, strict=True))
        for one in found
        for c, after in zip(one.cells, one.after, strict=True)
    }
    groups = release.groups
    people = []
    for row, cell in enumerate(table.cell_of_row.tolist()):
        group = int(release.group_of_row[row])
        held, size = groups.value_counts_in(group), int(groups.sizes[group])
        after = of_cell.get(cell)
        if after is None:
            after = {v: Fraction(n, size) for v, n in held.items()}
        people.append({values[v]: share for v, share in after.items() if share})
    return people


@pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
@given(
    columns=tiny_tables(),
    rule=st.sampled_from(RULES),
    k=st.sampled_from([None, 2, 3]),
)
def test_recorded_cuts_equal_publishing_in_every_world(columns, rule, k):
    rules = [rule] if k is None else [rule, gy.KAnonymity(k)]
    try:
        release = gy.publish(read(columns), rules)
    except NothingSafeError:
        assume(False)
    assume(choice.n_worlds(columns["ill"], release.group_of_row.tolist()) <= 100)
    bound = [one.bind(everybody(release.table.cells)) for one in rules]
    groups, conditions = recorded_choice(release.table.cells, bound)
    found, missing = choice_posteriors(groups, conditions, part_test(bound))
    skipped = {g for one in missing for g in one.groups}
    expected = by_definition(columns, release, rules)
    for row, after in enumerate(found_posteriors(release, found)):
        if groups.group_of_cell[release.table.cell_of_row[row]] not in skipped:
            assert after == expected[row]
    if not missing:
        check_counts(release, expected)


def check_counts(release, expected):
    """The numbers of the sentences, counted person by person."""
    risk = choice_risk(release, OriginalPlaces(release.table, release.group_of_row))
    if isinstance(risk, str):  # too many runs of the search
        return
    shares = found_posteriors(release, [])
    before = max(max(held.values()) for held in shares)
    pairs = list(zip(shares, expected, strict=True))
    assert (risk.before, risk.after) == (before, max(max(after.values()) for after in expected))
    assert risk.n_certain == sum(max(after.values()) == 1 for after in expected)
    assert risk.n_above == sum(max(after.values()) > before for after in expected)
    assert risk.n_more_certain == sum(
        any(share > held.get(value, 0) for value, share in after.items()) for held, after in pairs
    )


@pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
@given(
    columns=tiny_tables(most=6),
    rule=st.sampled_from([*RULES, gy.Safety("0.7", 1), gy.Skyline({"*": [(0, 1, 0, "0.8")]})]),
    method=st.sampled_from(["partition", "lattice"]),
)
def test_running_the_search_in_every_world_equals_publishing_in_every_world(columns, rule, method):
    try:
        release = gy.publish(read(columns), rule, method=method)
    except NothingSafeError:
        assume(False)
    cells, group = release.table.cells, release.partition.group_of_cell
    assume(choice.n_worlds(columns["ill"], release.group_of_row.tolist()) <= 100)
    found = rerun_posteriors(
        groups_of_cells(cells, group, len(release.groups)),
        list(release.labels.values()),
        [rule],
        METHODS[method],
        {},
    )
    expected = by_definition(columns, release, [rule], method=method)
    assert found_posteriors(release, found) == expected


def test_merged_children_of_a_tree_are_tests_of_their_own():
    """Each child's test has the same result in all 1,260 worlds, but that of two merged has not.

    The boss alone fails in every world, so he is merged with others; whether they pass together
    depends on the world. Without this condition the probabilities would be others.
    """
    columns = {
        "job": [EVERY_JOB[place] for place in (2, 0, 1, 2, 0, 0, 2, 0, 0)],
        "age": [1, 0, 0, 1, 0, 0, 0, 0, 0],
        "ill": list("vuvxxxvww"),
    }
    rules = [gy.ProbabilisticDiversity(2)]
    release = gy.publish(read(columns), rules)
    bound = [rules[0].bind(everybody(release.table.cells))]
    groups, conditions = recorded_choice(release.table.cells, bound)
    found, missing = choice_posteriors(groups, conditions, part_test(bound))
    assert choice.n_worlds(columns["ill"], release.group_of_row.tolist()) == 1260 and not missing
    assert found_posteriors(release, found) == by_definition(columns, release, rules)


SEVEN = ["a"] * 2 + ["b"] * 5
OTHERS = ["Flu", "Gout", "Mumps", "Asthma", "Cold"]


@pytest.mark.parametrize("method", ["partition", "lattice"])
@pytest.mark.parametrize(
    "rule",
    [gy.ProbabilisticDiversity(2), gy.Safety("0.6", 0), gy.Skyline({"HIV": [(0, 0, 0, "0.6")]})],
    ids=lambda rule: type(rule).__name__,
)
def test_one_group_of_seven_tells_who_has_hiv(rule, method):
    """21 worlds: in one of them the search publishes one group (docs/weaknesses.md)."""
    table = read({"q": SEVEN, "ill": ["HIV", "HIV", *OTHERS]})
    release = gy.publish(table, rule, method=method)
    risk = choice_risk(release, OriginalPlaces(table, release.group_of_row))
    assert (risk.before, risk.after, risk.n_certain) == (Fraction(2, 7), 1, 2)
    assert str(risk.worst) == (
        "For someone in group 1, the probability of HIV goes from 2/7 (28.6%) to 100%."
    )


def test_in_the_other_twenty_worlds_two_groups_tell_nothing_more():
    for pair in combinations(range(7), 2):
        others = iter(OTHERS)
        ill = ["HIV" if i in pair else next(others) for i in range(7)]
        table = read({"q": SEVEN, "ill": ill})
        release = gy.publish(table, gy.ProbabilisticDiversity(2))
        risk = choice_risk(release, OriginalPlaces(table, release.group_of_row))
        assert (risk.after > risk.before) == (pair == (0, 1))


def test_too_many_worlds_are_not_computed_and_never_estimated():
    rng = np.random.default_rng(3)
    columns = {
        "age": rng.integers(0, 60, 300).tolist(),
        "pet": rng.choice(list("abcdefgh"), 300).tolist(),
        "ill": rng.choice(list("uvwxyz"), 300, p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.1]).tolist(),
    }
    release = gy.publish(read(columns), gy.EntropyDiversity(5))
    found = [one for one in gy.audit(release).findings if one.attacker == "minimality"]
    assert found[-1].sentence.startswith("Not computed") and TOO_MANY in found[-1].sentence


@given(
    people=st.lists(st.integers(1, 3), min_size=1, max_size=3),
    data=st.data(),
)
def test_divisions_are_all_and_their_worlds_add_up(people, data):
    n = sum(people)
    values = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    held = [values.count(v) for v in range(3)]
    ways = divisions(people, held, 10**6)
    total = n_worlds([n], (tuple(held),))
    assert len(set(ways)) == len(ways) >= least_divisions(people, held)
    assert sum(n_worlds(people, way) for way in ways) == total
    assert divisions(people, held, len(ways) - 1) is None


def audited(release, **given):
    return [one for one in gy.audit(release, **given).findings if one.attacker == "minimality"]


def test_files_do_not_show_how_the_search_ran_so_this_attacker_is_not_computed(tmp_path):
    """The default options were assumed: "at most 2/3" where every value was certain."""
    table = read({"q": SEVEN, "ill": ["HIV", "HIV", *OTHERS]})
    release = gy.publish(table, gy.ProbabilisticDiversity(2), form="bucketized")
    assert audited(release)[0].number == 1
    release.save(tmp_path / "out")
    assert audited(tmp_path / "out") == []
    [found] = audited(tmp_path / "out", original=table)
    assert found.sentence.startswith("Not computed") and not found.is_checked
    assert not gy.audit(tmp_path / "out", original=table).is_complete


def test_searches_that_read_no_value_reveal_none():
    table = read({"q": SEVEN, "ill": ["HIV", "HIV", *OTHERS]})
    for release in (
        gy.publish(table, gy.KAnonymity(2)),
        gy.publish(table, gy.KAnonymity(2), method="lattice"),
        gy.publish(table, gy.DistinctDiversity(2), method="buckets"),
    ):
        assert [one.number for one in audited(release)] == [0]
    by_values = gy.publish(table, gy.KAnonymity(2), order="gain")
    assert all("reads no sensitive value" not in one.sentence for one in audited(by_values))


def test_the_project_says_how_the_search_ran(tmp_path):
    write_csv(tmp_path / "seven.csv", {"q": SEVEN, "ill": ["HIV", "HIV", *OTHERS]})
    project = """
[data]
source = "seven.csv"
[columns]
quasi_identifiers = ["q"]
sensitive = "ill"
[ledger]
keep = false
[[require]]
rule = "probabilistic diversity"
l = 2
"""
    (tmp_path / "gyges.toml").write_text(project)
    assert gyges("publish", "gyges.toml", "--out", "out", folder=tmp_path)[0] == 0
    words = ["audit", "out", "--original", "seven.csv"]
    code, out, _ = gyges(*words, folder=tmp_path)
    assert code == 3 and "Not computed: what the choice" in out and "--project" in out
    code, out, notes = gyges(*words, "--project", "gyges.toml", folder=tmp_path)
    assert code == 0 and "completely certain for 2" in out, notes
