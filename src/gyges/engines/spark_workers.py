"""Work on rows where they live: in the Python workers of a Spark cluster.

A worker gets the rows of one group as an Arrow table and returns another one. What it returns stays
in the cluster, on the disks of the executors, and is made again where an executor is lost. So work
must return the same rows each time.
"""

from __future__ import annotations

import weakref
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gyges.data.source import WORK_KEY, Work
from gyges.engines.transfer import engine_errors

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa
    from pyspark.sql import DataFrame


@dataclass(frozen=True, eq=False, repr=False)
class SparkRows:
    """Rows with a key (WORK_KEY), kept by the executors while they are referenced."""

    frame: DataFrame
    engine: Any
    name: str

    def each(self, work: Work, schema: pa.Schema, first: int, last: int) -> pa.Table:
        """What `work` makes of the rows of each key from `first` up to, not including, `last`."""
        from pyspark.sql.functions import col

        chosen = self.frame.filter((col(WORK_KEY) >= first) & (col(WORK_KEY) < last))
        with engine_errors(self.engine, self.name):
            return _worked(chosen, WORK_KEY, work, schema).toArrow()


def each_in_spark(
    rows: ibis.Table, by: str, work: Work, schema: pa.Schema, more: pa.Table, name: str
) -> SparkRows:
    """Keep what `work` makes of the rows of each value of `by`, and some more rows."""
    from pyspark import StorageLevel

    engine = rows.get_backend()
    with engine_errors(engine, name):
        made = _worked(engine.raw_sql(engine.compile(rows)), by, work, schema)
        if more.num_rows:
            made = made.unionByName(made.sparkSession.createDataFrame(more))
        kept = made.persist(StorageLevel.DISK_ONLY)
    found = SparkRows(kept, engine, name)
    weakref.finalize(found, forget, kept)
    return found


def forget(kept: DataFrame) -> None:
    """Let the executors forget rows that they keep; the session may have ended."""
    with suppress(Exception):
        kept.unpersist()


def _worked(frame: DataFrame, by: str, work: Work, schema: pa.Schema) -> DataFrame:
    from pyspark.sql.pandas.types import from_arrow_schema

    def one(key: tuple[pa.Scalar, ...], table: pa.Table) -> pa.Table:
        return work(int(key[0].as_py()), table).cast(schema)

    return frame.groupBy(f"`{by}`").applyInArrow(one, from_arrow_schema(schema))
