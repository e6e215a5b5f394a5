"""`gy.measure_utility`: every loss in one call."""

from __future__ import annotations

import numpy as np

from gyges.arrays import IntArray
from gyges.data.table import Table, check_table
from gyges.release.groups import Groups
from gyges.release.partition import Partition
from gyges.utility.certainty_penalty import column_penalties, gcp
from gyges.utility.classification import classification_metric
from gyges.utility.divergence import kl_divergence
from gyges.utility.group_size import average_group_size, discernibility
from gyges.utility.grouping import Grouping
from gyges.utility.height import generalization_height, precision
from gyges.utility.loss import loss

_IN_WORDS = {
    "groups": "groups of people who look alike",
    "left_out": "people in no group",
    "average_group_size": "people in a group",
    "discernibility": "group sizes, squared and added up: less is better",
    "gcp": "share of the columns' detail that is lost: 0 none, 1 all",
    "loss": "the same, counted in the values that a label stands for",
    "generalization_height": "levels that labels were raised, all columns together",
    "precision": "share of the levels that are left: 1 all",
    "kl_divergence": "how far the sensitive values are from where they were: 0 not at all",
    "classification_metric": "share of people who differ from most of their group",
}


def in_words(measure: str) -> str:
    """What a measure of `measure_utility` says, for people who don't know its name."""
    return _IN_WORDS.get(measure, "share of this column's detail that is lost: 0 none, 1 all")


def measure_utility(table: Table, group_of_row: IntArray) -> dict[str, float]:
    """What survives of a table when its rows are published in these groups.

    A negative group means that the row is left out.
    """
    grouping = Grouping.of_rows(check_table(table), group_of_row)
    groups = None
    if table.schema.values_per_person == "one" and table.schema.sensitive:
        kept = np.asarray(group_of_row) >= 0
        _, group = np.unique(np.asarray(group_of_row)[kept], return_inverse=True)
        groups = Groups.from_entries(
            sizes=grouping.sizes,
            group_of_entry=group.astype(np.int64),
            value_codes=table.value_of_row[kept],
            value_counts=np.ones(int(kept.sum()), dtype=np.int64),
            values=table.sensitive_values,
        )
    return _all(grouping, groups)


def partition_utility(partition: Partition) -> dict[str, float]:
    """The same of a partition, from its counts alone."""
    one = partition.cells.values_per_person == "one"
    return _all(Grouping.of_partition(partition), partition.groups if one else None)


def _all(grouping: Grouping, groups: Groups | None) -> dict[str, float]:
    measured: dict[str, float] = {
        "groups": grouping.n_groups,
        "left_out": grouping.n_left_out,
        "average_group_size": average_group_size(grouping),
        "discernibility": discernibility(grouping),
        "gcp": gcp(grouping),
        "loss": loss(grouping),
        "generalization_height": generalization_height(grouping),
        "precision": precision(grouping),
    }
    measured |= {f"ncp_{name}": ncp for name, ncp in column_penalties(grouping).items()}
    if groups is not None:
        measured["kl_divergence"] = kl_divergence(grouping, groups)
        measured["classification_metric"] = classification_metric(grouping, groups)
    return measured
