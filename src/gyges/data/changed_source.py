"""A source whose rows are changed on their way out: columns are shaped, or others join them.

What an engine would have to do with the changed rows themselves is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NoReturn

from gyges.data.source import Best, CodedCells, Join, JoinedRows, Source
from gyges.errors import SchemaError

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ChangedSource:
    """Rows of an engine; a subclass changes what is counted or fetched."""

    refusal: ClassVar[str]  # of what cannot be done with changed rows, and what to do instead

    rows: Source

    @property
    def name(self) -> str:
        """The table's name in a message."""
        return self.rows.name

    def recode(self, on: Sequence[str], mapping: pa.Table, keep: Sequence[str]) -> Source:
        """Refused: the engine has the rows as they were."""
        self._refuse()

    def type_of(self, column: str) -> pa.DataType:
        """As the engine has it."""
        return self.rows.type_of(column)

    def keep_best(self, by: str, column: str, best: Best, keep: Sequence[str]) -> Source:
        """Refused: the engine has the rows as they were."""
        self._refuse()

    def join_rows(
        self, by: str, mappings: Sequence[pa.Table], how: Mapping[str, Join]
    ) -> JoinedRows:
        """Refused: the engine has the rows as they were."""
        self._refuse()

    def distinct(self, columns: Sequence[str]) -> Source:
        """Refused: the engine has the rows as they were."""
        self._refuse()

    def code(self, mappings: Sequence[pa.Table], *, own_memory: int) -> CodedCells:
        """Refused: the engine has the rows as they were."""
        self._refuse()

    def write(self, target: str) -> None:
        """Write the engine's own rows."""
        self.rows.write(target)

    def _refuse(self) -> NoReturn:
        raise SchemaError(self.refusal)


def opened_source(source: Source) -> Source:
    """The source as it was opened."""
    return opened_source(source.rows) if isinstance(source, ChangedSource) else source
