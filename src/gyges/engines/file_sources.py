"""Tables in files: a path or a glob of CSV or Parquet files, read by DuckDB; and other formats."""

from __future__ import annotations

import difflib
import glob
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gyges.arguments import either
from gyges.data.held_folders import remove_with, spill_folder
from gyges.engines.csv_files import open_csv, refuse_other_columns, refuse_repeated
from gyges.engines.ibis import IbisSource, source_of
from gyges.engines.labelled_files import LABELLED_ENDINGS, read_labelled, variable_labels
from gyges.engines.spreadsheets import SHEET_ENDINGS, read_sheet
from gyges.engines.transfer import from_arrow
from gyges.errors import SourceError
from gyges.kernels.threads import n_workers

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa
    from ibis.backends import BaseBackend

CSV_ENDINGS = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
PARQUET_ENDINGS = (".parquet", ".pq")
ENDINGS = {
    "csv": CSV_ENDINGS,
    "parquet": PARQUET_ENDINGS,
    "sheet": SHEET_ENDINGS,
    "labelled": LABELLED_ENDINGS,
}
_BYTES_OF_THREAD = 36 * 2**20  # of DuckDB, where its memory is limited


def open_files(
    location: str,
    wanted: Collection[str] | None = None,
    engine: BaseBackend | None = None,
    *,
    encoding: str | None = None,
    sheet: str | None = None,
) -> IbisSource:
    """Open a file, or all files that a glob matches, as one table; in file order.

    The rows are read by an embedded DuckDB, or by the engine that is given. `encoding` is that of
    CSV files, `sheet` the name of a workbook's sheet.
    """
    paths = find_files(location)
    name = name_of(paths, location)
    engine = engine or embedded()
    kind = kind_of(paths)
    if kind == "parquet":
        source = source_of(_open_parquet(engine, paths), name, wanted)
    elif kind == "csv":
        rows, found = open_csv(engine, paths, wanted or (), encoding)
        source = IbisSource(rows, name, found.names, notices=found.notices)
    else:
        read = read_whole(paths, kind, wanted, sheet)
        source = IbisSource(from_arrow(engine, read.rows), name, read.names)
    return replace(source, is_in_order=True, takes_tables=False)


@dataclass(frozen=True, slots=True)
class WholeFile:
    """The rows of a file that is read into memory, all its columns, and those with labels."""

    rows: pa.Table
    names: tuple[str, ...]
    labelled: tuple[str, ...] = ()
    described: Mapping[str, str] = field(default_factory=dict)


def read_whole(
    paths: Sequence[Path], kind: str, wanted: Collection[str] | None, sheet: str | None
) -> WholeFile:
    """Read the wanted columns of a workbook's sheet, or of a file of SPSS, Stata or SAS."""
    if len(paths) > 1:
        raise SourceError("only CSV and Parquet files are read together: name one file")
    if kind == "labelled":
        rows, names, labelled = read_labelled(paths[0], wanted)
        return WholeFile(rows, names, labelled, variable_labels(paths[0]))
    rows = read_sheet(paths[0], sheet, wanted or ())
    names = tuple(rows.column_names)
    used = [name for name in names if wanted is None or name in wanted] or list(names)
    return WholeFile(rows.select(used), names)


def embedded(memory: int | None = None) -> BaseBackend:
    """An embedded DuckDB; what does not fit into memory goes to a folder for this user alone.

    It takes most of the machine's memory, or at most `memory` bytes.
    """
    import ibis

    folder = spill_folder()
    engine = ibis.duckdb.connect(temp_directory=str(folder), preserve_insertion_order=True)
    engine.raw_sql("SET enable_progress_bar = false")  # it would write to the standard output
    if memory is not None:
        engine.raw_sql(f"SET memory_limit = '{memory} B'")
        engine.raw_sql(f"SET threads = {min(n_workers(), max(1, memory // _BYTES_OF_THREAD))}")
    remove_with(engine, folder)
    return engine


def find_files(location: str) -> list[Path]:
    """The files that a path or a glob matches, sorted; refused with a hint if there is none."""
    path = Path(location).expanduser()
    if not location.strip():
        raise SourceError("the path is empty: name a file")
    try:
        if path.is_file():
            return [path]
        if path.is_dir():
            raise SourceError(
                f"{location!r} is a folder: name its files, for example {str(path / '*.parquet')!r}"
            )
        if glob.has_magic(location):
            return _matched(path, location)
    except OSError as problem:
        raise SourceError(f"{location!r} cannot be opened: {problem.strerror}") from None
    raise SourceError(f"there is no file {location!r}{_near(path)}")


def name_of(paths: Sequence[Path], location: str) -> str:
    """The name of these files' table in a message."""
    return paths[0].name if len(paths) == 1 else location


def _matched(pattern: Path, location: str) -> list[Path]:
    names = glob.glob(str(pattern), recursive=True)  # noqa: PTH207 (Path.glob wants a folder)
    found = [Path(name) for name in sorted(names)]
    files = [path for path in found if path.is_file()]
    if not files:
        raise SourceError(f"no file matches {location!r}")
    return files


def _near(path: Path) -> str:
    """A hint at a file of a similar name in the same folder."""
    folder = path.absolute().parent
    if not folder.is_dir():
        return f": there is no folder {str(path.parent)!r} either"
    others = [other.name for other in folder.iterdir()]
    near = difflib.get_close_matches(path.name, others, n=1, cutoff=0.6)
    return f" (did you mean {str(path.parent / near[0])!r}?)" if near else ""


def kind_of(paths: Sequence[Path]) -> str:
    """The format of files, by their names: a key of ENDINGS."""
    kinds = {_kind_of_one(path) for path in paths}
    if len(kinds) > 1:
        raise SourceError("the glob matches files of several formats: read one kind at a time")
    return kinds.pop()


def _kind_of_one(path: Path) -> str:
    name = path.name.lower()
    for kind, endings in ENDINGS.items():
        if name.endswith(endings):
            return kind
    known = [ending for endings in ENDINGS.values() for ending in endings]
    raise SourceError(
        f"the format of {path.name!r} is unknown: the name of a table's file ends in "
        f"{either(known)}"
    )


def _open_parquet(engine: BaseBackend, paths: Sequence[Path]) -> ibis.Table:
    """A table of Parquet files; each count reads the columns that it needs."""
    parquet_schemas(paths)
    patterns = [glob.escape(str(path)) for path in paths]  # DuckDB would read a * in a name
    try:
        return engine.read_parquet(patterns)
    except Exception as problem:
        raise SourceError(
            f"{paths[0].name} cannot be read as Parquet ({type(problem).__name__})"
        ) from None


def parquet_schemas(paths: Sequence[Path]) -> list[pa.Schema]:
    """The schema of each file; all must have the same columns."""
    schemas = [_parquet_schema(path) for path in paths]
    for path, schema in zip(paths[1:], schemas[1:], strict=True):
        refuse_other_columns(paths[0], schemas[0].names, path, schema.names)
    refuse_repeated(paths[0].name, schemas[0].names)
    return schemas


def _parquet_schema(path: Path) -> pa.Schema:
    import pyarrow as pa
    import pyarrow.parquet

    if path.stat().st_size == 0:
        raise SourceError(f"{path.name} is empty")
    try:
        return pyarrow.parquet.read_schema(path)
    except PermissionError:
        raise SourceError(f"{path.name} cannot be opened: permission denied") from None
    except (pa.ArrowException, OSError):
        raise SourceError(f"{path.name} is not a Parquet file, or is damaged") from None
    except UnicodeDecodeError:
        raise SourceError(
            f"{path.name} has a column whose name is not UTF-8: write its names as UTF-8"
        ) from None
