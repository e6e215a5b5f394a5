"""Statistics before and after, against loops over people who are spread over their labels."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.data.examples import hospital, hospital_schema
from gyges.errors import ReleaseError, RuleError
from gyges.release.mapping import save_mapping
from gyges.utility.before_after import before_after
from gyges.utility.grouping import ShownAs
from tests.oracles import spread_tables as oracle
from tests.utility.spread_cases import EXACT, QUASI, cases

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")


def compared(case, purpose=None):
    group = np.array(case.group)
    return before_after(case.table, group, shown=ShownAs(case.levels), purpose=purpose)


@given(cases(max_rows=12))
def test_the_interval_of_a_mean_always_contains_it(case):
    for change in compared(case).means:
        column = [Fraction(str(value)) for value in case.columns[change.column]]
        assert change.before == sum(column) / len(column)
        assert change.lowest <= change.before <= change.highest


@given(cases(max_rows=12))
def test_the_interval_is_the_mean_of_the_least_and_of_the_greatest_values(case):
    for change in compared(case).means:
        place, values = QUASI.index(change.column), case.columns[change.column]
        ends = [
            case.covered[g][place] if g >= 0 else set(values)  # a suppressed person has any value
            for g in case.group
        ]
        n = len(values)
        assert change.lowest == sum(Fraction(str(min(one))) for one in ends) / n
        assert change.highest == sum(Fraction(str(max(one))) for one in ends) / n
        published = [one for one, g in zip(ends, case.group, strict=True) if g >= 0]
        if published:
            middle = sum(sum(map(float, one)) / len(one) for one in published) / len(published)
            assert change.estimate == pytest.approx(middle, abs=1e-6)


def test_a_release_that_changes_nothing_proves_the_mean():
    table = gy.read(hospital(80), hospital_schema())
    [age] = before_after(table, table.cell_of_row).means
    assert age.lowest == age.before == age.highest


@given(cases())
def test_correlations_are_those_of_the_spread_table(case):
    columns = [case.columns["age"], [str(one) for one in case.columns["pay"]]]
    covered = {g: [sets[0], set(map(str, sets[1]))] for g, sets in case.covered.items()}
    before = [(Fraction(1), values) for values in zip(*columns, strict=True)]
    after = oracle.spread_people(case.group, covered, columns, [False, False])
    [change] = compared(case).correlations
    assert change.columns == ("age", "pay")
    for found, units in ((change.before, before), (change.after, after)):
        expected = oracle.correlation(units, 0, 1)
        assert (found is None) == (expected is None)
        assert found is None or found == pytest.approx(expected, abs=1e-6)


def test_a_column_that_does_not_vary_has_no_correlation():
    """A mean of sums is rounded: 0.1 six times must not seem to vary."""
    columns = {"age": [0, 0, 0, 0, 0, 1], "pay": [0.1] * 6}
    table = gy.read(columns, gy.Schema(quasi_identifiers=["age", "pay"]))
    [change] = before_after(table, np.zeros(6, dtype=int)).correlations
    assert change.before is None and change.after is None


def test_a_sensitive_number_correlates_by_its_own_values():
    columns = {"age": [20, 30, 40, 50], "pay": [2, 3, 4, 5]}
    table = gy.read(columns, gy.Schema(quasi_identifiers=["age"], sensitive="pay"))
    [change] = before_after(table, np.array([0, 0, 1, 1])).correlations
    assert change.columns == ("age", "pay") and change.before == pytest.approx(1)
    # Ages spread within 20 to 30 and 40 to 50 while pay stays: 400/√(500·500).
    assert change.after == pytest.approx(0.8)


questions = st.lists(st.sampled_from([*QUASI, "disease"]), min_size=1, max_size=3, unique=True)


@given(cases(), questions)
def test_the_error_of_a_question_is_that_of_its_table_and_within_its_bound(case, question):
    [change] = compared(case, gy.Purpose(questions=[question])).questions
    places = [[*QUASI, "disease"].index(name) for name in question]
    columns, exact = [case.lists[p] for p in places], [EXACT[p] for p in places]
    covered = {g: [sets[p] for p in places] for g, sets in case.covered_with_values.items()}
    bins = [dict.fromkeys([]) for _ in places]
    bins = [{**one, **{v: v for g in covered for v in covered[g][i]}} for i, one in enumerate(bins)]
    bins = [{**one, **{v: v for v in columns[i]}} for i, one in enumerate(bins)]
    after = oracle.spread(case.group, covered, columns, bins, exact)
    expected = oracle.distance(oracle.shares(columns, bins), after)
    assert change.error == pytest.approx(float(expected), abs=1e-9)
    quasi = [p for p in places if p < len(QUASI)]
    labels = {g: [sets[p] for p in quasi] for g, sets in case.covered.items()}
    bound = oracle.misplaced(case.group, labels)
    assert change.at_most == pytest.approx(float(bound), abs=1e-9)
    assert change.error <= change.at_most + 1e-9
    assert change.largest <= 2 * change.error + 1e-9


@given(cases(), st.sampled_from([*QUASI, "disease"]))
def test_a_class_is_predicted_by_the_majority_of_those_who_look_alike(case, name):
    change = compared(case, gy.Purpose(predict=name)).prediction
    classes = case.columns[name]
    rows = range(len(classes))
    alike = [tuple(case.columns[one][row] for one in QUASI) for row in rows]
    assert change.before == pytest.approx(float(oracle.wrong_by_majority(alike, classes)))
    groups = [None if g < 0 else g for g in case.group]
    assert change.after == pytest.approx(float(oracle.wrong_by_majority(groups, classes)))
    one = [0] * len(classes)
    assert change.everyone == pytest.approx(float(oracle.wrong_by_majority(one, classes)))


@given(cases())
def test_distributions_add_up_and_the_sensitive_column_is_kept(case):
    found = {one.column: one for one in compared(case).distributions}
    assert list(found) == [*QUASI, "disease"]
    for one in found.values():
        assert sum(one.before) == pytest.approx(1) and len(one.values) == len(one.before)
        assert sum(one.after) == pytest.approx(1)
    if all(g >= 0 for g in case.group):
        assert found["disease"].distance == 0


def test_an_audit_compares_with_the_original_and_a_purpose_needs_it(tmp_path):
    table = gy.read(hospital(120), hospital_schema())
    purpose = gy.Purpose(questions=[["age", "disease"]], predict="disease")
    release = gy.publish(table, gy.KAnonymity(5), method="lattice", purpose=purpose)
    found = gy.audit(release, purpose=purpose)
    assert found.before_after.means[0].column == "age"
    text = str(found)
    for words in (
        "age (in 20 intervals) × disease",
        "people counted in a wrong cell",
        "certainly between",
    ):
        assert words in text
    assert "certainly between" in found._repr_html_()
    saved = gy.load(release.save(tmp_path / "out"))
    assert gy.audit(saved).before_after is None
    again = gy.audit(saved, original=table, purpose=purpose).before_after
    assert again.means == found.before_after.means
    with pytest.raises(ReleaseError, match="a purpose is compared with the original table"):
        gy.audit(saved, purpose=purpose)
    with pytest.raises(RuleError, match=r"purpose is 'age': give a gy\.Purpose"):
        gy.audit(release, purpose="age")


@pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
@pytest.mark.parametrize("method", ["lattice", "suppression", "partition"])
def test_an_audit_of_the_files_measures_the_labels_that_are_published(method, tmp_path):
    """Levels and hidden cells were lost with the partition: the figures described another table."""
    ages = [20, 21, 23, 40, 41, 47, 61, 65, 70, 71]
    columns = {"age": ages, "sex": list("FFMMFFMMFM"), "ill": list("abcabcabca")}
    hierarchy = {"age": gy.Hierarchy.intervals(10, 40)}
    schema = gy.Schema(quasi_identifiers=["age", "sex"], sensitive="ill", hierarchies=hierarchy)
    table = gy.read(columns, schema)
    release = gy.publish(table, [gy.KAnonymity(3)], method=method)
    release.save(tmp_path / "out")
    save_mapping(release, tmp_path / "map.json")
    inside = gy.audit(release)
    found = gy.audit(gy.load(tmp_path / "out"), original=table, mapping=tmp_path / "map.json")
    assert found.utility == inside.utility and found.utility["loss"] == release.loss
    assert str(found.before_after) == str(inside.before_after)
