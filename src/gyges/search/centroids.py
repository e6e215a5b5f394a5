"""Centroids: what a microaggregated release publishes, and finding people by the nearest one."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

import numpy as np

from gyges.arrays import CodeArray, FloatArray, IntArray, frozen
from gyges.data.cells import Domain
from gyges.data.values import Kind, text_of
from gyges.kernels.mdav import nearest_center
from gyges.kernels.threads import each_in_threads, stretches_of
from gyges.release.partition_of_cells import Partition
from gyges.search.microaggregation_distances import Space


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Centroids:
    """One centroid per group: the mean of numbers and dates, the most frequent category."""

    space: Space
    places: FloatArray  # groups × columns: on each column's line; the code of a category

    def __post_init__(self) -> None:
        frozen(self.places)

    def __len__(self) -> int:
        return len(self.places)


def centroids(partition: Partition) -> Centroids:
    """The centroids of a partition's groups; of equally frequent categories the first in order."""
    cells, space = partition.cells, Space.of(partition.cells)
    cell, group, count = partition.members()
    sizes = np.bincount(group, weights=count, minlength=partition.n_groups)
    places = np.empty((partition.n_groups, len(cells.domains)))
    for j, domain in enumerate(cells.domains):
        codes = cells.codes[cell, j]
        if domain.is_ordered:
            weights = count * domain.positions[codes]
            places[:, j] = np.bincount(group, weights, minlength=partition.n_groups) / sizes
        else:
            places[:, j] = _modes(group, codes, count, partition.n_groups, len(domain))
    return Centroids(space, places)


def _modes(
    group: IntArray, codes: CodeArray, count: IntArray, n_groups: int, n_codes: int
) -> IntArray:
    """The most frequent code of each group."""
    keys, where = np.unique(group * n_codes + codes, return_inverse=True)
    counts = np.bincount(where, weights=count)
    order = np.lexsort((-counts, keys // n_codes))
    first = np.searchsorted(keys[order] // n_codes, np.arange(n_groups))
    return np.asarray(keys[order][first] % n_codes)


def information_loss(partition: Partition) -> float:
    """The share of the squared distances between people that groups hide: 0 none, 1 all.

    Σ over people of |x - mean of their group|² over Σ of |x - mean of all|², for the numbers and
    dates in standard deviations [DomingoFerrer2005].
    """
    cells, space = partition.cells, Space.of(partition.cells)
    points = space.numbers(space.places(cells.codes)).T
    cell, group, people = partition.members()
    centers = space.numbers(centroids(partition).places).T
    within = ((points[cell] - centers[group]) ** 2).sum(axis=1) @ people
    middle = np.average(points, axis=0, weights=cells.people)
    in_all = ((points - middle) ** 2).sum(axis=1) @ cells.people
    return float(within / in_all) if in_all > 0 else 0.0


def locate(centers: Centroids, people: IntArray | CodeArray) -> IntArray:
    """The group with the nearest centroid for each person, the first of equally near ones.

    Who attacks: an attacker who knows people's quasi-identifiers (`people`: their codes, people ×
    columns) and sees the centroids. What counts as success: the group is the person's own. This
    is the heuristic of [Ganta2008, Sect. 2], right for about 70 % of people there.
    """
    codes: IntArray = np.asarray(people, dtype=np.int64)
    space = centers.space
    points, point_marks = space.numbers(space.places(codes)), space.marks(codes)
    found = np.empty(len(codes), dtype=np.int64)

    def look(run: slice) -> None:
        own = np.full(run.stop - run.start, -1)
        columns = points[:, run].copy(), point_marks[:, run].copy()
        found[run] = nearest_center(*_columns(centers), space.mark_weights, *columns, own)

    each_in_threads(look, stretches_of(len(codes)))
    return found


def nearest_other(centers: Centroids, groups: IntArray) -> IntArray:
    """For each of these groups the other group with the nearest centroid."""
    numbers, marks = _columns(centers)
    chosen = numbers[:, groups].copy(), marks[:, groups].copy()
    nearest: IntArray = nearest_center(numbers, marks, centers.space.mark_weights, *chosen, groups)
    return nearest


def _columns(centers: Centroids) -> tuple[FloatArray, CodeArray]:
    """The centroids' numbers and marks, rows × groups."""
    space = centers.space
    codes = np.zeros(centers.places.shape, dtype=np.int64)
    codes[:, space.marked] = centers.places[:, space.marked]
    return space.numbers(centers.places), space.marks(codes)


def centroid_labels(partition: Partition) -> dict[str, list[str]]:
    """What is published of each group: its centroid as text, by the name of the column."""
    places = centroids(partition).places
    return {
        domain.name: [_label(domain, place) for place in places[:, j]]
        for j, domain in enumerate(partition.cells.domains)
    }


def _label(domain: Domain, place: float) -> str:
    """A mean with six digits behind the point, the day that is nearest, or the value."""
    if domain.kind is Kind.NUMBER:
        return text_of(round(float(place), 6))
    if domain.kind is Kind.DATE:
        nearest = min(max(round(float(place)), 1), datetime.date.max.toordinal())
        return datetime.date.fromordinal(nearest).isoformat()
    return text_of(domain.values[int(place)])
