"""Findings about each of several sensitive columns, as one list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gyges.auditing.finding import Finding, listed


def merged_findings(by_column: Mapping[str, Sequence[Finding]]) -> list[Finding]:
    """First what holds whatever column is meant, then the findings about each column.

    The figures behind the others are kept by column (`Audit.by_column`).
    """
    first, *others = by_column.values()
    shared = [one for one in first if all(any(_same(one, other) for other in o) for o in others)]
    about = [
        _named(one, column)
        for column, found in by_column.items()
        for one in found
        if not any(_same(one, other) for other in shared)
    ]
    return [_how_to_read(list(by_column)), *shared, *about]


def _how_to_read(columns: Sequence[str]) -> Finding:
    said = (
        f"Each row shows the sensitive columns {listed(columns)}. A finding that names one of "
        f"them is about its values; where it compares rows, the attacker also knows the others."
    )
    return Finding("compares rows", said, topic="Several sensitive columns", place="first")


def _named(finding: Finding, column: str) -> Finding:
    return replace(
        finding,
        sentence=f"{column!r}: {finding.sentence}",
        topic=f"{finding.topic or finding.attacker}: {column!r}",
        measures={},
    )


def _same(one: Finding, other: Finding) -> bool:
    """Whether two findings say and show the same."""
    compared = ("attacker", "sentence", "number", "interval", "details", "topic")
    witnessed = str(one.witness) == str(other.witness)
    return witnessed and all(getattr(one, name) == getattr(other, name) for name in compared)
