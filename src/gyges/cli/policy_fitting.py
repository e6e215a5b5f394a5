"""Fitting a policy to a table: rules that no release of it could satisfy are eased, and say so."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gyges.auditing.roles import ColumnGuess
    from gyges.data.source import Source
    from gyges.release.groups import Groups

MARKS = ("?", "NA", "N/A", "n/a", "NULL", "null", "None", "nan", "NaN")  # of missing values


def fitted_rules(
    source: Source, guesses: Sequence[ColumnGuess], rules: Sequence[Mapping[str, Any]]
) -> str:
    """The [[require]] sections of a policy, as much of it as all people in one group satisfy."""
    sensitive = next((guess.name for guess in guesses if guess.role == "sensitive"), None)
    everybody = _everybody(source, sensitive)
    needing = ("distinct diversity", "safety")
    kept = [rule for rule in rules if sensitive or rule["rule"] not in needing]
    return "\n".join(_section(rule, everybody) for rule in kept)


def found_marks(source: Source, guesses: Sequence[ColumnGuess]) -> list[str]:
    """Texts that look like a mark for missing values and occur in some column."""
    found = set()
    for guess in guesses:
        if guess.role not in ("person", "identifier"):
            values = source.count([guess.name]).column(guess.name).to_pylist()
            found |= set(MARKS) & {str(value) for value in values if value is not None}
    return sorted(found)


def _everybody(source: Source, sensitive: str | None) -> Groups:
    """All people of the table in one group."""
    import numpy as np

    from gyges.data.source import COUNT
    from gyges.release.groups import Groups

    counted = source.count([sensitive] if sensitive else source.columns[:1])
    people = np.asarray(counted.column(COUNT).to_numpy(), dtype=np.int64)
    values = [str(value) for value in counted.column(0).to_pylist()] if sensitive else []
    order = {value: code for code, value in enumerate(sorted(set(values)))}
    return Groups.from_entries(
        sizes=np.array([people.sum()]),
        group_of_entry=np.zeros(len(values), dtype=np.int64),
        value_codes=np.array([order[value] for value in values], dtype=np.int32),
        value_counts=people[: len(values)],
        values=list(order),
    )


def _section(rule: Mapping[str, Any], everybody: Groups) -> str:
    from gyges.cli.project_rules import make_rule
    from gyges.criteria.nearest_passing_rule import nearest

    found = nearest([make_rule(rule)], everybody)
    if not found:
        return _written(rule)
    [short] = found
    if not short.words:
        return "\n".join(
            [
                f"# The table cannot satisfy this rule, with whatever number: {short.rule}",
                *(f"# {line}" for line in _written(rule).splitlines()),
                "",
            ]
        )
    key, _, number = short.words.split("; or ")[0].partition(" = ")
    eased = {**rule, key: json.loads(number) if isinstance(rule[key], int) else number}
    why = f"# The policy has {key} = {rule[key]}, which no release of this table satisfies."
    return f"{why}\n{_written(eased)}"


def _written(rule: Mapping[str, Any]) -> str:
    lines = [f"{key} = {json.dumps(value)}" for key, value in rule.items()]
    return "\n".join(["[[require]]", *lines, ""])
