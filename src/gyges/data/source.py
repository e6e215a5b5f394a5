"""The boundary to where rows live. Rows stay there; counts come back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import pyarrow as pa

COUNT = "number of rows"  # the name of the column that holds counts; no column of a table has it


class Source(Protocol):
    """A table of rows in an engine: memory, DuckDB, PostgreSQL, Spark.

    It speaks of counts and recoding, not of SQL or frames. Missing values are nulls.
    """

    @property
    def name(self) -> str:
        """What to call the table in a message: a file's name, "the frame"."""
        ...

    @property
    def columns(self) -> Sequence[str]:
        """The names of the columns, in order."""
        ...

    def count(self, by: Sequence[str]) -> pa.Table:
        """Each distinct combination of these columns, and a column COUNT: its number of rows.

        With no `by`, one row: the number of all rows.
        """
        ...

    def count_distinct(self, columns: Sequence[str], by: Sequence[str]) -> pa.Table:
        """For each combination of `by` the number (COUNT) of distinct combinations of `columns`.

        With no `by`, one row. A null counts as a value of its own.
        """
        ...

    def count_missing(self, columns: Sequence[str]) -> dict[str, int]:
        """How many rows have a null in each of these columns."""
        ...

    def fetch(self, columns: Sequence[str]) -> pa.Table:
        """All rows of these columns, always in the same order.

        Rows of a file or a frame keep their order. A database table has none: its rows come
        sorted, so that two calls for different columns still fit together.
        """
        ...

    def recode(self, on: Sequence[str], mapping: pa.Table, keep: Sequence[str]) -> Source:
        """The columns `keep` and, for each row, what `mapping` says of its combination of `on`.

        `mapping` has the columns `on` (with the raw values of the source, each combination once)
        and further ones. Rows whose combination it does not hold are left out. The order of the
        rows is no longer that of the source.
        """
        ...

    def write(self, target: str) -> None:
        """Write the rows to a file (by its ending: .csv, .parquet) or, in a database, a table.

        What is there already is not overwritten.
        """
        ...
