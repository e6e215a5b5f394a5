"""Releases side by side: each figure is the one of its audit, and what is missing is no zero."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries.compared_rows import compared
from gyges.auditing.comparison import NOTE, RISKS, compared_release, pairs_kept
from gyges.engines.frames import open_frame
from gyges.errors import GygesError
from gyges.workflow.compared_releases import compare_releases
from tests.auditing.test_three_risks import CONTROL, MADE_UP, ORIGINAL
from tests.cli.commands import gyges

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
VALUES = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 2)), min_size=1, max_size=8)


def arrow(rows):
    frame = pd.DataFrame(rows, columns=["town", "n"])
    return open_frame(frame)[0].rows


@given(VALUES, VALUES)
def test_pairs_kept_is_the_mean_overlap_of_all_pairs(released, original):
    original = [*original, ("a", 0), ("b", 0)]  # a town that no row has is no value of the column
    tables = compared(arrow(released), arrow(original), names=["town", "n"])
    lost = [
        sum(
            abs(
                Fraction(original.count(pair), len(original))
                - Fraction(released.count(pair), len(released))
            )
            for pair in {*original, *released}
        )
        / 2
    ]
    assert pairs_kept(tables) == pytest.approx(float(1000 * (1 - lost[0])))


LABELS = {"{a, b}": "ab", "*": "abc", "a": "a", "b|c": "bc"}
AGES = {"0-1": (0, 1), "*": (0, 1, 2), "2": (2,), "70+": ()}


@given(
    st.lists(st.tuples(st.sampled_from(sorted(LABELS)), st.sampled_from(sorted(AGES))), min_size=1),
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 2)), max_size=5),
)
def test_a_label_counts_in_equal_parts_for_the_values_that_it_covers(released, original):
    original = [*original, ("a", 0), ("b", 1), ("c", 2)]
    shown = pa.table(dict(zip(["town", "n"], map(list, zip(*released, strict=True)), strict=True)))
    tables = compared(shown, arrow(original), names=["town", "n"])
    after = {}
    for town, n in released:
        for pair in product(LABELS[town], AGES[n]):
            part = Fraction(1, len(LABELS[town]) * len(AGES[n]) * len(released))
            after[pair] = after.get(pair, 0) + part
    before = {pair: Fraction(original.count(pair), len(original)) for pair in original}
    lost = sum(abs(before.get(pair, 0) - after.get(pair, 0)) for pair in {*before, *after})
    lost += 1 - sum(after.values())  # people who are shown with no value of the original
    assert pairs_kept(tables) == pytest.approx(float(1000 * (1 - lost / 2)))


def test_a_generalized_table_of_another_tool_is_compared_by_its_utility_too():
    coarse = ORIGINAL.assign(age=(ORIGINAL["age"] // 10 * 10).map(lambda a: f"[{a}, {a + 10}["))
    hidden = coarse.assign(age="*", town="*", pay="*")
    kept = []
    for made in (ORIGINAL, coarse, hidden):
        found = gy.audit(made, original=ORIGINAL, control=CONTROL)
        tables = compared(*(open_frame(f)[0].rows for f in (made, ORIGINAL)), names=list(made))
        kept.append(compared_release("made", found, tables).utility["pairs kept"])
    assert kept[0] == 1000 > kept[1] > 800 > kept[2] > 100


def test_where_utility_is_not_measured_an_audit_says_so_and_a_question_is_still_checked():
    schema = gy.Schema(quasi_identifiers=["age", "town"], sensitive="ill")
    original = gy.read(ORIGINAL, schema)
    coarse = ORIGINAL.assign(age=(ORIGINAL["age"] // 10 * 10).map(lambda a: f"[{a}, {a + 10}["))
    for made, why in ((coarse, "labels are none that Gyges makes"), (MADE_UP, "if any")):
        found = gy.audit(made, original=original, purpose=gy.Purpose(questions=[["age", "ill"]]))
        assert not found.utility and found.before_after is None
        assert any("Utility was not measured" in note and why in note for note in found.notes)
        with pytest.raises(gy.GygesError, match="questions names 'nope'"):
            gy.audit(made, original=original, purpose=gy.Purpose(questions=[["nope"]]))


def test_of_three_columns_all_pairs_count():
    one = pd.DataFrame({"a": list("xxyy"), "b": list("uvuv"), "c": list("ssst")})
    other = one.assign(c=list("tsss"))
    tables = compared(*(open_frame(f)[0].rows for f in (other, one)), names=list("abc"))
    lost = []
    for pair in combinations("abc", 2):
        p, q = (f.groupby(list(pair)).size() / 4 for f in (one, other))
        lost.append(p.sub(q, fill_value=0).abs().sum() / 2)
    assert pairs_kept(tables) == pytest.approx(1000 * (1 - sum(lost) / 3))


@pytest.fixture
def folder(tmp_path):
    table = gy.read(ORIGINAL, gy.Schema(quasi_identifiers=["age", "town", "pay"], sensitive="ill"))
    gy.publish(table, gy.KAnonymity(5)).save(tmp_path / "five")
    gy.publish(table, gy.KAnonymity(20)).save(tmp_path / "twenty")
    for name, frame in (
        ("made", MADE_UP),
        ("copy", ORIGINAL),
        ("original", ORIGINAL),
        ("control", CONTROL),
    ):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


def test_every_figure_is_the_one_of_the_audit(folder):
    found = compare_releases([folder / "five", folder / "twenty"], tell=str)
    five, twenty = found.releases
    classical = gy.audit(folder / "five").measures["classical"]
    assert five.name == "five" and five.risks["largest certainty"].number == classical.largest_share
    assert five.risks["right row"].number == classical.marketer > twenty.risks["right row"].number
    assert (
        five.risks["certainty with a fact"].number
        == gy.max_disclosure(gy.load(folder / "five").groups, k=1).probability
    )
    assert five.utility == {} and "singled out" not in five.risks and found.is_complete
    assert NOTE in str(found)


def test_of_several_sensitive_columns_the_worst_figure_counts():
    """Every risk of such a release was "-", with nothing said to be unchecked."""
    rows = {"age": [20, 20, 30, 30] * 3, "ill": [*"abcabcabcabc"], "pay": [1, 2, 3, 4] * 3}
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="ill", also_sensitive=["pay"])
    release = gy.publish(gy.read(rows, schema), [gy.KAnonymity(4)], method="lattice")
    audit = gy.audit(release)
    found = compared_release("r", audit)
    each = [audit.by_column[column]["classical"] for column in ("ill", "pay")]
    assert {"unique rows", "right row", "largest certainty", "value revealed"} <= {*found.risks}
    assert found.risks["right row"].number == max(one.marketer for one in each)
    assert found.risks["largest certainty"].number == max(one.largest_share for one in each)
    assert found.factor == max(audit.by_column[c]["leakage"].factor for c in ("ill", "pay"))


def test_with_the_original_risk_and_utility_are_compared(folder):
    places = [folder / name for name in ("five", "made.csv", "copy.csv")]
    found = compare_releases(
        places, original=str(folder / "original.csv"), control=str(folder / "control.csv"), tell=str
    )
    five, made, copy = found.releases
    assert copy.utility == {"pairs kept": 1000.0} and 500 < made.utility["pairs kept"] < 1000
    assert 0 < five.utility["loss"] < 1 and five.utility["pairs kept"] < 1000
    assert copy.risks["linked"].interval[0] > 0.3 > made.risks["linked"].number
    assert made.risks["linked"].interval[0] == 0 and "linked" not in five.risks
    assert set(copy.risks) <= set(RISKS)


def test_people_who_fit_several_groups_give_no_utility():
    """Their groups are not known: a loss of 100% would be said of a release that keeps much."""
    labels = ORIGINAL.assign(
        age="*", pay="*", town=np.where(ORIGINAL["town"] < "d", "{a, b, c}", "*")
    )
    found = compared_release("labels", gy.audit(labels, original=ORIGINAL), "labels")
    assert found.utility == {}


def test_the_command_writes_a_table_json_and_a_page(folder):
    code, out, _ = gyges("compare", "five", "twenty", "--picture", "page.html", folder=folder)
    assert code == 0 and "five" in out.splitlines()[0] and RISKS["right row"] in out
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "Releases compared" in page and RISKS["largest certainty"] in page


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["five"], "two releases"),
        (["five", "five"], "given twice"),
        (["five", "twenty", "--control", "control.csv"], "--original"),
        (["five", "nothing"], "nothing"),
        (["five", "made.csv", "--sensitive", "ill"], "--quasi"),
        (["five", "twenty", "--picture", "page.txt"], ".html"),
    ],
)
def test_what_cannot_be_compared_is_refused(folder, words, said):
    code, out, notes = gyges("compare", *words, folder=folder)
    assert code == 2 and not out and said in notes and "Traceback" not in notes


def test_two_releases_of_one_name_are_told_apart(folder):
    (folder / "other").mkdir()
    (folder / "five").rename(folder / "other" / "twenty")
    found = compare_releases([folder / "twenty", folder / "other" / "twenty"], tell=str)
    assert len({one.name for one in found.releases}) == 2
    with pytest.raises(GygesError, match="two releases"):
        compare_releases([folder / "twenty"], tell=str)


def test_the_same_columns_are_known_of_every_file_and_the_guess_is_stated(tmp_path):
    """Each file was judged by its own guess, in silence."""
    ours = ["20-29,f,flu,1", "20-29,f,gout,2", "20-29,f,flu,3", "30-39,m,flu,1", "30-39,m,gout,2"]
    theirs = ["20-25,f,flu,x", "20-25,f,hiv,x", "26-39,*,gout,y", "26-39,*,flu,y"]
    (tmp_path / "a.csv").write_text("\n".join(["age,sex,ill,inc", *ours, ""]))
    (tmp_path / "b.csv").write_text("\n".join(["age,sex,ill,job", *theirs, ""]))
    code, _, said = gyges("compare", "a.csv", "b.csv", folder=tmp_path)
    assert code in (0, 3) and "guessed: an attacker may know age, sex; sensitive: ill" in said
