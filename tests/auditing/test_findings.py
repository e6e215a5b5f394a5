"""An audit is a list of findings: every attacker answers through one verb."""

from __future__ import annotations

import pytest

import gyges as gy
from gyges.auditing import attackers
from gyges.auditing.attackers import ATTACKERS
from gyges.data.examples import hospital, hospital_schema, hospital_with_several_diseases
from gyges.marginals.published_views import publish_marginals
from gyges.report.page import report_page
from gyges.report.to_json import json_value
from tests.auditing.toy_attacker import Guesser
from tests.cli.commands import gyges

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")


@pytest.fixture(scope="module")
def release():
    return gy.publish(gy.read(hospital(120), hospital_schema()), [gy.KAnonymity(4)])


@pytest.fixture
def registered(monkeypatch):
    monkeypatch.setattr(attackers, "ATTACKERS", (*ATTACKERS, Guesser()))


def test_a_toy_attacker_takes_its_file_and_one_line(registered, release, tmp_path, run):
    """Everywhere: in Python, text, JSON, the notebook, the page, its JSON, and the command."""
    said = "They guess right for 1 of 120 people."
    found = gy.audit(release)
    assert found.findings[-1].attacker == "guesser" and found.findings[-1].sentence == said
    stated = json_value(found)["findings"][-1]
    assert stated["sentence"] == said and stated["number"]["denominator"] == 120
    pages = gy.report_pages(release)
    for text in (str(found), found._repr_html_(), *pages.values()):
        assert said in text
    directory = release.save(tmp_path / "out", pages=pages)
    assert gy.verify(directory).holds
    for words in (["audit", directory], ["audit", directory, "--json"]):
        code, out, _ = run(*words)
        assert code == 0 and said in out


def test_a_toy_attacker_without_findings_about_a_form_changes_nothing(registered, tmp_path):
    table = gy.read(hospital(120), hospital_schema())
    views = publish_marginals(gy.Marginals.of(table, [{"sex": 0, "disease": 0}]), gy.KAnonymity(2))
    asked = [one.attacker for one in gy.audit(views).findings]
    assert asked == [*["reads all views"] * 5, "reconstructs rows"]


def test_groups_alone_are_not_compared_with_people(release):
    people = gy.read(hospital(120), hospital_schema())
    for given in ({"original": people}, {"population": people}):
        with pytest.raises(gy.GygesError, match="groups alone have none"):
            gy.audit(release.groups, **given)


def test_what_the_auditor_gives_is_used(release, tmp_path):
    """Each argument adds the findings of the attacker who needs it."""
    outside = gy.load(release.save(tmp_path / "out"))
    people = gy.read(hospital(120), hospital_schema())
    alone = {one.attacker for one in gy.audit(outside).findings}
    more = gy.audit(outside, original=people, population=people, others=[tmp_path / "out"])
    added = {one.attacker for one in more.findings} - alone
    others = {"journalist", "presence", "prior beliefs", "holds other releases"}
    both = "prior beliefs and other releases"
    assert added == {*others, both, "minimality", "whose rows"}
    for finding in more.findings:
        assert finding.attacker and finding.sentence.endswith((".", ")"))
        assert finding.interval is None or finding.interval[0] <= finding.number


def test_suppressed_people_are_not_called_unplaced(tmp_path):
    """The note about overlapping labels also counted suppressed people."""
    columns = {"age": [20, 20, 21, 21, 99], "ill": list("abaab")}
    schema = gy.Schema(
        quasi_identifiers=["age"],
        sensitive="ill",
        hierarchies={"age": gy.Hierarchy.intervals(5)},
    )
    table = gy.read(columns, schema)
    release = gy.publish(table, [gy.KAnonymity(2)], method="lattice", suppression="0.3")
    assert release.n_left_out == 1
    assert not any("could not be placed" in note for note in gy.audit(release).notes)
    outside = gy.load(release.save(tmp_path / "out"))
    said = [finding.sentence for finding in gy.audit(outside, original=table).findings]
    assert any("4 fit one group, 0 fit several and 1 fit none" in one for one in said)
    assert not any("could be placed" in one for one in said)


def foreign(tmp_path, quasi=("gender", "zip")):
    path = tmp_path / "theirs.csv"
    rows = [f"{i:09},{'FM'[i % 2]},1485{i % 3},{'ab'[i % 5 > 1]}" for i in range(60)]
    path.write_text("\n".join(["SSN,gender,zip,ill", *rows]) + "\n")
    return gy.load(path, gy.Schema(quasi_identifiers=quasi, sensitive="ill"))


def test_columns_without_a_role_are_reported_first_and_count(tmp_path):
    """The first number was "1/48 at most", though every row showed a social security number."""
    found = gy.audit(foreign(tmp_path))
    text = str(found)
    assert text.index("Not checked: SSN") < text.index("prosecutor")
    assert "it also shows SSN" in text and "60 of 60 rows (100%)" in text
    assert found.measures["classical"].prosecutor == 1 and not found.is_complete
    assert "60 rows, each counted as one person" in text
    assert "Each row shows gender and zip (possibly generalized)" in text


def test_several_values_per_person_have_headings_of_their_own():
    columns = hospital_with_several_diseases(120)
    table = gy.read(columns, hospital_schema(several=True))
    release = gy.publish(table, [gy.KAnonymity(4)])
    found = gy.audit(release)
    for text in (str(found), found._repr_html_(), report_page(release, found)):
        assert "values that imply this one" in text
        assert "other people who do not have it" in text
        assert "values the target does not have" not in text


def test_an_audit_says_that_only_the_riskiest_values_are_shown():
    groups = gy.Groups.from_lists([[f"v{i}" for i in range(81)]])
    assert "30 of 81 values are shown, those with the largest shares in a group." in str(
        gy.audit(groups)
    )
    assert "Both values are shown." in str(gy.audit(gy.Groups.from_lists([["a", "b"]])))


def test_an_audit_says_that_rows_of_averages_need_not_be_anybodys():
    table = gy.read(hospital(60), hospital_schema())
    release = gy.publish(table, [gy.KAnonymity(4)], method="microaggregation")
    found = gy.audit(release)
    for text in (str(found), report_page(release, found)):
        assert "most frequent value. It need not be anyone" in text


def test_without_a_sensitive_column_the_audit_says_first_that_nothing_is_protected():
    columns = {name: values for name, values in hospital(60).items() if name != "disease"}
    schema = gy.Schema(identifiers=["patient"], quasi_identifiers=["age", "zip", "sex"])
    release = gy.publish(gy.read(columns, schema), [gy.KAnonymity(4)])
    found = gy.audit(release)
    assert found.findings[0].place == "first"
    for text in (str(found), report_page(release, found)):
        assert text.index("no value is protected") < text.index("prosecutor")


def test_a_value_is_written_the_same_way_everywhere():
    """Witnesses said 59100000 where the table of limits said 59100000.0."""
    incomes = [59_100_000.0, 59_100_000.0, 61_000_000.5, 70_000_000.0] * 6
    columns = {"age": [20 + i // 4 for i in range(24)], "income": incomes}
    table = gy.read(columns, gy.Schema(quasi_identifiers=["age"], sensitive="income"))
    found = gy.audit(gy.publish(table, [gy.KAnonymity(4)]), original=table)
    assert {one.attacker for one in found.findings} >= {"implications", "prior beliefs"}
    assert "59100000 " in str(found) and "61000000.5" in str(found)
    for text in (str(found), found._repr_html_(), str(json_value(found)["skylines"])):
        assert "59100000.0" not in text and "70000000.0" not in text


def test_numbers_of_people_are_explained_where_they_are_used():
    """4.1 and 4.2 were explained where no worst case named anyone so."""
    some = [one.sentence for one in gy.audit(gy.Groups.from_lists([["a", "a", "b"]])).findings]
    assert not any("numbered" in sentence for sentence in some)
    two = gy.Groups.from_lists([["a", "a", "b", "c", "d"]])
    [case] = [one for one in gy.audit(two).findings if "numbered" in one.sentence]
    assert "1.1 is in group 1" in case.sentence and "1.2" in str(case.witness)


def test_people_who_are_only_in_the_other_release_are_not_called_checked(tmp_path):
    """ "(proven)" was said of the people in the table, and nothing about those who had left."""
    columns = hospital(120)
    earlier = gy.publish(gy.read(columns, hospital_schema()), [gy.KAnonymity(4)])
    stayed = {name: values[:110] for name, values in columns.items()}
    table = gy.read(stayed, hospital_schema())
    later = gy.publish(table, [gy.KAnonymity(4)])
    found = gy.audit(later, original=table, others=[earlier])
    [left] = [one for one in found.findings if "than were looked up" in one.sentence]
    assert left.sentence.startswith("Release 2 holds 10 more people") and not left.is_checked
    assert not found.is_complete


def test_a_directory_that_was_altered_is_not_examined(release, tmp_path):
    """An audit described the altered table without a word about it."""
    release.save(tmp_path / "out")
    table = tmp_path / "out" / "data.csv"
    table.write_text(table.read_text().replace("Flu", "Gout"))
    for examine in (gy.load, gy.audit):
        with pytest.raises(gy.GygesError, match=r"was altered.*data\.csv is the file that was"):
            examine(tmp_path / "out")
    for words in (["audit"], ["skyline", "--value", "Flu"], ["ask"]):
        asked = ["1.1 = Flu"] if words == ["ask"] else words[1:]
        code, out, notes = gyges(words[0], "out", *asked, folder=tmp_path)
        assert code == 2 and not out and "altered" in notes and "gyges verify" in notes
