"""The boundary to where rows live. Rows stay there; counts come back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from gyges.data.placement import Placement

if TYPE_CHECKING:
    import pyarrow as pa

COUNT = "number of rows"  # the name of the column that holds counts; no column of a table has it
VALUE_CODE = "code of the value"
WORK_KEY = "key"  # of rows that workers make
GROUP_OF_ROW = "group of the row"


# How whole numbers that stand for values are joined over rows: "any" joins their bits by "or".
Join: TypeAlias = Literal["least", "greatest", "any"]
Best: TypeAlias = Literal["least", "greatest"]


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

    @property
    def has_workers(self) -> bool:
        """Whether the engine runs Python where the rows live."""
        ...

    def each_group(
        self, placement: Placement, work: Work, schema: pa.Schema, more: pa.Table
    ) -> RowsThere:
        """What `work` makes of the distinct rows of each group, kept there, and some more rows.

        The rows of a group have codes, values and counts as those of `take`. Only for engines with
        workers.
        """
        ...


# From the number of a group and its rows to other rows, the same each time.
Work: TypeAlias = "Callable[[int, pa.Table], pa.Table]"


class RowsThere(Protocol):
    """Rows with a key (WORK_KEY) that stay where they were made."""

    def each(self, work: Work, schema: pa.Schema, first: int, last: int) -> pa.Table:
        """What `work` makes of the rows of each key from `first` up to, not including, `last`.

        The answers are fetched, so they must be short.
        """
        ...


class JoinedRows(Protocol):
    """One row of whole numbers for each value of a column, kept where the rows live."""

    def fetch(self) -> pa.Table:
        """All of them: the column, and the numbers."""
        ...

    def count(self, by: Sequence[str], bits: Mapping[str, int]) -> pa.Table:
        """Each distinct combination of the numbers `by`, and a column COUNT: how many have it.

        `bits` names numbers and how many of their bits count: a column "name i" says how many of
        those who have the combination have bit i of the number `name`.
        """
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

    def count_respelled(self, column: str, marks: Collection[str] = ()) -> int:
        """How many different texts of a column more there are than plain spellings (spelling.py).

        Nulls, marks of missing values and texts without letters or digits are not counted.
        """
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

    def type_of(self, column: str) -> pa.DataType:
        """The type of a column's values, as Arrow names it."""
        ...

    def keep_best(self, by: str, column: str, best: Best, keep: Sequence[str]) -> Source:
        """The columns `keep` of the rows with the least or greatest value of a column among those
        with their `by`.

        The column holds whole numbers or dates, and neither column has nulls.
        """
        ...

    def join_rows(
        self, by: str, mappings: Sequence[pa.Table], how: Mapping[str, Join]
    ) -> JoinedRows:
        """For each value of `by` the numbers that its rows have together.

        Each of `mappings` has a column of the table with its raw values, each once, and whole
        numbers of 64 bits that stand for them; `how` says for each of these how rows are joined.
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
