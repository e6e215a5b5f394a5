from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.criteria.implied_rules import necessary
from gyges.criteria.verdict import judge
from gyges.errors import NothingSafeError, RuleError, SchemaError
from gyges.release.groups_of_cells import groups_of_cells
from gyges.search import lattice_rollup
from gyges.search.lattice import minimal_generalizations, search
from gyges.search.lattice_nodes import Lattice
from gyges.search.lattice_rollup import RollUps
from gyges.utility.group_size import discernibility
from gyges.utility.grouping import Grouping
from gyges.utility.loss import loss
from tests import strategies
from tests.oracles import criteria as oracle_criteria
from tests.oracles import lattice as oracle


def each(rule):
    """A rule of the oracles, asked of each group alone."""
    return lambda values, whole: [rule([group]) for group in values]


def close(t, ground=oracle_criteria.equal_distance):
    def judged(values, whole):
        domain = sorted(set(whole) | {value for group in values for value in group})
        overall = oracle_criteria.shares(list(whole), domain)
        return [
            ground(oracle_criteria.shares(group, domain), overall) <= Fraction(t)
            for group in values
        ]

    return judged


# (rule, which groups satisfy it given the whole table's values)
RULES = {
    "k": (gy.KAnonymity(3), each(lambda g: oracle_criteria.k_anonymous(g, 3))),
    "distinct": (gy.DistinctDiversity(2), each(lambda g: oracle_criteria.distinct_diverse(g, 2))),
    "entropy": (
        gy.EntropyDiversity("1.9"),
        each(lambda g: oracle_criteria.entropy_diverse(g, Fraction(19, 10))),
    ),
    "recursive": (
        gy.RecursiveDiversity(2, 2),
        each(lambda g: oracle_criteria.recursive_diverse(g, 2, 2, True)),
    ),
    "probabilistic": (
        gy.ProbabilisticDiversity("1.5"),
        each(lambda g: oracle_criteria.probabilistic_diverse(g, Fraction(3, 2))),
    ),
    "t": (gy.TCloseness("0.35"), close("0.35")),
    "t ordered": (
        gy.TCloseness("0.2", ground="ordered"),
        close("0.2", oracle_criteria.ordered_distance),
    ),
}


@dataclass(frozen=True)
class AtMost:
    """Every group has at most `most` people: local, and not monotone."""

    most: int
    is_monotone: ClassVar[bool] = False
    is_local: ClassVar[bool] = True

    def summarize(self, groups):
        return int(groups.sizes.max(initial=0))

    def merge(self, one, other):
        return max(one, other)

    def risk(self, summary):
        return summary

    def holds(self, summary):
        return summary <= self.most

    def risks(self, groups):
        return groups.sizes.astype(float)

    def holds_each(self, groups):
        return groups.sizes <= self.most


@dataclass(frozen=True)
class FewGroups:
    """There are at most `most` groups: monotone, and about all groups together."""

    most: int
    is_monotone: ClassVar[bool] = True
    is_local: ClassVar[bool] = False

    def summarize(self, groups):
        return len(groups)

    def merge(self, one, other):
        return one + other

    def risk(self, summary):
        return summary

    def holds(self, summary):
        return summary <= self.most

    def risks(self, groups):
        return np.full(len(groups), len(groups), dtype=float)

    def holds_each(self, groups):
        return np.full(len(groups), len(groups) <= self.most)


@st.composite
def cases(draw, max_rows=10, rules=tuple(RULES)):
    """(table, its columns as lists, quasi-identifiers, rules, what the oracle makes of them)."""
    made = draw(strategies.columns(max_rows=max_rows))
    quasi = draw(st.lists(st.sampled_from(["age", "zip", "job", "pet"]), min_size=1, unique=True))
    if "zip" in quasi and "age" in quasi:  # keeps the lattice small enough to enumerate
        quasi.remove(draw(st.sampled_from(["zip", "age"])))
    chosen = draw(st.lists(st.sampled_from(rules), min_size=1, max_size=2, unique=True))
    definitions = [RULES[name][1] for name in chosen]

    def holds_each(values, whole):
        judged = [definition(values, whole) for definition in definitions]
        return [all(verdicts) for verdicts in zip(*judged, strict=True)]

    return table_of(made, quasi), made, quasi, [RULES[name][0] for name in chosen], holds_each


def table_of(made, quasi):
    hierarchies = {n: strategies.HIERARCHIES[n] for n in quasi if n in strategies.HIERARCHIES}
    kept = {name: made[name] for name in [*quasi, "disease"]}
    schema = gy.Schema(quasi_identifiers=quasi, sensitive="disease", hierarchies=hierarchies)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # everyone has the same value
        return gy.read(kept, schema)


def levels(nodes):
    return [tuple(node.values()) for node in nodes]


SHARES = st.sampled_from(["0", "0.1", "0.25", "1/3", "0.7"])


@given(cases(), SHARES)
def test_all_minimal_nodes_are_those_of_an_exhaustive_search(case, suppression):
    table, made, quasi, rules, holds_each = case
    allowed = math.floor(Fraction(suppression) * len(made["disease"]))
    expected = oracle.minimal(oracle.safe_nodes(made, quasi, holds_each, allowed))

    found = minimal_generalizations(table, rules, suppression=suppression)

    assert levels(found) == expected
    assert all(list(node) == quasi for node in found)


@given(cases(), SHARES)
def test_the_chosen_node_has_the_least_loss_of_all_safe_nodes(case, suppression):
    table, made, quasi, rules, holds_each = case
    allowed = math.floor(Fraction(suppression) * len(made["disease"]))
    safe = oracle.safe_nodes(made, quasi, holds_each, allowed)
    if not safe:
        with pytest.raises(NothingSafeError):
            search(table.cells, rules, suppression=suppression)
        return
    losses = {node: oracle.loss(made, quasi, node, gone) for node, gone in safe.items()}

    result = search(table.cells, rules, suppression=suppression)

    node = tuple(result.levels.values())
    assert result.is_optimal
    assert math.isclose(result.loss, min(losses.values()), abs_tol=1e-9)
    assert math.isclose(result.loss, losses[node], abs_tol=1e-9)
    assert result.partition.n_left_out == len(safe[node])
    assert math.isclose(loss(Grouping.of_partition(result.partition)), result.loss, abs_tol=1e-9)
    assert result.n_checked + result.n_pruned == result.n_nodes == len(oracle.all_nodes(quasi))


@given(cases(), SHARES)
def test_what_is_published_satisfies_every_rule_within_the_table_and_on_its_own(case, suppression):
    table, made, _, rules, _ = case
    try:
        result = search(table.cells, rules, suppression=suppression)
    except NothingSafeError:
        return
    groups = result.partition.groups
    assert judge(rules, groups).safe
    group = result.partition.group_of_row(table)
    alone = [
        [value for value, g in zip(made["disease"], group, strict=True) if g == number]
        for number in range(result.partition.n_groups)
    ]
    assert judge(rules, gy.Groups.from_lists(alone)).safe
    assert result.partition.n_left_out <= Fraction(suppression) * len(group)


def test_a_value_that_only_left_out_people_have_is_no_step_of_the_published_table():
    """Ordered t-closeness: without b, from a to c is one whole step, not two halves."""
    made = {"pet": [*"xxxxyyyyz"], "disease": [*"aaacaccc", "b"]}
    table = table_of(made, ["pet"])
    for t, expected in (("0.24", 1), ("0.25", 0)):
        rule = gy.TCloseness(t, ground="ordered")
        found = minimal_generalizations(table, rule, suppression="0.2")
        assert levels(found) == [(expected,)]


@given(cases(max_rows=8, rules=("k", "distinct", "t")), SHARES)
def test_precision_height_and_discernibility_are_made_small_too(case, suppression):
    table, made, quasi, rules, holds_each = case
    allowed = math.floor(Fraction(suppression) * len(made["disease"]))
    safe = oracle.safe_nodes(made, quasi, holds_each, allowed)
    if not safe:
        return
    n = len(made["disease"])
    heights = [len(oracle.LADDERS[name]) - 1 for name in quasi]

    def height(node, gone):
        return Fraction(sum(node) * (n - len(gone)) + sum(heights) * len(gone), n)

    def squares(node, gone):
        groups = oracle.groups_at(made, quasi, node)
        return sum(len(g) ** 2 for g in groups if not set(g) & set(gone)) + len(gone) * n

    for utility, value in {
        "precision": lambda node, gone: oracle.height_share(quasi, node, made, gone),
        "height": height,
        "discernibility": squares,
        lambda grouping: -float(discernibility(grouping)): lambda node, gone: -squares(node, gone),
    }.items():
        result = search(table.cells, rules, suppression=suppression, utility=utility)
        least = min(value(node, gone) for node, gone in safe.items())
        assert math.isclose(result.loss, least, abs_tol=1e-9)
        assert result.is_optimal


@given(cases(rules=("k", "entropy")), st.integers(1, 6), SHARES)
def test_a_rule_that_is_not_monotone_is_searched_exhaustively_and_said_so(case, most, suppression):
    table, made, quasi, rules, holds_each = case
    allowed = math.floor(Fraction(suppression) * len(made["disease"]))

    def with_most(values, whole):
        judged = holds_each(values, whole)
        return [ok and len(g) <= most for ok, g in zip(judged, values, strict=True)]

    safe = oracle.safe_nodes(made, quasi, with_most, allowed)
    rules = [*rules, AtMost(most)]
    found = minimal_generalizations(table, rules, suppression=suppression)
    assert levels(found) == oracle.minimal(safe)
    if safe:
        result = search(table.cells, rules, suppression=suppression)
        least = min(oracle.loss(made, quasi, node, gone) for node, gone in safe.items())
        assert math.isclose(result.loss, least, abs_tol=1e-9)
        assert any("no node was skipped" in notice for notice in result.partition.notices)


@given(cases(rules=("k", "t")), st.integers(1, 4))
def test_a_rule_about_all_groups_together_is_judged_on_all_of_them(case, most):
    table, made, quasi, rules, holds_each = case

    def safe(node):
        groups = oracle.groups_at(made, quasi, node)
        good = holds_each(oracle.values_of(made, groups), made["disease"])
        return all(good) and len(groups) <= most

    expected = oracle.minimal([node for node in oracle.all_nodes(quasi) if safe(node)])
    assert levels(minimal_generalizations(table, [*rules, FewGroups(most)])) == expected


def minimal_by_judging(table, rules, columns):
    """Every node judged as a release, no prediction."""
    rollups = RollUps(Lattice.of(table.cells), with_values=True)

    def safe(node):
        groups = groups_of_cells(table.cells, rollups.group_of_cell(node))
        return judge(rules, groups).safe

    return oracle.minimal([node for node in oracle.all_nodes(columns) if safe(node)])


@given(cases(max_rows=9), st.integers(0, 2), st.sampled_from(["0.5", "0.7", "1"]))
def test_worst_case_safety_is_searched_like_any_rule(case, k, confidence):
    table, _, quasi, *_ = case
    rules = [gy.Safety(confidence, k)]
    expected = minimal_by_judging(table, rules, quasi)
    assert levels(minimal_generalizations(table, rules)) == expected


@settings(max_examples=15)  # every node of every table asks for priors of its own
@given(cases(max_rows=6, rules=("k",)), st.sampled_from(["0.1", "0.3"]))
def test_a_rule_that_asks_where_people_come_from_is_told(case, t):
    table, _, quasi, *_ = case
    rules = [gy.Beliefs(bandwidth="0.3", t=t)]
    assert levels(minimal_generalizations(table, rules)) == minimal_by_judging(table, rules, quasi)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(list(oracle.JOBS)),
            st.sampled_from(["cat", "dog"]),
            st.lists(st.sampled_from("abc"), max_size=3),
        ),
        min_size=1,
        max_size=8,
    ),
    st.sampled_from(["set", "multiset"]),
    st.sampled_from(
        [
            gy.KAnonymity(2),
            gy.DistinctDiversity(2),
            gy.EntropyDiversity("1.5"),
            gy.RecursiveDiversity(2, 2),
            gy.ProbabilisticDiversity(2),
            gy.TCloseness("0.3"),
            gy.Skyline({"*": [(1, 1, 0, "0.7")]}),
        ]
    ),
)
def test_people_with_several_values_are_searched_like_any(rows, kind, rule):
    """The skyline is not monotone there, and says so."""
    if not any(held for *_, held in rows):
        return
    columns = ["job", "pet"]
    schema = gy.Schema(
        quasi_identifiers=columns,
        sensitive="disease",
        hierarchies={"job": strategies.HIERARCHIES["job"]},
        values_per_person=kind,
        separator=";",
    )
    jobs, pets, held = zip(*rows, strict=True)
    made = {"job": list(jobs), "pet": list(pets), "disease": [";".join(h) for h in held]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = gy.read(made, schema, missing="value")
    assert levels(minimal_generalizations(table, rule)) == minimal_by_judging(
        table, [rule], columns
    )


@given(cases(max_rows=12), st.data())
def test_rolled_up_counts_are_those_counted_from_scratch(case, data):
    """On every way up, also when nodes are forgotten on the way."""
    table, made, quasi, *_ = case
    rollups = RollUps(Lattice.of(table.cells), with_values=True)
    for node in data.draw(st.lists(st.sampled_from(oracle.all_nodes(quasi)), max_size=8)):
        counts = rollups.counts(node)
        people = oracle.groups_at(made, quasi, node)
        held = [sorted(values) for values in oracle.values_of(made, people)]
        rolled = [
            sorted(
                value
                for code, n in zip(counts.value_codes[a:b], counts.value_counts[a:b], strict=True)
                for value in [table.sensitive_values[code]] * n
            )
            for a, b in zip(counts.starts, counts.starts[1:], strict=False)
        ]
        assert sorted(rolled) == sorted(held)
        assert sorted(counts.sizes.tolist()) == sorted(map(len, people))
        assert (np.diff(counts.first) > 0).all()
        again = groups_of_cells(table.cells, rollups.group_of_cell(node))
        assert (again.sizes == counts.sizes).all()
        assert (again.value_codes == counts.value_codes).all()


@given(cases())
def test_a_small_memory_changes_nothing(case):
    table, _, _, rules, _ = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lattice_rollup, "_SLOTS", 3)
        patch.setattr(lattice_rollup, "_ROOM_AT_LEAST", 4)
        patch.setattr(lattice_rollup, "_GROUPS_WORTH_A_DETOUR", 0)
        small = minimal_generalizations(table, rules)
    assert small == minimal_generalizations(table, rules)


@given(strategies.columns(max_rows=12), st.sampled_from(sorted(RULES)))
def test_what_a_rule_implies_holds_wherever_the_rule_does(made, name):
    cells = table_of(made, ["job"]).cells
    groups = groups_of_cells(cells, np.arange(len(cells)))
    rule = RULES[name][0].bind(groups)
    for weaker in necessary(rule, cells.values_per_person):
        assert (weaker.holds_each(groups) | ~rule.holds_each(groups)).all()


def test_a_minimal_node_need_not_be_on_a_chain():
    """Errata M9: people a a b b; the chain over {aa|bb} misses the finer {ab|ab}."""
    columns = {"one": list("xxyy"), "two": list("xyxy"), "disease": list("aabb")}
    table = gy.read(columns, gy.Schema(quasi_identifiers=["one", "two"], sensitive="disease"))
    rule = gy.ProbabilisticDiversity("5/3")
    assert minimal_generalizations(table, rule) == [{"one": 1, "two": 0}]  # not on the chain


def small_table():
    made = {"age": [3, 4, 11, 12, 13], "pet": list("ccdde"), "disease": list("abaab")}
    return table_of(made, ["age", "pet"])


def test_a_column_without_a_hierarchy_is_published_as_it_is_or_not_at_all():
    table = gy.read({"pet": ["cat", "dog", "eel"]}, gy.Schema(quasi_identifiers=["pet"]))
    assert minimal_generalizations(table, gy.KAnonymity(2)) == [{"pet": 1}]
    result = search(table.cells, gy.KAnonymity(2))
    assert result.levels == {"pet": 1} and result.loss == 1.0 and result.partition.n_groups == 1


def test_nothing_safe_says_which_rule_fails_and_what_can_be_had():
    table = small_table()
    rules = [gy.KAnonymity(9), gy.DistinctDiversity(3), gy.TCloseness("0.5")]
    with pytest.raises(NothingSafeError) as problem:
        search(table.cells, rules)
    text = str(problem.value)
    assert "at least 9 people: at best 5" in text
    assert "3 different sensitive values: at best 2" in text
    assert "within distance" not in text
    assert minimal_generalizations(table, rules) == []


def test_everybody_left_out_is_no_release():
    table = small_table()
    with pytest.raises(NothingSafeError):
        search(table.cells, gy.KAnonymity(9), suppression=1)


@pytest.mark.parametrize("share", ["-0.1", "1.1", "many"])
def test_the_share_left_out_is_a_share(share):
    with pytest.raises(RuleError):
        search(small_table().cells, gy.KAnonymity(2), suppression=share)


def test_an_unknown_utility_or_weight_is_refused():
    cells = small_table().cells
    with pytest.raises(RuleError, match="choose one of loss, precision, height"):
        search(cells, gy.KAnonymity(2), utility="beauty")
    with pytest.raises(RuleError, match="not a quasi-identifier"):
        search(cells, gy.KAnonymity(2), weights={"beauty": 1})
    with pytest.raises(RuleError, match="at least 0"):
        search(cells, gy.KAnonymity(2), weights={"age": -1})
    with pytest.raises(RuleError, match="every weight is 0"):
        search(cells, gy.KAnonymity(2), weights={"age": 0, "pet": 0})


def test_weights_say_which_column_is_worth_more():
    cells = table_of(
        {"job": ["clerk", "boss", "nurse", "farmer"], "pet": list("cdcd"), "disease": list("abab")},
        ["job", "pet"],
    ).cells
    dear_job = search(cells, gy.KAnonymity(2), weights={"job": 9})
    dear_pet = search(cells, gy.KAnonymity(2), weights={"pet": 9})
    assert dear_job.levels == {"job": 1, "pet": 1} and dear_pet.levels == {"job": 2, "pet": 0}
    assert math.isclose(dear_job.loss, 0.9 * 1 / 3 + 0.1)


def test_a_table_without_quasi_identifiers_has_no_lattice():
    table = gy.read({"disease": ["a", "b"]}, gy.Schema(sensitive="disease"))
    with pytest.raises(SchemaError, match="nothing to generalize"):
        search(table.cells, gy.KAnonymity(1))


def test_no_rules_leave_the_table_as_it_is():
    result = search(small_table().cells, [])
    assert result.levels == {"age": 0, "pet": 0} and result.loss == 0.0


@given(cases(), SHARES)
def test_a_search_that_runs_out_of_time_says_what_may_be_missed(case, suppression):
    table, made, quasi, rules, holds_each = case
    allowed = math.floor(Fraction(suppression) * len(made["disease"]))
    safe = oracle.safe_nodes(made, quasi, holds_each, allowed)
    try:
        result = search(table.cells, rules, suppression=suppression, time_limit=0.0)
    except NothingSafeError:
        return  # not even the top: nothing else was looked at
    least = min(oracle.loss(made, quasi, node, gone) for node, gone in safe.items())
    assert result.bound <= float(least) + 1e-9 <= result.loss + 2e-9
    late = any("time limit" in notice for notice in result.partition.notices)
    assert late == (not result.is_optimal)


def test_a_greedy_start_does_not_change_the_optimum():
    table = small_table()
    for utility in ("loss", "precision", "height", "discernibility"):
        quick = search(table.cells, gy.KAnonymity(2), utility=utility)
        slow = search(table.cells, gy.KAnonymity(2), utility=utility, time_limit=60)
        assert math.isclose(quick.loss, slow.loss) and slow.is_optimal


def test_progress_tells_of_every_node():
    told = []
    cells = small_table().cells
    result = search(cells, gy.KAnonymity(2), progress=lambda *counts: told.append(counts))
    assert all(checked + pruned + left >= result.n_nodes for checked, pruned, left in told)
    assert told[-1] == (result.n_checked, result.n_pruned, 0)
    told.clear()
    minimal_generalizations(cells, gy.KAnonymity(2), progress=lambda *counts: told.append(counts))
    assert told[-1][2] == 0


def test_fewer_nodes_are_checked_than_there_are():
    """Prediction both ways: most of 180 nodes are never counted."""
    made = {
        "age": [n % 26 for n in range(300)],
        "zip": [["14850", "14853", "13068", "02139"][n * n % 4] for n in range(300)],
        "job": [list(oracle.JOBS)[n % 4] for n in range(300)],
        "pet": ["cat" if n % 3 else "dog" for n in range(300)],
        "disease": ["abc"[n % 3] for n in range(300)],
    }
    result = search(table_of(made, ["age", "zip", "job", "pet"]).cells, gy.KAnonymity(10))
    assert result.n_nodes == 180 and result.n_checked < 40


# (rules, loss of ARX's optimum, the same with 5 % of people left out), 8 quasi-identifiers
ARX = {
    "k": ([gy.KAnonymity(5)], 0.625, 0.178339),
    "recursive": ([gy.KAnonymity(6), gy.RecursiveDiversity(3, 6)], 0.679145, 0.457203),
    "distinct": ([gy.DistinctDiversity(6)], 0.679145, 0.295424),
    "entropy": ([gy.EntropyDiversity(6)], 0.679145, 0.459773),
    "t": ([gy.TCloseness("0.2")], 0.929145, 0.839694),
}


@pytest.fixture(scope="module")
def adult_cells(real_data):
    pandas = pytest.importorskip("pandas")
    people = pandas.read_csv(real_data / "adult.csv.gz", dtype=str)
    people = people[(people["split"] == "train") & ~(people == "?").any(axis=1)]
    people = people.rename(columns={"salary": "salary-class"})
    four = ["age", "marital-status", "race", "sex"]
    eight = [*four, "education", "native-country", "salary-class", "workclass"]

    def cells(columns):
        folder = real_data / "hierarchies" / "adult"
        files = {name: folder / f"adult_hierarchy_{name}.csv" for name in columns}
        hierarchies = {name: gy.Hierarchy.from_csv(path) for name, path in files.items()}
        schema = gy.Schema(
            quasi_identifiers=columns, sensitive="occupation", hierarchies=hierarchies
        )
        return gy.read(people[[*columns, "occupation"]], schema).cells

    return {"4": cells(four), "8": cells(eight)}


@pytest.mark.parametrize("name", ARX)
def test_the_optimum_on_adult_is_the_one_that_arx_finds(adult_cells, name):
    rules, whole, with_some_left_out = ARX[name]
    for share, expected in (("0", whole), ("0.05", with_some_left_out)):
        result = search(adult_cells["8"], rules, suppression=share)
        assert result.n_nodes == 4320 and result.is_optimal
        assert round(result.loss, 6) == expected


def test_the_optimum_on_four_columns_of_adult_is_the_one_that_arx_finds(adult_cells):
    for share, expected in (("0", 0.358290), ("0.05", 0.025526)):
        result = search(adult_cells["4"], gy.KAnonymity(5), suppression=share)
        assert result.n_nodes == 60 and round(result.loss, 6) == expected
