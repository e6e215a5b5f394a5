"""A release with several sensitive columns, seen as one with one of them.

The other sensitive columns are then published unchanged with each row, so that every attacker who
knows such columns uses them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gyges.data.joint_values import part_of
from gyges.data.part_of_table import part_of_table
from gyges.data.values import Kind, Value, as_kind, kind_named, sort_key
from gyges.errors import ReleaseError
from gyges.release.groups import Groups
from gyges.release.joint_tables import split_table
from gyges.release.statements import Roles

if TYPE_CHECKING:
    import pyarrow as pa

    from gyges.release.release import Release


def part_of_release(release: Release, column: str) -> Release:
    """The release with one of its sensitive columns; of the others it knows no rule."""
    roles = release.roles
    if column not in roles.parts:
        raise ReleaseError(
            f"the release does not have {column!r} among several sensitive columns: it has "
            f"{', '.join(map(repr, roles.sensitive_columns)) or 'none'}"
        )
    others = [name for name in roles.parts if name != column]
    beside = others if "data" in release.tables else []
    partition = release.partition if _is_whole(release) else None
    table = None
    if partition is not None and release.table is not None:
        table = part_of_table(release.table, column)
        sought = partition.sought and replace(partition.sought, cells=table.searched_cells)
        partition = replace(partition, cells=table.cells, sought=sought)
    shown = replace(roles, sensitive=column, parts=(), published=(*roles.published, *beside))
    return replace(
        release,
        roles=shown,
        groups=_groups(release.groups, roles, column),
        make_tables=lambda: {
            name: split_table(rows, roles)
            if beside
            else _numbered_as(shown, roles, _without(split_table(rows, roles), others))
            for name, rows in release.tables.items()
        },
        options=None,
        asked=(),
        is_simulatable=False,
        partition=partition,
        table=table,
    )


def _is_whole(release: Release) -> bool:
    """Whether people with equal quasi-identifiers are in one group, whatever their values."""
    return release.partition is not None and release.partition.pieces is None


def _groups(groups: Groups, roles: Roles, column: str) -> Groups:
    """The groups with the values of one column, of its own kind."""
    held: list[Value] = [part_of(value, column) for value in groups.values]
    if roles.kinds.get(column) is Kind.DATE:
        held = as_kind(held, kind_named("date", column), column)
    ordered = sorted(set(held), key=sort_key)
    place = {value: code for code, value in enumerate(ordered)}
    return groups.recoded([place[value] for value in held], ordered)


def _numbered_as(shown: Roles, before: Roles, rows: pa.Table) -> pa.Table:
    """The rows with the names that groups and counts have where a column `group` is no more."""
    new = {before.group_column: shown.group_column, before.count_column: shown.count_column}
    return rows.rename_columns([new.get(name, name) for name in rows.column_names])


def _without(rows: pa.Table, names: list[str]) -> pa.Table:
    return rows.drop_columns([name for name in names if name in rows.column_names])
