"""Record linkage by distance: which released row is nearest to what is known of a person.

The attacker knows the original values of everyone, and a release in which numbers are averaged or
noisy, so that no row equals anyone's. They link each person to a nearest row (by Gower's distance
[Gower1971]), or all people to different rows at once, so that the sum of the distances is least
[DomingoFerrer2001]. Success is a link to the row made from the person. Rows that look alike are
interchangeable: of f such rows one is taken at random.
"""

from __future__ import annotations

import numpy as np

from gyges.adversaries.compared_rows import ComparedRows, NearestRows
from gyges.arrays import FloatArray, IntArray


def linked_to_nearest(
    released: ComparedRows, people: ComparedRows, true_row: IntArray
) -> FloatArray:
    """For each person, the probability that a nearest row, taken at random, is their own."""
    columns = range(len(released.columns))
    rows = NearestRows.of(released, columns)
    own = rows.of_row[true_row]  # the distinct row that the person's looks like
    found = np.zeros(len(people))
    for first, last, near, starts in rows.batches(people.codes):
        person = np.repeat(np.arange(first, last), np.diff(starts))
        n_near = np.bincount(person, weights=rows.sizes[near], minlength=len(people))
        hit = person[near == own[person]]
        found[hit] = 1 / n_near[hit]
    return found


def linked_by_assignment(
    released: ComparedRows, people: ComparedRows, true_row: IntArray, *, rng: np.random.Generator
) -> FloatArray:
    """For each person, the probability of their own row in an assignment with the least sum.

    Where several assignments have the least sum, one of them decides. The rows are shuffled first,
    so that their order, which may be that of the people, does not choose it.
    """
    from scipy.optimize import linear_sum_assignment

    order = rng.permutation(len(released))
    person, place = linear_sum_assignment(gower_distances(people, released.take(order)))
    row = order[place]
    columns = range(len(released.columns))
    _, look = released.distinct(columns)
    sizes = np.bincount(look)
    found = np.zeros(len(people))
    is_right = look[row] == look[true_row[person]]
    found[person[is_right]] = 1 / sizes[look[row[is_right]]]
    return found


def gower_distances(people: ComparedRows, rows: ComparedRows) -> FloatArray:
    """Gower's distance of each person from each row, summed over the columns."""
    total = np.zeros((len(people), len(rows)))
    for place, column in enumerate(rows.columns):
        ours, theirs = people.codes[:, place, None], rows.codes[None, :, place]
        if column.labels is not None:
            total += column.labels.far[theirs, ours]
        elif column.places is None:
            total += ours != theirs
        else:  # a missing value is nowhere: equal to itself only
            apart = np.abs(column.places[ours] - column.places[theirs])
            total += np.where(np.isnan(apart), (ours != theirs).astype(np.float64), apart)
    return total
