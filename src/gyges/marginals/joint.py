"""k-combinatorial anonymity of views that do not decompose, on the table of all combinations.

Without a junction tree there is no closed form: the most people that a combination can have is
found by integer programming. That needs the whole table of combinations, so it is for small tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gyges.arrays import BoolArray, IntArray
from gyges.criteria.verdict import Verdict
from gyges.errors import RuleError
from gyges.marginals.counts import ViewCounts
from gyges.marginals.fitting import refuse_large
from gyges.marginals.induced import Resolution
from gyges.marginals.k_link import judge_k_link
from gyges.marginals.store import CountStore
from gyges.marginals.support import incidence, open_cells
from gyges.marginals.tables_with_counts import TablesWithCounts
from gyges.marginals.view_rules import KCombinatorial, broken, broken_too, passed

CONTRADICTION = "the views contradict each other: no table has all their counts"
LARGEST_PROGRAM = 20_000  # cells of an integer program


def combination_labels(store: CountStore, finest: Resolution, codes: list[int]) -> dict[str, str]:
    """The labels of one combination, given as the codes of all columns but the sensitive one."""
    rest = [(a, r) for a, r in zip(store.attributes, finest, strict=True) if not a.is_sensitive]
    return {
        attribute.name: attribute.labels[r][code]
        for (attribute, r), code in zip(rest, codes, strict=True)
        if r > 0
    }


def judge_joint_combinatorial(store: CountStore, views: Sequence[Resolution], k: int) -> Verdict:
    """Judge views that do not decompose: can every possible combination have k people?

    1. A view that is not k-link anonymous decides: its people are in the table.
    2. For each combination t: is there a table of whole numbers with T(t) >= k? If not, is there
       one with T(t) >= 1? A table that answers for t may answer for others too.
    """
    rule = KCombinatorial(k)
    linked = judge_k_link(store, views, rule.k)
    if not linked.safe:
        return broken_too(rule, linked)
    finest = tuple(map(max, zip(*views, strict=True)))
    program = _Program.of(store, [store.counts(view) for view in views], finest)
    for combination in program.undecided():
        table = program.table_with(combination, rule.k)
        if table is not None:
            program.note(table, rule.k)
        elif program.table_with(combination, 1) is not None:
            witness = combination_labels(store, finest, program.combinations[combination].tolist())
            room = program.room(combination, rule.k - 1)
            return broken(rule, room, witness, detail="at most that many are possible")
    if not program.has_room.any():
        raise RuleError(CONTRADICTION)
    return passed(rule, rule.k)


def is_of_a_table(store: CountStore, views: Sequence[Resolution]) -> bool | None:
    """Whether some table has all counts of these views; None where that could not be decided.

    Views that agree pairwise may still contradict each other where they do not decompose: then
    every statement about all tables with these counts would hold.
    """
    finest = tuple(map(max, zip(*views, strict=True)))
    try:
        program = _Program.of(store, [store.counts(view) for view in views], finest)
        return len(program.of_cell) > 0 and program.table_with(0, 0) is not None
    except RuleError:
        return None


class _Program:
    """How many people each combination has in the tables with the published counts."""

    def __init__(
        self, cells: IntArray, rows: list[tuple[IntArray, IntArray]], sensitive: int | None
    ) -> None:
        rest = [axis for axis in range(cells.shape[1]) if axis != sensitive]
        self.combinations, self.of_cell = np.unique(cells[:, rest], axis=0, return_inverse=True)
        self.of_cell = self.of_cell.ravel()
        self.tables = TablesWithCounts(rows, len(cells))
        self.has_room: BoolArray = np.zeros(len(self.combinations), dtype=bool)

    @classmethod
    def of(cls, store: CountStore, views: Sequence[ViewCounts], finest: Resolution) -> _Program:
        refuse_large(store.attributes, finest)
        cells = np.argwhere(open_cells(store.attributes, finest, views))
        if len(cells) > LARGEST_PROGRAM:
            raise RuleError(
                f"these views do not decompose, and k-combinatorial anonymity would need an "
                f"integer program of {len(cells):,} cells (at most {LARGEST_PROGRAM:,}): drop a "
                f"view or coarsen a column so that they decompose"
            )
        rows = incidence(cells, store.attributes, finest, views)
        return cls(cells, rows, store.sensitive)

    def undecided(self) -> Iterator[int]:
        """Combinations one after the other, without those that a table has answered."""
        for combination in range(len(self.combinations)):
            if not self.has_room[combination]:
                yield combination

    def note(self, table: IntArray, k: int) -> None:
        people = np.bincount(self.of_cell, weights=table, minlength=len(self.combinations))
        self.has_room |= people >= k

    def room(self, combination: int, most: int) -> int:
        """The most people that a combination can have, known to be 1 … `most`."""
        least = 1
        while least < most:
            middle = (least + most + 1) // 2
            if self.table_with(combination, middle) is None:
                most = middle - 1
            else:
                least = middle
        return least

    def table_with(self, combination: int, least: int) -> IntArray | None:
        """A consistent table with at least this many people in one combination, if there is one."""
        solved = self.tables.with_people(self.of_cell == combination, least)
        if solved.table is None and not solved.is_impossible:
            raise RuleError(
                f"the integer program behind k-combinatorial anonymity was not solved "
                f"({solved.message}): drop a view so that the set decomposes"
            )
        return solved.table
