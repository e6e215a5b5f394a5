"""`gy.measure_utility`: the utility measures of any groups, all of them or those named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

import numpy as np

from gyges.arguments import items, shown
from gyges.arrays import IntArray
from gyges.data.table import Table, check_table
from gyges.errors import RuleError
from gyges.release.partition_of_cells import Partition
from gyges.utility import known_measures
from gyges.utility.certainty_penalty import column_penalties
from gyges.utility.grouping import Grouping, ShownAs
from gyges.utility.known_measures import BY_WEIGHT
from gyges.utility.loss import loss, loss_by_weight


def measure_utility(
    table: Table,
    group_of_row: IntArray,
    *,
    levels: Mapping[str, int] | None = None,
    measures: Iterable[str] | None = None,
) -> dict[str, float]:
    """What survives of a table when its rows are published in these groups.

    A negative group means that the row is suppressed. `levels` is the level of each column where
    all groups are published at one; else each group has its narrowest label. `measures` names the
    measures to compute; without it, all that apply to the table are computed.
    """
    grouping = Grouping.of_rows(check_table(table), group_of_row, ShownAs(levels=levels))
    compute = _computations(grouping)
    if table.schema.weight is not None:
        compute[BY_WEIGHT] = lambda: utility_by_weight(grouping, table, group_of_row)[BY_WEIGHT]
    names = list(compute) if measures is None else items(measures, "measures", "names")
    for name in names:
        if not isinstance(name, str) or name not in compute:
            raise RuleError(
                f"measures contains {shown(name)}, which does not apply to this table: choose from "
                f"{', '.join(compute)}"
            )
    return {str(name): compute[str(name)]() for name in names}


def utility_by_weight(grouping: Grouping, table: Table, group_of_row: IntArray) -> dict[str, float]:
    """The loss of the people for whom the rows of a survey stand; nothing without weights."""
    if table.schema.weight is None:
        return {}
    group = np.where(table.is_first_row, group_of_row, -1)
    weights = np.where(table.is_first_row, table.weight_of_row, 0.0)
    return {BY_WEIGHT: loss_by_weight(grouping, np.maximum(group, -1), weights)}


def partition_utility(partition: Partition) -> dict[str, float]:
    """The same for a partition, from its counts alone."""
    return grouping_utility(Grouping.of_partition(partition))


def loss_of_partition(partition: Partition) -> float:
    """The "loss" of a partition alone."""
    return loss(Grouping.of_partition(partition))


def grouping_utility(grouping: Grouping) -> dict[str, float]:
    """The same for people who are counted in their groups."""
    return {name: compute() for name, compute in _computations(grouping).items()}


def _computations(grouping: Grouping) -> dict[str, Callable[[], float]]:
    """How each measure that applies is computed, by its name."""
    about_values = [one for one in known_measures.MEASURES if one.reads_values]
    compute: dict[str, Callable[[], float]] = {
        one.name: partial(one.compute, grouping)
        for one in known_measures.MEASURES
        if not one.reads_values
    }
    for domain in grouping.cells.domains:
        compute[f"ncp_{domain.name}"] = partial(_column_penalty, grouping, domain.name)
    if grouping.has_one_value_each:
        compute |= {one.name: partial(one.compute, grouping) for one in about_values}
    return compute


def _column_penalty(grouping: Grouping, name: str) -> float:
    return column_penalties(grouping)[name]
