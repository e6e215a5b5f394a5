"""Links people to rows of averages or of noisy numbers by distance [DomingoFerrer2001]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from gyges.adversaries.attack_rates import attack_rate
from gyges.adversaries.compared_rows import ComparedRows, ComparedTables, compared
from gyges.adversaries.distance_linkage import linked_by_assignment, linked_to_nearest
from gyges.arrays import FloatArray, IntArray
from gyges.auditing.finding import Audited, AuditKnowledge, Finding
from gyges.errors import SourceError
from gyges.exact import about, percent
from gyges.release.release import Release

TOPIC = "Record linkage by distance"
_MOST_ASSIGNED = 3_000  # people who are assigned to rows at once: the time grows with their cube
_N_TRIED = 2_000  # people who are linked to a nearest row
_SEED = 2001  # which people are drawn is no secret, and an audit can be repeated


@dataclass(frozen=True, slots=True)
class Linked:
    """How many people are linked to their own row."""

    n_people: int  # who were tried
    n_rows: int
    expected: float  # who are linked rightly: an expected number where rows look alike
    is_sample: bool


class LinksByDistance:
    """Knows the original values of people, and takes the row nearest to them for theirs."""

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """For rows of averages, and for tables whose rows are in the order of the original."""
        pair = _pair(release, knowledge)
        if pair is None:
            return []
        if isinstance(pair, str):
            said = f"Not computed: who is linked to their own row, because {pair}."
            return [Finding("distance linkage", said, topic=TOPIC, is_checked=False)]
        released, people, true_row = pair
        found = [_by_nearest(released, people, true_row)]
        most = len(people) if knowledge.is_thorough else _MOST_ASSIGNED
        if len(people) == len(released) and len(people) <= most:
            found.append(_by_assignment(released, people, true_row))
        else:
            said = (
                f"Not computed: the assignment of all people to rows at once, which takes minutes "
                f"for more than {_MOST_ASSIGNED:,} people; `--thorough` computes it where there "
                f"are as many people as rows."
            )
            found.append(Finding("distance linkage", said, topic=TOPIC, is_checked=False))
        return found


def _pair(
    release: Audited, knowledge: AuditKnowledge
) -> tuple[ComparedRows, ComparedRows, IntArray] | str | None:
    """Released rows and people in one coding, and the row made from each person."""
    tables, places = knowledge.compared, knowledge.places
    if isinstance(tables, ComparedTables) and knowledge.is_same_order:
        if len(tables.released) != len(tables.original):
            return "the table has another number of rows than the original"
        return tables.released, tables.original, np.arange(len(tables.original))
    if not isinstance(release, Release) or not release.group_form.is_averaged:
        return None
    if knowledge.original is None:
        return None
    if places is None:
        return "only the publisher knows whose averages are whose"
    names = list(release.roles.quasi_identifiers)
    sizes = release.groups.sizes
    shown = pa.table({name: np.repeat(release.labels[name], sizes) for name in names})
    try:
        both = compared(shown, knowledge.original.fetch(names), names=names)
    except SourceError as problem:
        return str(problem)
    group_of_row = places.group_of_row
    placed = np.flatnonzero(group_of_row >= 0)
    first_of_group = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return both.released, both.original.take(placed), first_of_group[group_of_row[placed]]


def _by_nearest(released: ComparedRows, people: ComparedRows, true_row: IntArray) -> Finding:
    rng = np.random.default_rng(_SEED)
    tried = np.sort(rng.permutation(len(people))[:_N_TRIED])
    found = linked_to_nearest(released, people.take(tried), true_row[tried])
    return _finding("takes the row nearest to each person", found, len(people), len(released))


def _by_assignment(released: ComparedRows, people: ComparedRows, true_row: IntArray) -> Finding:
    rng = np.random.default_rng(_SEED)
    found = linked_by_assignment(released, people, true_row, rng=rng)
    how = "assigns all people to different rows, so that the sum of the distances is least,"
    return _finding(how, found, len(people), len(released))


def _finding(how: str, found: FloatArray, n_people: int, n_rows: int) -> Finding:
    """What is expected: exact where everyone was tried, else with an interval."""
    n, expected = len(found), float(found.sum())
    rate, interval = expected / max(n, 1), None
    said = f"is right for {about(expected)} of {n:,} people ({percent(rate)})"
    if n < n_people and n:
        estimate = attack_rate(expected, n)
        rate, interval = estimate.middle, estimate.interval
        low, high = interval
        said = f"is right for {percent(rate)} of the people ({percent(low)} to {percent(high)})"
    by_chance = percent(1 / max(n_rows, 1))
    return Finding(
        "distance linkage",
        f"An attacker who knows the original values and {how} {said}. By chance it would be "
        f"{by_chance}.",
        number=rate,
        interval=interval,
        topic=TOPIC,
        measures={"distance_linkage": {how.split()[0]: Linked(n, n_rows, expected, n < n_people)}},
    )
