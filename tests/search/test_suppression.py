"""Cell suppression: safe by the slow definition, near the optimum, honest about every star."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.data.values import text_of
from gyges.errors import NothingSafeError, RuleError
from gyges.release.mapping import save_mapping
from gyges.search import suppression
from gyges.search.suppression_masks import are_all, masks_of
from gyges.utility.grouping import Grouping
from gyges.utility.label_values import label_values
from gyges.utility.measure import partition_utility
from tests.oracles import criteria
from tests.oracles import suppression as oracle
from tests.search.made import category, make_cells, some_cells

# Each rule, and its definition over lists of values.
RULES = {
    "k": (gy.KAnonymity(3), lambda groups: criteria.k_anonymous(groups, 3)),
    "distinct": (gy.DistinctDiversity(2), lambda groups: criteria.distinct_diverse(groups, 2)),
    "entropy": (
        gy.EntropyDiversity("3/2"),
        lambda groups: criteria.entropy_diverse(groups, "3/2"),
    ),
    "recursive": (
        gy.RecursiveDiversity("3", 2),
        lambda groups: criteria.recursive_diverse(groups, 3, 2, strict=True),
    ),
    "safety": (
        gy.Safety("0.9", k=0),
        lambda groups: all(10 * max(Counter(g).values()) < 9 * len(g) for g in groups),
    ),
}


def table_of(cells):
    """The cells for the oracle: combinations, and the values of their people."""
    return {
        tuple(map(int, row)): [
            int(cells.value_codes[e])
            for e in range(cells.starts[i], cells.starts[i + 1])
            for _ in range(int(cells.value_counts[e]))
        ]
        for i, row in enumerate(cells.codes)
    }


def assert_true_of(release, table, out):
    """Verified; and against the original with the mapping, because labels with `*` overlap."""
    assert gy.verify(out).holds
    found = gy.verify(out, original=table)
    assert not found.refuted and ["in several groups" in c.found for c in found.unchecked] == [True]
    mapping = save_mapping(release, out.parent / "mapping.json")
    assert gy.verify(out, original=table, mapping=mapping).holds


def choice_of(found):
    """Which columns a result hides for each cell."""
    return [set(np.flatnonzero(found.hidden[g]).tolist()) for g in found.group_of_cell]


@pytest.mark.parametrize("name", RULES)
@given(cells=some_cells(max_cells=8), weights=st.tuples(*[st.integers(0, 3)] * 3))
def test_every_result_is_safe_by_the_slow_definition(name, cells, weights):
    rule, holds = RULES[name]
    weights = dict(zip(cells.columns, weights, strict=False))
    if not any(weights.values()):
        weights = None
    table = table_of(cells)
    try:
        found = suppression.search(cells, [gy.KAnonymity(2), rule], weights=weights, tries=2)
    except NothingSafeError:
        everybody = [[value for values in table.values() for value in values]]
        assert not (holds(everybody) and criteria.k_anonymous(everybody, 2))
        return
    groups = oracle.groups_of(table, choice_of(found))
    assert criteria.k_anonymous(groups.values(), 2) and holds(list(groups.values()))
    # Groups are exactly the rows that show the same.
    shown = [oracle.shown(row, out) for row, out in zip(table, choice_of(found), strict=True)]
    by_group = {}
    for row, group in zip(shown, found.group_of_cell, strict=True):
        by_group.setdefault(int(group), set()).add(row)
    assert all(len(rows) == 1 for rows in by_group.values())
    assert len(by_group) == len(set(shown)) == found.n_groups


@pytest.mark.parametrize("name", ["k", "distinct", "recursive"])
@given(
    cells=some_cells(max_cells=4, max_columns=3, kinds=("category",), max_count=2),
    weights=st.tuples(*[st.integers(1, 3)] * 3),
)
def test_the_cost_is_never_below_the_optimum_and_the_notice_counts_the_cells(name, cells, weights):
    rule, holds = RULES[name]
    columns = dict(zip(cells.columns, weights, strict=False))
    table = table_of(cells)
    least = oracle.least_cost(table, list(columns.values()), holds)
    try:
        found = suppression.search(cells, [rule], weights=columns)
    except NothingSafeError:
        # One group of all people fails: of a monotone rule nothing else holds either.
        assert least is None
        return
    spent = oracle.cost(table, choice_of(found), list(columns.values()))
    assert least is not None and spent >= least
    n_hidden = oracle.cost(table, choice_of(found), [1] * len(columns))
    assert found.notices[0].startswith(f"{n_hidden:,} of ")


def test_on_small_tables_the_cost_is_close_to_the_optimum():
    """60 tables of three to five distinct rows and three columns, k = 2 and 3."""
    rng, ratios = random.Random(7), []
    for _ in range(60):
        rows = rng.sample(list(product(range(2), range(2), range(3))), rng.randint(3, 5))
        people = [rng.randint(1, 2) for _ in rows]
        made = [category("a", 2), category("b", 2), category("c", 3)]
        entries = [(row, 0, n) for row, n in zip(rows, people, strict=True)]
        cells = make_cells(made, rows, people, entries)
        k = rng.randint(2, 3)
        if sum(people) < k:
            continue
        table = table_of(cells)
        least = oracle.least_cost(table, [1] * 3, lambda g, k=k: criteria.k_anonymous(g, k))
        found = suppression.search(cells, [gy.KAnonymity(k)])
        spent = oracle.cost(table, choice_of(found), [1] * 3)
        ratios.append(spent / least if least else 1.0)
        assert least or not spent
    assert len(ratios) > 55
    assert np.mean(ratios) <= 1.02 and np.mean(np.array(ratios) == 1.0) >= 0.95


def test_an_unimportant_column_is_suppressed_first():
    columns = {"a": ["x", "x", "y", "y"], "b": ["u", "v", "u", "v"]}
    table = gy.read(columns, gy.Schema(quasi_identifiers=["a", "b"]))
    for important, other in (("a", "b"), ("b", "a")):
        release = gy.publish(
            table, [gy.KAnonymity(2)], method="suppression", weights={important: 3}
        )
        frame = release.frame()
        assert set(frame.column(other).to_pylist()) == {"*"}
        assert "*" not in frame.column(important).to_pylist()
        assert release.notices[0] == f"4 of 8 cells (50%) are suppressed: {other} 4"


def test_rows_that_are_safe_already_are_published_as_they_are():
    columns = {"a": ["x"] * 3 + ["y"] * 3, "s": list("ababab")}
    table = gy.read(columns, gy.Schema(quasi_identifiers=["a"], sensitive="s"))
    release = gy.publish(table, [gy.KAnonymity(3)], method="suppression")
    assert sorted(release.frame().column("a").to_pylist()) == columns["a"]
    assert release.notices[0] == "0 of 6 cells (0%) are suppressed: none"


@pytest.mark.parametrize("with_tree", [False, True])
def test_a_star_that_is_somebodys_value_never_looks_suppressed(with_tree, tmp_path):
    tree = gy.Hierarchy((("*", "any"), ("x", "any"), ("y", "any"), ("z", "any")))
    columns = {
        "a": ["*", "*", "x", "x", "y", "z"],
        "b": ["1", "1", "1", "1", "1", "1"],
        "s": list("ababab"),
    }
    schema = gy.Schema(
        quasi_identifiers=["a", "b"],
        sensitive="s",
        kinds={"b": "category"},
        hierarchies={"a": tree} if with_tree else {},
    )
    table = gy.read(columns, schema)
    release = gy.publish(table, [gy.KAnonymity(2)], method="suppression")
    assert Counter(release.frame().column("a").to_pylist()) == {'{"*"}': 2, "x": 2, "*": 2}
    assert release.frame().column_names == ["a", "b", "s"]  # no number separates groups
    out = release.save(tmp_path / "out", pages=gy.report_pages(release))
    assert_true_of(release, table, out)
    assert len(gy.load(out).groups) == 3


def test_the_files_of_a_release_give_the_same_groups_back(tmp_path):
    rng = random.Random(2)
    columns = {
        "age": [rng.randrange(20, 30) for _ in range(300)],
        "town": [rng.choice("abcde") for _ in range(300)],
        "job": [rng.choice("uvw") for _ in range(300)],
        "ill": [rng.choice(["flu", "gout", "mumps"]) for _ in range(300)],
    }
    schema = gy.Schema(quasi_identifiers=["age", "town", "job"], sensitive="ill")
    table = gy.read(columns, schema)
    rules = [gy.KAnonymity(3), gy.DistinctDiversity(2)]
    release = gy.publish(table, rules, method="suppression", seed=1)
    rows = list(zip(*release.frame().to_pydict().values(), strict=True))
    shown = Counter(row[:3] for row in rows)
    assert min(shown.values()) >= 3 and len(shown) == release.n_groups
    out = release.save(tmp_path / "out", pages=gy.report_pages(release))
    assert_true_of(release, table, out)
    loaded = gy.load(out)
    assert loaded.groups.sizes.tolist() == release.groups.sizes.tolist()
    assert loaded.method == "suppression"
    assert str(gy.audit(release)) and str(gy.audit(loaded))
    # Everybody's own group is among the groups that an attacker finds for them.
    found = release.candidates(table)
    own = release.group_of_row
    for row, cell in enumerate(table.cell_of_row):
        theirs = found.groups[found.starts[cell] : found.starts[cell + 1]]
        assert own[row] in theirs


def test_k_rows_fit_everybody_and_the_count_that_lets_a_star_match_anything_does_not_ensure_it():
    """Two rows (a, b) and (a, *) agree with each other, but who has (a, c) fits the second only."""
    rows, people = [("a", "b"), ("a", None)], [("a", "b"), ("a", "c")]
    assert [oracle.rows_that_agree(row, rows) for row in rows] == [2, 2]
    assert [oracle.rows_that_fit(one, rows) for one in people] == [2, 1]
    table = gy.read(
        {"q": [one[0] for one in people], "r": [one[1] for one in people]},
        gy.Schema(quasi_identifiers=["q", "r"]),
    )
    frame = gy.publish(table, [gy.KAnonymity(2)], method="suppression").frame()
    assert frame.column("r").to_pylist() == ["*", "*"]


@given(cells=some_cells(max_cells=8), k=st.integers(2, 4))
def test_at_least_k_rows_fit_everybody(cells, k):
    if cells.n_people < k:
        return
    found = suppression.search(cells, [gy.KAnonymity(k)], tries=1)
    table = table_of(cells)
    rows = [
        oracle.shown(row, out)
        for (row, values), out in zip(table.items(), choice_of(found), strict=True)
        for _ in values
    ]
    assert min(oracle.rows_that_fit(row, rows) for row in table) >= k
    assert min(oracle.rows_that_agree(row, rows) for row in rows) >= k


@pytest.mark.parametrize("values_per_person", ["set", "multiset"])
@given(data=st.data())
def test_people_with_several_values_are_taken_too(values_per_person, data):
    cells = data.draw(some_cells(values_per_person=values_per_person))
    rules = [gy.KAnonymity(2), gy.DistinctDiversity(2)]
    try:
        found = suppression.search(cells, rules, tries=1)
    except NothingSafeError:
        return
    assert gy.judge(rules, found.groups).safe
    assert found.groups.sizes.sum() == cells.n_people


@given(cells=some_cells(max_cells=8))
def test_a_suppressed_cell_counts_as_lost_in_every_measure(cells):
    if cells.n_people < 3:
        return
    found = suppression.search(cells, [gy.KAnonymity(3)], tries=1)
    sizes, n = found.groups.sizes, cells.n_people
    share = sizes @ found.hidden / n  # of each column
    several = np.array([len(domain) > 1 for domain in cells.domains])
    measured = partition_utility(found)
    assert measured["loss"] == pytest.approx((share * several).sum() / len(share))
    assert measured["gcp"] == pytest.approx(share.mean())
    assert measured["precision"] == pytest.approx(1 - share.mean())
    grouping = Grouping.of_partition(found)
    for column, domain in enumerate(cells.domains):
        covered = label_values(grouping, column)
        for group, out in enumerate(found.hidden[:, column]):
            expected = (
                set(range(len(domain)))
                if out
                else {int(code) for code in cells.codes[found.group_of_cell == group, column]}
            )
            label = covered.of_group[group]
            shown = covered.order[covered.begins[label] : covered.ends[label]]
            assert set(shown.tolist()) == (
                {c for c in expected if domain.present[c]} if out else expected
            )


def test_labels_of_numbers_and_missing_values_are_their_own_texts():
    columns = {"n": [1.5, 1.5, 2.0, 7.0], "m": ["a", "a", "a", "a"]}
    table = gy.read(columns, gy.Schema(quasi_identifiers=["n", "m"]))
    release = gy.publish(table, [gy.KAnonymity(2)], method="suppression")
    assert Counter(release.frame().column("n").to_pylist()) == {text_of(1.5): 2, "*": 2}
    assert set(release.frame().column("m").to_pylist()) == {"a"}


def test_with_many_columns_few_and_most_columns_are_tried():
    n = 16
    rng = np.random.default_rng(1)
    rows = np.unique(rng.integers(0, 3, (300, n)), axis=0)
    made = [category(f"q{j}_", 3) for j in range(n)]
    listed = [tuple(row) for row in rows.tolist()]
    cells = make_cells(made, listed, [1] * len(rows), [(row, 0, 1) for row in listed])
    masks = masks_of(cells, np.ones(n))
    assert not are_all(n) and len(masks) < 1 << 13
    assert not masks[0].any() and masks[-1].all()
    counts = [int(mask.sum()) for mask in masks]
    assert counts == sorted(counts) and set(counts) == set(range(n + 1))
    found = suppression.search(cells, [gy.KAnonymity(2)], tries=1)
    assert found.groups.sizes.min() >= 2 and "not every set of columns" in found.notices[1]


def test_bad_options_are_refused_in_a_sentence():
    table = gy.read({"a": [1, 2, 2]}, gy.Schema(quasi_identifiers=["a"]))
    for options, said in (
        ({"weights": {"b": 1}}, "'b', which is not a quasi-identifier"),
        ({"weights": {"a": -1}}, "at least 0"),
        ({"weights": {"a": 0}}, "every weight is 0"),
        ({"tries": 0}, "tries"),
        ({"importance": {}}, "no option 'importance'"),
    ):
        with pytest.raises(RuleError, match=said):
            gy.publish(table, [gy.KAnonymity(2)], method="suppression", **options)
    with pytest.raises(NothingSafeError):
        gy.publish(table, [gy.KAnonymity(4)], method="suppression")
