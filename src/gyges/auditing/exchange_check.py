"""Files for other programs (Excel, Stata, SPSS, SAS), compared with the table that was judged.

The file is written again from the table: equal bytes hold nothing else. If the bytes differ, the
cells decide: others refute the file; the same cells may come from another version of the writer, or
have something hidden around them, so the file is not confirmed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from gyges.auditing.checks import Check
from gyges.engines.labelled_files import read_labelled
from gyges.engines.spreadsheets import read_sheet
from gyges.errors import GygesError
from gyges.release.exchange_files import (
    EXCHANGE_FORMATS,
    Labelled,
    needed_for,
    short_names,
    write_exchange_file,
)
from gyges.release.strict_tables import read_strictly
from gyges.release.tables import FORMATS

if TYPE_CHECKING:
    import pyarrow as pa

_TIMES_LARGER = 4  # a file that is larger than this many times the one expected is not read


def check_exchange_files(directory: Path, files: Collection[str]) -> Iterator[Check]:
    """Whether each file for another program holds its table, and nothing else."""
    for name in sorted(files):
        stem, _, format = name.rpartition(".")
        if format in EXCHANGE_FORMATS:
            [table] = [f"{stem}.{one}" for one in FORMATS if f"{stem}.{one}" in files]
            yield _check(directory / name, directory / table)


def _check(path: Path, table: Path) -> Check:
    claim = f"{path.name} holds the table {table.name} and nothing else"
    missing = needed_for(path.suffix[1:])
    if missing is not None:
        return Check(claim, "", missing, None)
    rows = read_strictly(table)
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder) / path.name
        write_exchange_file(rows, again, ())
        if path.stat().st_size > _TIMES_LARGER * again.stat().st_size + 2**16:
            return Check(claim, "yes", "it is much larger", False)
        if again.read_bytes() == path.read_bytes():
            return Check(claim, "yes", "yes", True)
        try:
            found, labelled = _read(path, rows.column_names)
        except GygesError as problem:
            return Check(claim, "yes", str(problem), False)
        if found is None or not found.equals(_as_read(rows)):
            return Check(claim, "yes", "its cells differ", False)
        write_exchange_file(rows, again, labelled)
        if again.read_bytes() == path.read_bytes():
            return Check(claim, "yes", "yes", True)
    why = "its cells agree, but its bytes are not those that this version writes"
    return Check(claim, "", why, None)


def _as_read(rows: pa.Table) -> pa.Table:
    """Texts as other programs' files hold them: no blanks at the ends, a null for an empty one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    nothing = pa.scalar(None, pa.string())
    trimmed = [pc.utf8_trim_whitespace(one) for one in rows.columns]
    columns = [pc.if_else(pc.equal(one, ""), nothing, one).combine_chunks() for one in trimmed]
    return pa.table(columns, names=rows.column_names)


def _read(path: Path, names: list[str]) -> tuple[pa.Table | None, Labelled]:
    """The cells of a file under the table's own names, and its columns with labels."""
    if path.suffix == ".xlsx":
        rows = read_sheet(path, path.stem, names)
        return (rows if rows.column_names == names else None), ()
    rows, found, labelled = read_labelled(path)
    if list(found) != short_names(names):
        return None, ()
    own = dict(zip(found, names, strict=True))
    return rows.rename_columns(names), [own[short] for short in labelled]
