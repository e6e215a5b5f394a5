"""Published tables as files: read as text, written so that no spreadsheet runs what is in them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gyges.errors import ReleaseError

if TYPE_CHECKING:
    import pyarrow as pa

FORMATS = ("csv", "parquet")


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
