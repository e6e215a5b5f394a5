"""Policies: rules for each kind of recipient, relaxed if no release of a table satisfies them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gyges.auditing.column_guess import ColumnGuess
from gyges.criteria.nearest_passing_rule import nearest
from gyges.criteria.rules import is_about_values
from gyges.data.arrow_arrays import numbers_of
from gyges.data.source import COUNT, Source
from gyges.release.groups import Groups
from gyges.workflow.project_rules import make_rule

# Each policy in two sentences, and its rules as in a project file.
POLICIES: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "open": (
        "Open data: anyone may download it, under no agreement. "
        "Large groups, and no single fact makes an attacker certain.",
        [
            {"rule": "k-anonymity", "k": 11},
            {"rule": "safety", "confidence": "0.8", "k": 1},
        ],
    ),
    "researchers": (
        "Researchers under contract: known people who agreed not to re-identify anyone. "
        "Groups of five, with at least three different values in each.",
        [{"rule": "k-anonymity", "k": 5}, {"rule": "distinct diversity", "l": 3}],
    ),
    "inside": (
        "Inside the organization: colleagues who could ask for the original. "
        "Groups of three, so that nobody recognizes a neighbour by accident.",
        [{"rule": "k-anonymity", "k": 3}],
    ),
}


@dataclass(frozen=True, slots=True)
class FittedRule:
    """A rule of a policy as in a project file, and why it differs from the policy's."""

    section: str
    why: str | None = None  # a sentence; None if the policy's own rule can be satisfied

    def __str__(self) -> str:
        return self.section if self.why is None else f"# {self.why}\n{self.section}"


def fitted_rules(
    source: Source, guesses: Sequence[ColumnGuess], rules: Sequence[Mapping[str, Any]]
) -> list[FittedRule]:
    """The rules of a policy, each relaxed until all people in one group satisfy it."""
    chosen = next((guess for guess in guesses if guess.role == "sensitive"), None)
    sensitive = None if chosen is None else chosen.name
    everybody = _everybody(source, sensitive, () if chosen is None else chosen.marks)
    kept = [rule for rule in rules if sensitive or not is_about_values(make_rule(rule))]
    return [_fitted(rule, everybody) for rule in kept]


def _everybody(source: Source, sensitive: str | None, marks: Sequence[str]) -> Groups:
    """All people of the table in one group; marks of missing values are one value."""
    counted = source.count([sensitive] if sensitive else source.columns[:1])
    people = np.asarray(numbers_of(counted.column(COUNT)), dtype=np.int64)
    raw = counted.column(0).to_pylist() if sensitive else []
    values = [str(None if value in marks else value) for value in raw]
    order = {value: code for code, value in enumerate(sorted(set(values)))}
    return Groups.from_entries(
        sizes=np.array([people.sum()]),
        group_of_entry=np.zeros(len(values), dtype=np.int64),
        value_codes=np.array([order[value] for value in values], dtype=np.int32),
        value_counts=people[: len(values)],
        values=list(order),
    )


def _fitted(rule: Mapping[str, Any], everybody: Groups) -> FittedRule:
    found = nearest([make_rule(rule)], everybody)
    if not found:
        return FittedRule(_written(rule))
    [short] = found
    if not short.words:
        unused = "".join(f"# {line}\n" for line in _written(rule).splitlines())
        why = f"The table cannot satisfy this rule with any number: {short.rule}"
        return FittedRule(unused, why)
    key, _, number = short.words.split("; or ")[0].partition(" = ")
    if key == "k" and rule["rule"] == "k-anonymity" and number == "1":
        return FittedRule(_written(rule), "The table has one row: no release hides that person.")
    eased = {**rule, key: json.loads(number) if isinstance(rule[key], int) else number}
    why = (
        f"Weaker than the policy: no release of this table satisfies {rule['rule']} with "
        f"{key} = {rule[key]}."
    )
    return FittedRule(_written(eased), why)


def _written(rule: Mapping[str, Any]) -> str:
    lines = [f"{key} = {json.dumps(value)}" for key, value in rule.items()]
    return "\n".join(["[[require]]", *lines, ""])
