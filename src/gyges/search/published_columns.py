"""Columns that are published as they are: what a release shows through them, and to whom.

Judged is what an attacker sees. In a table with one value in each row, every rule must hold in the
refined groups: people of one group who also agree in the published columns. Where the sensitive
values are in a table of their own (bucketized, or several values per person), the published columns
do not divide the values of a group, so only who is who is judged: how many people share what their
row shows. A bucketized row shows the quasi-identifiers themselves, so these take the labels' place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gyges.arrays import IntArray
from gyges.criteria.base import Criterion
from gyges.criteria.k_anonymity import KAnonymity
from gyges.criteria.verdict import judge, show
from gyges.errors import RuleError, SchemaError
from gyges.release.groups import Groups
from gyges.release.partition import LEFT_OUT
from gyges.release.refined_groups import refine, refined_groups
from gyges.release.release import Release


@dataclass(frozen=True, slots=True)
class ShownColumns:
    """How many people the published columns single out, and which rules fail through them."""

    columns: tuple[str, ...]
    n_people: int
    n_alone: int  # alone with what their row shows: labels and published columns
    n_alone_by_columns: int  # alone with their values of the published columns
    smallest: int  # the least number of people whose rows look the same
    failures: tuple[str, ...]  # rules that do not hold for an attacker who knows the columns

    def __str__(self) -> str:
        named = ", ".join(self.columns)
        text = f"Published as they are: {named}."
        if not self.n_alone:
            return f"{text} What a row shows, at least {self.smallest:,} people share."
        return (
            f"{text} {self.n_alone:,} of {self.n_people:,} people are the only ones whose row "
            f"looks as theirs does, {self.n_alone_by_columns:,} by these columns alone."
        )

    def notices(self) -> tuple[str, ...]:
        """What a release with these columns says about them."""
        if not self.failures:
            return (str(self),)
        named = ", ".join(self.columns)
        failed = (f"For an attacker who knows {named}, fails: {text}" for text in self.failures)
        return (str(self), *failed)


def shown_columns(release: Release, rules: Sequence[Criterion[Any]]) -> ShownColumns | None:
    """What the published columns show; None where there are none."""
    table, partition = release.table, release.partition
    if not release.roles.published or table is None or partition is None:
        return None
    rows = _published_rows(release)
    shown = table.fetch(list(release.roles.published)).take(rows)
    shows_values = release.form != "bucketized" and table.schema.values_per_person == "one"
    look = table.cell_of_row if release.form == "bucketized" else release.group_of_row
    values = table.value_of_row[rows] if shows_values and table.schema.sensitive else None
    refined = refined_groups(release.groups, look[rows], shown, values)
    about_people = [rule for rule in rules if isinstance(rule, KAnonymity)]
    judged = list(rules) if shows_values else about_people
    by_columns, _ = refine(np.zeros(len(rows), dtype=np.int64), shown)
    return ShownColumns(
        columns=release.roles.published,
        n_people=len(rows),
        n_alone=int((refined.sizes == 1).sum()),
        n_alone_by_columns=int((np.bincount(by_columns) == 1).sum()),
        smallest=int(refined.sizes.min(initial=len(rows))),
        failures=tuple(text for rule in judged for text in _failure(rule, refined)),
    )


def refuse_singling_out(found: ShownColumns) -> None:
    """Refuse published columns that single people out, or through which a rule fails."""
    if not found.n_alone and not found.failures:
        return
    named = ", ".join(found.columns)
    why = [f"  {text}" for text in found.failures]
    raise SchemaError(
        "\n".join(
            [
                f"the columns published as they are single people out ({named}): "
                f"{found.n_alone:,} of {found.n_people:,} people are the only ones whose row looks "
                f"as theirs does, {found.n_alone_by_columns:,} by these columns alone",
                *why,
                f"make {named} quasi-identifiers or drop them; or, to publish them all the same, "
                f"write allow_singling_out=True (under [publish] in a project file: "
                f"allow_singling_out = true)",
            ]
        )
    )


def _published_rows(release: Release) -> IntArray:
    """The rows of the table that the release shows: one for each published person."""
    assert release.table is not None
    return np.flatnonzero((release.group_of_row != LEFT_OUT) & release.table.is_first_row)


def _failure(rule: Criterion[Any], refined: Groups) -> list[str]:
    """The rule and what it is instead, where it fails or cannot be judged."""
    try:
        return [f"{rule}: it is {show(failure.risk)}" for failure in judge(rule, refined).failures]
    except RuleError:
        return [f"{rule}: cannot be judged where columns are published as they are"]
