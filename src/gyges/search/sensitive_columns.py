"""Several sensitive columns: what a release reveals of each."""

from __future__ import annotations

from collections.abc import Sequence

from gyges.criteria.about import column_of
from gyges.criteria.base import Rule
from gyges.criteria.divided_groups import Division
from gyges.exact import counted
from gyges.release.groups import Groups


def about_each_column(groups: Groups, columns: Sequence[str], rules: Sequence[Rule]) -> list[str]:
    """Warnings: whose values the release alone reveals, or to someone who knows other columns."""
    said = []
    for name in columns:
        others = [other for other in columns if other != name]
        alone = _n_revealed(groups, name, [])
        helped = _n_revealed(groups, name, others)
        if alone:
            said.append(
                f"Warning: the release alone reveals the value of {name!r} of "
                f"{counted(alone, 'person')}. The rule distinct diversity with l = 2 prevents that."
            )
        elif not any(column_of(rule) == name for rule in rules):
            said.append(unprotected(name))
        if helped > alone:
            known = " and ".join(map(repr, others))
            said.append(
                f"Warning: to someone who knows {known} of their target, the release reveals the "
                f"value of {name!r} of {counted(helped, 'person')}. A rule with column = {name!r} "
                f"and knowing = {others} prevents that."
            )
    return said


def _n_revealed(groups: Groups, column: str, known: Sequence[str]) -> int:
    """People in parts of groups in which everyone has the same value."""
    parts, _ = Division.of(groups.values, column=column, knowing=known).parts(groups)
    return int(parts.sizes[parts.reveals_a_value].sum())


def unprotected(column: str) -> str:
    """The warning about a column that no rule protects."""
    return (
        f"Warning: no rule protects the values of {column!r}: an attacker may be nearly certain of "
        f"them. Add a rule about values, such as distinct diversity or safety."
    )
