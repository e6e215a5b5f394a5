"""From published tables back to the groups that they come down to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import numpy as np

from gyges.arrays import IntArray
from gyges.data.schema import ValuesPerPerson
from gyges.data.values import Kind, Value, as_kind, kind_named, sort_key
from gyges.errors import ReleaseError
from gyges.release.certificate import Certificate
from gyges.release.groups import Groups
from gyges.release.locating import GROUP
from gyges.release.release import Roles
from gyges.release.tables import FORMATS, read_table

if TYPE_CHECKING:
    import pyarrow as pa


def read_tables(directory: Path, certificate: Certificate) -> dict[str, pa.Table]:
    """The published tables that a certificate names, every column as text."""
    wanted = [name for name in certificate.files if Path(name).suffix[1:] in FORMATS]
    tables = {Path(name).stem: read_table(directory / name) for name in sorted(wanted)}
    if set(tables) not in ({"data"}, {"people", "sensitive"}):
        raise ReleaseError(
            f"{str(directory)!r} holds {', '.join(tables) or 'no tables'}: a release has a table "
            f"'data', or the tables 'people' and 'sensitive'"
        )
    return tables


def groups_of_certified(
    tables: Mapping[str, pa.Table], certificate: Certificate
) -> tuple[Groups, dict[str, list[str]]]:
    """The groups of a certified release, and each group's labels."""
    if certificate.values_per_person not in get_args(ValuesPerPerson):
        raise ReleaseError(f"the certificate says {certificate.values_per_person!r} values each")
    kind: ValuesPerPerson = certificate.values_per_person  # type: ignore[assignment]
    return groups_of_tables(tables, certificate.roles, kind)


def groups_of_tables(
    tables: Mapping[str, pa.Table], roles: Roles, values_per_person: ValuesPerPerson
) -> tuple[Groups, dict[str, list[str]]]:
    """The groups that published tables come down to, and each group's labels."""
    people = tables.get("data", tables.get("people"))
    assert people is not None
    _refuse_missing_columns(people, [*roles.quasi_identifiers])
    group, labels = _group_of_person(people, list(roles.quasi_identifiers))
    sizes = np.bincount(group).astype(np.int64)
    if roles.sensitive is None:
        nothing = np.zeros(0, dtype=np.int64)
        entries: tuple[IntArray, list[str], IntArray] = nothing, [], nothing
    elif "sensitive" in tables:
        sensitive = tables["sensitive"]
        _refuse_missing_columns(sensitive, [GROUP, roles.sensitive, "count"])
        entries = (
            _integers(sensitive, GROUP) - 1,
            sensitive.column(roles.sensitive).to_pylist(),
            _integers(sensitive, "count"),
        )
    else:
        _refuse_missing_columns(people, [roles.sensitive])
        held = people.column(roles.sensitive).to_pylist()
        entries = group, held, np.ones(len(held), dtype=np.int64)
    return _groups(sizes, *entries, roles, values_per_person), labels


def _group_of_person(people: pa.Table, quasi: list[str]) -> tuple[IntArray, dict[str, list[str]]]:
    """The group of each published person, by its number or else by its labels' order as text."""
    columns = [people.column(name).to_pylist() for name in quasi]
    if GROUP in people.column_names and GROUP not in quasi:
        group = _integers(people, GROUP) - 1
        first = {int(g): row for row, g in reversed(list(enumerate(group)))}
        labels = {
            name: [column[first[g]] if g in first else "" for g in range(int(group.max()) + 1)]
            for name, column in zip(quasi, columns, strict=True)
        }
        return group, labels
    keys = list(zip(*columns, strict=True)) if columns else [()] * people.num_rows
    ordered = sorted(set(keys))
    place = {key: number for number, key in enumerate(ordered)}
    group = np.array([place[key] for key in keys], dtype=np.int64)
    return group, {name: [key[i] for key in ordered] for i, name in enumerate(quasi)}


def _groups(
    sizes: IntArray,
    group: IntArray,
    held: list[str],
    counts: IntArray,
    roles: Roles,
    values_per_person: ValuesPerPerson,
) -> Groups:
    kind = roles.kinds.get(roles.sensitive or "")
    texts = sorted(set(held))
    known: list[Value] = list(texts)
    if kind and kind_named(kind, "sensitive") in (Kind.NUMBER, Kind.DATE):
        known = as_kind(known, kind_named(kind, "sensitive"), "sensitive")
    ordered = sorted(set(known), key=sort_key)
    place = {value: code for code, value in enumerate(ordered)}
    code = {text: place[value] for text, value in zip(texts, known, strict=True)}
    return Groups.from_entries(
        sizes=sizes,
        group_of_entry=group,
        value_codes=np.array([code[text] for text in held], dtype=np.int32),
        value_counts=counts,
        values=ordered,
        values_per_person=values_per_person,
    )


def _integers(rows: pa.Table, name: str) -> IntArray:
    import pyarrow as pa

    try:
        return np.asarray(rows.column(name).cast(pa.int64()).to_numpy(), dtype=np.int64)
    except (pa.ArrowInvalid, ValueError):
        raise ReleaseError(f"the release's column {name!r} holds something but numbers") from None


def _refuse_missing_columns(rows: pa.Table, names: list[str]) -> None:
    missing = [name for name in names if name not in rows.column_names]
    if missing:
        raise ReleaseError(f"the release lacks its column {missing[0]!r}")
