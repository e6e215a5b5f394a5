"""Whether a Parquet file of a release has the bytes that its rows have when they are written again.

Bytes after the last value of a page, or a number in its head, are read by no reader of tables and
could tell anything. Equal bytes hold nothing else. If they differ, another version of the writer,
or one for another processor, may have written them, so the file is not confirmed.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from gyges.auditing.checks import Check
from gyges.release.tables import parquet_writer


def check_parquet_files(directory: Path, files: Collection[str]) -> Iterator[Check]:
    """A check that is open for each file with other bytes; its rows were read by then."""
    for name in sorted(files):
        if name.endswith(".parquet") and not _is_written_alike(directory / name):
            claim = f"{name} holds its rows and nothing else"
            yield Check(claim, "", "its bytes are not those that this version writes", None)


def _is_written_alike(path: Path) -> bool:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with path.open("rb") as bytes_of_file:
        again = _Compared(bytes_of_file)
        try:
            with pq.ParquetFile(path) as file, parquet_writer(again, file.schema_arrow) as writer:
                for number in range(file.num_row_groups):
                    writer.write_table(file.read_row_group(number).combine_chunks())
        except pa.ArrowException:
            return False
        return again.is_equal and not bytes_of_file.read(1)


class _Compared(io.RawIOBase):
    """A file to write to, which only compares what is written with another file."""

    def __init__(self, expected: io.BufferedReader) -> None:
        super().__init__()
        self._expected = expected
        self.is_equal = True
        self._place = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def write(self, written: Any) -> int:
        piece = bytes(written)
        self.is_equal = self.is_equal and self._expected.read(len(piece)) == piece
        self._place += len(piece)
        return len(piece)
