"""The forms of a release: generalized, bucketized, microaggregated.

Each turns a partition into published tables. All reach the same `Groups`, and reading a published
table back gives the same `Groups` again: groups are numbered by their labels' order as text.
Where that order does not tell groups apart (equal labels; buckets, which show everybody's own
values) their numbers are drawn at random, so that a number says nothing about the original order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import CodeArray, IntArray
from gyges.data.arrow_arrays import arrow_numbers, arrow_texts
from gyges.data.encoding import Coder
from gyges.data.schema import Schema
from gyges.data.table import Table
from gyges.data.values import text_of
from gyges.errors import ReleaseError
from gyges.release.labels import group_labels
from gyges.release.partition import LEFT_OUT, Partition, Pieces
from gyges.release.release import Release
from gyges.release.statements import Form, Roles

if TYPE_CHECKING:
    import pyarrow as pa


def make_release(
    table: Table,
    partition: Partition,
    form: Form,
    *,
    rng: np.random.Generator,
    labels: Mapping[str, list[str]] | None = None,
) -> Release:
    """Publish a partition of a table in one of the forms.

    `labels` replaces the narrowest true labels, for example by centroids. The order of the
    published rows comes from `rng`.
    """
    if form not in ("generalized", "bucketized", "microaggregated"):
        raise ReleaseError(
            f"form is {form!r}: choose 'generalized', 'bucketized' or 'microaggregated'"
        )
    names = list(table.schema.quasi_identifiers)
    if labels is None:
        labels = dict(zip(names, group_labels(partition), strict=True))
    shown = [] if form == "bucketized" else [labels[name] for name in names]
    order = _by_label(shown, rng.permutation(partition.n_groups))
    partition = _renumbered(partition, order, rng)
    labels = {name: [labels[name][g] for g in order] for name in names}
    return Release(
        form=form,
        roles=roles_of(table.schema, table.coders),
        groups=partition.groups,
        labels=labels,
        make_tables=lambda: _tables(table, partition, form, labels, rng),
        levels=partition.levels,
        rows_are_people=not table.schema.says_who_is_who,
        n_left_out=partition.n_left_out,
        notices=partition.notices,
        frame_kind=table.frame_kind,
        partition=partition,
        table=table,
    )


def roles_of(schema: Schema, coders: Mapping[str, Coder]) -> Roles:
    """What a release states of its columns."""
    kinds = {name: coder.domain.kind for name, coder in coders.items()}
    hierarchies = {
        name: schema.hierarchies[name].to_data()
        for name in schema.quasi_identifiers
        if name in schema.hierarchies
    }
    return Roles(
        tuple(schema.quasi_identifiers),
        schema.sensitive,
        tuple(schema.published),
        kinds,
        hierarchies,
    )


def _by_label(labels: Sequence[Sequence[str]], by_chance: IntArray) -> IntArray:
    """The groups in the order of their labels; groups with equal labels in a random order."""
    ranks: list[IntArray] = []
    for column in labels:
        rank = {label: place for place, label in enumerate(sorted(set(column)))}
        ranks.append(np.fromiter(map(rank.__getitem__, column), np.int64, count=len(by_chance)))
    return np.lexsort([by_chance, *ranks[::-1]])


def _renumbered(partition: Partition, order: IntArray, rng: np.random.Generator) -> Partition:
    place = np.full(len(order) + 1, LEFT_OUT, dtype=np.int64)  # the last serves LEFT_OUT
    place[order] = np.arange(len(order))
    pieces = partition.pieces
    if pieces is not None:
        seed = int(rng.integers(2**63))
        pieces = Pieces(pieces.entry, place[pieces.group], pieces.count, seed)
    return replace(partition, group_of_cell=place[partition.group_of_cell], pieces=pieces)


def _tables(
    table: Table,
    partition: Partition,
    form: Form,
    labels: Mapping[str, list[str]],
    rng: np.random.Generator,
) -> dict[str, pa.Table]:
    if not table.schema.sensitive:
        return {"data": _people(table, partition, form, labels, rng)}
    if table.schema.values_per_person != "one" or form == "bucketized":
        people = _people(table, partition, form, labels, rng)
        return {"people": people, "sensitive": _sensitive(table, partition)}
    import pyarrow as pa

    group = partition.group_of_row(table)
    rows = rng.permutation(np.flatnonzero(group != LEFT_OUT))
    columns = _labelled(labels, group[rows])
    if _labels_repeat(labels, partition.n_groups):
        columns[_names(table).group_column] = arrow_numbers(group[rows] + 1)
    columns |= _published(table, rows)
    columns[str(table.schema.sensitive)] = _values(table, rows)
    return {"data": pa.table(columns)}


def _people(
    table: Table,
    partition: Partition,
    form: Form,
    labels: Mapping[str, list[str]],
    rng: np.random.Generator,
) -> pa.Table:
    """One row a person with the group's number; the quasi-identifiers exact if bucketized."""
    import pyarrow as pa

    group = partition.group_of_row(table)
    rows = np.flatnonzero(group != LEFT_OUT)
    if table.schema.person_columns:
        rows = rows[table.is_first_row[rows]]
    rows = rng.permutation(rows)
    if form == "bucketized":
        columns = {name: _quasi(table, i, rows) for i, name in enumerate(labels)}
    else:
        columns = _labelled(labels, group[rows])
    columns |= _published(table, rows)
    if table.schema.sensitive:
        columns[_names(table).group_column] = arrow_numbers(group[rows] + 1)
    return pa.table(columns)


def _names(table: Table) -> Roles:
    """The roles of a table's columns, which name the columns that are added to them."""
    return roles_of(table.schema, table.coders)


def _sensitive(table: Table, partition: Partition) -> pa.Table:
    """(group, value, count) of every group: nothing says whose value it is."""
    import pyarrow as pa

    groups, sensitive = partition.groups, partition.cells.sensitive
    values, roles = [text_of(value) for value in sensitive.values], _names(table)
    return pa.table(
        {
            roles.group_column: arrow_numbers(groups.group_of_entry + 1),
            sensitive.name: _taken(values, groups.value_codes),
            roles.count_column: arrow_numbers(groups.value_counts),
        }
    )


def _labels_repeat(labels: Mapping[str, list[str]], n_groups: int) -> bool:
    """Whether two groups look the same, so that only their number tells them apart."""
    return len(set(zip(*labels.values(), strict=True))) < n_groups if labels else n_groups > 1


def _labelled(labels: Mapping[str, list[str]], group: IntArray) -> dict[str, pa.Array]:
    return {name: _taken(column, group) for name, column in labels.items()}


def _quasi(table: Table, column: int, rows: IntArray) -> pa.Array:
    texts = [text_of(value) for value in table.cells.domains[column].values]
    return _taken(texts, table.cells.codes[table.cell_of_row[rows], column])


def _values(table: Table, rows: IntArray) -> pa.Array:
    return _taken([text_of(value) for value in table.sensitive_values], table.value_of_row[rows])


def _taken(texts: list[str], places: IntArray | CodeArray) -> pa.Array:
    import pyarrow as pa

    coded = pa.DictionaryArray.from_arrays(arrow_numbers(places), arrow_texts(texts))
    return coded.dictionary_decode()


def _published(table: Table, rows: IntArray) -> dict[str, pa.Array]:

    names = list(table.schema.published)
    if not names:
        return {}
    taken = table.fetch(names).take(arrow_numbers(rows))
    return {name: _plain_values(taken.column(name).combine_chunks()) for name in names}


def _plain_values(column: pa.Array) -> pa.Array:
    """A published column's values, an empty text being no value: the two would look different.

    Without a dictionary, which may hold values of people who are suppressed.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    return pc.if_else(pc.equal(column, ""), None, column)
