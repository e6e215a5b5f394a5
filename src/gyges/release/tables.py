"""Published tables as files: read as text, written so that no spreadsheet runs what is in them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gyges.errors import ReleaseError

if TYPE_CHECKING:
    import pyarrow as pa

FORMATS = ("csv", "parquet")


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
