"""missing="any": groups in which people without a value share labels with others."""

from __future__ import annotations

import collections
import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.auditing.against_original import PEOPLE, check_original
from gyges.data.stand_ins import missing_cells
from gyges.data.values import MISSING
from gyges.errors import (
    GygesWarning,
    MissingValuesError,
    NothingSafeError,
    ReleaseError,
    RuleError,
    SchemaError,
)
from gyges.release.grouped_files import as_published
from gyges.release.statements import SIMULATABLE
from tests.oracles.missing_values import covers, may_show, truths

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")

ROWS = st.tuples(
    st.sampled_from([None, 20, 25, 31, 47]),
    st.sampled_from([None, "f", "m"]),
    st.sampled_from([None, "a", "b", "c"]),
    st.sampled_from(["Flu", "Gout", "HIV"]),
)
NAMES = ["age", "sex", "place"]
PLACES = gy.Hierarchy.from_tree({"ab": ["a", "b"], "cd": ["c", "d"]})
DOMAINS = [[20, 25, 31, 47], ["f", "m"], ["a", "b", "c", "d"]]


def read(rows, missing="any", **given):
    columns = {name: [row[i] for row in rows] for i, name in enumerate([*NAMES, "disease"])}
    hierarchies = {"place": PLACES}
    schema = gy.Schema(
        quasi_identifiers=NAMES, sensitive="disease", hierarchies=hierarchies, **given
    )
    return gy.read(columns, schema, missing=missing)


def published(rows, method="partition", k=3, **options):
    """A release and its table, or None where nothing is safe or a column has no value."""
    try:
        table = read(rows)
        return table, gy.publish(table, [gy.KAnonymity(k)], method=method, **options)
    except (NothingSafeError, MissingValuesError):
        return None


def shown_rows(release):
    """The published labels and value of each row, from the table alone."""
    data = release.tables["data"].to_pydict()
    return list(zip(*(map(str, data[name]) for name in NAMES), data["disease"], strict=True))


def shown(label, value, column):
    """Labels of places may be terms of the hierarchy."""
    terms = {"ab": "ab", "cd": "cd"}
    said = label.removesuffix(" or (missing)")
    if column == 2 and said in terms and value is not None:
        return value in terms[said]
    return covers(label, value)


def possible(label, value, column):
    return shown(label, value, column) or may_show(label, value)


@pytest.mark.parametrize("method", ["partition", "lattice", "suppression"])
@given(rows=st.lists(ROWS, min_size=3, max_size=14), k=st.integers(2, 4))
def test_whatever_is_true_of_someone_k_people_may_be_them(method, rows, k):
    """Every person, every way to fill their gaps: from the published rows alone."""
    found = published(rows, method, k)
    if found is None:
        return
    _, release = found
    seen = shown_rows(release)
    assert min(collections.Counter(row[:3] for row in seen).values()) >= k
    where = release.group_of_row
    for row, group in zip(rows, where.tolist(), strict=True):
        if group < 0:
            continue
        labels = [release.labels[name][group] for name in NAMES]
        assert all(shown(labels[i], row[i], i) for i in range(3)), (labels, row)  # labels are true
        for truth in truths(row[:3], DOMAINS):
            candidates = sum(all(possible(one[i], truth[i], i) for i in range(3)) for one in seen)
            assert candidates >= k
    assert sorted(row[3] for row in seen) == sorted(
        row[3] for row, group in zip(rows, where.tolist(), strict=True) if group >= 0
    )


@given(rows=st.lists(ROWS, min_size=4, max_size=14))
def test_rules_about_values_hold_in_what_is_published(rows):
    table = read(rows) if all(any(r[i] is not None for r in rows) for i in range(3)) else None
    if table is None:
        return
    rules = [gy.KAnonymity(2), gy.ProbabilisticDiversity(2), gy.Safety("0.9", k=0)]
    try:
        release = gy.publish(table, rules)
    except NothingSafeError:
        return
    seen = collections.defaultdict(list)
    for row in shown_rows(release):
        seen[row[:3]].append(row[3])
    for values in seen.values():
        assert len(values) >= 2
        assert 2 * max(collections.Counter(values).values()) <= len(values)
    assert gy.judge(rules, as_published(release).groups).safe


@given(rows=st.lists(ROWS, min_size=3, max_size=14))
def test_without_gaps_every_choice_is_the_same(rows):
    rows = [row for row in rows if None not in row]
    if len(rows) < 3:
        return
    one, other = (
        gy.publish(read(rows, missing), [gy.KAnonymity(2)], seed=3) for missing in ("any", "error")
    )
    assert one.labels == other.labels and one.tables["data"].equals(other.tables["data"])


@given(rows=st.lists(ROWS, min_size=3, max_size=14))
def test_the_same_release_is_verified_with_its_original(rows, tmp_path_factory):
    found = published(rows)
    if found is None:
        return
    table, release = found
    out = tmp_path_factory.mktemp("release")
    release.save(out / "r")
    assert gy.verify(out / "r").holds
    checks = gy.verify(out / "r", original=table).checks
    assert not any(check.holds is False for check in checks), [str(check) for check in checks]
    again = gy.audit(gy.load(out / "r"), original=table)
    assert again.utility.get("loss", release.loss) == pytest.approx(release.loss)


@given(rows=st.lists(ROWS, min_size=4, max_size=14), data=st.data())
def test_another_original_is_refuted_or_left_open(rows, data):
    """A value that is changed, where nothing is missing, is noticed or nothing is confirmed."""
    found = published(rows)
    if found is None:
        return
    place = data.draw(st.integers(0, len(rows) - 1))
    row = rows[place]
    value = data.draw(st.sampled_from([v for v in ("Flu", "Gout", "HIV") if v != row[3]]))
    other = [*rows[:place], (*row[:3], value), *rows[place + 1 :]]
    if found[1].group_of_row[place] < 0:
        return
    checks = check_original(as_published(found[1]), read(other))
    assert [check.holds for check in checks if check.claim == PEOPLE] in ([False], [None])


@given(rows=st.lists(ROWS, min_size=3, max_size=12))
def test_an_attacker_finds_every_group_that_may_be_someones(rows):
    """The widened look-up, by comparing each person with each group."""
    found = published(rows, k=2)
    if found is None:
        return
    table, release = found
    complete = [
        tuple(next(iter(truths([v], [d])))[0] for v, d in zip(row[:3], DOMAINS, strict=True))
        for row in rows
    ]
    outside = read([(*row, "Flu") for row in complete], "error")
    for people, theirs, knows in (
        (outside, complete, False), (table, [row[:3] for row in rows], False), (None, rows, True)
    ):  # fmt: skip
        people = read(rows, "value") if people is None else people
        candidates = release.candidates(people)
        for row, cell in zip(theirs, people.cell_of_row.tolist(), strict=True):
            groups = candidates.groups[candidates.starts[cell] : candidates.starts[cell + 1]]
            expected = [
                g
                for g in range(len(release.groups))
                if all(
                    shown(release.labels[name][g], row[i], i)
                    or (not knows and release.labels[name][g].endswith("or (missing)"))
                    or (
                        people is table
                        and (row[i] is None or "(missing)" in release.labels[name][g])
                    )
                    for i, name in enumerate(NAMES)
                )
            ]
            assert sorted(groups.tolist()) == expected


def test_numbers_stay_numbers_and_the_loss_is_that_of_the_labels():
    rng = np.random.default_rng(5)

    def drawn(values):
        return [
            None if rng.random() < 0.2 else values[rng.integers(len(values))] for _ in range(300)
        ]

    rows = [*zip(drawn(range(20, 80)), drawn("fm"), drawn("abc"), ["Flu", "Gout", "HIV"] * 100,
                 strict=True)]  # fmt: skip
    either, value = (gy.publish(read(rows, m), [gy.KAnonymity(5)]) for m in ("any", "value"))
    assert either.roles.kinds["age"] == "number" and value.roles.kinds["age"] == "category"
    assert either.loss == gy.measure_utility(read(rows), either.group_of_row)["loss"]
    assert any(label.endswith(" or (missing)") for label in either.labels["age"])
    assert not any(label == MISSING for column in either.labels.values() for label in column)
    assert any("may be any value" in notice for notice in either.notices)
    assert not any("may be any value" in notice for notice in value.notices)


ROW_SETS = [(20, "f", "a", "Flu"), (None, "f", "a", "Gout"), (25, None, "b", "HIV")] * 3


@pytest.mark.parametrize(
    "method, rules, options",
    [
        ("buckets", [gy.DistinctDiversity(2)], {}),
        ("microaggregation", [gy.KAnonymity(2)], {}),
        ("dp", [], {"epsilon": 1}),
        ("marginals", [gy.KAnonymity(2)], {}),
        ("partition", [gy.Beliefs("0.5", "0.3")], {}),
        ("partition", [gy.KAnonymity(2)], {"form": "bucketized"}),
    ],
)
def test_what_cannot_be_promised_is_refused(method, rules, options):
    with pytest.raises(RuleError, match="may be any value"):
        gy.publish(read(ROW_SETS), rules, method=method, **options)


def test_people_with_equal_quasi_identifiers_are_not_divided():
    with pytest.raises(RuleError, match="relaxed"):
        gy.publish(read(ROW_SETS), [gy.KAnonymity(2)], relaxed=True)


def test_a_missing_sensitive_value_is_refused():
    with pytest.raises(MissingValuesError, match="1 in column 'disease', which is sensitive"):
        read([*ROW_SETS, (20, "f", "a", None)])


def test_a_column_without_any_value_is_refused():
    with pytest.raises(MissingValuesError, match="nobody has a value in column 'sex'"):
        gy.publish(read([(20, None, "a", "Flu")] * 3), [gy.KAnonymity(2)])


def test_a_memory_limit_is_refused():
    with pytest.raises(SchemaError, match="memory limit"):
        columns = {"age": [20, None] * 4, "sex": ["f"] * 8}
        gy.read(columns, gy.Schema(quasi_identifiers=["age"]), missing="any", memory_limit="8GB")


def test_households_are_those_of_the_people_whatever_is_missing():
    homes = [1, 1, 2, 3, 3, 4, 5, 6, 6]
    columns = {name: [row[i] for row in ROW_SETS] for i, name in enumerate([*NAMES, "disease"])}
    schema = gy.Schema(quasi_identifiers=NAMES, sensitive="disease", household="home")
    table = gy.read({**columns, "home": homes}, schema, missing="any")
    release = gy.publish(table, [gy.HouseholdAnonymity(3)])
    for group in range(len(release.groups)):
        members = np.flatnonzero(release.group_of_row == group)
        assert len({homes[i] for i in members}) >= 3


def test_a_label_that_is_a_value_is_not_mistaken_for_one_with_gaps():
    """A value that ends like such a label is written as a set of one."""
    rows = {"word": ["x or (missing)"] * 3 + ["x"] * 3, "disease": ["Flu", "Gout", "HIV"] * 2}
    schema = gy.Schema(quasi_identifiers=["word"], sensitive="disease")
    release = gy.publish(gy.read(rows, schema), [gy.KAnonymity(3)])
    assert sorted(release.labels["word"]) == ["x", '{"x or (missing)"}']
    found = release.candidates(gy.read(rows, schema))
    assert np.diff(found.starts).tolist() == [1, 1]


def test_gaps_are_where_values_are_missing():
    table = read(ROW_SETS)
    lacks = missing_cells(table.cells)[table.cell_of_row]
    assert lacks.tolist() == [[value is None for value in row[:3]] for row in ROW_SETS]
    with warnings.catch_warnings():
        warnings.simplefilter("error", GygesWarning)
        assert table.stand_ins.cells.n_people == 9


def divisions(rows, release):
    """Every division of people among the groups whose labels cover them, as (labels, value)."""
    fitting = [
        [
            g
            for g in range(len(release.groups))
            if all(shown(release.labels[name][g], row[i], i) for i, name in enumerate(NAMES))
        ]
        for row in rows
    ]
    return itertools.product(*fitting)


def can_be_theirs(rows, release):
    """Whether some division gives every group the people and values that it has."""
    stated = collections.Counter(shown_rows(release))
    for division in divisions(rows, release):
        made = collections.Counter(
            (*(release.labels[name][g] for name in NAMES), row[3])
            for row, g in zip(rows, division, strict=True)
        )
        if made == stated:
            return True
    return False


@settings(max_examples=150)
@given(
    rows=st.lists(ROWS, min_size=3, max_size=7), others=st.lists(ROWS, max_size=7), data=st.data()
)
def test_an_original_is_confirmed_if_it_can_be_the_one_and_refuted_if_not(rows, others, data):
    """Confirmed means that some division of its people fits, refuted that none does."""
    found = published(rows, k=2)
    if found is None:
        return
    release = as_published(found[1])
    kept = data.draw(st.sets(st.sampled_from(range(len(rows)))))
    other = [row for place, row in enumerate(rows) if place in kept]
    other = (other + others)[: len(rows)]
    if len(other) < len(rows):
        return
    try:
        checks = check_original(release, read(other))
    except (MissingValuesError, ReleaseError):
        return
    [answer] = [check.holds for check in checks if check.claim == PEOPLE]
    if answer is not None:
        assert answer == can_be_theirs(other, found[1])
    assert [c.holds for c in check_original(release, found[0]) if c.claim == PEOPLE] != [False]


@settings(max_examples=60)
@given(rows=st.lists(ROWS, min_size=4, max_size=7), complete=st.data())
def test_two_releases_never_exclude_what_is_true(rows, complete):
    """An attacker with everyone's true values, who does not know who lacks one in the table."""
    one, two = published(rows, k=2), published(rows, "lattice", k=2)
    if one is None or two is None or one[1].n_left_out or two[1].n_left_out:
        return
    truth = [complete.draw(st.sampled_from([*truths(row[:3], DOMAINS)])) for row in rows]
    truth = [tuple(d[0] if v == "else" else v for v, d in zip(row, DOMAINS, strict=True))
             for row in truth]  # fmt: skip
    people = read([(*t, row[3]) for t, row in zip(truth, rows, strict=True)], "error")
    found = gy.intersection_attack([one[1], two[1]], people=people, joint=True)
    for person, row in enumerate(rows):
        possible = {str(value) for value in found.possible[person]}
        assert row[3] in possible, (row, possible)


def test_a_simulatable_choice_is_confirmed_with_gaps():
    ills = ("Flu", "Gout", "HIV")
    rows = [(20 + i % 4 * 9, "fm"[i % 2] if i % 5 else None, "abc"[i % 3], ills[i % 3])
            for i in range(36)]  # fmt: skip
    table = read(rows)
    release = gy.publish(table, [gy.ProbabilisticDiversity(2)], choice="simulatable")
    checks = {check.claim: check.holds for check in check_original(as_published(release), table)}
    assert checks[SIMULATABLE] is True and checks[PEOPLE] is True


def test_labels_of_shaped_and_periodic_columns_with_gaps_are_read(tmp_path):
    """Top coded ages, months and decimal numbers: `verify` reads their labels with gaps."""
    columns = {
        "age": [None if i % 7 == 0 else 20 + i * 3 % 80 for i in range(60)],
        "day": [None if i % 11 == 0 else f"20{20 + i % 3}-0{1 + i % 9}-11" for i in range(60)],
        "rate": [None if i % 5 == 0 else i * 7 % 13 - 2.5 for i in range(60)],
        "ill": ["Flu", "Gout", "HIV"] * 20,
    }
    schema = gy.Schema(
        quasi_identifiers=["age", "day", "rate"],
        sensitive="ill",
        shapes={"age": {"top": 90, "round": 5}},
        kinds={"day": "month"},
        hierarchies={"day": gy.Hierarchy.calendar("quarter", "year")},
    )
    table = gy.read(columns, schema, missing="any")
    for method in ("partition", "lattice", "suppression"):
        release = gy.publish(table, [gy.KAnonymity(3)], method=method)
        release.save(tmp_path / method)
        assert gy.verify(tmp_path / method).holds
        checks = gy.verify(tmp_path / method, original=table).checks
        assert not [str(check) for check in checks if check.holds is False]


@pytest.mark.parametrize("tree", [None, {"all x": ["x", "x or (missing)"], "y": ["y"]}])
@pytest.mark.parametrize("method", ["partition", "lattice", "suppression"])
def test_a_value_that_ends_like_a_label_with_gaps_beside_such_a_label(method, tree, tmp_path):
    """`x or (missing)` was read as that value alone, and an honest release was refuted."""
    words = ["x", "x", None, "x or (missing)", "x or (missing)", "y", "y", None]
    rows = {"word": words, "place": list("aaabbccc"), "ill": ["Flu", "HIV"] * 4}
    schema = gy.Schema(
        quasi_identifiers=["word", "place"],
        sensitive="ill",
        hierarchies={"word": gy.Hierarchy.from_tree(tree)} if tree else {},
    )
    table = gy.read(rows, schema, missing="any")
    for k in (1, 2, 3):
        release = gy.publish(table, [gy.KAnonymity(k)], method=method)
        release.save(tmp_path / str(k))
        checks = gy.verify(tmp_path / str(k), original=table).checks
        assert not [str(check) for check in checks if check.holds is False]
