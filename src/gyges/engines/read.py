"""`gy.read`: a table from wherever it is."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from gyges.data.counting import Missing
from gyges.data.schema import Schema
from gyges.data.source import Source
from gyges.data.table import FrameKind, Table, make_table
from gyges.engines.memory import MemorySource
from gyges.errors import GygesWarning, SourceError

if TYPE_CHECKING:
    import pyarrow as pa


def read(
    source: object,
    schema: Schema,
    *,
    table: str | None = None,
    missing: Missing = "error",
    missing_marks: Collection[str] = (),
) -> Table:
    """Read a table and count it.

    Args:
        source: a path or glob of CSV or Parquet files, an Arrow table, a pandas or polars frame,
            a dict of lists, an Ibis table, a Spark frame, or a database URL.
        table: the name of the table, with a database URL.
        missing: "error" counts missing values and stops, "drop" leaves these people out,
            "value" makes a missing value a value of its own.
        missing_marks: texts that stand for a missing value, such as "?".
    """
    rows, frame_kind = open_source(source, table)
    made = make_table(
        rows, schema, missing=missing, marks=frozenset(missing_marks), frame_kind=frame_kind
    )
    for notice in made.notices:
        warnings.warn(notice, GygesWarning, stacklevel=2)
    return made


def open_source(source: object, table: str | None = None) -> tuple[Source, FrameKind]:
    """Find out where the rows are, and what kind of frame the caller works with."""
    if isinstance(source, (str, Path)):
        from gyges.engines.ibis import open_location

        return open_location(str(source), table), "arrow"
    if table is not None:
        raise SourceError("a table's name goes with a database URL")
    if isinstance(source, Mapping):
        return MemorySource(_from_lists(source), "the table"), "arrow"
    return _open_frame(source)


def _from_lists(columns: Mapping[str, object]) -> pa.Table:
    import pyarrow as pa

    try:
        return pa.table({name: pa.array(values) for name, values in columns.items()})
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError) as problem:
        raise SourceError(f"the dict of lists is not a table: {problem}") from None


def _open_frame(source: object) -> tuple[Source, FrameKind]:
    home = type(source).__module__.partition(".")[0]
    if home == "pandas":
        return MemorySource(_from_pandas(source), "the frame"), "pandas"
    if home == "polars":
        return MemorySource(_from_polars(source), "the frame"), "polars"
    if home == "pyarrow":
        return MemorySource(_from_arrow(source), "the table"), "arrow"
    if home in ("ibis", "pyspark"):
        from gyges.engines.ibis import open_engine_table

        return open_engine_table(source), "arrow"
    raise SourceError(
        f"cannot read a {type(source).__name__}: give a path, an Arrow table, a pandas or polars "
        f"frame, a dict of lists, an Ibis table, a Spark frame, or a database URL"
    )


def _from_pandas(frame: object) -> pa.Table:
    """A pandas frame without its index: the index is no column, and its order means nothing."""
    import pyarrow as pa

    _refuse_repeated([str(name) for name in frame.columns])  # type: ignore[attr-defined]
    try:
        return pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as problem:
        raise SourceError(f"the frame mixes types in a column: {problem}") from None


def _from_polars(frame: object) -> pa.Table:
    import polars as pl

    collected = frame.collect() if isinstance(frame, pl.LazyFrame) else frame
    return collected.to_arrow()  # type: ignore[attr-defined]


def _from_arrow(source: object) -> pa.Table:
    import pyarrow as pa

    if isinstance(source, pa.RecordBatch):
        source = pa.Table.from_batches([source])
    if isinstance(source, pa.RecordBatchReader):
        source = source.read_all()
    if not isinstance(source, pa.Table):
        raise SourceError(f"cannot read a {type(source).__name__}: give a pyarrow Table")
    _refuse_repeated(source.column_names)
    return source


def _refuse_repeated(names: list[str]) -> None:
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise SourceError(f"two columns are named {repeated[0]!r}: rename one")
