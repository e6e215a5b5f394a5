"""From published tables back to the groups that they come down to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import numpy as np

from gyges.arrays import IntArray
from gyges.data.cells import distinct_rows
from gyges.data.encoding import dictionary
from gyges.data.schema import ValuesPerPerson
from gyges.data.values import Kind, Value, as_kind, kind_named, sort_key, text_of
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
    import pyarrow as pa

    people = tables.get("data", tables.get("people"))
    assert people is not None
    _refuse_missing_columns(people, [*roles.quasi_identifiers])
    group, labels = _group_of_person(people, list(roles.quasi_identifiers))
    sizes = np.bincount(group).astype(np.int64)
    if roles.sensitive is None:
        nothing = np.zeros(0, dtype=np.int64)
        entries = nothing, pa.chunked_array([pa.array([], pa.string())]), nothing
    elif "sensitive" in tables:
        sensitive = tables["sensitive"]
        _refuse_missing_columns(sensitive, [GROUP, roles.sensitive, "count"])
        entries = (
            _integers(sensitive, GROUP) - 1,
            sensitive.column(roles.sensitive),
            _integers(sensitive, "count"),
        )
    else:
        _refuse_missing_columns(people, [roles.sensitive])
        held = people.column(roles.sensitive)
        entries = group, held, np.ones(len(held), dtype=np.int64)
    return _groups(sizes, *entries, roles, values_per_person), labels


def _group_of_person(people: pa.Table, quasi: list[str]) -> tuple[IntArray, dict[str, list[str]]]:
    """The group of each published person, by its number or else by its labels' order as text."""
    if GROUP in people.column_names and GROUP not in quasi:
        group = _integers(people, GROUP) - 1
        known, row = np.unique(group, return_index=True)
        labels = {name: [""] * (int(group.max(initial=-1)) + 1) for name in quasi}
        for name in quasi:
            for g, text in zip(known, people.column(name).take(row).to_pylist(), strict=True):
                labels[name][g] = text_of(text)
        return group, labels
    texts, codes = [], np.empty((people.num_rows, len(quasi)), dtype=np.int32, order="F")
    for column, name in enumerate(quasi):
        raw, places = dictionary(people.column(name))
        labelled = [text_of(text) for text in (*map(str, raw), None)]
        order = sorted(range(len(labelled)), key=labelled.__getitem__)
        texts.append([labelled[place] for place in order])
        codes[:, column] = np.argsort(order)[places]
    distinct, group = distinct_rows(codes, [len(column) for column in texts])
    return group, {
        name: [column[code] for code in distinct[:, place]]
        for place, (name, column) in enumerate(zip(quasi, texts, strict=True))
    }


def _groups(
    sizes: IntArray,
    group: IntArray,
    held: pa.ChunkedArray,
    counts: IntArray,
    roles: Roles,
    values_per_person: ValuesPerPerson,
) -> Groups:
    kind = roles.kinds.get(roles.sensitive or "")
    raw, places = dictionary(held)
    if (places == len(raw)).any():
        raise ReleaseError(f"the release's column {roles.sensitive!r} has empty places")
    known: list[Value] = [str(text) for text in raw]
    if kind and kind_named(kind, "sensitive") in (Kind.NUMBER, Kind.DATE):
        known = as_kind(known, kind_named(kind, "sensitive"), "sensitive")
    ordered = sorted(set(known), key=sort_key)
    place = {value: code for code, value in enumerate(ordered)}
    codes = np.array([place[value] for value in known], dtype=np.int32)
    return Groups.from_entries(
        sizes=sizes,
        group_of_entry=group,
        value_codes=codes[places],
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
