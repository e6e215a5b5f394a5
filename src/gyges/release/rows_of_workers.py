"""Published rows that stay with the workers of an engine, which write them: one file for each key.

Every row went to a random file; its writer sorts the rows of the file and shuffles them. So all
orders of the rows are equally likely, and a file that is written twice, because a worker was lost,
is the same file. This process sees the names, the numbers of rows and the hashes.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gyges.data.arrow_arrays import arrow_numbers, arrow_texts, numbers_of
from gyges.data.source import RowsThere
from gyges.errors import ReleaseError
from gyges.release.certificate import sha256
from gyges.release.tables import TableWriter

if TYPE_CHECKING:
    import pyarrow as pa

PEOPLE = "people"  # how often a row is published
_PART = re.compile(r"data-\d{5}\.parquet")
MOST_FILES = 9_000  # a certificate lists no more than 10,000


def text_column(place: int) -> str:
    """The name of a published column among the rows of workers."""
    return f"text {place}"


@dataclass(frozen=True, eq=False, repr=False)
class RowsOfWorkers:
    """Rows of text with keys 0 to `n_files`, each `PEOPLE` times, kept where they were made."""

    rows: RowsThere
    column_names: Sequence[str]
    n_files: int
    n_rows: int
    entropy: tuple[int, ...]

    def pieces(self) -> Iterator[pa.Table]:
        """Refused: the rows are not here."""
        raise ReleaseError("the rows are with the workers of the engine: save the release")

    def write(self, path: Path, format: str) -> dict[str, str]:
        """Let the workers write the files; returns the SHA-256 of each, by its name."""
        import pyarrow as pa

        if format != "parquet":
            raise ReleaseError(
                f"a release that a cluster writes is not written as {format}: choose parquet"
            )
        work = FileWork(str(path.absolute()), tuple(self.column_names), self.entropy)
        schema = pa.schema([("file", pa.string()), ("rows", pa.int64()), ("sha256", pa.string())])
        made = self.rows.each(work, schema, 0, self.n_files).to_pylist()
        found = {one["file"]: one["sha256"] for one in made}
        if not all(found.values()) or any(not (path.parent / name).exists() for name in found):
            raise ReleaseError(
                f"the workers of the engine and this program do not see the same folder "
                f"{str(path.parent.parent.parent)!r}: choose one on storage that they share"
            )
        if sum(one["rows"] for one in made) != self.n_rows:
            raise ReleaseError("the rows of the table changed while they were published: try again")
        return found


@dataclass(frozen=True, slots=True)
class FileWork:
    """Writes the rows of one key to a file; runs in a worker."""

    path: str
    names: tuple[str, ...]
    entropy: tuple[int, ...]

    def __call__(self, key: int, rows: pa.Table) -> pa.Table:
        """Sort, shuffle and write them; returns the file's name, number of rows and SHA-256."""
        import pyarrow as pa

        target = Path(f"{self.path}-{key:05d}.parquet")
        columns = [text_column(place) for place in range(len(self.names))]
        rows = rows.sort_by([(name, "ascending") for name in columns])
        people = np.asarray(numbers_of(rows.column(PEOPLE)))
        places = np.repeat(np.arange(rows.num_rows), people)
        np.random.default_rng([*self.entropy, 1, key]).shuffle(places)
        digest = ""
        if target.parent.is_dir():
            # Beside the new directory: files of a lost worker are removed with the folder.
            unfinished = target.parent.parent / f"{uuid.uuid4().hex}.parquet"
            shown = rows.select(columns).take(arrow_numbers(places))
            with TableWriter(unfinished, self.names) as writer:
                writer.write(shown.rename_columns(list(self.names)))
            digest = sha256(unfinished)
            unfinished.replace(target)
        found = [arrow_texts([target.name]), arrow_numbers(np.array([len(places)]))]
        return pa.table([*found, arrow_texts([digest])], names=["file", "rows", "sha256"])


def parts_of_table(files: Collection[str]) -> list[str]:
    """The files of a table that workers wrote, in order."""
    return sorted(name for name in files if _PART.fullmatch(name))
