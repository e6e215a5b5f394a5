"""[Chen2009, Sect. 6.2]: how often merging groups makes things worse with several values a person.

Theorem 3 says never where each person has one value. The paper's simulation for several values
does not say how its groups were drawn, so ours are drawn in several sizes. The five minima are
computed for all trials at once in floating point; what looks like a counterexample is confirmed
with exact fractions by `gy.breach`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

import gyges as gy
from reproduction.arrays import FloatArray, IntArray
from reproduction.experiment import Curve, Experiment, Findings, Plot, RunOptions, Sheet, Statement

Kind = Literal["one", "set", "multiset"]
SIZES = ((1, 3), (2, 6), (5, 15), (15, 50), (50, 150), (150, 500))  # people of a group, from to
N_VALUES, N_TRIALS, CHUNK, N_CONFIRMED = 5, 1_000_000, 100_000, 50
_MARGIN = 1e-9  # relative; what is nearer is no counterexample


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One group in each trial."""

    n: IntArray  # people
    counts: IntArray  # trials × values; the first is the target value

    def joined(self, other: Part) -> Part:
        """Both groups as one."""
        return Part(self.n + other.n, self.counts + other.counts)


def merging(options: RunOptions) -> Findings:
    """Draw two groups and an amount of knowledge; is the attacker more certain when they are "
    "one?"""
    n_trials = CHUNK // 5 if options.fast else N_TRIALS
    rows, shares, confirmed, largest = [], {}, [], Fraction(0)
    for kind in ("one", "set", "multiset"):
        found = []
        for number, size in enumerate(SIZES):
            n_bad, checked, worst = _simulate(kind, size, n_trials, [options.seed, number])
            found.append(n_bad / n_trials)
            confirmed.append(checked)
            largest = max(largest, worst)
            rows.append(
                (
                    kind,
                    f"{size[0]}–{size[1]}",
                    f"{n_trials:,}",
                    f"{n_bad:,}",
                    f"{n_bad / n_trials:.1e}",
                )
            )
        shares[kind] = found
    columns = ("values per person", "people of a group", "pairs", "worse when merged", "share")
    middles = [(low * high) ** 0.5 for low, high in SIZES]
    plot = Plot(
        "How often merging two groups makes the breach more probable",
        "people of a group",
        "share of the pairs",
        [Curve(kind, middles, shares[kind]) for kind in ("set", "multiset")],
        log_x=True,
        log_y=True,
    )
    statements = _statements(shares, confirmed, largest)
    return Findings(statements, [plot], [Sheet("Random pairs of groups", columns, rows)], _NOTES)


_NOTES = (
    "Two groups of 5 values; each value has its own frequency, equal in both groups (a random "
    "group cut at random); l up to 4, and k and m up to half of the smaller group, each 0 in half "
    "of the pairs. Pairs in which no one has the value count as pairs in which the theorem holds.",
)


def _statements(
    shares: dict[str, list[float]], confirmed: list[tuple[int, int]], largest: Fraction
) -> list[Statement]:
    several = [*shares["set"], *shares["multiset"]]
    right, checked = (sum(column) for column in zip(*confirmed, strict=True))
    return [
        Statement(
            "Theorem 3 … in the SVPI case",
            not any(shares["one"]),
            "no counterexample with one value per person",
            "Sect. 6.2",
        ),
        Statement(
            "Theorem 3 and its corollary do not apply to the MVPI case",
            any(several) and right == checked,
            f"{right} of {checked} counterexamples that were checked are right in exact fractions; "
            f"the breach grows by up to {float(largest):.3f}",
            "Sect. 6.2",
        ),
        Statement(
            "the chances that Theorem 3 holds in the MVPI case are very high",
            max(several) < 0.05,
            f"it fails for {max(several):.1%} of the pairs of the smallest groups, for "
            f"{several[len(SIZES) - 1]:.1e} (set) and {several[-1]:.1e} (multiset) of the largest",
            "Sect. 6.2",
        ),
        Statement(
            "only 100 counterexamples in 7,778,625,148 randomly generated segmentations",
            min(several) < 1e-7,
            f"a share of {100 / 7778625148:.1e}; ours is {min(several):.1e} or more",
            "Sect. 6.2",
            "The share depends on what is drawn, which the paper does not say: it falls with the "
            "size of the groups. Counterexamples are rare, but not one in 78 million: two people "
            "with one AIDS between them, and one person with flu twice, are one.",
        ),
    ]


def _simulate(
    kind: Kind, size: tuple[int, int], n_trials: int, seed: list[int]
) -> tuple[int, tuple[int, int], Fraction]:
    """The number of counterexamples; of those checked how many are right; the largest growth."""
    rng = np.random.default_rng([*seed, len(kind)])
    n_bad, right, checked, worst = 0, 0, 0, Fraction(0)
    for _ in range(-(-n_trials // CHUNK)):
        one, other, known = _drawn(kind, size, min(CHUNK, n_trials), rng)
        split = _least_ratio(kind, [one, other], known)
        bad = np.flatnonzero(_least_ratio(kind, [one.joined(other)], known) < split * (1 - _MARGIN))
        n_bad += len(bad)
        for trial in bad[: N_CONFIRMED - checked]:
            growth = _growth(kind, one, other, known, int(trial))
            checked, right, worst = checked + 1, right + (growth > 0), max(worst, growth)
    return n_bad, (right, checked), worst


def _drawn(
    kind: Kind, size: tuple[int, int], n_trials: int, rng: np.random.Generator
) -> tuple[Part, Part, IntArray]:
    """Two groups and the known (l, k, m) of each trial; the target value occurs somewhere."""
    n = rng.integers(size[0], size[1] + 1, (2, n_trials))
    often = rng.random((n_trials, N_VALUES)) ** 2
    if kind == "one":
        often = often / often.sum(axis=1, keepdims=True)
        counts = [rng.multinomial(people, often) for people in n]
    elif kind == "set":
        often *= rng.random((n_trials, 1))
        counts = [rng.binomial(people[:, None], often) for people in n]
    else:
        counts = [rng.poisson(people[:, None] * often * 2) for people in n]
    half = n.min(axis=0) * rng.random((2, n_trials)) / 2 * rng.integers(0, 2, (2, n_trials))
    known = np.vstack([rng.integers(0, N_VALUES, n_trials), half.astype(np.int64)])
    kept = counts[0][:, 0] + counts[1][:, 0] > 0
    one, other = (Part(people[kept], held[kept]) for people, held in zip(n, counts, strict=True))
    return one, other, known[:, kept]


def _least_ratio(kind: Kind, parts: list[Part], known: IntArray) -> FloatArray:
    """The least negated ratio from the five minima [Chen2009, Sects. 6.1 and 7.1]."""
    l, k, m = known
    none = np.zeros_like(k)
    target = np.min([_target(kind, part, l, none) for part in parts], axis=0)
    target_k = np.min([_target(kind, part, l, k) for part in parts], axis=0)
    family = np.min([_family(kind, part, m, none) for part in parts], axis=0)
    family_k = np.min([_family(kind, part, m, k) for part in parts], axis=0)
    together = np.min(
        [_times(_target(kind, part, l, k), _family(kind, part, m, k + 1)) for part in parts], axis=0
    )
    apart = np.minimum(_times(target, family_k), _times(target_k, family))
    return np.asarray(np.minimum(together, apart), dtype=np.float64)


def _times(T: FloatArray, V: FloatArray) -> FloatArray:
    """A product in which a group without the value (T infinite) stays no target."""
    finite = np.isfinite(T)
    return np.where(finite, np.where(finite, T, 0.0) * V, np.inf)


def _target(kind: Kind, part: Part, l: IntArray, k: IntArray) -> FloatArray:
    """T(g, l, k); infinite where no one in the group has the value."""
    n, s = part.n.astype(np.float64), part.counts[:, 0]
    others = -np.sort(-part.counts[:, 1:], axis=1)
    is_known = np.arange(others.shape[1]) < l[:, None]
    top = np.where(is_known, others, 0).sum(axis=1)
    some = np.maximum(s, 1)
    if kind == "one":
        ratio = np.maximum(n - s - top - k, 0) / some
    elif kind == "set":
        lacking = np.where(is_known, 1 - others / n[:, None], 1.0).prod(axis=1)
        ratio = np.maximum(n - s - k, 0) / some * lacking
    else:
        none = (np.maximum(n - k - 1, 0) / np.maximum(n - k, 1)) ** some
        ratio = none / (1 - none) * ((n - 1) / n) ** top
    return np.where(s == 0, np.inf, ratio)


def _family(kind: Kind, part: Part, m: IntArray, k: IntArray) -> FloatArray:
    """V(g, m, k); 1 where no one in the group has the value, or m = 0."""
    n, s = part.n.astype(np.float64), part.counts[:, 0]
    if kind == "multiset":
        found = (np.maximum(n - k - m, 0) / np.maximum(n - k, 1)) ** s
    else:
        found = np.ones(len(n))
        for i in range(int(m.max(initial=0))):
            step = np.maximum(n - s - k - i, 0) / np.maximum(n - k - i, 1)
            found *= np.where(i < m, step, 1.0)
    return np.where((s == 0) | (m == 0), 1.0, found)


def _growth(kind: Kind, one: Part, other: Part, known: IntArray, trial: int) -> Fraction:
    """By how much the exact breach probability grows when the two groups are one."""
    l, k, m = (int(amount) for amount in known[:, trial])
    together = one.joined(other)
    before, after = (
        gy.breach(_groups(kind, parts, trial), value=0, l=l, k=k, m=m).probability
        for parts in ([one, other], [together])
    )
    return after - before


def _groups(kind: Kind, parts: list[Part], trial: int) -> gy.Groups:
    counts = [part.counts[trial] for part in parts]
    values = [np.repeat(np.arange(N_VALUES), held).tolist() for held in counts]
    people = [int(part.n[trial]) for part in parts]
    return gy.Groups.from_lists(values, people=people, values_per_person=kind)


EXPERIMENTS = (
    Experiment(
        "chen-theorem-3",
        "Chen2009",
        "Sect. 6.2",
        "how often merging groups makes things worse with several values per person",
        "We have done a simulation study, which shows that the chances that Theorem 3 holds in the "
        "MVPI case are very high (only 100 counterexamples in 7,778,625,148 randomly generated "
        "segmentations).",
        merging,
    ),
)
