"""`gy.measure_utility`: every utility measure in one call. To add one, add its line to MEASURES."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from gyges.arrays import IntArray
from gyges.data.table import Table, check_table
from gyges.release.partition_of_cells import Partition
from gyges.utility.ambiguity import ambiguity
from gyges.utility.certainty_penalty import column_penalties, gcp
from gyges.utility.classification import classification_metric
from gyges.utility.divergence import kl_divergence
from gyges.utility.group_size import average_group_size, discernibility
from gyges.utility.grouping import Grouping, ShownAs
from gyges.utility.height import generalization_height, precision
from gyges.utility.k_marginal import k_marginal, sample_equivalent
from gyges.utility.loss import loss, loss_by_weight, loss_of_nodes, loss_of_sets
from gyges.utility.non_uniform_entropy import non_uniform_entropy


@dataclass(frozen=True, slots=True)
class UtilityMeasure:
    """A number that says how much of a table a release keeps."""

    name: str
    compute: Callable[[Grouping], float]
    meaning: str  # for readers who do not know the name
    is_monotone: bool = False  # merging groups never makes it smaller, and smaller is better
    reads_values: bool = False  # only for one sensitive value per person


MEASURES: tuple[UtilityMeasure, ...] = (
    UtilityMeasure("groups", lambda grouping: grouping.n_groups, "groups of people who look alike"),
    UtilityMeasure("left_out", lambda grouping: grouping.n_left_out, "people in no group"),
    UtilityMeasure("average_group_size", average_group_size, "people per group", is_monotone=True),
    UtilityMeasure(
        "discernibility", discernibility, "sum of squared group sizes; less is better",
        is_monotone=True,
    ),
    UtilityMeasure(
        "gcp", gcp, "average over the columns of what the people of a group span: 0 none, 1 all",
        is_monotone=True,
    ),
    UtilityMeasure(
        "ambiguity", ambiguity, "number of original rows that fit the published rows, summed",
        is_monotone=True,
    ),
    UtilityMeasure(
        "non_uniform_entropy", non_uniform_entropy,
        "bits of the original values that the labels hide",
        is_monotone=True,
    ),
    UtilityMeasure("loss", loss, "average share of a column's values that a label covers"),
    UtilityMeasure(
        "loss_of_nodes", loss_of_nodes, "the same, if every label were a node of its hierarchy"
    ),
    UtilityMeasure(
        "loss_of_sets", loss_of_sets, "the same, if labels were tight sets and ranges"
    ),
    UtilityMeasure(
        "generalization_height", generalization_height,
        "levels that labels were raised, summed over the columns",
    ),
    UtilityMeasure("precision", precision, "share of the levels that are left; 1: all are left"),
    UtilityMeasure(
        "k_marginal", k_marginal,
        "NIST's score of how well all pairs of columns are kept: 1000 completely, 0 not at all",
    ),
    UtilityMeasure(
        "k_marginal_sample", sample_equivalent,
        "share of the people in a random sample that would score as much as the release",
    ),
    UtilityMeasure(
        "kl_divergence", kl_divergence,
        "distance between the published and the original distribution of values; 0: none",
        reads_values=True,
    ),
    UtilityMeasure(
        "classification_metric", classification_metric,
        "share of people whose value differs from the most frequent one of their group",
        reads_values=True,
    ),
)  # fmt: skip
BY_WEIGHT = "loss_by_weight"
LABEL_MEASURES = ("loss", "precision", "height")  # that a lattice minimizes by its labels alone
_COLUMN = (
    "what the people of a group span: the share of the range of numbers and dates, or of the "
    "values under the lowest common term of a hierarchy; in a column of categories without a "
    "hierarchy, any two different values count as all"
)


def in_words(name: str) -> str:
    """What a number of `measure_utility` means, for readers who do not know its name."""
    if name == BY_WEIGHT:
        return "loss of the people of the population for whom the rows stand, by survey weights"
    return next((measure.meaning for measure in MEASURES if measure.name == name), _COLUMN)


def monotone_measures() -> dict[str, UtilityMeasure]:
    """The measures that merging groups never makes smaller, by name."""
    return {measure.name: measure for measure in MEASURES if measure.is_monotone}


def measure_utility(
    table: Table, group_of_row: IntArray, *, levels: Mapping[str, int] | None = None
) -> dict[str, float]:
    """What survives of a table when its rows are published in these groups.

    A negative group means that the row is suppressed. `levels` is the level of each column where
    all groups are published at one; else each group has its narrowest label.
    """
    shown = ShownAs(levels=levels)
    grouping = Grouping.of_rows(check_table(table), group_of_row, shown)
    return {**grouping_utility(grouping), **utility_by_weight(grouping, table, group_of_row)}


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
    measured = {one.name: one.compute(grouping) for one in MEASURES if not one.reads_values}
    measured |= {f"ncp_{name}": ncp for name, ncp in column_penalties(grouping).items()}
    if grouping.has_one_value_each:
        measured |= {one.name: one.compute(grouping) for one in MEASURES if one.reads_values}
    return measured
