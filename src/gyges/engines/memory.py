"""Rows in memory as an Arrow table, counted by their dictionary codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import IntArray
from gyges.data.cells import row_keys
from gyges.data.encoding import dictionary
from gyges.data.source import COUNT
from gyges.errors import EngineError

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class MemorySource:
    """An Arrow table that is already in memory."""

    rows: pa.Table
    name: str = "the table"

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in order."""
        return list(self.rows.column_names)

    def count(self, by: Sequence[str]) -> pa.Table:
        """Each distinct combination of these columns, and a column `n`: its number of rows."""
        _, first, counts = np.unique(self._keys(by), return_index=True, return_counts=True)
        return self._counted(by, first, counts)

    def count_distinct(self, columns: Sequence[str], by: Sequence[str]) -> pa.Table:
        """For each combination of `by` the number of distinct combinations of `columns`."""
        groups, first, where = np.unique(self._keys(by), return_index=True, return_inverse=True)
        others = self._keys(columns)
        _, ranks = np.unique(others, return_inverse=True)
        n_ranks = int(ranks.max(initial=0)) + 1
        pairs = np.unique(where.ravel() * n_ranks + ranks.ravel())
        counts = np.bincount(pairs // n_ranks, minlength=max(len(groups), int(not by)))
        return self._counted(by, first, counts)

    def fetch(self, columns: Sequence[str]) -> pa.Table:
        """All rows of these columns, in their order."""
        return self.rows.select(list(columns))

    def recode(self, on: Sequence[str], mapping: pa.Table, keep: Sequence[str]) -> MemorySource:
        """The columns `keep` and what `mapping` says of each row's combination of `on`."""
        import pyarrow as pa

        both = pa.concat_tables([mapping.select(list(on)), self.rows.select(list(on))])
        keys = MemorySource(both)._keys(on)
        known, asked = keys[: mapping.num_rows], keys[mapping.num_rows :]
        order = np.argsort(known)
        place = np.minimum(np.searchsorted(known[order], asked), max(len(known) - 1, 0))
        found = known[order][place] == asked if len(known) else np.zeros(len(asked), dtype=bool)
        new = [name for name in mapping.column_names if name not in on]
        recoded = mapping.select(new).take(pa.array(order[place][found]))
        kept = self.rows.select(list(keep)).filter(pa.array(found))
        for name in new:
            kept = kept.append_column(name, recoded.column(name))
        return MemorySource(kept, self.name)

    def write(self, target: str) -> None:
        """Write the rows to a file: .csv or .parquet."""
        import pyarrow.csv
        import pyarrow.parquet

        if Path(target).suffix == ".parquet":
            pyarrow.parquet.write_table(self.rows, target)
        elif Path(target).suffix == ".csv":
            pyarrow.csv.write_csv(self.rows, target)
        else:
            raise EngineError(f"cannot write {target!r}: a file ends in .csv or .parquet")

    def _keys(self, columns: Sequence[str]) -> IntArray:
        """One integer a row, equal exactly where the rows agree in these columns."""
        encoded = [dictionary(self.rows.column(name)) for name in columns]
        if not encoded:
            return np.zeros(self.rows.num_rows, dtype=np.int64)
        codes = np.stack([places for _, places in encoded], axis=1)
        return row_keys(codes, [len(raw) + 1 for raw, _ in encoded])

    def _counted(self, by: Sequence[str], first: IntArray, counts: IntArray) -> pa.Table:
        import pyarrow as pa

        kept = self.rows.select(list(by)).take(pa.array(first)) if by else None
        columns = dict(zip(by, kept.columns, strict=True)) if kept is not None else {}
        return pa.table({**columns, COUNT: pa.array(counts.astype(np.int64))})
