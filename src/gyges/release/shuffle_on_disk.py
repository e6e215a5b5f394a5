"""Rows in a random order, without all of them in memory: scattered over files, then shuffled.

Every row goes to a random file, and each file is shuffled when it is read back. All orders of the
rows are equally likely, as if they had been shuffled at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import CodeArray, IntArray
from gyges.data.held_folders import remove_with, spill_folder

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_BYTES_OF_TEXT = 256  # for each text of a row while it is shuffled: four times what was seen
_ROWS_AT_ONCE = 1 << 19  # that are scattered


def files_for(n_rows: int, n_columns: int, memory: int) -> int:
    """How many files so many rows need, each of which fits into the memory."""
    return max(1, -(-n_rows * n_columns * _BYTES_OF_TEXT // max(memory, 1)))


@dataclass(frozen=True, eq=False, repr=False)
class ScatteredRows:
    """Rows of text, some in each of a few files in a folder for this user alone."""

    column_names: Sequence[str]
    n_files: int
    folder: Path
    rng: np.random.Generator
    writers: list[pq.ParquetWriter] = field(default_factory=list)

    @classmethod
    def begin(
        cls, names: Sequence[str], n_rows: int, memory: int, rng: np.random.Generator
    ) -> ScatteredRows:
        """Files for `n_rows` rows of these columns, each of which fits into the memory."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        n_files = files_for(n_rows, len(names), memory)
        folder = spill_folder()
        schema = pa.schema([(name, pa.string()) for name in names])
        rows = cls(names, n_files, folder, rng)
        remove_with(rows, folder)
        rows.writers.extend(
            pq.ParquetWriter(folder / f"{n}.parquet", schema, store_schema=False)
            for n in range(n_files)
        )
        return rows

    def add(
        self, columns: Sequence[tuple[Sequence[str], IntArray | CodeArray]], counts: IntArray
    ) -> None:
        """Scatter rows: row i, `counts[i]` times, has in each column the text at its place."""
        import pyarrow as pa

        texts = [pa.array(list(column), pa.string()) for column, _ in columns]
        ends = np.cumsum(counts)
        for first in range(0, int(ends[-1]) if len(ends) else 0, _ROWS_AT_ONCE):
            numbers = np.arange(first, min(first + _ROWS_AT_ONCE, int(ends[-1])))
            rows = np.searchsorted(ends, numbers, side="right")
            goes_to = self.rng.integers(self.n_files, size=len(rows))
            order = np.argsort(goes_to, kind="stable")
            bounds = np.searchsorted(goes_to[order], np.arange(self.n_files + 1))
            for number, writer in enumerate(self.writers):
                chosen = rows[order[bounds[number] : bounds[number + 1]]]
                made = [
                    text.take(pa.array(places[chosen]))
                    for text, (_, places) in zip(texts, columns, strict=True)
                ]
                writer.write_table(pa.table(made, names=list(self.column_names)))

    def pieces(self) -> Iterator[pa.Table]:
        """The rows of each file in turn, in a random order; no rows can be added afterwards."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        for number, writer in enumerate(self.writers):
            writer.close()
            rows = pq.read_table(self.folder / f"{number}.parquet")
            yield rows.take(pa.array(self.rng.permutation(rows.num_rows)))
