"""One trial in detail: its groups, its statistics beside the original's, and its first rows.

These are exact figures of the original and rows of people: for the owner's eyes alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gyges.auditing.before_after_sheets import sheets_of
from gyges.auditing.finding import Sheet
from gyges.data.cells import locate
from gyges.data.counting import encode_rows
from gyges.data.encoding import NO_CODE
from gyges.data.table import Table
from gyges.data.values import text_of
from gyges.engines.first_rows import first_rows
from gyges.release.group_forms import GROUP_FORMS
from gyges.release.labels import group_labels
from gyges.release.partition_of_cells import LEFT_OUT
from gyges.search.centroids import centroid_labels
from gyges.search.methods import METHODS, Method
from gyges.utility.before_after import BeforeAfter, partition_before_after
from gyges.workflow.trial_release import TrialRelease

MOST_ROWS = 6
_MOST_QUESTIONS = 6
SUPPRESSED = "(suppressed)"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShownRow:
    """A row of the original, and what is published in its place."""

    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TrialDetails:
    """What a person compares."""

    compared: BeforeAfter
    sheets: dict[str, Sheet]
    columns: tuple[str, ...]
    rows: tuple[ShownRow, ...]
    sizes: tuple[int, int, float]  # the smallest group, the largest, the average


def trial_details(table: Table, trial: TrialRelease) -> TrialDetails:
    """Compare a trial with the original."""
    compared = partition_before_after(trial.partition, _pairs(table))
    names = tuple(table.schema.quasi_identifiers)
    sizes = trial.groups.sizes
    return TrialDetails(
        compared,
        sheets_of(compared),
        (*names, *([table.schema.sensitive] if table.schema.sensitive else [])),
        _rows(table, trial),
        (int(sizes.min()), int(sizes.max()), float(sizes.mean())),
    )


def _pairs(table: Table) -> Sequence[tuple[str, ...]]:
    """Questions about two columns: how many people have each pair of values."""
    schema = table.schema
    names = list(schema.quasi_identifiers)
    if schema.sensitive and schema.values_per_person == "one":
        return [(name, schema.sensitive) for name in names][:_MOST_QUESTIONS]
    return [*itertools.combinations(names, 2)][:_MOST_QUESTIONS]


def _rows(table: Table, trial: TrialRelease) -> tuple[ShownRow, ...]:
    """The first rows that are used, and the labels of their groups."""
    schema, cells = table.schema, table.cells
    rows = first_rows(table.source, 4 * MOST_ROWS)
    codes = encode_rows(rows, table.quasi_coders)
    used = np.flatnonzero((codes != NO_CODE).all(axis=1))[:MOST_ROWS]
    if not len(used):
        return ()
    group = trial.partition.group_of_cell[locate(codes[used], cells)]
    labels = _labels(trial)
    names = list(schema.quasi_identifiers)
    shown = names if schema.sensitive is None else [*names, schema.sensitive]
    texts = {name: [text_of(one) for one in rows.column(name).to_pylist()] for name in shown}
    found = []
    for row, at in zip(used, group, strict=True):
        before = tuple(texts[name][row] for name in shown)
        if at == LEFT_OUT:
            after: tuple[str, ...] = (SUPPRESSED,) * len(shown)
        else:
            own = before[: len(names)] if labels is None else [column[at] for column in labels]
            after = (*own, *before[len(names) :])
        found.append(ShownRow(before, after))
    return tuple(found)


def _labels(trial: TrialRelease) -> Sequence[Sequence[str]] | None:
    """Columns × groups: what is published; None where values are published unchanged."""
    method = METHODS[trial.method]
    assert isinstance(method, Method)
    form = GROUP_FORMS[method.form]
    if form.is_exact:
        return None
    if form.is_averaged:
        return list(centroid_labels(trial.partition).values())
    return group_labels(trial.partition)
