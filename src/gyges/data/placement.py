"""Which group a row belongs to: forks over coded columns, from all rows down to numbered groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Fork:
    """Rows are divided by a column's code: `branches[b]` takes the codes `codes[b]`."""

    column: int
    codes: tuple[Sequence[int], ...]  # ascending; no code is in two of them
    branches: tuple[Placement, ...]


Placement: TypeAlias = "Fork | int"  # a fork, or the number of the group
