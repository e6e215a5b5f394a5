"""Noisy counts: an attacker who looks for all tables that have nearly these counts [Dinur2003]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gyges.arrays import FloatArray
from gyges.auditing.finding import Audited, AuditKnowledge, Finding, listed
from gyges.auditing.noise_views import MOST_COUNT, check_view
from gyges.dp.published_noise import Noisy, PublishedNoise
from gyges.exact import counted, percent
from gyges.marginals.linear_reconstruction import NoisySums

TOPIC = "What the noise hides"
_ATTACKER = "reconstructs counts"
_MOST_CELLS = 2_000  # combinations of a table that is reconstructed
_MOST_PROVEN = 100  # linear programs that decide one combination each


@dataclass(frozen=True, slots=True)
class ReconstructedCounts:
    """Which combinations somebody has in every table whose counts are near the noisy ones."""

    columns: tuple[str, ...]
    n_combinations: int
    n_certain: int
    n_people: tuple[int, float]  # who have them: at least, and at most
    confidence: Fraction  # that the noise is not larger than assumed
    is_complete: bool  # whether each combination was decided


class ReconstructsCounts:
    """Has the noisy counts alone, and knows how far noise moves a count."""

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """Which combinations are somebody's in every table whose counts are near the noisy ones.

        Nothing where the attacker must be certain: no noise has a limit.
        """
        if not isinstance(release, Noisy) or knowledge.confidence == 1:
            return []
        published = release.published
        names = _columns(published)
        left = [name for name in published.columns if name not in names]
        sums = _sums(published, names, knowledge.confidence) if names else None
        if sums is None:
            why = (
                "a view is not as the certificate describes it, or its noise is too large for that"
                if names
                else f"every view has more than {_MOST_CELLS:,} counts"
            )
            return [_open(f"Not computed: which rows can be reconstructed, because {why}.")]
        found = [_reconstructed(published, names, sums, knowledge.confidence)]
        if left:
            said = f"together with {listed(left)}: there are more than {_MOST_CELLS:,}"
            found.append(_open(f"Not computed: combinations of {listed(names)} {said}."))
        return found


def _open(said: str) -> Finding:
    return Finding(_ATTACKER, said, topic=TOPIC, is_checked=False)


def _columns(published: PublishedNoise) -> list[str]:
    """The columns of the first views that have together few enough combinations."""
    known: set[str] = set()
    for view in published.views:
        wanted = known | {*map(published.universe.base, view.columns)}
        if math.prod(len(published.columns[name]) for name in wanted) <= _MOST_CELLS:
            known = wanted
    return [name for name in published.columns if name in known]


def _sums(published: PublishedNoise, names: list[str], sure: Fraction) -> NoisySums | None:
    """The views of these columns as noisy sums; None where they cannot be used.

    With the given probability no answer is further from the truth than its reach: the doubt is
    divided by the number of answers.
    """
    universe = published.universe
    views = [view for view in published.views if {*map(universe.base, view.columns)} <= set(names)]
    if not all(check_view(published, 1, view).holds for view in views):
        return None
    doubt = float((1 - sure) / sum(len(view.counts) for view in views))
    reach = [view.noise.reach(doubt) for view in views]
    if max(reach) > MOST_COUNT:
        return None
    codes = np.indices(universe.shape(names)).reshape(len(names), -1)
    rows = []
    for view in views:
        chosen = [
            universe.parts(name)[codes[names.index(universe.base(name))]] for name in view.columns
        ]
        shape = universe.shape(view.columns)
        place = np.ravel_multi_index(chosen, shape) if chosen else np.zeros_like(codes[0])
        rows.append((place, np.array([int(count) for count in view.counts], dtype=np.int64)))
    return NoisySums(rows, reach)


def _reconstructed(
    published: PublishedNoise, names: list[str], sums: NoisySums, sure: Fraction
) -> Finding:
    """How many people have a combination that is certain to be somebody's."""
    likely = sums.best_fit()
    if likely is None:
        return _open(
            "Not computed: which rows can be reconstructed, because no table has counts as near to "
            "the noisy ones as the stated noise leaves them."
        )
    certain, is_complete = sums.positive(_MOST_PROVEN)
    n, people = int(certain.sum()), sums.range_of(certain)
    measured = ReconstructedCounts(tuple(names), len(certain), n, people, sure, is_complete)
    return Finding(
        _ATTACKER,
        _said(names, measured),
        number=float(likely[certain].sum()) if n else 0,
        interval=(float(people[0]), float(people[1])) if n else None,
        witness=_rarest(published, names, np.where(certain, likely, np.inf)) if n else None,
        topic=TOPIC,
        is_checked=is_complete,
        measures={"linear_reconstruction": measured},
    )


def _said(names: list[str], found: ReconstructedCounts) -> str:
    said = (
        f"An attacker who looks for all tables whose counts are as near to the noisy ones as the "
        f"noise leaves them with a probability of {percent(found.confidence)} (linear "
        f"reconstruction)"
    )
    of = f"of {listed(names)}"
    if not found.n_certain:
        return f"{said} finds no combination {of} that somebody has in each of them."
    low, high = found.n_people
    people = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    some = "" if found.is_complete else ", at least: not all were decided"
    return (
        f"{said} reconstructs {counted(found.n_certain, 'combination')} {of} that somebody has in "
        f"each of them{some}. {people} people have them."
    )


def _rarest(published: PublishedNoise, names: list[str], likely: FloatArray) -> dict[str, str]:
    """The labels of the combination that the fewest people are likely to have."""
    shape = [len(published.columns[name]) for name in names]
    codes = np.unravel_index(int(np.argmin(likely)), shape)
    return {
        name: published.columns[name][int(code)] for name, code in zip(names, codes, strict=True)
    }
