"""Views as releases of groups: everyone is in one row of each, and a row counts their values.

A view with the sensitive column divides people by its other columns, at its levels, and shows how
often each value occurs in every part. So an attacker who knows a person's quasi-identifiers knows
their part of each view, and reads all views together with any other releases by joint worlds.
A view without the sensitive column says who there is, and nothing of values.
"""

from __future__ import annotations

import numpy as np

from gyges.data.cells import distinct_rows
from gyges.marginals.model import Marginals
from gyges.marginals.views import View
from gyges.release.groups import Groups
from gyges.release.release import Release
from gyges.release.statements import Roles


def releases_of_views(marginals: Marginals) -> list[Release]:
    """A release of groups for each view with the sensitive column."""
    found = [_release(view, marginals) for view in marginals.views]
    return [one for one in found if one is not None]


def _release(view: View, marginals: Marginals) -> Release | None:
    attributes, resolution = view.attributes, view.counts.resolution
    places = [p for p, one in enumerate(attributes) if one.name in view.levels]
    quasi = [p for p in places if not attributes[p].is_sensitive]
    sensitive = next((p for p in places if attributes[p].is_sensitive), None)
    if sensitive is None:
        return None
    labels = {p: attributes[p].labels[resolution[p]] for p in quasi}
    codes, group = distinct_rows(view.counts.codes[:, quasi], [len(labels[p]) for p in quasi])
    groups = Groups.from_entries(
        sizes=np.bincount(group, weights=view.people, minlength=len(codes)).astype(np.int64),
        group_of_entry=group,
        value_codes=view.counts.codes[:, sensitive].astype(np.int32),
        value_counts=view.people,
        values=list(attributes[sensitive].values),
    )
    names = tuple(attributes[p].name for p in quasi)
    return Release(
        form="generalized",
        roles=Roles(names, attributes[sensitive].name, ()),
        groups=groups,
        labels={
            attributes[p].name: [labels[p][code] for code in codes[:, i]]
            for i, p in enumerate(quasi)
        },
        make_tables=dict,
        method="marginals",
        rows_are_people=marginals.rows_are_people,
    )
