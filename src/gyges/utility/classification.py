"""The classification metric: how many people differ from their group's majority."""

from __future__ import annotations

from gyges.utility.grouping import Grouping


def classification_metric(grouping: Grouping) -> float:
    """The share of people who are suppressed or not of their group's majority class [Iyengar2002].

    The class is the sensitive value.
    """
    groups = grouping.groups
    minority = int(groups.sizes.sum() - groups.most_frequent.sum())
    return (minority + grouping.n_left_out) / max(grouping.n_people, 1)
