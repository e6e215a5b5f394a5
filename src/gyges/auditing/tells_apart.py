"""How well sets of columns tell people apart, and which column to coarsen first [Motwani2007]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

from gyges.adversaries.distinguishing_columns import ColumnSet, column_set, column_sets
from gyges.adversaries.minimal_uniques import DistinctRows
from gyges.auditing.effort import is_too_long, too_long
from gyges.auditing.finding import Audited, AuditKnowledge, Finding, Sheet, listed, people_text
from gyges.auditing.unique_columns import TOPIC, shown_rows
from gyges.exact import counted, percent
from gyges.release.release import Release

_SECONDS_PER_ROW = 1e-7  # of counting one row in one set, sorted
_MOST_SETS = 1_100  # all sets of ten columns; of more columns, the sets of few of them


@dataclass(frozen=True, slots=True)
class Distinguishing:
    """Sets of columns, and how many people would be unique without each column."""

    sets: tuple[ColumnSet, ...]
    n_unique: int  # with all columns
    n_unique_without: dict[str, int]


class TellsApart:
    """Counts how many people, and how many pairs of people, each set of columns tells apart."""

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """Distinction and separation of the sets, and what hiding one column would change."""
        if not isinstance(release, Release) or not release.labels:
            return []
        rows, _ = shown_rows(release)
        if not rows.names or rows.n_people < 2:
            return []
        most, n_sets = _largest(len(rows.names))
        while most > 1 and is_too_long(_seconds(n_sets, rows), knowledge.is_thorough):
            n_sets -= comb(len(rows.names), most)
            most -= 1
        seconds = _seconds(n_sets, rows)
        if not is_too_long(seconds, knowledge.is_thorough):
            return _said(_measured(rows, most), rows.n_people)
        said = f"Not computed: how well sets of columns tell people apart: {too_long(seconds)}."
        return [Finding("tells people apart", said, topic=TOPIC, is_checked=False)]


def _largest(n_columns: int) -> tuple[int, int]:
    """How large the sets may be so that there are not too many, and how many there are.

    >>> _largest(10), _largest(11), _largest(3000)
    ((10, 1023), (5, 1023), (1, 3000))
    """
    most, n_sets = 1, n_columns
    while most < n_columns and n_sets + comb(n_columns, most + 1) <= _MOST_SETS:
        most += 1
        n_sets += comb(n_columns, most)
    return most, n_sets


def _seconds(n_sets: int, rows: DistinctRows) -> float:
    """How long it takes to count the rows in so many sets, and in all columns but one."""
    n_counted = n_sets + len(rows.names) ** 2
    return n_counted * len(rows.people) * _SECONDS_PER_ROW


def _measured(rows: DistinctRows, most: int) -> Distinguishing:
    """Every set of up to this many columns; all columns; all columns but one."""
    everything = tuple(range(len(rows.names)))
    without = {
        name: column_set(rows, everything[:place] + everything[place + 1 :]).n_unique
        for place, name in enumerate(rows.names)
    }
    n_unique = column_set(rows, everything).n_unique
    return Distinguishing(tuple(column_sets(rows, most)), n_unique, without)


def _said(found: Distinguishing, n_people: int) -> list[Finding]:
    best = max(found.sets, key=lambda one: (one.separation, -len(one.columns)))
    said = (
        f"Of {counted(len(found.sets), 'set')} of columns, {listed(best.columns)} "
        f"{'tells' if len(best.columns) == 1 else 'tell'} most people apart: "
        f"{percent(best.separation)} of the pairs of people differ there (separation), and there "
        f"are {percent(best.distinction)} as many combinations of values as people (distinction)."
    )
    measures = {"distinguishing": found}
    sheet = _sheet(found.sets)
    all_sets = Finding(
        "tells people apart", said, best.separation, topic=TOPIC, details=sheet, measures=measures
    )
    if not found.n_unique:
        return [all_sets]
    name = min(found.n_unique_without, key=lambda one: found.n_unique_without[one])
    left = found.n_unique_without[name]
    hidden = (
        f"Hiding {name} altogether would help most: {people_text(left, n_people)} would look "
        f"like no other, instead of {found.n_unique:,}. This is the most that coarsening one "
        f"column can achieve."
    )
    return [all_sets, Finding("tells people apart", hidden, left, topic=TOPIC)]


def _sheet(sets: Sequence[ColumnSet]) -> Sheet:
    """For each number of columns, the set that separates best."""
    rows = []
    for size in sorted({len(one.columns) for one in sets}):
        best = max((s for s in sets if len(s.columns) == size), key=lambda one: one.separation)
        shares = (percent(best.separation), percent(best.distinction))
        rows.append((listed(best.columns), *shares, f"{best.n_unique:,}"))
    return Sheet(tuple(rows), ("best set of columns", "separation", "distinction", "unique"))
