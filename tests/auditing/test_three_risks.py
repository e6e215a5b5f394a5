"""An audit of tables that Gyges did not make: copies, tables made up, tables of other tools."""

from __future__ import annotations

import json
import random

import numpy as np
import pandas as pd
import pytest
import xlsxwriter

import gyges as gy
from gyges.auditing.three_risks import TOPIC
from gyges.errors import GygesError
from gyges.exact import percent
from tests.cli.commands import gyges

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")


def people(n, seed):
    """Rows in which the illness depends on age and town."""
    rng = np.random.default_rng(seed)
    age, town = rng.integers(18, 90, n), rng.choice(list("abcdefgh"), n)
    pay = 100 * rng.integers(10, 90, n)
    ill = np.where(age + rng.integers(0, 30, n) > 70, "Gout", rng.choice(["Flu", "Cold"], n))
    return pd.DataFrame({"age": age, "town": town, "pay": pay, "ill": ill})


ORIGINAL, CONTROL = people(300, 1), people(250, 2)
MADE_UP = people(300, 3)


def three(found):
    """The findings of the three attacks, by attacker and what it was about."""
    some = {}
    for finding in found.findings:
        if finding.topic == TOPIC:
            [(_, named)] = finding.measures.items() or [("", {"": None})]
            some[finding.attacker, next(iter(named))] = finding
    return some


def test_a_copy_of_the_original_is_risky():
    found = three(
        gy.audit(ORIGINAL.sample(frac=1, random_state=1), original=ORIGINAL, control=CONTROL)
    )
    for key in [("linkability", "links"), ("inference", "pay"), ("inference", "town")]:
        assert found[key].interval[0] > 0.2, found[key].sentence
    together = next(found[key] for key in found if key[0] == "singling out" and "to" in key[1])
    assert together.number > 0.9 and " and " in together.witness
    alone = found["singling out", "one column"]
    assert alone.number > 0.7 and alone.witness


@pytest.mark.parametrize("hidden", ["*", "", "NA"])
def test_rows_that_are_suppressed_do_not_hide_the_others(hidden):
    """A row of stars is near to everybody: 20 of them lowered what is inferred from 87% to 5%."""
    stars = pd.DataFrame([dict.fromkeys(ORIGINAL, hidden)] * 30)
    with_stars = pd.concat([ORIGINAL.astype(str), stars])
    plain = three(gy.audit(ORIGINAL.astype(str), original=ORIGINAL, control=CONTROL))
    found = three(gy.audit(with_stars, original=ORIGINAL, control=CONTROL))
    for key in plain:
        assert found[key].number == plain[key].number, key


def test_of_an_independent_table_every_interval_reaches_zero():
    found = three(gy.audit(MADE_UP, original=ORIGINAL, control=CONTROL))
    assert {attacker for attacker, _ in found} == {"singling out", "linkability", "inference"}
    assert {name for attacker, name in found if attacker == "inference"} == {*ORIGINAL.columns}
    for finding in found.values():
        assert finding.interval[0] == 0.0, finding.sentence
        assert "Due to this table" in finding.sentence and finding.is_checked


def test_without_a_control_what_is_due_to_the_table_is_not_known():
    """What is inferred about anybody is not a risk of this table: the rate alone cannot tell."""
    found = three(gy.audit(MADE_UP, original=ORIGINAL))
    ill = found["inference", "ill"]
    assert ill.number > 0.3 and "is not known: it takes a control" in ill.sentence


def test_an_audit_is_the_same_each_time_and_its_figures_are_the_sentences():
    first, again = (gy.audit(ORIGINAL, original=ORIGINAL, control=CONTROL) for _ in range(2))
    assert [f.sentence for f in first.findings] == [f.sentence for f in again.findings]
    risk = first.measures["inference"]["town"]
    assert risk.n_attacks == 300 and risk.n_control == 250
    finding = three(first)["inference", "town"]
    assert finding.number == risk.due_to_release.middle
    assert percent(risk.rate.middle) in finding.sentence


@pytest.mark.parametrize("label", ["20-29", "*", "<30"])
def test_a_table_that_is_generalized_in_places_is_attacked(label):
    """A copy with labels in 21 of 300 rows: as risky as the copy, but for these rows."""
    generalized = ORIGINAL.astype({"age": str})
    generalized.loc[:20, "age"] = label
    found = three(gy.audit(generalized, original=ORIGINAL, control=CONTROL))
    assert found["linkability", "links"].interval[0] > 0.05
    assert found["inference", "pay"].interval[0] > 0.2
    together = next(found[key] for key in found if key[0] == "singling out" and "to" in key[1])
    assert together.number > 0.9 and together.is_checked


def test_generalizing_lowers_what_is_due_to_a_table():
    """Tens of years, two regions, thousands; then nothing but the illness of each row."""
    age = (ORIGINAL["age"] // 10 * 10).map(lambda low: f"{low}-{low + 9}")
    town = np.where(ORIGINAL["town"] < "d", "{a, b, c}", "d|e|f|g|h")
    pay = (ORIGINAL["pay"] // 1000 * 1000).map(lambda low: f"[{low}, {low + 1000})")
    coarse = ORIGINAL.assign(age=age, town=town, pay=pay)
    tables = [ORIGINAL, coarse, coarse.assign(age="*", town="*", pay="*")]
    shown = [three(gy.audit(one, original=ORIGINAL, control=CONTROL)) for one in tables]
    for key in [("linkability", "links"), ("inference", "pay"), ("inference", "ill")]:
        copied, labelled, hidden = (one[key] for one in shown)
        assert copied.number > labelled.number >= hidden.number, key
        assert hidden.interval[0] == 0.0 and all(one[key].is_checked for one in shown)
    witness = next(shown[1][key] for key in shown[1] if "to" in key[1]).witness
    assert "{a, b, c}" in witness or "d|e|f|g|h" in witness


def test_a_table_with_a_label_that_cannot_be_read_is_not_computed_and_never_without_risk():
    """Every attack by equal values would fail on it, for the wrong reason."""
    schema = gy.Schema(quasi_identifiers=["age", "town"], sensitive="ill")
    strange = ORIGINAL.replace({"ill": {"Gout": "an illness of the joints"}})
    found = gy.audit(strange, original=gy.read(ORIGINAL, schema), control=CONTROL)
    [finding] = [one for one in found.findings if one.topic == TOPIC]
    assert finding.sentence.startswith("Not computed: ") and "joints" in finding.sentence
    assert not finding.is_checked and not found.is_complete
    assert finding.number is None and finding.interval is None


def test_a_table_that_shares_no_column_with_the_original_is_refused():
    with pytest.raises(GygesError, match="original"):
        gy.audit(ORIGINAL[["age"]], original=CONTROL[["town"]])


def test_a_frame_without_an_original_is_audited_for_what_its_rows_show():
    found = gy.audit(ORIGINAL)
    assert three(found) == {} and "look like no other" in str(found)
    assert any("made the rows up" in finding.sentence for finding in found.findings)


def test_a_file_is_audited_as_the_frame_is(tmp_path):
    MADE_UP.to_csv(tmp_path / "made.csv", index=False)
    of_file = gy.audit(tmp_path / "made.csv", original=ORIGINAL, control=CONTROL)
    of_frame = gy.audit(MADE_UP, original=ORIGINAL, control=CONTROL)
    assert [f.sentence for f in of_file.findings] == [f.sentence for f in of_frame.findings]


def test_the_roles_are_those_of_a_table_that_was_read():
    schema = gy.Schema(quasi_identifiers=["age", "town"], sensitive="ill")
    found = gy.audit(MADE_UP, original=gy.read(ORIGINAL, schema), control=CONTROL)
    assert {name for who, name in three(found) if who == "inference"} == {"age", "town", "ill"}


def test_tables_of_one_column_and_of_one_row_are_attacked():
    one = gy.audit(ORIGINAL[["age"]], original=ORIGINAL[["age"]], control=CONTROL[["age"]])
    assert {who for who, _ in three(one)} == {"singling out"}
    alone = gy.audit(ORIGINAL[:1], original=ORIGINAL[:1], control=CONTROL[:1])
    assert three(alone)["linkability", "links"].interval[0] == 0.0  # one attempt proves nothing


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"control": CONTROL}, "give the original too"),
        ({"control": 3, "original": ORIGINAL}, "control is 3"),
        ({"original": [1, 2]}, "original is"),
        ({"original": ORIGINAL, "control": CONTROL[["town"]]}, "column"),
        ({"population": "people.csv"}, "population is"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_sentence(given, said):
    with pytest.raises(GygesError, match=said) as refused:
        gy.audit(MADE_UP, **given)
    assert "Traceback" not in str(refused.value)


def test_a_release_of_gyges_has_no_control():
    table = gy.read(ORIGINAL, gy.Schema(quasi_identifiers=["age", "town"], sensitive="ill"))
    with pytest.raises(GygesError, match="a control is for a table that Gyges did not make"):
        gy.audit(gy.publish(table, gy.KAnonymity(5)), original=table, control=table)


@pytest.fixture
def folder(tmp_path):
    for name, frame in (("made", MADE_UP), ("original", ORIGINAL), ("control", CONTROL)):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


def test_the_command_compares_with_a_control(folder):
    words = ["audit", "made.csv", "--quasi", "age,town,pay", "--sensitive", "ill"]
    words += ["--original", "original.csv", "--control", "control.csv"]
    code, out, notes = gyges(*words, folder=folder)
    assert code == 3, notes  # made-up rows: the beliefs about people who fit none are not checked
    assert TOPIC in out and "Due to this table" in out and "guessed" not in notes
    code, out, _ = gyges(*words, "--json", folder=folder)
    stated = json.loads(out)
    assert set(stated["inference"]) == {"age", "town", "pay", "ill"}
    unchecked = {one["attacker"] for one in stated["findings"] if not one["is_checked"]}
    assert unchecked == {"prior beliefs"}


def test_the_command_refuses_a_control_without_an_original(folder):
    words = ["audit", "made.csv", "--quasi", "age,town", "--control", "control.csv"]
    code, out, notes = gyges(*words, folder=folder)
    assert code == 2 and out == "" and "give the original too" in notes


def test_the_command_guesses_the_columns_of_a_file_and_says_so(folder):
    code, out, notes = gyges("audit", "made.csv", folder=folder)
    assert code in (0, 3), notes
    assert "guessed: an attacker may know " in notes and "--quasi" in notes
    assert "300 rows" in out


def test_a_label_that_cannot_be_read_is_named(folder):
    lines = (folder / "made.csv").read_text().splitlines()
    lines[1] = "about thirty-or-so*," + lines[1].split(",", 1)[1]
    (folder / "made.csv").write_text("\n".join(lines))
    words = ["--quasi", "age,town", "--sensitive", "ill", "--original", "original.csv"]
    code, _, notes = gyges("audit", "made.csv", *words, folder=folder)
    assert code == 2 and "about thirty-or-so*" in notes


def test_the_roles_of_a_generalized_file_are_guessed_from_its_original(folder):
    """Its labels look like texts in which several values stand; those of the original do not."""
    made = ORIGINAL.assign(town=np.where(ORIGINAL["town"] < "d", "{a, b, c}", "d|e|f|g|h"))
    made.assign(age="*").to_csv(folder / "labels.csv", index=False)
    code, out, said = gyges("audit", "labels.csv", "--original", "original.csv", folder=folder)
    assert "an attacker may know age, town" in said, said
    assert code == 0 and "Of the original's rows, 300 fit one group" in out


def test_a_file_with_other_columns_than_its_original_is_refused_by_its_name(folder):
    ORIGINAL.rename(columns=str.upper).to_csv(folder / "upper.csv", index=False)
    code, out, said = gyges("audit", "upper.csv", "--original", "original.csv", folder=folder)
    assert code == 2 and out == "" and "upper.csv has none of the columns of original.csv" in said


def test_people_with_several_rows_are_attacked_once_each():
    """Each had two rows in the original, so no condition fitted one row, and a copy looked safe."""
    several = [[f"p{i}", 20 + i, "abcd"[i % 4], v] for i in range(30) for v in ("uv", "vw")[i % 2]]
    columns = [list(column) for column in zip(*several, strict=True)]
    rows = dict(zip(("pid", "age", "city", "s"), columns, strict=True))
    copy = {"age": [20 + i for i in range(30)], "city": ["abcd"[i % 4] for i in range(30)]}
    roles = {"quasi_identifiers": ["age", "city"], "sensitive": "s", "values_per_person": "set"}
    joined = {**copy, "pid": [f"p{i}" for i in range(30)], "s": ["u;v", "v;w"] * 15}
    long = gy.read(rows, gy.Schema(person="pid", **roles))
    short = gy.read(joined, gy.Schema(identifiers=["pid"], separator=";", **roles))
    found = [
        [(one.sentence, one.number) for one in gy.audit(copy, original=table).findings]
        for table in (long, short)
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize("largest", [5000, 10**13])
def test_one_large_number_does_not_make_all_others_near(largest):
    """Distances within a billionth of the range were the same, so a copy looked hardly risky."""
    rows = {
        "income": [*(1000 + 37 * i for i in range(40)), largest],
        "ill": [*(f"ill{i * 7 % 20}" for i in range(40)), "ill3"],
    }
    found = [f for f in gy.audit(rows, original=rows).findings if "guesses ill" in f.sentence]
    assert "(91.4% to 100%), by 41 attempts" in found[0].sentence


@pytest.mark.parametrize("kind", ["semicolons", "cp1252", "utf-16", "xlsx", "dta"])
def test_a_published_file_of_any_format_is_audited(tmp_path, kind):
    """Files that `init` and `--original` read were "not a readable csv file" here."""
    rows = {"größe": ["klein", "groß"] * 6, "ort": ["Köln", "Bonn", "Ulm"] * 4, "s": ["a", "b"] * 6}
    path = tmp_path / f"table.{kind if kind in ('xlsx', 'dta') else 'csv'}"
    if kind == "xlsx":
        with xlsxwriter.Workbook(path) as book:
            sheet = book.add_worksheet()
            for place, (name, column) in enumerate(rows.items()):
                sheet.write_column(0, place, [name, *column])
    elif kind == "dta":
        pd.DataFrame(rows).to_stata(path, write_index=False, version=118)
    else:
        encoding = "utf-8" if kind == "semicolons" else kind
        lines = [";".join(rows), *(";".join(row) for row in zip(*rows.values(), strict=True))]
        path.write_bytes(("\n".join(lines) + "\n").encode(encoding))
    schema = gy.Schema(quasi_identifiers=["größe", "ort"], sensitive="s")
    loaded = gy.load(path, schema)
    assert loaded.groups.sizes.tolist() == [2] * 6
    with pytest.raises(GygesError, match=r"format of 'table.json' is unknown"):
        gy.load(path.rename(tmp_path / "table.json"), schema)


def test_suppressed_rows_take_the_certainty_from_the_prosecutor():
    """They fit everyone: a unique row was said to be picked with certainty."""
    rows = {"age": ["20-29", "30-39", "*"], "town": ["a", "b", "*"], "ill": ["Flu", "Gout", "Cold"]}
    people = {"age": [25, 33, 41], "town": ["a", "b", "c"], "ill": ["Flu", "Gout", "Cold"]}
    schema = gy.Schema(quasi_identifiers=["age", "town"], sensitive="ill")
    original = gy.read(people, schema)
    for given in ({"original": original}, {}):
        said = " ".join(one.sentence for one in gy.audit(rows, **given).findings)
        assert "probability at most 100% for 3 of 3 rows (100%); it may be lower" in said
        assert "is right for at most 100%" in said
        assert "is certain to pick" not in said
    whole = {"age": ["20-29", "30-39", "40-49"], "town": list("abc"), "ill": rows["ill"]}
    said = [one.sentence for one in gy.audit(whole, original=original).findings]
    assert any("is certain to pick the right one" in one for one in said)


def test_suppressed_rows_do_not_hide_the_attack_on_the_others():
    """Each tenth row was emptied but for the secret, and nobody's row was nearest any more."""
    draw = random.Random(5)
    rows = [
        (draw.randint(18, 90), draw.choice("abcdef"), draw.randint(1, 80), draw.choice("pqrs"))
        for _ in range(200)
    ]
    names = ["age", "town", "pay", "ill"]

    def table(some):
        return dict(zip(names, map(list, zip(*some, strict=True)), strict=True))

    def shown(row, suppressed):
        age, town, pay, ill = row
        if suppressed:
            return ("*", "*", "*", ill)
        return (
            f"{age // 5 * 5}-{age // 5 * 5 + 4}",
            town,
            f"{pay // 5 * 5}-{pay // 5 * 5 + 4}",
            ill,
        )

    def rate(made):
        found = gy.audit(table(made), original=table(rows)).findings
        return next(one.number for one in found if "guesses ill" in one.sentence)

    whole = rate([shown(row, False) for row in rows])
    some = rate([shown(row, place % 10 == 0) for place, row in enumerate(rows)])
    assert whole > 0.9 and some > 0.9 * whole - 0.1
