"""What the labels of a release show of each group, so that utility is measured as published."""

from __future__ import annotations

from typing import get_args

import numpy as np

from gyges.auditing.original_places import OriginalPlaces
from gyges.data.hierarchy_rules import TOP
from gyges.release.labels import local_labels, node_labels
from gyges.release.missing_labels import known_part
from gyges.release.partition_of_cells import Labels
from gyges.release.release import Release
from gyges.search.methods import method_of_groups
from gyges.utility.grouping import ShownAs


def shown_as(release: Release, places: OriginalPlaces) -> ShownAs | None:
    """How a release labels its groups; None where its labels are none that gyges makes.

    A release that was read states its labels only: they are compared with those that each way of
    labelling gives the groups of the original.
    """
    made = release.partition
    if made is not None:
        return ShownAs(made.levels, made.hidden, made.labels)
    names = list(places.table.schema.quasi_identifiers)
    if not release.group_form.has_true_labels:
        return ShownAs()
    stated = [[known_part(one) or one for one in release.labels[name]] for name in names]
    method = method_of_groups(release.method)
    if method is not None and method.hides_cells:
        return ShownAs(hidden=np.array([[one == TOP for one in column] for column in stated]).T)
    grouping = places.grouping(ShownAs())
    present = np.unique(places.group_of_row[places.group_of_row >= 0])
    wanted = [[column[g] for g in present] for column in stated]
    columns = [(grouping.cells.domains[j], grouping.codes(j)) for j in range(len(names))]
    for kind in () if method is not None and method.has_levels else get_args(Labels):
        if [local_labels(*column, kind).listed() for column in columns] == wanted:
            return ShownAs(labels=kind)
    levels = {}
    for (domain, codes), texts in zip(columns, wanted, strict=True):
        fits = [
            level
            for level in range(max(domain.height, 1) + 1)
            if node_labels(domain, codes.values[codes.starts[:-1]], level).listed() == texts
        ]
        if not fits:
            return None
        levels[domain.name] = fits[0]
    return ShownAs(levels=levels)
