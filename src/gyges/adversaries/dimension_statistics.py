"""The minima of five statistics for each watched amount of knowledge: they decide safety.

An attacker knows l values that the target lacks, k other people and m relatives. Whatever their
groups, the worst case has them in one group or in two [Chen2009, Thm. 1], so that five minima over
the groups give the breach probability [Chen2009, Thm. 2]. Logarithms find the minima, fractions
settle close calls, and the signature that attains each minimum is kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gyges.adversaries.dimension_formulas import UNITY, ZERO, Quotient, exact_statistic
from gyges.arrays import FloatArray, IntArray
from gyges.data.schema import ValuesPerPerson
from gyges.data.values import Value, text_of
from gyges.errors import RuleError
from gyges.kernels import log_ratios as kernel
from gyges.kernels.signatures import narrow_signatures, signatures
from gyges.ragged import starts_of
from gyges.release.groups import Groups

KINDS: dict[ValuesPerPerson, int] = {
    "one": kernel.ONE,
    "set": kernel.SET,
    "multiset": kernel.MULTISET,
}
_BEYOND = 2**40  # more people than there are: stands for an unlimited k or m
_ENTRIES_WORTH_A_TABLE = 4096  # from here on a dense table of signatures pays


@dataclass(frozen=True, slots=True, eq=False)
class Watch:
    """The watched amounts of knowledge: one row for each value and (l, k, m).

    Rows are sorted by value, then l. Rows of one value and one l are a block and share their
    signatures.
    """

    values: list[Value]
    codes: IntArray  # rows
    l: IntArray  # rows
    k: IntArray  # rows
    m: IntArray  # rows
    places: IntArray  # rows: which of the given points this row is
    block_starts: IntArray  # values + 1
    block_l: IntArray  # blocks
    row_starts: IntArray  # blocks + 1

    @classmethod
    def of(cls, values: list[Value], points: Sequence[tuple[int, float, float, float]]) -> Watch:
        """Watch points (value code, l, k, m); math.inf is an unlimited amount."""
        others = max(len(values) - 1, 0)
        given = np.array(
            [
                (code, int(min(l, others)), int(min(k, _BEYOND)), int(min(m, _BEYOND)))
                for code, l, k, m in points
            ],
            dtype=np.int64,
        ).reshape(-1, 4)
        places = np.lexsort((given[:, 1], given[:, 0]))
        codes, l, k, m = given[places].T.copy()
        starts = np.ones(len(codes), dtype=np.bool_)
        starts[1:] = (codes[1:] != codes[:-1]) | (l[1:] != l[:-1])
        firsts = np.flatnonzero(starts)
        return cls(
            values=values,
            codes=codes,
            l=l,
            k=k,
            m=m,
            places=places,
            block_starts=np.searchsorted(codes[firsts], np.arange(len(values) + 1)),
            block_l=l[firsts],
            row_starts=np.append(firsts, len(codes)),
        )

    def __len__(self) -> int:
        return len(self.codes)

    def rows_of_block(self, block: int) -> range:
        """The rows of one value and one l."""
        return range(int(self.row_starts[block]), int(self.row_starts[block + 1]))

    def width(self, kind: int) -> int:
        """How many numbers describe the excluded values: the counts of a set, or their sum."""
        return max(1, int(self.block_l.max(initial=0))) if kind == kernel.SET else 1


@dataclass(frozen=True, slots=True, eq=False)
class StatisticMinima:
    """For each row of a watch the least of five statistics, and the signature that has it."""

    watch: Watch
    kind: int
    least: FloatArray  # rows × 5: logarithms
    holders: IntArray  # rows × 5 × (2 + width): people, occurrences, tops; 0 people: no group

    def breach(self, row: int) -> Fraction:
        """The breach probability, 1 / (1 + least negated ratio) [Chen2009, Lemma 1]."""
        ratio = self.ratio(row)
        return Fraction(0) if ratio is None else ratio.breach()

    def ratio(self, row: int) -> Quotient | None:
        """The least negated ratio, exactly; None where nobody has the value."""
        ratios = self.ratios(row)
        return min(ratios.values()) if ratios else None

    def ratios(self, row: int) -> dict[tuple[int, int | None], Quotient]:
        """The ratios that may be the least: by (statistic of the target, of the relatives)."""
        least = self.least[row]
        if least[kernel.TARGET] == math.inf:
            return {}
        pairs: list[tuple[int, int | None]] = [
            (kernel.TOGETHER, None),
            (kernel.TARGET, kernel.RELATIVES_KNOWN),
            (kernel.TARGET_KNOWN, kernel.RELATIVES),
        ][: 3 if self.watch.m[row] else 1]  # without relatives only the first
        logs = [least[a] + (0.0 if b is None else least[b]) for a, b in pairs]
        if min(logs) == -math.inf:
            return {pairs[0]: ZERO}  # whatever makes a factor 0 makes the first one 0
        reach = min(logs) + 4 * kernel.margin(min(logs), int(self.watch.m[row]))
        return {
            (a, b): self.exact(row, a) if b is None else self.exact(row, a) * self.exact(row, b)
            for (a, b), log in zip(pairs, logs, strict=True)
            if log <= reach
        }

    def exact(self, row: int, which: int) -> Quotient:
        """One of the five minima, exactly; 1 for the relatives where there is no group."""
        holder = tuple(self.holders[row, which].tolist())
        if holder[0] == 0:
            return UNITY
        return exact_statistic(
            self.kind, which, holder, int(self.watch.k[row]), int(self.watch.m[row])
        )


def statistic_minima(groups: Groups, watch: Watch) -> StatisticMinima:
    """SkylineCheck's one scan over the groups [Chen2009, Fig. 3]."""
    return minima_of(found_signatures(groups, watch), watch, KINDS[groups.values_per_person])


def minima_of(found: IntArray, watch: Watch, kind: int) -> StatisticMinima:
    """The five minima over signatures."""
    least = np.empty((len(watch), 5))
    least[:, : kernel.RELATIVES] = math.inf
    least[:, kernel.RELATIVES :] = 0.0
    holders = np.zeros((len(watch), 5, found.shape[1] - 1), dtype=np.int64)
    close = kernel.least_statistics(kind, found, watch.row_starts, watch.k, watch.m, least, holders)
    minima = StatisticMinima(watch, kind, least, holders)
    rivals: dict[tuple[int, int], set[tuple[int, ...]]] = {}
    for row, which, place in close.tolist():
        n, count, *tops = found[place, 1:].tolist()
        tops = tops if which < kernel.RELATIVES else [0] * len(tops)
        rivals.setdefault((row, which), set()).add((n, count, *tops))
    for (row, which), candidates in rivals.items():
        _settle(minima, row, which, candidates)
    return minima


def merged(one: StatisticMinima, other: StatisticMinima) -> StatisticMinima:
    """The five minima of two batches of groups together."""
    watch = one.watch
    if other.watch is not watch and other.watch.values != watch.values:
        raise RuleError("summaries of different releases: their sensitive values differ")
    if one.kind != other.kind:
        raise RuleError("summaries of different releases: they differ in the values per person")
    least, holders, close = kernel.joined(
        one.kind, watch.k, watch.m, one.least, one.holders, other.least, other.holders
    )
    minima = StatisticMinima(watch, one.kind, least, holders)
    for row, which in close.tolist():
        _settle(minima, row, which, {tuple(other.holders[row, which].tolist())})
    return minima


def _settle(
    minima: StatisticMinima, row: int, which: int, rivals: Iterable[tuple[int, ...]]
) -> None:
    """Compare close calls of the logarithms exactly, and keep the least.

    Which of equal fractions is kept does not depend on the order of the groups, as in the kernel.
    """
    if minima.least[row, which] == -math.inf:
        return  # this settles every close call
    k, m = int(minima.watch.k[row]), int(minima.watch.m[row])
    held = tuple(minima.holders[row, which].tolist())
    logs = {held: float(minima.least[row, which])}
    statistics = np.empty(5)
    for rival in rivals:
        kernel.log_statistics(minima.kind, np.array((0, *rival), dtype=np.int64), k, m, statistics)
        logs[rival] = float(statistics[which])
    lowest = min(logs.values())
    near = [s for s, log in logs.items() if log <= lowest + 2 * kernel.margin(lowest, m)]
    chosen = min(
        near,
        key=lambda s: (
            exact_statistic(minima.kind, which, s, k, m),
            s[:2],
            [-top for top in s[2:]],
        ),
    )
    minima.holders[row, which] = chosen
    minima.least[row, which] = logs[chosen]


def found_signatures(groups: Groups, watch: Watch) -> IntArray:
    """The distinct signatures (block, people, occurrences, tops…); harmless ones may be missing.

    Of two that differ only in what is known about the target, the more dangerous one is enough.
    """
    width = watch.width(KINDS[groups.values_per_person])
    if width > 1 or len(groups.value_codes) < _ENTRIES_WORTH_A_TABLE:
        return _looked_up(groups, watch, is_collapsed=width == 1)[0]
    n_blocks = np.diff(watch.block_starts)
    room = max(2 * len(groups.value_codes) // max(int(n_blocks.sum()), 1), 64)
    n_sizes, n_counts, is_all = _window(groups, room)
    parts, left = [], np.empty(0, dtype=np.int64)
    for l in np.unique(watch.block_l):
        block_of_value = np.full(len(watch.values), -1, dtype=np.int64)
        blocks = np.flatnonzero(watch.block_l == l)
        block_of_value[watch.codes[watch.row_starts[blocks]]] = np.arange(len(blocks))
        found, left = narrow_signatures(
            groups.sizes,
            groups.starts,
            groups.value_codes,
            groups.value_counts,
            block_of_value,
            int(l),
            int(groups.sizes.min()),
            n_sizes,
            n_counts,
            is_all,
        )
        found[:, 0] = blocks[found[:, 0]]
        parts.append(found)
    if len(left):
        parts.append(_looked_up(groups.take(left), watch, is_collapsed=True)[0])
    return np.concatenate(parts) if parts else np.empty((0, 4), dtype=np.int64)


def _window(groups: Groups, room: int) -> tuple[int, int, bool]:
    """How many sizes and counts a table with `room` cells for each block holds; is that all?"""
    n_sizes = int(groups.sizes.max() - groups.sizes.min()) + 1
    n_counts = int(groups.value_counts.max()) + 1
    if n_sizes * n_counts <= room:
        return n_sizes, n_counts, True
    n_counts = min(n_counts, math.isqrt(room))
    return min(n_sizes, room // n_counts), n_counts, False


def _looked_up(
    groups: Groups, watch: Watch, *, is_collapsed: bool, is_listed: bool = False
) -> tuple[IntArray, IntArray]:
    """Distinct signatures and, if `is_listed`, which of them each (entry, block) has."""
    found, pairs = signatures(
        groups.sizes,
        groups.starts,
        groups.value_codes,
        groups.value_counts,
        watch.block_starts,
        watch.block_l,
        watch.width(KINDS[groups.values_per_person]),
        is_collapsed,
        is_listed,
    )
    return np.asarray(found), np.asarray(pairs)


def listed_signatures(groups: Groups, watch: Watch) -> tuple[IntArray, IntArray, IntArray]:
    """All signatures, which of them each (entry, block) has, and where each group's start."""
    found, pairs = _looked_up(groups, watch, is_collapsed=False, is_listed=True)
    n_blocks = np.diff(watch.block_starts)[groups.value_codes]
    return found, pairs, starts_of(n_blocks)[groups.starts]


def exact_ratio_of_target(minima: StatisticMinima, row: int, signature: IntArray) -> Quotient:
    """The least negated ratio of targets with one signature, for the worst place of relatives."""
    k, m = int(minima.watch.k[row]), int(minima.watch.m[row])
    holder = tuple(signature.tolist())
    together, alone, known = (
        exact_statistic(minima.kind, which, holder, k, m)
        for which in (kernel.TOGETHER, kernel.TARGET, kernel.TARGET_KNOWN)
    )
    apart = (
        alone * minima.exact(row, kernel.RELATIVES_KNOWN),
        known * minima.exact(row, kernel.RELATIVES),
    )
    return min(together, *apart)


def code_of(values: Sequence[Value], value: Value) -> int | None:
    """The place of a value among those of a release, matched as text if necessary; None if absent.

    >>> code_of([250, 401], "250"), code_of(["AIDS"], "Flu")
    (0, None)
    """
    if value in values:
        return values.index(value)
    texts = [text_of(one) for one in values]
    return texts.index(text_of(value)) if text_of(value) in texts else None
