"""Tables in memory (pandas, polars, Arrow, a dict of lists), as Arrow."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from typing import TYPE_CHECKING

import numpy as np

from gyges.arguments import MOST_LISTED, shown
from gyges.data.arrow_arrays import without_empty_texts
from gyges.data.table import FrameKind
from gyges.engines.in_memory import MemorySource
from gyges.errors import SourceError

if TYPE_CHECKING:
    import pyarrow as pa


def open_frame(frame: object) -> tuple[MemorySource, FrameKind] | None:
    """The source of a frame and its kind; None for anything else."""
    home = type(frame).__module__.partition(".")[0]
    if isinstance(frame, Mapping):
        return MemorySource(without_empty_texts(_from_lists(frame)), "the table"), "arrow"
    if home == "pandas":
        return MemorySource(without_empty_texts(_from_pandas(frame)), "the frame"), "pandas"
    if home == "polars":
        return MemorySource(without_empty_texts(_from_polars(frame)), "the frame"), "polars"
    if home == "pyarrow":
        return MemorySource(without_empty_texts(_from_arrow(frame)), "the table"), "arrow"
    return None


def is_engine_table(source: object) -> bool:
    """Whether a source is an Ibis table or a Spark frame; neither library is loaded to see it."""
    return type(source).__module__.partition(".")[0] in ("ibis", "pyspark")


def _from_lists(columns: Mapping[object, object]) -> pa.Table:
    """A dict of lists as Arrow; NaN is refused later, when numbers are read."""
    import pyarrow as pa

    arrays = {}
    for name, values in columns.items():
        if not isinstance(name, str):
            raise SourceError(f"a column is named {name!r}: names are texts")
        if isinstance(values, (str, bytes)):
            raise SourceError(f"column {name!r} is a text: give a list of values")
        if isinstance(values, (Mapping, set, frozenset)) or _is_frame(values):
            raise SourceError(f"column {name!r} is {shown(values)}: give a list of values")
        if isinstance(values, range) and len(values) > MOST_LISTED:
            raise SourceError(f"column {name!r} has more than {MOST_LISTED:,} values in a range")
        _refuse_nested(name, values)
        try:
            arrays[name] = pa.array(values)
        except Exception:  # a foreign sequence may raise anything
            raise SourceError(_mixed(name)) from None
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        shortest, longest = (
            min(lengths, key=lengths.__getitem__),
            max(lengths, key=lengths.__getitem__),
        )
        raise SourceError(
            f"column {shortest!r} has {lengths[shortest]:,} values, column {longest!r} has "
            f"{lengths[longest]:,}: all columns need the same length"
        )
    return pa.table(arrays)


def _is_frame(values: object) -> bool:
    return len(getattr(values, "shape", ())) > 1


def _from_pandas(frame: object) -> pa.Table:
    """A pandas frame as Arrow, without its index, which is not a column."""
    import pandas as pd
    import pyarrow as pa

    if not isinstance(frame, pd.DataFrame):
        raise SourceError(f"cannot read a pandas {type(frame).__name__}: give a DataFrame")
    strange = [name for name in frame.columns if not isinstance(name, str)]
    if strange:
        raise SourceError(f"a column is named {strange[0]!r}: names are texts, rename it")
    _refuse_repeated(list(frame.columns))
    arrays = {}
    for name in frame.columns:
        if frame[name].dtype == object:
            _refuse_nested(name, frame[name].to_numpy())
        try:
            arrays[name] = pa.array(frame[name], from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            raise SourceError(_mixed(name)) from None
    return pa.table(arrays)


def _from_polars(frame: object) -> pa.Table:
    import polars as pl

    collected = frame.collect() if isinstance(frame, pl.LazyFrame) else frame
    if not isinstance(collected, pl.DataFrame):
        raise SourceError(f"cannot read a polars {type(frame).__name__}: give a DataFrame")
    return collected.to_arrow()


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


def _refuse_repeated(names: Sequence[str]) -> None:
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise SourceError(f"two columns are named {repeated[0]!r}: rename one")


def _refuse_nested(name: str, values: object) -> None:
    """Refuse lists and records in cells: deeply nested ones crash Arrow and the process."""
    if getattr(values, "dtype", np.dtype(object)) != np.dtype(object):
        return  # an array of numbers
    if isinstance(values, Collection) and any(
        issubclass(kind, (list, tuple, Mapping, Set)) for kind in set(map(type, values))
    ):
        raise SourceError(
            f"column {name!r} holds lists or records: give each value a row or a column of its own"
        )


def _mixed(name: str) -> str:
    return f"column {name!r} mixes several types, or has values of no known type: use one type"
