"""A release on disk: written whole or not at all, read back to the same groups.

The directory holds only what may leave the building: the published tables, the certificate, and
whatever pages are put beside them.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import numpy as np

from gyges.arrays import IntArray
from gyges.data.schema import Schema, ValuesPerPerson
from gyges.data.values import Kind, Value, as_kind, guess_kind, kind_named, sort_key
from gyges.errors import ReleaseError
from gyges.release.certificate import (
    Certificate,
    certify,
    read_certificate,
    sha256,
    write_certificate,
)
from gyges.release.groups import Groups
from gyges.release.locating import GROUP
from gyges.release.release import Release, Roles

if TYPE_CHECKING:
    import pyarrow as pa

FORMATS = ("csv", "parquet")


def save(
    release: Release,
    directory: str | Path,
    *,
    format: str = "csv",
    overwrite: bool = False,
    pages: Mapping[str, str] | None = None,
) -> Path:
    """Write a release to a new directory: everything beside it first, then one rename.

    `pages` are further files (name → text), such as the report.
    """
    directory = Path(directory)
    refuse_target(directory, format, overwrite)
    directory.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{directory.name}-", dir=directory.parent))
    try:
        _write(release, beside, format, pages or {})
        _put_in_place(beside, directory)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return directory


def refuse_target(directory: Path, format: str, overwrite: bool) -> None:
    """Refuse a target before any work is done for it."""
    if format not in FORMATS:
        raise ReleaseError(f"format is {format!r}: choose one of {', '.join(FORMATS)}")
    if directory.exists() and not overwrite:
        raise ReleaseError(
            f"{str(directory)!r} exists already and stays as it is: choose another directory, or "
            f"ask to overwrite it"
        )


def load(directory: str | Path, schema: Schema | None = None) -> Release:
    """Read a release directory, or any published CSV or Parquet file with its roles given.

    Only what is published is known of it. In a file that somebody else made, the people with
    equal quasi-identifiers are a group.
    """
    directory = Path(directory)
    if schema is not None:
        return _load_foreign(directory, schema)
    certificate = read_certificate(directory)
    tables = read_tables(directory, certificate)
    groups, labels = groups_of_certified(tables, certificate)
    return Release(
        form=certificate.form,  # type: ignore[arg-type]  # checked by read_tables
        roles=certificate.roles,
        groups=groups,
        labels=labels,
        make_tables=lambda: tables,
        method=certificate.method,
        claims=certificate.claims,
        levels=certificate.levels,
        n_left_out=certificate.n_left_out,
        is_seeded=certificate.is_seeded,
    )


def _load_foreign(path: Path, schema: Schema) -> Release:
    if schema.values_per_person != "one":
        raise ReleaseError("a published file of somebody else's is read with one value per person")
    if path.suffix[1:] not in FORMATS:
        raise ReleaseError(f"{path.name!r} is no .csv or .parquet file")
    rows = read_table(path)
    kinds = {name: str(kind) for name, kind in schema.kinds.items()}
    roles = Roles(tuple(schema.quasi_identifiers), schema.sensitive, (), kinds)
    if roles.sensitive and roles.sensitive in rows.column_names and roles.sensitive not in kinds:
        found = guess_kind(rows.column(roles.sensitive).unique().to_pylist())
        kinds[roles.sensitive] = str(found)
    groups, labels = groups_of_tables({"data": rows}, roles, "one")
    return Release(
        form="generalized",
        roles=roles,
        groups=groups,
        labels=labels,
        make_tables=lambda: {"data": rows},
        method="somebody else",
    )


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


def read_table(path: Path) -> pa.Table:
    """One published table, every column as text."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    try:
        if path.suffix == ".parquet":
            rows = pyarrow.parquet.read_table(path)
            return pa.table(
                {name: rows.column(name).cast(pa.string()) for name in rows.column_names}
            )
        names = pyarrow.csv.open_csv(path).schema.names
        as_text = pyarrow.csv.ConvertOptions(
            column_types={name: pa.string() for name in names}, strings_can_be_null=False
        )
        rows = pyarrow.csv.read_csv(path, convert_options=as_text)
    except FileNotFoundError:
        raise ReleaseError(f"the release lacks its file {path.name!r}") from None
    except pa.ArrowInvalid:
        raise ReleaseError(f"{path.name!r} is not a readable {path.suffix[1:]} file") from None
    return pa.table({name: _without_guard(rows.column(name)) for name in rows.column_names})


def _write(release: Release, beside: Path, format: str, pages: Mapping[str, str]) -> None:
    for name, rows in release.tables.items():
        write_table(rows, beside / f"{name}.{format}")
    for name, text in pages.items():
        (beside / name).write_text(text, encoding="utf-8")
    files = {path.name: sha256(path) for path in sorted(beside.iterdir())}
    write_certificate(certify(release, files), beside)
    for path in beside.iterdir():
        path.chmod(0o644)
        _flush(path)
    beside.chmod(0o755)
    _flush(beside)


def write_table(rows: pa.Table, path: Path) -> None:
    """Write one table; texts that a spreadsheet would run as formulas are guarded in a CSV."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(rows, path)
        return
    guarded = pa.table({name: _guarded(rows.column(name)) for name in rows.column_names})
    style = (
        "needed"
        if any(_needs_quotes(guarded.column(name)) for name in rows.column_names)
        else ("none")
    )
    header = ",".join(_quoted(name) for name in rows.column_names) + "\n"
    with path.open("wb") as file:
        file.write(header.encode())
        options = pyarrow.csv.WriteOptions(include_header=False, quoting_style=style)
        pyarrow.csv.write_csv(guarded, file, options)


def _needs_quotes(column: pa.ChunkedArray) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_string(column.type):
        return False
    special = pc.match_substring_regex(column, '[",\r\n]')
    return bool(pc.any(pc.or_kleene(special, pc.equal(column, ""))).as_py())


def _quoted(name: str) -> str:
    special = any(character in name for character in '",\r\n')
    return '"' + name.replace('"', '""') + '"' if special else name


def _guarded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Put an apostrophe before a text that begins like a formula (a plain number does not)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_string(column.type):
        return column
    risky = pc.match_substring_regex(column, r"^'*[=+\-@\t\r]")
    number = pc.match_substring_regex(column, r"^[+-]?[0-9.]+$")
    guard = pc.and_not(pc.fill_null(risky, False), pc.fill_null(number, False))
    return pc.if_else(guard, pc.binary_join_element_wise("'", column, ""), column)


def _without_guard(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow.compute as pc

    guarded = pc.match_substring_regex(column, r"^'+[=+\-@\t\r]")
    return pc.if_else(guarded, pc.utf8_slice_codeunits(column, 1), column)


def _put_in_place(beside: Path, directory: Path) -> None:
    """Rename the finished directory to its place; an older one moves aside first."""
    if not directory.exists():
        beside.rename(directory)
    else:
        aside = Path(tempfile.mkdtemp(prefix=f".{directory.name}-old-", dir=directory.parent))
        directory.rename(aside / "old")
        try:
            beside.rename(directory)
        except OSError:
            (aside / "old").rename(directory)
            raise
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    _flush(directory.parent)


def _flush(path: Path) -> None:
    """Ask the disk to keep a file or directory before the next step."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


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
