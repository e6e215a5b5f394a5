"""The page for a privacy office: every finding is on it, and the figures are the audit's."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

import gyges as gy
from gyges.data.examples import hospital, hospital_schema
from gyges.report.office_words import CRITERIA, CRITERION, SAFE_HARBOR, TITLE, office_report
from gyges.report.thresholds import PRECEDENTS, precedents_met
from tests.auditing.test_three_risks import CONTROL, MADE_UP, ORIGINAL
from tests.cli.commands import gyges

SOURCES = Path(gy.__file__).parent
pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")


@pytest.fixture(scope="module")
def audits():
    table = gy.read(hospital(120), hospital_schema())
    release = gy.publish(table, [gy.KAnonymity(5)])
    return {
        "release": gy.audit(release, population=table, others=[release]),
        "copy": gy.audit(ORIGINAL, original=ORIGINAL, control=CONTROL, sampling_fraction="0.1"),
        "labels": gy.audit(MADE_UP.assign(age="*"), original=ORIGINAL),
    }


def section(page, title):
    found = re.search(rf"^#+ {re.escape(title)}.*?\n(.*?)(?=^#|\Z)", page, re.M | re.S)
    assert found, title
    return found[1]


def plain(text):
    return re.sub(r"\\(.)", r"\1", text)


@pytest.mark.parametrize("name", ["release", "copy", "labels"])
def test_every_finding_stands_under_its_criterion_or_is_read_first(audits, name):
    audit = audits[name]
    page = office_report(audit, {})
    assert page.startswith(TITLE) and "### Other findings" not in page
    for finding in audit.findings:
        title = "Read this first" if finding.place == "first" else CRITERION[finding.attacker]
        said = " ".join(finding.sentence.split())
        assert said in plain(section(page, title)), finding.attacker
        if not finding.is_checked:
            assert said in plain(section(page, "What was not checked"))


def test_what_was_not_computed_is_named_where_it_stands_alone():
    """Lists of the page and of `compare` show such a sentence without the topic above it."""
    said = "".join(path.read_text(encoding="utf-8") for path in SOURCES.rglob("*.py"))
    assert said.count("Not computed: ") > 10
    assert "Not computed, because" not in said and "Not computed: no group" not in said


def test_suppressed_rows_leave_open_whose_value_is_revealed(tmp_path):
    """Whoever fits a group and the suppressed rows may be in either."""
    shown = [("20-29", "flu")] * 5 + [("30-39", "flu"), ("30-39", "cold")] * 3 + [("*", "cold")] * 4
    pd.DataFrame(shown, columns=["age", "ill"]).to_csv(tmp_path / "shown.csv", index=False)
    asked = ("--quasi", "age", "--sensitive", "ill")
    _, out, _ = gyges("audit", "shown.csv", *asked, "--office", "page.md", folder=tmp_path)
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "knows they are in it" not in out
    assert "value to anyone who knows which group they are in" in out
    assert "right for at most" in out and "| average risk (marketer), at most |" in page


def test_it_never_promises_what_no_table_can():
    found = gy.audit(gy.Groups.from_lists([["a", "b", "c"], ["a", "b", "c"]]))
    page = office_report(found, {})
    assert "anonym" not in page.lower()
    assert set(CRITERION.values()) == set(CRITERIA)
    assert "fewer than 3 rows that look alike never occur" in page
    assert "whether a risk is acceptable" in page


def test_the_eighteen_identifiers_are_listed_with_the_columns_that_may_hold_one(audits):
    columns = {"mrn": False, "zip": False, "e_mail": False, "seen_on": True, "height": False}
    page = section(office_report(audits["copy"], columns), "HIPAA: Safe Harbor")
    assert len(SAFE_HARBOR) == 18 and "| 18. " in page and "| 19. " not in page
    lines = {
        line.split(" | ")[0]: line.split(" | ")[1] for line in page.splitlines() if " | " in line
    }
    held = {name: cell for name, cell in lines.items() if "no column" not in cell}
    assert {plain(cell).removesuffix(" |") for cell in held.values()} >= {
        "mrn",
        "zip",
        "e_mail",
        "seen_on",
    }
    assert not any("height" in cell for cell in held.values())


def test_the_template_is_filled_in_with_the_figures_of_the_audit(audits):
    page = section(office_report(audits["release"], {}), "HIPAA: expert determination")
    risk = audits["release"].measures["classical"]
    assert f"| {risk.prosecutor}, of {risk.n_worst:,} rows |" in page
    assert page.count("____") == 6
    journalist = next(f for f in audits["release"].findings if f.attacker == "journalist")
    assert " ".join(journalist.sentence.split()) in plain(page)


def test_nothing_is_ever_called_anonymous(audits):
    """Nor anonymised or anonymized: that is for the office to decide."""
    columns = {"age": False, "seen_on": True}
    for audit in audits.values():
        for text in (office_report(audit, columns), str(audit)):
            assert "anonym" not in text.replace("-anonymity", "").lower()


def test_what_was_not_checked_against_its_text_is_marked(audits):
    page = office_report(audits["copy"], {})
    assert "(titles not checked against the text)" in page
    marked = [line for line in page.splitlines() if "not checked against the text |" in line]
    assert len(marked) == 1 and "EMA" in marked[0] and "Health Canada" in marked[0]


@pytest.mark.parametrize(("k", "met"), [(1, 0), (2, 0), (3, 1), (4, 1), (5, 2), (11, 4), (20, 5)])
def test_thresholds_are_met_on_the_threshold(k, met):
    assert len(precedents_met(k)) == met
    assert [one.risk.denominator for one in PRECEDENTS] == [3, 5, 11, 11, 20]


def test_a_column_cannot_end_a_cell_or_begin_markup():
    page = office_report(gy.audit(pd.DataFrame({"a|b": [1, 2]})), {"mrn|<b>\n# x": False})
    assert "<b>" not in page and "\n# x" not in page and "mrn\\|" in page


def test_the_command_writes_it_for_its_owner(tmp_path):
    MADE_UP.to_csv(tmp_path / "made.csv", index=False)
    code, out, said = gyges("audit", "made.csv", "--office", "page.md", folder=tmp_path)
    place = tmp_path / "page.md"
    assert code == 0 and out and place.read_text(encoding="utf-8").startswith(TITLE)
    assert place.stat().st_mode & 0o077 == 0 and "keep it inside" in said
    for wrong in ("made.csv", "page.html", "nowhere/page.md"):
        code, out, said = gyges("audit", "made.csv", "--office", wrong, folder=tmp_path)
        assert code == 2 and not out and "--office" in said
