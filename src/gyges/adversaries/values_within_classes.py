"""What joining releases reveals about the values within a class of values that counts as one.

Where values may change into each other (`similar`), a world gives everyone a class. In each world
the people of class C in group g have the group's values of that class, in any order: so a value v
of C is possible for one of them if C is, with the share P(C) · n_g(v) / n_g(C). A class that one
release reveals can thereby make the value itself certain in another release.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gyges.adversaries.joint_attack import JointAttack
from gyges.arrays import BoolArray
from gyges.data.values import text_of
from gyges.exact import Number, probability
from gyges.release.groups import Groups


def exposed_within_classes(
    found: JointAttack,
    releases: Sequence[Groups],
    class_of: Mapping[str, str],
    confidence: Number,
) -> tuple[BoolArray, BoolArray]:
    """Whose own value joining exposes and no release alone; and of whom else that may be so.

    Args:
        releases: the groups of `found`, in which each value counts as itself.
        class_of: the class of each value that is in one, as texts.
    """
    asked = probability(confidence)
    cohorts, first, place = np.unique(found.cohort, return_index=True, return_inverse=True)
    is_exposed, is_open = (np.zeros(len(cohorts), dtype=bool) for _ in range(2))
    is_known = found.located.is_anywhere & ~found.contradicted
    for k, (c, row) in enumerate(zip(cohorts.tolist(), first.tolist(), strict=True)):
        if is_known[row]:
            known = _known_of(found, c, releases, found.located.group_of[row].tolist(), class_of)
            is_exposed[k] = known.is_exposed(known.most, known.share[0], asked)
            is_open[k] = known.is_exposed(known.least, known.share[1], asked)
    return is_exposed[place], (is_open & ~is_exposed)[place]


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of one person's own value: by one release, and by all of them together."""

    fewest_alone: int  # values that are possible by one release
    share_alone: Fraction
    most: int  # values not excluded by all, in the release with the fewest of these
    least: int  # the same of values that were shown to be possible
    share: tuple[Fraction, Fraction]  # bounds of the largest share by all

    def is_exposed(self, n_possible: int, share: Fraction, confidence: Fraction) -> bool:
        """Whether so many values and this share expose, and no release does alone."""
        alone = self.fewest_alone
        is_certain = n_possible <= 1 < alone
        by_values = n_possible * confidence <= 1 < alone * confidence
        return is_certain or by_values or self.share_alone < confidence <= share


def _known_of(
    found: JointAttack,
    cohort: int,
    releases: Sequence[Groups],
    group_of: Sequence[int],
    class_of: Mapping[str, str],
) -> _Known:
    """What is known of the people of one cohort, who are in these groups."""
    shares = _shares_of_classes(found, cohort)
    alone, left = list[Counter[str]](), list[tuple[int, int]]()
    low, high = list[Fraction](), list[Fraction]()
    for groups, group in zip(releases, group_of, strict=True):
        if group < 0:
            continue
        held: Counter[str] = Counter()
        for code, n in groups.value_counts_in(group).items():
            held[text_of(groups.values[code])] += n
        within: Counter[str] = Counter()
        for text, n in held.items():
            within[class_of.get(text, text)] += n
        possible = [
            (shares[one], Fraction(n, within[one]))
            for text, n in held.items()
            if (one := class_of.get(text, text)) in shares
        ]
        alone.append(held)
        left.append((len(possible), sum(share.is_shown for share, _ in possible)))
        low += [share.least * part for share, part in possible]
        high += [share.most * part for share, part in possible]
    return _Known(
        min(map(len, alone)),
        max(Fraction(max(held.values()), held.total()) for held in alone),
        min(most for most, _ in left),
        min(least for _, least in left),
        (max(low), max(high)),
    )


@dataclass(frozen=True, slots=True)
class _ClassShare:
    """Proven bounds of the share of worlds in which a person has a class."""

    least: Fraction
    most: Fraction
    is_shown: bool  # some world is known in which they have it


def _shares_of_classes(found: JointAttack, cohort: int) -> dict[str, _ClassShare]:
    """The share of each class that is not excluded for the people of a cohort."""
    counts, solution = found.counts, found.solution
    n_people, is_loose = int(counts.people[cohort]), bool(counts.is_loose[cohort])
    shares = {}
    for u in range(counts.starts[cohort], counts.starts[cohort + 1]):
        least, most = Fraction(int(solution.low[u])), Fraction(int(solution.high[u]))
        if most <= 0:
            continue
        least, most = solution.means.get(u, least), solution.means.get(u, most)
        if is_loose:
            least, most = Fraction(0), Fraction(n_people)
        text = text_of(found.located.values[int(counts.value[u])])
        shown = bool(solution.is_shown[u])
        shares[text] = _ClassShare(least / n_people, most / n_people, shown)
    return shares
