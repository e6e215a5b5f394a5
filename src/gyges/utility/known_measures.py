"""Every utility measure, one line each. To add one, write its file and add its line to MEASURES.

A measure's file is loaded when the measure is computed: help and refusals only need the names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gyges.later import Later

if TYPE_CHECKING:
    from gyges.utility.grouping import Grouping


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
    UtilityMeasure(
        "average_group_size",
        Later("gyges.utility.group_size", "average_group_size"),
        "people per group",
        is_monotone=True,
    ),
    UtilityMeasure(
        "discernibility",
        Later("gyges.utility.group_size", "discernibility"),
        "sum of squared group sizes; less is better",
        is_monotone=True,
    ),
    UtilityMeasure(
        "gcp",
        Later("gyges.utility.certainty_penalty", "gcp"),
        "average over the columns of what the people of a group span: 0 none, 1 all",
        is_monotone=True,
    ),
    UtilityMeasure(
        "ambiguity",
        Later("gyges.utility.ambiguity", "ambiguity"),
        "number of original rows that fit the published rows, summed",
        is_monotone=True,
    ),
    UtilityMeasure(
        "non_uniform_entropy",
        Later("gyges.utility.non_uniform_entropy", "non_uniform_entropy"),
        "bits of the original values that the labels hide",
        is_monotone=True,
    ),
    UtilityMeasure(
        "loss",
        Later("gyges.utility.loss", "loss"),
        "average share of a column's values that a label covers",
    ),
    UtilityMeasure(
        "loss_of_nodes",
        Later("gyges.utility.loss", "loss_of_nodes"),
        "the same, if every label were a node of its hierarchy",
    ),
    UtilityMeasure(
        "loss_of_sets",
        Later("gyges.utility.loss", "loss_of_sets"),
        "the same, if labels were tight sets and ranges",
    ),
    UtilityMeasure(
        "generalization_height",
        Later("gyges.utility.height", "generalization_height"),
        "levels that labels were raised, summed over the columns",
    ),
    UtilityMeasure(
        "precision",
        Later("gyges.utility.height", "precision"),
        "share of the levels that are left; 1: all are left",
    ),
    UtilityMeasure(
        "k_marginal",
        Later("gyges.utility.k_marginal", "k_marginal"),
        "NIST's score of how well all pairs of columns are kept: 1000 completely, 0 not at all",
    ),
    UtilityMeasure(
        "k_marginal_sample",
        Later("gyges.utility.k_marginal", "sample_equivalent"),
        "share of the people in a random sample that would score as much as the release",
    ),
    UtilityMeasure(
        "kl_divergence",
        Later("gyges.utility.divergence", "kl_divergence"),
        "distance between the published and the original distribution of values; 0: none",
        reads_values=True,
    ),
    UtilityMeasure(
        "classification_metric",
        Later("gyges.utility.classification", "classification_metric"),
        "share of people whose value differs from the most frequent one of their group",
        reads_values=True,
    ),
)
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
