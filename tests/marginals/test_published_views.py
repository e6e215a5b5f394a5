"""Views on disk: they verify as they are, and whatever is changed in them is caught."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

import gyges as gy
from gyges.auditing.notes import MINIMALITY
from gyges.data.consistency import ROWS_ARE_PEOPLE
from gyges.data.examples import hospital, hospital_schema
from gyges.errors import ReleaseError
from gyges.exact import fraction_of_text
from gyges.marginals.published_views import publish_marginals, shown_risk, stated_risks
from gyges.release.certificate import sha256

RULES = [gy.KAnonymity(5), gy.DistinctDiversity(3)]
VIEWS = [{"age": 4, "disease": 0}, {"sex": 0, "disease": 0}, {"zip": 2}]


@pytest.fixture
def published(tmp_path):
    table = gy.read(hospital(800), hospital_schema())
    made = gy.Marginals.of(table, VIEWS)
    publish_marginals(made, RULES).save(tmp_path / "views")
    return made, tmp_path / "views"


def is_refused_or_false(directory):
    try:
        return not gy.verify(directory).holds
    except ReleaseError:
        return True


def test_views_read_back_as_they_were(published):
    made, directory = published
    again = gy.load(directory).marginals
    assert [view.frame() for view in again.views] == [view.frame() for view in made.views]
    assert again.judge(RULES).risks == made.judge(RULES).risks
    assert gy.verify(directory).holds


def test_the_certificate_names_no_value_that_the_views_do_not_show(published):
    """The exact ages and zip codes that occur are not public: the hierarchies make any."""
    _, directory = published
    columns = json.loads((directory / "certificate.json").read_text())["columns"]
    shown = {column["name"]: {row[0] for row in column["rows"]} for column in columns}
    assert not any(label.isdigit() for label in shown["age"] | shown["zip"])
    assert shown["sex"] == {"F", "M"}


def test_a_changed_count_is_caught_by_its_hash_and_after_rehashing_too(published):
    _, directory = published
    path = directory / "view-1.csv"
    lines = path.read_text().splitlines()
    first, n = lines[1].rsplit(",", 1)
    second, m = lines[2].rsplit(",", 1)
    lines[1:3] = [f"{first},{int(n) + 1}", f"{second},{int(m) - 1}"]
    path.write_text("\n".join(lines) + "\n")
    assert not gy.verify(directory).holds
    stated = json.loads((directory / "certificate.json").read_text())
    stated["files"]["view-1.csv"] = sha256(path)
    (directory / "certificate.json").write_text(json.dumps(stated))
    assert is_refused_or_false(directory)


@pytest.mark.parametrize(
    "inflate",
    [
        lambda s: s["claims"][0]["rule"].update(k=400),
        lambda s: s["claims"][0].update(text="every group has at least 400 people"),
        lambda s: s["claims"][1].update(risk="99"),
        lambda s: s.update(n_people=801),
        lambda s: s["claims"][0]["rule"].update(name="DistinctDiversity"),
        lambda s: s["claims"][0]["rule"].update(k=True),
    ],
)
def test_an_inflated_claim_is_caught(published, inflate):
    _, directory = published
    stated = json.loads((directory / "certificate.json").read_text())
    inflate(stated)
    (directory / "certificate.json").write_text(json.dumps(stated))
    assert is_refused_or_false(directory)


@pytest.mark.parametrize("name", ["eval", "NewerDiversity", "BetaLikeness"])
def test_a_rule_that_this_version_cannot_judge_on_views_is_not_checked(published, name):
    _, directory = published
    stated = json.loads((directory / "certificate.json").read_text())
    stated["claims"][0]["rule"] = {"name": name, "beta": "4"}
    (directory / "certificate.json").write_text(json.dumps(stated))
    found = gy.verify(directory)
    assert not found.refuted and len(found.unchecked) == 1, str(found)
    assert gy.load(directory).claims[0].rule["name"] == name


def test_nothing_is_written_of_views_that_are_not_safe(tmp_path):
    table = gy.read(hospital(800), hospital_schema())
    made = gy.Marginals.of(table, [{"age": 0, "zip": 0, "disease": 0}])
    with pytest.raises(ReleaseError, match="do not satisfy"):
        publish_marginals(made, RULES).save(tmp_path / "views")
    assert not any(tmp_path.iterdir())


def test_the_last_digit_of_another_machine_refutes_no_honest_claim(tmp_path):
    """Entropy is a double: it is compared as two doubles can agree, not as text."""
    table = gy.read(hospital(800), hospital_schema())
    rule = gy.EntropyDiversity("1.5")
    publish_marginals(gy.Marginals.of(table, VIEWS), [rule]).save(tmp_path / "views")
    path = tmp_path / "views" / "certificate.json"
    stated = json.loads(path.read_text())
    risk = float(stated["claims"][0]["risk"])
    for other, holds in ((np.nextafter(risk, 99), True), (risk + 1e-6, False), ("x", False)):
        stated["claims"][0]["risk"] = str(other)
        path.write_text(json.dumps(stated))
        assert gy.verify(tmp_path / "views").holds == holds


def test_an_exact_risk_is_compared_exactly(published):
    _, directory = published
    path = directory / "certificate.json"
    stated = json.loads(path.read_text())
    first, second = stated["claims"][0]["risk"].split("; ")
    for other in (f"{first}.0; {second}", first, f"{first}; {second}; 1", f"{first};{second}"):
        stated["claims"][0]["risk"] = other
        path.write_text(json.dumps(stated))
        assert not gy.verify(directory).holds


def test_a_risk_of_very_many_digits_can_be_stated():
    """Python writes no whole number of more than 4,300 digits."""
    huge = Fraction(10**6_000 + 1, 10**6_001)
    [text] = stated_risks(shown_risk({"a rule": huge}))
    assert fraction_of_text(text) == huge


@pytest.mark.parametrize("named", [False, True])
def test_it_is_said_whether_rows_were_taken_to_be_people(tmp_path, named):
    columns = {"who": [*range(8)], "sex": ["F", "M"] * 4, "ill": ["Flu", "Flu", "Gout", "Gout"] * 2}
    schema = gy.Schema(
        quasi_identifiers=["sex"],
        sensitive="ill",
        identifiers=["who"] if named else [],
        dropped=[] if named else ["who"],
    )
    made = gy.Marginals.of(gy.read(columns, schema), [{"sex": 0, "ill": 0}])
    publish_marginals(made, [gy.KAnonymity(2)]).save(tmp_path / "views")
    assert gy.load(tmp_path / "views").marginals.rows_are_people is not named
    assert (ROWS_ARE_PEOPLE in gy.verify(tmp_path / "views").statements) is not named
    notes = gy.audit(tmp_path / "views").notes
    assert (ROWS_ARE_PEOPLE in notes) is not named and MINIMALITY in notes
