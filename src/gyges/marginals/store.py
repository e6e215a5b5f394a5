"""The count store: counts of views, made once from known views and kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gyges.arrays import CodeArray, IntArray
from gyges.errors import RuleError
from gyges.marginals.counts import ViewCounts, coarsened, places_of, project, widths
from gyges.marginals.induced import Attribute, Resolution, is_within, sensitive_place
from gyges.ragged import Ragged

MOST_KEPT = 50_000_000  # codes of all counts that are kept at once
LARGEST_MATRIX = 100_000_000  # entries of a dense array, combinations × sensitive values


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """The combinations of one view, in blocks by the combination of a coarser view."""

    of_row: IntArray  # the block of each combination of the finer view
    rows: Ragged  # the combinations of each block


class CountStore:
    """Counts of every view that can be made from some known views.

    A search asks for thousands of views. For each set of columns the finest view is made from
    the whole table; coarser views of the same columns are summed from that one.
    """

    def __init__(self, attributes: Sequence[Attribute], known: Sequence[ViewCounts]) -> None:
        self.attributes = tuple(attributes)
        self.sensitive = sensitive_place(attributes)
        self.nothing: Resolution = (0,) * len(self.attributes)
        self._known = tuple(known)
        self._counts: dict[Resolution, ViewCounts] = {}
        self._n_kept = 0
        self._entropies: dict[Resolution, float] = {}
        self._matrices: dict[Resolution, tuple[CodeArray, IntArray]] = {}
        self._blocks: dict[tuple[Resolution, Resolution], Blocks] = {}
        self._expected_leaves: dict[tuple[int, int], float] = {}

    def counts(self, resolution: Resolution) -> ViewCounts:
        """The counts of one view."""
        found = self._counts.get(resolution)
        if found is None:
            found = project(self._source(resolution), resolution, self.attributes)
            self._keep(found)
        return found

    def _keep(self, counts: ViewCounts) -> None:
        """Keep counts; where there are too many, forget the oldest."""
        self._counts[counts.resolution] = counts
        self._n_kept += counts.codes.size
        while self._n_kept > MOST_KEPT and len(self._counts) > 1:
            oldest = self._counts.pop(next(iter(self._counts)))
            self._n_kept -= oldest.codes.size

    def _source(self, resolution: Resolution) -> ViewCounts:
        """The smallest known counts that this view can be summed from."""
        bases = [known for known in self._known if is_within(resolution, known.resolution)]
        base = min(bases, key=len)
        finest = tuple(b if r else 0 for r, b in zip(resolution, base.resolution, strict=True))
        if finest in (resolution, base.resolution):
            return base
        return self.counts(finest)

    def entropy(self, resolution: Resolution) -> float:
        """The entropy of one view, in nats."""
        found = self._entropies.get(resolution)
        if found is None:
            found = self._entropies[resolution] = self.counts(resolution).entropy
        return found

    def spread(self, place: int, resolution: int) -> float:
        """E[log child]: what is lost by spreading one column's labels evenly over their values."""
        key = (place, resolution)
        if key not in self._expected_leaves:
            alone = tuple(resolution if p == place else 0 for p in range(len(self.attributes)))
            log_leaves = self.attributes[place].log_leaves[resolution]
            if resolution == 0:
                self._expected_leaves[key] = float(log_leaves[0])
            else:
                counts = self.counts(alone)
                logs = log_leaves[counts.codes[:, place]]
                self._expected_leaves[key] = float(logs @ counts.people) / counts.total
        return self._expected_leaves[key]

    def is_sensitive(self, resolution: Resolution) -> bool:
        """Whether a view shows the sensitive column."""
        return self.sensitive is not None and resolution[self.sensitive] > 0

    def without_sensitive(self, resolution: Resolution) -> Resolution:
        """The same view with the sensitive column suppressed."""
        return tuple(0 if place == self.sensitive else r for place, r in enumerate(resolution))

    def matrix(self, resolution: Resolution) -> tuple[CodeArray, IntArray]:
        """A view with the sensitive column as combinations (of the rest) × sensitive values."""
        if resolution not in self._matrices:
            self._matrices[resolution] = self._matrix(resolution)
        return self._matrices[resolution]

    def _matrix(self, resolution: Resolution) -> tuple[CodeArray, IntArray]:
        if self.sensitive is None:
            raise RuleError("the table has no sensitive column: there is no matrix of its values")
        counts, rest = self.counts(resolution), self.counts(self.without_sensitive(resolution))
        n_values = len(self.attributes[self.sensitive].values)
        if len(rest) * n_values > LARGEST_MATRIX:
            raise RuleError(
                f"a view has {len(rest):,} combinations of {n_values:,} sensitive values, too "
                f"many to check at once: coarsen it"
            )
        without = counts.codes.copy()
        without[:, self.sensitive] = 0
        row = places_of(without, rest.codes, widths(self.attributes, rest.resolution))
        dense = np.zeros((len(rest), n_values), dtype=np.int64)
        dense[row, counts.codes[:, self.sensitive]] = counts.people
        return rest.codes, dense

    def blocks(self, resolution: Resolution, separator: Resolution) -> Blocks:
        """A view's combinations without the sensitive column, by those of a coarser view."""
        key = (self.without_sensitive(resolution), self.without_sensitive(separator))
        if key not in self._blocks:
            fine, coarse = self.counts(key[0]), self.counts(key[1])
            codes = coarsened(fine.codes, key[0], key[1], self.attributes)
            of_row = places_of(codes, coarse.codes, widths(self.attributes, key[1]))
            rows = Ragged.group_by(of_row, len(coarse))
            self._blocks[key] = Blocks(of_row, rows)
        return self._blocks[key]
