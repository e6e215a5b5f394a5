"""The attacker who knows how the sensitive value depends on the quasi-identifiers [Li2009].

The smaller their bandwidth B, the more they know. Before the release, their belief about a person
at q is the average of the table's people, weighted by a product kernel of the distances from q
[Li2009, Eq. 2]. They have the release and know who is in which group. They succeed as far as the
release changes their beliefs:

    prior = prior_beliefs(table, bandwidth=0.3)
    after = posterior_beliefs(prior, release.group_of_row, table.value_of_row)
    gain = belief_gain(prior, after, distances=matrix)

Memory: the result (cells × values) and working tables of at most WORKING_BYTES, made smaller by
taking the values in slices; never rows × rows nor the grid of all combinations.
"""

from __future__ import annotations

import numpy as np

from gyges.adversaries.kernel_columns import (
    Bandwidth,
    ColumnKernel,
    Distances,
    Kernel,
    column_kernels,
)
from gyges.adversaries.kernel_order import elimination_order
from gyges.arrays import CodeArray, FloatArray, IntArray
from gyges.data.cells import Cells, distinct_rows, row_keys
from gyges.data.table import Table, check_table
from gyges.errors import RuleError
from gyges.kernels.kernel_smoothing import sum_under_kernel
from gyges.ragged import Ragged

WORKING_BYTES = 1 << 26  # 64 MB: of larger tables, most of the time goes into fresh memory
NO_LIMIT = 1 << 62
_FINDING = 10  # how many additions take as long as finding what to add


def prior_beliefs(
    table: Table,
    bandwidth: Bandwidth,
    kernel: Kernel = "epanechnikov",
    distances: Distances | None = None,
) -> FloatArray:
    """The belief about each row's person before the release: rows × sensitive values.

    Rows are in table order, columns in the order of `table.sensitive_values`; rows add up to 1.

    Args:
        bandwidth: one number for all quasi-identifiers, or `{column: number}`. Distances go from
            0 to 1; the smaller the bandwidth, the more the attacker knows.
        kernel: "epanechnikov", or "uniform" (equal weight up to and including the bandwidth, so
            that 1 is the attacker of t-closeness, who knows the whole table's shares).
        distances: `{column: matrix}` over the column's distinct values in the data, sorted. Other
            columns: numbers by range, categories by hierarchy, else 0 or 1.
    """
    check_table(table)
    return cell_priors(table.cells, bandwidth, kernel, distances)[table.cell_of_row]


def cell_priors(
    cells: Cells,
    bandwidth: Bandwidth,
    kernel: Kernel = "epanechnikov",
    distances: Distances | None = None,
) -> FloatArray:
    """The belief about people of each cell: cells × sensitive values."""
    if cells.values_per_person != "one" or len(cells.sensitive) == 0:
        raise RuleError(
            "beliefs are defined for one sensitive value per person: name a sensitive column, and "
            "for several values per person use a skyline instead"
        )
    sums = kernel_sums(cells, bandwidth, kernel, distances)
    sums /= sums.sum(axis=1, keepdims=True)
    return sums


def kernel_sums(
    cells: Cells,
    bandwidth: Bandwidth,
    kernel: Kernel = "epanechnikov",
    distances: Distances | None = None,
) -> FloatArray:
    """The kernel's weights of the people with each value around each cell: cells × values."""
    columns = column_kernels(cells, bandwidth, kernel, distances)
    return _sums(cells, _path(cells, columns), is_uniform=kernel == "uniform")


def prior_steps(
    cells: Cells,
    bandwidth: Bandwidth,
    kernel: Kernel = "epanechnikov",
    distances: Distances | None = None,
    *,
    most: int,
) -> tuple[int, float]:
    """About how many numbers `cell_priors` adds up; counting stops soon after `most` visits.

    Also the share of the cells for which they were counted.

    Finding a number to add takes about ten times as long as adding it, and is repeated for every
    slice of values. Counting is done for one slice of one value.
    """
    path = _path(cells, column_kernels(cells, bandwidth, kernel, distances))
    _, n_visited, n_added, n_done = path.sums(np.ones((len(cells), 1)), kernel == "uniform", most)
    n_values = max(len(cells.sensitive), 1)
    n_slices = -(-n_values // path.width(n_values))
    steps = n_slices * _FINDING * (n_visited + path.n_table_rows) + n_added * n_values
    return steps, max(n_done, 1) / max(len(cells), 1)


def _path(cells: Cells, columns: list[ColumnKernel]) -> _Path:
    order = elimination_order([len(c.codes) for c in columns], len(cells))
    ranked = np.zeros(cells.codes.shape, dtype=np.int32)
    for i, c in enumerate(columns):
        ranked[:, i] = np.searchsorted(c.codes, cells.codes[:, i])
    return _Path(ranked[:, order], [columns[i] for i in order])


def _sums(cells: Cells, path: _Path, is_uniform: bool) -> FloatArray:
    """Σ_x K(q, x) N(x, s) at every cell q, for every value s."""
    n_values = len(cells.sensitive)
    sums = np.empty((len(cells), n_values))
    width = path.width(n_values)
    for first in range(0, n_values, width):
        last = min(first + width, n_values)
        counts = np.zeros((len(cells), last - first))
        inside = (cells.value_codes >= first) & (cells.value_codes < last)
        counts[cells.cell_of_entry[inside], cells.value_codes[inside] - first] = cells.value_counts[
            inside
        ]
        sums[:, first:last], *_ = path.sums(counts, is_uniform)
    return sums


class _Path:
    """The endings of the cells after each column, as `sum_under_kernel` takes them."""

    def __init__(self, codes: CodeArray, columns: list[ColumnKernel]) -> None:
        self.columns = columns
        keys = row_keys(codes, self._widths(len(columns)))
        self.sorted = np.argsort(keys, kind="stable")
        self.codes = np.ascontiguousarray(codes[self.sorted])
        firsts: list[CodeArray] = []
        endings: list[IntArray] = []
        starts = [0]
        level = self.codes
        for _ in columns:
            shorter, where = distinct_rows(level[:, 1:], self._widths(level.shape[1] - 1))
            firsts.append(level[:, 0])
            starts.append(starts[-1] + len(level))
            endings.append(starts[-1] + where)
            level = shorter
        self.n_table_rows = starts[-1] + 1
        self.firsts = np.concatenate([*firsts, [0]]).astype(np.int64)
        self.endings = np.concatenate([*endings, [0]]).astype(np.int64)
        self.starts = np.array(starts, dtype=np.int64)

    def width(self, n_values: int) -> int:
        """How many values are taken at a time."""
        return max(1, min(n_values, WORKING_BYTES // (8 * self.n_table_rows)))

    def _widths(self, n_last: int) -> list[int]:
        return [len(c.codes) for c in self.columns[len(self.columns) - n_last :]]

    def sums(
        self, counts: FloatArray, is_uniform: bool, most: int = NO_LIMIT
    ) -> tuple[FloatArray, int, int, int]:
        """Σ_x K(q, x) · counts(x) at every cell q, in the order of the cells.

        Also how many rows were visited, how many added up, and for how many cells. After more than
        `most` visits the sums are not complete.
        """
        table = np.empty((self.n_table_rows, counts.shape[1]))
        table[: len(counts)] = counts[self.sorted]
        first_change = np.zeros(len(self.codes), dtype=np.int64)
        if len(self.columns):
            first_change[1:] = (self.codes[1:] != self.codes[:-1]).argmax(axis=1)
        numbers = Ragged.from_parts([c.numbers for c in self.columns])
        no_ancestors = np.zeros(0, dtype=np.int64)
        ancestors = Ragged.from_parts(
            [no_ancestors if c.ancestors is None else c.ancestors.ravel() for c in self.columns]
        )
        out = np.empty_like(counts)
        n_visited, n_added, n_done = sum_under_kernel(
            self.codes,
            first_change,
            np.array([c.kind for c in self.columns], dtype=np.int64),
            np.array([len(c.codes) for c in self.columns], dtype=np.int64),
            np.array([c.length for c in self.columns], dtype=np.float64),
            np.array([c.bandwidth for c in self.columns], dtype=np.float64),
            is_uniform,
            numbers.values.astype(np.float64),
            numbers.starts,
            ancestors.values.astype(np.int64),
            ancestors.starts,
            self.firsts,
            self.endings,
            self.starts,
            table,
            out,
            most,
        )
        unsorted = np.empty_like(out)
        unsorted[self.sorted] = out
        return unsorted, int(n_visited), int(n_added), int(n_done)
