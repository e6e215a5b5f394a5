"""The kinds of rows that a release has, and how many people have a row of each kind.

Of a release that was just made, groups and cells say it, and no row has to be made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import IntArray
from gyges.data.encoding import dictionary
from gyges.data.values import text_of
from gyges.release.partition_of_cells import Partition
from gyges.release.release import Release

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, eq=False)
class KindsOfRows:
    """`people[i]` people have row `rows[i]`; the same row may occur several times.

    Counted kinds do not have the sensitive column: `values` says how many rows show each value.
    """

    rows: pa.Table
    people: IntArray
    sensitive: str | None  # the sensitive column, where a row shows it
    values: IntArray  # how many rows show each sensitive value; none where no row shows one


def kinds_of_rows(release: Release) -> KindsOfRows:
    """Counted where the partition is known and no column is published unchanged."""
    made = release.partition
    if made is None or release.roles.published:
        return _each_row(release)
    rows, people = _of_cells(release, made) if release.group_form.is_exact else _of_groups(release)
    sensitive, groups = release.roles.sensitive, release.groups
    if groups.values_per_person != "one" or release.group_form.is_exact or sensitive is None:
        return KindsOfRows(rows, people, None, np.empty(0, dtype=np.int64))
    texts = [text_of(value) for value in groups.values]
    place = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    shown = np.array([place[text] for text in texts], dtype=np.int64)[groups.value_codes]
    values = np.bincount(shown, weights=groups.value_counts).astype(np.int64)
    return KindsOfRows(rows, people, sensitive, values)


def _each_row(release: Release) -> KindsOfRows:
    rows = release.tables.get("data", release.tables.get("people"))
    assert rows is not None
    ones = np.ones(rows.num_rows, dtype=np.int64)
    sensitive = release.roles.sensitive
    if sensitive not in rows.column_names:
        return KindsOfRows(rows, ones, None, np.empty(0, dtype=np.int64))
    _, places = dictionary(rows.column(sensitive))
    return KindsOfRows(rows, ones, sensitive, np.bincount(places).astype(np.int64))


def _of_groups(release: Release) -> tuple[pa.Table, IntArray]:
    """A row of labels for each group."""
    import pyarrow as pa

    return pa.table(dict(release.labels)), release.groups.sizes


def _of_cells(release: Release, made: Partition) -> tuple[pa.Table, IntArray]:
    """A row of exact quasi-identifiers for each cell, as often as it has people in a group."""
    import pyarrow as pa

    cell, _, people = made.members()
    columns = {}
    for place, name in enumerate(release.labels):
        texts = pa.array([text_of(value) for value in made.cells.domains[place].values])
        columns[name] = texts.take(pa.array(made.cells.codes[cell, place]))
    return pa.table(columns), people
