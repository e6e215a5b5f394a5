"""Who is in which group, where a rule follows people from release to release; never published.

A counterfeit is a value without a person: a group holds it so that it has the same values as
before. Groups count it as one more member, and the certificate states how many there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gyges.arguments import codes
from gyges.arrays import IntArray, frozen
from gyges.data.cells import Cells
from gyges.data.table import Table
from gyges.data.values import Value, sort_key, text_of
from gyges.errors import RuleError
from gyges.exact import counted
from gyges.release.groups import Groups


@dataclass(frozen=True, eq=False, repr=False)
class FollowedGroups(Groups):
    """Groups that know the names of their people, for rules alone: nothing shows them."""

    people_names: list[list[str]] = field(kw_only=True)

    def take(self, chosen: IntArray | Sequence[int]) -> FollowedGroups:
        """Some of the groups, in the given order."""
        chosen = codes(chosen, "chosen", None, 0, len(self) - 1)
        names = [self.people_names[g] for g in chosen.tolist()]
        return followed_groups(super().take(chosen), names)


def followed_groups(groups: Groups, names: list[list[str]]) -> FollowedGroups:
    """The groups with the names of their people."""
    return FollowedGroups(
        sizes=groups.sizes,
        starts=groups.starts,
        value_codes=groups.value_codes,
        value_counts=groups.value_counts,
        values=groups.values,
        values_per_person=groups.values_per_person,
        people_names=names,
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FollowedPeople:
    """The group of each row's person, the counterfeits, and everyone's name."""

    names: Sequence[str]  # rows
    entry: IntArray  # rows: the cells' entry (combination and value) of each
    group: IntArray  # rows; negative where not published
    counterfeit_group: IntArray  # counterfeits
    counterfeit_value: list[Value]  # counterfeits

    def __post_init__(self) -> None:
        frozen(self.entry, self.group, self.counterfeit_group)

    def renumbered(self, place: IntArray) -> FollowedPeople:
        """The same with other numbers of groups; the last of `place` serves those left out."""
        group, forged = place[self.group], place[self.counterfeit_group]
        return replace(self, group=group, counterfeit_group=forged)

    def groups(self, cells: Cells, n_groups: int) -> FollowedGroups:
        """The groups, counterfeits included."""
        known = [*cells.sensitive.values, *self.counterfeit_value]
        values = sorted({text_of(value): value for value in known}.values(), key=sort_key)
        code = {text_of(value): place for place, value in enumerate(values)}
        of_cells = np.array([code[text_of(v)] for v in cells.sensitive.values], dtype=np.int32)
        forged = np.array([code[text_of(v)] for v in self.counterfeit_value], dtype=np.int32)
        kept = self.group >= 0
        group = np.concatenate([self.group[kept], self.counterfeit_group])
        found = Groups.from_entries(
            sizes=np.bincount(group, minlength=n_groups).astype(np.int64),
            group_of_entry=group,
            value_codes=np.concatenate([of_cells[cells.value_codes[self.entry[kept]]], forged]),
            value_counts=np.ones(len(group), dtype=np.int64),
            values=values,
        )
        names: list[list[str]] = [[] for _ in range(n_groups)]
        for row in np.flatnonzero(kept).tolist():
            names[self.group[row]].append(self.names[row])
        return followed_groups(found, names)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FollowedRows:
    """The rows of a table whose people are followed from release to release."""

    names: list[str]  # rows: who it is
    signatures: list[frozenset[str] | None]  # rows: the values of their groups; None for newcomers
    entry: IntArray  # rows: the cells' entry (combination and value) of each
    earlier: tuple[Groups, ...]  # with members
    least_values: int  # m: how many different values a group needs


def names_of_people(table: Table) -> list[str]:
    """The name of each row's person: the column that identifies people, or all of these columns."""
    schema = table.schema
    columns = (schema.person,) if schema.person else tuple(schema.identifiers)
    if not columns:
        raise RuleError(
            "following people from release to release needs a column that identifies them: name "
            "it (person or identifiers in the schema)"
        )
    rows = [[text_of(v) for v in one.to_pylist()] for one in table.fetch(columns).columns]
    names = ["\x1f".join(texts) for texts in zip(*rows, strict=True)]
    empty = sum(not name.strip("\x1f ") for name in names)
    if empty:
        have = counted(empty, "person has", "people have")
        raise RuleError(f"{have} no value in {' and '.join(columns)}: they cannot be followed")
    if len(set(names)) < len(names):
        raise RuleError(
            "several rows have the same person: following people needs one row for each (keep_row)"
        )
    return names
