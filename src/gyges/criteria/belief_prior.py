"""Where the prior of a rule about beliefs comes from, if not from the published table.

A certificate states a word, "table" or "matrix": the prior itself stays with the publisher. What
the claim says depends on it, so nobody without it can judge the claim again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gyges.adversaries.given_prior import priors_from_matrix
from gyges.arguments import choice
from gyges.arrays import FloatArray, frozen
from gyges.data.cells import Cells, WithCells
from gyges.data.table import Table
from gyges.errors import RuleError

TABLE, MATRIX = "table", "matrix"
_IN_WORDS = {
    TABLE: "knows from another table, which the publisher chose, how the value depends on the "
    "other columns",
    MATRIX: "has the prior beliefs that the publisher gave as numbers",
}


@dataclass(frozen=True, slots=True, eq=False)
class GivenPrior:
    """A table of other people, a matrix, or only the word for one of them."""

    word: str
    source: WithCells | None = None
    matrix: object = None  # rows of the table × values
    cells: Cells | None = None  # that `priors` are for
    priors: FloatArray | None = None  # cells × values

    @property
    def is_matrix(self) -> bool:
        """Whether it was given as numbers."""
        return self.word == MATRIX

    @property
    def is_word(self) -> bool:
        """Whether only the word is known, as from a certificate."""
        return self.source is None and self.matrix is None

    @property
    def in_words(self) -> str:
        """What the attacker knows."""
        return _IN_WORDS[self.word]

    @property
    def not_here(self) -> str:
        """Why a rule cannot be judged with the word alone."""
        return f"needs the prior, a {self.word} that the publisher gave and no certificate holds"

    def for_table(self, table: Table) -> GivenPrior:
        """The same for the cells of a table whose rows the matrix lists."""
        if self.is_word:
            raise RuleError(f"the rule about beliefs {self.not_here}")
        priors = priors_from_matrix(table, self.matrix)
        frozen(priors)
        return GivenPrior(self.word, None, self.matrix, table.cells, priors)

    def of_cells(self, cells: Cells) -> FloatArray | WithCells:
        """The prior of each cell, or the table that gives it."""
        if self.source is not None:
            return self.source
        if self.is_word:
            raise RuleError(f"the rule about beliefs {self.not_here}")
        if self.priors is None or self.cells is None or not _same(self.cells, cells):
            raise RuleError(
                "a prior that is a matrix lists the rows of a table: publish or audit that table"
            )
        return self.priors


def _same(one: Cells, other: Cells) -> bool:
    return one is other or (
        one.sensitive.values == other.sensitive.values and np.array_equal(one.codes, other.codes)
    )


def given_prior(prior: object) -> GivenPrior | None:
    """The prior that a caller gives: a table, a matrix, or the word that a certificate states."""
    if prior is None or isinstance(prior, GivenPrior):
        return prior
    if isinstance(prior, str):
        return GivenPrior(choice(prior, (TABLE, MATRIX), "prior"))
    if isinstance(prior, WithCells):
        return GivenPrior(TABLE, prior)
    return GivenPrior(MATRIX, matrix=prior)
