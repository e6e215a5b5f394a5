"""The file of a prior that a project names: read when the rule needs it, and once."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gyges.data.cells import Cells
from gyges.data.schema import Schema
from gyges.engines.read import read
from gyges.errors import GygesError, GygesWarning


@dataclass(frozen=True)
class PriorFile:
    """A table of other people, with the quasi-identifiers and the sensitive column of the data."""

    path: Path
    schema: Schema

    @cached_property
    def cells(self) -> Cells:
        """Its distinct rows, counted; rows with missing values are not used."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", GygesWarning)  # nothing of this table is published
                return read(str(self.path), self.schema, missing="drop").cells
        except GygesError as problem:
            raise type(problem)(f"prior {str(self.path)!r}: {problem}") from None
