"""The first rows of a table, to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gyges.data.source import Source
from gyges.engines.ibis import IbisSource
from gyges.engines.parquet_rows import ParquetSource
from gyges.engines.transfer import to_arrow

if TYPE_CHECKING:
    import pyarrow as pa


def first_rows(source: Source, n: int) -> pa.Table:
    """At most `n` rows with all their columns; an engine reads no more than these."""
    if isinstance(source, ParquetSource):
        source = source.engine
    if isinstance(source, IbisSource):
        return to_arrow(source.rows.limit(n), source.name)
    return source.fetch(source.columns).slice(0, n)
