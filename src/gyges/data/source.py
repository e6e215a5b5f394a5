"""The boundary to where rows live. Rows stay there; counts come back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from gyges.data.placement import Placement

if TYPE_CHECKING:
    import pyarrow as pa

COUNT = "number of rows"  # the name of the column that holds counts; no column of a table has it
VALUE_CODE = "code of the value"
GROUP_OF_ROW = "group of the row"


def code_column(column: int) -> str:
    """The name of the column that holds the codes of a quasi-identifier."""
    return f"code {column}"


class CodedCells(Protocol):
    """Distinct rows of codes with their counts that stay where the rows live.

    For a table whose cells do not fit into memory: forks (`Placement`) describe groups of them,
    and only counts of these groups come back.
    """

    @property
    def n_entries(self) -> int:
        """How many distinct rows there are."""
        ...

    def count_values(self) -> pa.Table:
        """People (COUNT) by the code of their value (VALUE_CODE)."""
        ...

    def count_groups(self, placement: Placement) -> pa.Table:
        """For each group (GROUP_OF_ROW) its distinct rows "entries", its people (COUNT), and the
        least and the greatest code of each column: "low 0", "high 0", …
        """
        ...

    def count_codes(
        self, placement: Placement, groups: Sequence[int], column: int, *, with_values: bool
    ) -> pa.Table:
        """People (COUNT) of some groups by a column's code and, if asked, by the value's."""
        ...

    def sorted_out(self, placement: Placement) -> CodedCells:
        """The same rows with the number of their group, without those in no group (-1)."""
        ...

    def take(self, group: int | None) -> pa.Table:
        """The distinct rows of one group that was sorted out; all rows for None."""
        ...


class Source(Protocol):
    """A table of rows in an engine: memory, DuckDB, PostgreSQL, Spark.

    It speaks of counts and recoding, not of SQL or frames. Missing values are nulls.
    """

    @property
    def name(self) -> str:
        """The table's name in a message: a file's name, "the frame"."""
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
        """The columns `keep` and, for each row, what `mapping` has for its combination of `on`.

        `mapping` has the columns `on` (with the raw values of the source, each combination once)
        and further ones. Rows whose combination it does not have are dropped. The order of the
        rows is no longer that of the source.
        """
        ...

    def distinct(self, columns: Sequence[str]) -> Source:
        """Each distinct combination of these columns as one row, in any order."""
        ...

    def code(self, mappings: Sequence[pa.Table], *, own_memory: int) -> CodedCells:
        """Count distinct rows as codes, and keep them where they are.

        Each of `mappings` has two columns: a column of the table with its raw values, each once,
        and the code of each; rows with other values are dropped. The code's column is
        `code_column(0)`, … or VALUE_CODE. An engine that runs inside this process for this table
        alone takes at most `own_memory` bytes.
        """
        ...

    def write(self, target: str) -> None:
        """Write the rows to a file (by its ending: .csv, .parquet) or, in a database, a table.

        Nothing is overwritten.
        """
        ...
