"""Adding a rule takes its own file (here, the class below) and one line in `RULES`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import gyges as gy
from gyges.criteria import rules
from gyges.criteria.base import JudgesEach, Reads, Rule, Unprepared
from gyges.criteria.describe import from_data, rules_table, to_data
from gyges.criteria.nearest_passing_rule import nearest
from gyges.criteria.rules import RULES, KnownRule
from gyges.errors import NothingSafeError
from gyges.workflow.project_rules import make_rule
from tests.cli.commands import gyges as command


@dataclass(frozen=True)
class EvenSizes(Unprepared, JudgesEach[int]):
    """Every group holds at least `n` people, an even number of them."""

    n: int
    reads: ClassVar[Reads] = "sizes"

    def summarize(self, groups):
        return int(np.where(groups.sizes % 2, 0, groups.sizes).min(initial=10**9))

    def merge(self, one, other):
        return min(one, other)

    def risk(self, summary):
        return summary

    def holds(self, summary):
        return summary >= self.n

    def risks(self, groups):
        return np.where(groups.sizes % 2, 0, groups.sizes).astype(float)

    def holds_each(self, groups):
        return self.risks(groups) >= self.n

    def nearest(self, reached, groups):
        if reached:
            yield f"n = {reached}", EvenSizes(reached)

    def __str__(self):
        return f"every group has an even number of people, at least {self.n}"


REGISTRATION = KnownRule("even sizes", "EvenSizes", __name__)


@pytest.fixture
def registered(monkeypatch):
    monkeypatch.setattr(rules, "RULES", (*RULES, REGISTRATION))


def table():
    columns = {"age": [20, 21, 30, 31, 40, 41], "disease": list("abcabc")}
    return gy.read(columns, gy.Schema(quasi_identifiers=["age"], sensitive="disease"))


def test_a_registered_rule_is_published_stated_and_verified(registered, tmp_path):
    release = gy.publish(table(), [EvenSizes(2)], method="lattice")
    assert release.claims[0].rule == {"name": "EvenSizes", "n": 2}
    found = gy.verify(release.save(tmp_path / "out"))
    assert found.holds and "an even number of people" in str(found)


def test_a_rule_that_is_not_registered_is_published_and_not_checked(tmp_path):
    release = gy.publish(table(), [EvenSizes(2)], method="lattice")
    found = gy.verify(release.save(tmp_path / "out"))
    assert not found.refuted and not found.holds
    assert ["does not know the rule" in check.found for check in found.unchecked] == [True]


def test_a_registered_rule_can_be_asked_for_in_a_project_file(registered):
    assert make_rule({"rule": "even sizes", "n": 4}) == EvenSizes(4)
    assert from_data(to_data(EvenSizes(4))) == EvenSizes(4)


def test_its_nearest_passing_rule_is_said_where_nothing_is_safe():
    groups = gy.Groups.from_lists([["a", "b"]])
    assert [one.words for one in nearest([EvenSizes(4)], groups)] == ["n = 2"]
    with pytest.raises(NothingSafeError, match="n = 6"):
        gy.publish(table(), [EvenSizes(8)], method="lattice")


@pytest.mark.parametrize("known", RULES, ids=lambda known: known.class_name)
def test_every_rule_of_the_tuple_is_a_rule_with_a_name_and_a_file_of_its_own(known):
    kind = known.load()
    assert issubclass(kind, Rule) and kind.__module__ == known.home
    assert getattr(gy, known.class_name) is kind
    assert rules.rule_of_plain_name(known.plain_name.upper()) == known


def test_the_page_of_rules_and_the_help_list_every_rule(tmp_path):
    page = Path(__file__).parents[2] / "docs" / "rules.md"
    assert rules_table() in page.read_text(encoding="utf-8"), rules_table()
    _, text, _ = command("publish", "--help", folder=tmp_path)
    assert all(known.plain_name in " ".join(text.split()) for known in RULES)


def test_the_worst_group_is_named_first_whichever_way_the_number_goes():
    groups = gy.Groups.from_lists([["a", "b", "c"], ["a", "a", "b"], ["a", "a"], ["b"]])
    asked = {gy.KAnonymity(4): 3, gy.DistinctDiversity(3): 2, gy.ProbabilisticDiversity(3): 2}
    for rule, worst in asked.items():
        [failure] = gy.judge(rule, groups).failures
        assert failure.groups[0] == worst and failure.risks[0] == float(failure.risk)
