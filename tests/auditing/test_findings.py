"""An audit is a list of findings: every attacker answers through one verb."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

import gyges as gy
from gyges.auditing.attackers import ATTACKERS
from gyges.auditing.audit import ask
from gyges.auditing.finding import Finding, Knowledge
from gyges.data.examples import hospital, hospital_schema, hospital_with_several_diseases
from gyges.report.page import report_page
from gyges.report.to_json import plain

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")


class Toy:
    """A whole attacker: nothing else names it but the tuple that it is put into."""

    def findings(self, release, knowledge):
        n = int(release.groups.sizes.sum())
        return [Finding("toy", f"They guess right for 1 of {n} people.", Fraction(1, n))]


@pytest.fixture(scope="module")
def release():
    return gy.publish(gy.read(hospital(120), hospital_schema()), [gy.KAnonymity(4)])


def test_a_toy_attacker_is_shown_everywhere(release):
    found = ask((*ATTACKERS, Toy()), release, Knowledge())
    said = "They guess right for 1 of 120 people."
    stated = plain(found)["findings"][-1]
    assert stated["sentence"] == said and stated["number"]["denominator"] == 120
    for text in (str(found), found._repr_html_(), report_page(release, found)):
        assert said in text
    assert json.dumps(plain(found))


def foreign(tmp_path, quasi=("gender", "zip")):
    path = tmp_path / "theirs.csv"
    rows = [f"{i:09},{'FM'[i % 2]},1485{i % 3},{'ab'[i % 5 > 1]}" for i in range(60)]
    path.write_text("\n".join(["SSN,gender,zip,ill", *rows]) + "\n")
    return gy.load(path, gy.Schema(quasi_identifiers=quasi, sensitive="ill"))


def test_columns_without_a_role_come_first_and_count(tmp_path):
    """The first number was "1/48 at most", though every row showed a social security number."""
    found = gy.audit(foreign(tmp_path))
    text = str(found)
    assert text.index("Not checked: SSN") < text.index("prosecutor")
    assert "it also shows SSN" in text and "60 of 60 people (100%)" in text
    assert found.measures["classical"].prosecutor == 1 and not found.is_complete
    assert "60 rows, each counted as one person" in text and "generalized" not in text


def test_several_values_per_person_have_headings_of_their_own():
    columns = hospital_with_several_diseases(120)
    table = gy.read(columns, hospital_schema(several=True))
    release = gy.publish(table, [gy.KAnonymity(4)])
    found = gy.audit(release)
    for text in (str(found), found._repr_html_(), report_page(release, found)):
        assert "values that never come without this one" in text
        assert "other people who do not have it" in text
        assert "values the target does not have" not in text


def test_it_is_said_that_only_the_riskiest_values_are_shown():
    groups = gy.Groups.from_lists([[f"v{i}" for i in range(81)]])
    assert "The 30 riskiest of 81 values are shown." in str(gy.audit(groups))
    assert "All 2 values are shown." in str(gy.audit(gy.Groups.from_lists([["a", "b"]])))


def test_rows_of_averages_are_said_to_be_nobodys():
    table = gy.read(hospital(60), hospital_schema())
    release = gy.publish(table, [gy.KAnonymity(4)], method="microaggregation")
    found = gy.audit(release)
    for text in (str(found), report_page(release, found)):
        assert "most frequent value. It is nobody" in text


def test_without_a_sensitive_column_it_is_said_first_that_nothing_is_protected():
    columns = {name: values for name, values in hospital(60).items() if name != "disease"}
    schema = gy.Schema(identifiers=["patient"], quasi_identifiers=["age", "zip", "sex"])
    release = gy.publish(gy.read(columns, schema), [gy.KAnonymity(4)])
    found = gy.audit(release)
    assert found.findings[0].place == "first"
    for text in (str(found), report_page(release, found)):
        assert text.index("no value is protected") < text.index("prosecutor")
