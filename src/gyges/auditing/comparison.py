"""Releases side by side: the same risks and the same utility of each, of any maker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import numpy as np

from gyges.adversaries.compared_rows import ComparedColumn, ComparedRows, ComparedTables
from gyges.adversaries.leakage import Leakage
from gyges.adversaries.located_people import Whereabouts
from gyges.adversaries.shown_labels import ShownLabels
from gyges.arrays import IntArray
from gyges.auditing.audit import Audit
from gyges.auditing.classical import Classical
from gyges.auditing.finding import Sheet
from gyges.auditing.three_risks import AttackRisk
from gyges.errors import ReleaseError
from gyges.exact import decimal_text, percent
from gyges.utility.marginal_tables import MOST_NUMBERS

RISKS = {
    "unique rows": "people whose row looks like no other",
    "right row": "probability of picking the right row for someone in it, on average, at most",
    "largest certainty": "largest probability of a value, to someone who knows the group",
    "certainty with a fact": "the same, with the worst additional fact",
    "value revealed": "people whose value the release alone reveals",
    "singled out": "conditions that single a person out, due to the table",
    "linked": "people whose two halves are linked, due to the table",
    "inferred": "people whose value is inferred, due to the table (the worst column)",
}
UTILITY = {
    "loss": "average share of a column's values that a label covers",
    "pairs kept": "NIST's score of how well pairs of columns are kept; 1000: completely",
}


@dataclass(frozen=True, slots=True)
class RiskFigure:
    """One figure of a release; an interval where it is estimated."""

    number: Fraction | float
    interval: tuple[float, float] | None = None

    def __str__(self) -> str:
        if self.interval is None:
            return percent(self.number)
        low, high = self.interval
        return f"{percent(self.number)} ({percent(low)} to {percent(high)})"


@dataclass(frozen=True, slots=True)
class ComparedRelease:
    """The risks and the utility of one release, by name; a figure that is missing was not found."""

    name: str
    risks: Mapping[str, RiskFigure]
    factor: Fraction | None  # by which a value becomes more probable
    epsilon: Fraction | None  # of differential privacy
    utility: Mapping[str, float]
    not_checked: tuple[str, ...]  # sentences of the audit


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Releases side by side; `str()` is a table."""

    releases: tuple[ComparedRelease, ...]

    @property
    def is_complete(self) -> bool:
        """Whether nothing was left unchecked."""
        return not any(one.not_checked for one in self.releases)

    def sheet(self) -> Sheet:
        """A row for each figure, a column for each release."""
        rows = [
            (says, *(str(one.risks.get(name, "-")) for one in self.releases))
            for name, says in RISKS.items()
        ]
        factors = ["-" if r.factor is None else decimal_text(r.factor) for r in self.releases]
        rows.append(("a value becomes more probable by this factor", *factors))
        noise = ["-" if r.epsilon is None else decimal_text(r.epsilon) for r in self.releases]
        rows.append(("ε of differential privacy", *noise))
        for name, says in UTILITY.items():
            kept = [r.utility.get(name) for r in self.releases]
            rows.append((f"{name}: {says}", *("-" if x is None else f"{x:.4g}" for x in kept)))
        n_open = [str(len(one.not_checked)) for one in self.releases]
        rows.append(("findings not checked", *n_open))
        told = [row for row in rows if set(row[1:]) != {"-"}]
        return Sheet(tuple(told), ("", *(one.name for one in self.releases)))

    def to_json(self) -> dict[str, object]:
        """The figures for programs."""
        return {"releases": self.releases}

    def __str__(self) -> str:
        sheet = self.sheet()
        rows = [sheet.heads, *sheet.rows]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
        for one in self.releases:
            lines += [f"{one.name}: {sentence}" for sentence in one.not_checked]
        return "\n".join([*lines, "", NOTE])


NOTE = (
    "“-” means that a figure was not computed; it does not mean 0. Risks of different kinds are "
    "not comparable with each other. Figures about rows do not apply to rows that a program "
    "made up; figures of what is due to the table do."
)


def names_of(places: Sequence[str | Path]) -> list[str]:
    """Short names that distinguish the releases: the last part of the path, or all of it."""
    short = [Path(place).name or str(place) for place in places]
    names = [
        name if short.count(name) == 1 else str(p) for name, p in zip(short, places, strict=True)
    ]
    if len(set(names)) < len(names):
        raise ReleaseError("a release is given twice: name each one once")
    return names


def compared_release(
    name: str, audit: Audit, tables: ComparedTables | str | None = None
) -> ComparedRelease:
    """What an audit says about one release; `tables`: its rows and those of the original.

    Of several sensitive columns the worst counts, for each figure by itself.
    """
    found = audit.measures
    by_column = [found, *audit.by_column.values()]
    leakages = [one.get("leakage") for one in by_column]
    factors = [one.factor for one in leakages if isinstance(one, Leakage)]
    epsilon = found.get("epsilon")
    located = found.get("located")
    utility = {}
    if isinstance(tables, ComparedTables):  # what rows show is compared, not groups
        utility = {"pairs kept": pairs_kept(tables)}
    elif audit.utility and not (isinstance(located, Whereabouts) and located.in_several):
        kept = audit.utility  # of people whose group is not known it would say nothing
        utility = {"loss": kept["loss"], "pairs kept": kept["k_marginal"]}
    return ComparedRelease(
        name,
        _worst_of(map(_risks, by_column)),
        max(factors, default=None),
        Fraction(epsilon) if isinstance(epsilon, (int, Fraction)) else None,
        utility,
        tuple(one.sentence for one in audit.findings if not one.is_checked),
    )


def _worst_of(found: Iterable[Iterable[tuple[str, RiskFigure]]]) -> dict[str, RiskFigure]:
    """The largest figure of each name."""
    worst: dict[str, RiskFigure] = {}
    for name, figure in chain.from_iterable(found):
        if name not in worst or figure.number > worst[name].number:
            worst[name] = figure
    return worst


def _risks(found: Mapping[str, object]) -> Iterator[tuple[str, RiskFigure]]:
    classical = found.get("classical")
    if isinstance(classical, Classical) and classical.n_people:
        yield "unique rows", RiskFigure(Fraction(classical.n_alone, classical.n_people))
        yield "right row", RiskFigure(classical.marketer)
        if classical.largest_share:
            yield "largest certainty", RiskFigure(classical.largest_share)
            yield "value revealed", RiskFigure(Fraction(classical.n_revealed, classical.n_people))
    curves = found.get("curves")
    curve = curves.get("implications") if isinstance(curves, Mapping) else None
    if curve is not None and len(curve) > 1:
        yield "certainty with a fact", RiskFigure(curve[1])
    for name, kind in (
        ("singled out", "singling_out"),
        ("linked", "linkability"),
        ("inferred", "inference"),
    ):
        worst = _worst(found.get(kind))
        if worst is not None:
            yield name, worst


def _worst(risks: object) -> RiskFigure | None:
    """The largest risk of one kind that is due to the release."""
    measured = (
        [risk for risk in risks.values() if isinstance(risk, AttackRisk)]
        if isinstance(risks, Mapping)
        else []
    )
    due = [risk.due_to_release for risk in measured if risk.due_to_release is not None]
    if not due:
        return None
    worst = max(due, key=lambda rate: rate.middle)
    return RiskFigure(worst.middle, worst.interval)


def pairs_kept(tables: ComparedTables) -> float:
    """1000 · (1 - mean over all pairs of columns of ½ Σ |p - p*|), of the rows [Task2023].

    Numbers and dates fall into intervals with about as many people of the original each. A label
    counts in equal parts for the values that it covers, and for none if it covers nobody's.
    """
    from scipy.sparse import csr_array

    columns: list[tuple[Any, Any, Any]] = []
    for place, (own, shown) in enumerate(
        zip(tables.original.columns, tables.released.columns, strict=True)
    ):
        bins = _bins(own, tables.original.codes[:, place])
        columns.append((_one_each(bins), _one_each(bins, shown.labels), place))
    if len(columns) == 1:
        columns.append((*[csr_array(np.ones((1, 1)))] * 2, None))
    sets, lost = [*combinations(columns, 2)], 0.0
    for one, other in sets:
        before, after = (
            _counts(one[side], other[side], rows, (one[2], other[2])) / len(rows)
            for side, rows in enumerate((tables.original, tables.released))
        )
        nowhere = 1 - float(after.sum())
        lost += (float(abs(before - after).sum()) + max(nowhere, 0.0)) / 2
    return 1000 * (1 - lost / len(sets))


def _counts(one: Any, other: Any, rows: ComparedRows, places: Sequence[int | None]) -> Any:
    """The rows in each pair of bins of two columns; the second may be the one bin of all rows."""
    from scipy.sparse import csr_array

    codes = [np.zeros_like(rows.codes[:, 0]) if p is None else rows.codes[:, p] for p in places]
    shape = (one.shape[0], other.shape[0])
    times = csr_array((np.ones(len(rows)), (codes[0], codes[1])), shape=shape)
    return one.T @ times @ other


def _one_each(bins: IntArray, labels: ShownLabels | None = None) -> Any:
    """For each value, or for each label, the share of each bin: as a sparse matrix."""
    from scipy.sparse import csr_array

    n_bins, places = int(bins.max(initial=0)) + 1, np.arange(len(bins))
    values = csr_array((np.ones(len(bins)), (places, bins)), shape=(len(bins), n_bins))
    if labels is None:
        return values
    each = labels.covers / np.maximum(labels.covers.sum(axis=1, keepdims=True), 1)
    return csr_array(each) @ values


def _bins(column: ComparedColumn, codes: IntArray) -> IntArray:
    """The bin of each code: its own, or one of the intervals of a line with many values."""
    people = np.bincount(codes, minlength=len(column.values))
    if not column.is_ordered or int((people > 0).sum()) <= MOST_NUMBERS:
        return np.arange(len(column.values))
    share = (np.cumsum(people) - people / 2) / len(codes)
    bins = np.minimum(share * MOST_NUMBERS, MOST_NUMBERS - 1).astype(np.int64)
    bins[column.n_known :] = MOST_NUMBERS  # a missing value is no number
    return bins
