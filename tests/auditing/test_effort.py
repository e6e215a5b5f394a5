"""What an audit leaves out because it takes long, and how to ask for it."""

from __future__ import annotations

import pytest

import gyges as gy
from gyges.auditing import effort
from gyges.auditing.effort import HOW_TO_ASK
from gyges.data.examples import hospital
from gyges.errors import RuleError


@pytest.fixture(scope="module")
def release():
    schema = gy.Schema(
        identifiers=["patient"], quasi_identifiers=["age", "zip", "sex"], sensitive="disease"
    )
    return gy.publish(gy.read(hospital(300), schema), [gy.KAnonymity(3), gy.DistinctDiversity(2)])


def left_out(audit):
    return [one for one in audit.findings if HOW_TO_ASK in one.sentence]


def test_what_takes_seconds_is_computed(release):
    found = gy.audit(release)
    assert not left_out(found) and len(found.measures["beliefs"]) == 5


def test_what_takes_longer_is_left_out_and_said(release, monkeypatch):
    monkeypatch.setattr(effort, "MOST_SECONDS", 0.0)
    found = gy.audit(release)
    long = {"minimality", "prior beliefs", "tells people apart"}
    assert {one.attacker for one in left_out(found)} == long
    assert all(one.sentence.startswith("Not computed: ") for one in left_out(found))
    assert "bandwidth 0.1, 0.2, 0.3, 0.4 and 0.5" in left_out(found)[-1].sentence
    assert "beliefs" not in found.measures


def test_those_who_ask_get_everything(release, monkeypatch):
    usual = gy.audit(release)
    monkeypatch.setattr(effort, "MOST_SECONDS", 0.0)
    asked = gy.audit(release, thorough=True)
    assert [one.sentence for one in asked.findings] == [one.sentence for one in usual.findings]


def test_an_audit_tells_what_it_is_doing(release):
    said = []
    gy.audit(release, progress=lambda text, done, total: said.append((text, done / total)))
    texts = [text for text, _ in said]
    assert "asking the attackers: minimality attack" in texts
    assert "asking the attackers: prior beliefs, bandwidth 0.3" in texts
    assert all(0 <= share <= 1 for _, share in said)
    with pytest.raises(RuleError, match="progress"):
        gy.audit(release, progress="aloud")
