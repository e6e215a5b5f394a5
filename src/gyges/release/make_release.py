"""The forms of a release: generalized, bucketized, microaggregated.

Each turns a partition into published tables. Reading them back gives the same `Groups`: groups are
numbered by the order of their labels as text. Where that order does not decide (equal labels;
buckets, which show everyone's own values) the numbers are drawn at random, so that they reveal
nothing about the original order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gyges.arguments import choice
from gyges.arrays import CodeArray, FloatArray, IntArray
from gyges.data.arrow_arrays import arrow_numbers, arrow_texts
from gyges.data.cells import row_keys
from gyges.data.encoding import Coder
from gyges.data.pseudonyms import pseudonym_column
from gyges.data.schema import Schema
from gyges.data.table import Table
from gyges.data.values import text_of
from gyges.errors import ReleaseError
from gyges.release.coded_labels import CodedLabels
from gyges.release.group_forms import GROUP_FORMS, Form
from gyges.release.group_weights import calibrated, group_weights
from gyges.release.labels import group_labels
from gyges.release.partition_of_cells import LEFT_OUT, Partition, Pieces
from gyges.release.release import Release
from gyges.release.shuffled_rows import Order, ShuffledRows, published_columns
from gyges.release.statements import Roles, WeightTotal

if TYPE_CHECKING:
    import pyarrow as pa


def make_release(
    table: Table,
    partition: Partition,
    form: Form,
    *,
    rng: np.random.Generator,
    labels: Mapping[str, list[str]] | None = None,
    is_seeded: bool = False,
) -> Release:
    """Publish a partition of a table in one of the forms.

    `labels` replaces the narrowest true labels, for example by centroids. The order of the
    published rows comes from `rng`; if that `is_seeded`, it is the same for every source.
    """
    choice(form, tuple(GROUP_FORMS), "form", ReleaseError)
    names = list(table.schema.quasi_identifiers)
    if labels is None:
        coded = dict(zip(names, group_labels(partition), strict=True))
    else:
        coded = {name: CodedLabels.of_listed(labels[name]) for name in names}
    order = _by_label([] if GROUP_FORMS[form].is_exact else [*coded.values()], partition, rng)
    partition = _renumbered(partition, order, rng)
    coded = {name: column.take(order) for name, column in coded.items()}
    is_simple = _differ(coded.values(), partition.n_groups)
    listed = {name: column.listed() for name, column in coded.items()}
    weights, totals = _weights(table, partition, form, listed)
    return Release(
        form=form,
        roles=replace(_roles(table), weight_totals=totals),
        groups=partition.groups,
        labels=listed,
        make_tables=lambda: _tables(
            table, partition, form, coded, is_simple, weights, Order(rng, is_seeded)
        ),
        levels=partition.levels,
        rows_per_person=table.schema.rows_per_person,
        rows_are_people=table.rows_are_people,
        n_left_out=partition.n_left_out,
        is_simulatable=partition.is_simulatable,
        notices=partition.notices,
        frame_kind=table.frame_kind,
        partition=partition,
        table=table,
        counterfeits=partition.counterfeits,
    )


def _roles(table: Table) -> Roles:
    """The roles of a table's columns; missing values that match anything leave their kinds."""
    roles = roles_of(table.schema, table.coders)
    kinds = {domain.name: domain.kind for domain in table.searched_cells.domains}
    return replace(roles, kinds={**roles.kinds, **kinds})


def roles_of(schema: Schema, coders: Mapping[str, Coder]) -> Roles:
    """The roles of columns, as a release states them."""
    kinds = {name: coder.domain.kind for name, coder in coders.items()}
    hierarchies = {
        name: schema.hierarchies[name].to_data()
        for name in schema.quasi_identifiers
        if name in schema.hierarchies
    }
    weight = schema.weight if schema.publish_weight else None
    return Roles(
        tuple(schema.quasi_identifiers),
        schema.sensitive,
        (*schema.published, *([weight] if weight else [])),
        kinds,
        hierarchies,
        schema.shapes,
        tuple(map(pseudonym_column, schema.pseudonyms)),
        weight=weight,
        parts=tuple(schema.joined),
    )


def _weights(
    table: Table, partition: Partition, form: Form, labels: Mapping[str, Sequence[str]]
) -> tuple[FloatArray | None, tuple[WeightTotal, ...]]:
    """The published weight of each group, and what these add up to; None if none is published."""
    if not table.schema.publish_weight:
        return None, ()
    group = partition.group_of_row(table)
    rows = np.flatnonzero(table.is_first_row & (group != LEFT_OUT))
    weights = group_weights(table.weight_of_row[rows], group[rows], partition.n_groups)
    if not table.schema.weight_totals:
        return weights, ()
    if not GROUP_FORMS[form].has_true_labels:
        raise ReleaseError(
            f"weight_totals are reached by the labels of groups, and the form {form} shows none: "
            f"omit them, or publish in the form generalized"
        )
    return calibrated(weights, partition.groups.sizes, table, labels)


def _by_label(
    labels: Sequence[CodedLabels], partition: Partition, rng: np.random.Generator
) -> IntArray:
    """The groups in the order of their labels; groups with equal labels in a random order."""
    by_chance = rng.permutation(partition.n_groups)
    keys: IntArray = np.stack([*(column.place for column in labels), by_chance], axis=1)
    return np.argsort(row_keys(keys, [*(len(one.texts) for one in labels), partition.n_groups]))


def _renumbered(partition: Partition, order: IntArray, rng: np.random.Generator) -> Partition:
    place = np.full(len(order) + 1, LEFT_OUT, dtype=np.int64)  # the last serves LEFT_OUT
    place[order] = np.arange(len(order))
    pieces = partition.pieces
    if pieces is not None:
        seed = int(rng.integers(2**63))
        pieces = Pieces(pieces.entry, place[pieces.group], pieces.count, seed)
    hidden = None if partition.hidden is None else partition.hidden[order]
    followed = None if partition.followed is None else partition.followed.renumbered(place)
    group_of_cell = place[partition.group_of_cell]
    sought = None if partition.sought is None else _renumbered(partition.sought, order, rng)
    return replace(
        partition,
        group_of_cell=group_of_cell,
        pieces=pieces,
        hidden=hidden,
        followed=followed,
        sought=sought,
    )


def _tables(
    table: Table,
    partition: Partition,
    form: Form,
    labels: Mapping[str, CodedLabels],
    is_simple: bool,
    weights: FloatArray | None,
    order: Order,
) -> dict[str, pa.Table]:
    import pyarrow as pa

    schema, is_exact = table.schema, GROUP_FORMS[form].is_exact
    is_apart = bool(schema.sensitive) and (schema.values_per_person != "one" or is_exact)
    has_values = bool(schema.sensitive) and not is_apart
    rows = order.rows(table, partition, with_values=has_values)
    group = rows.group
    if is_exact:
        cell = rows.cell
        columns = {name: _quasi(table, i, cell) for i, name in enumerate(labels)}
    else:
        columns = {name: _taken(one.texts, one.place[group]) for name, one in labels.items()}
    number = {}
    if is_apart or (has_values and not is_simple):
        number[roles_of(schema, table.coders).group_column] = arrow_numbers(group + 1)
    if is_apart:
        people = pa.table(columns | _unchanged(table, rows, weights) | number)
        return {"people": people, "sensitive": _sensitive(table, partition)}
    columns |= number | _unchanged(table, rows, weights)
    value = rows.value
    if value is not None:
        texts = [text_of(one) for one in table.sensitive_values]
        columns[str(schema.sensitive)] = _taken(texts, value)
    return {"data": pa.table(columns)}


def _unchanged(table: Table, rows: ShuffledRows, weights: FloatArray | None) -> dict[str, pa.Array]:
    """The columns that are published unchanged, and the weights of the groups."""
    shown = published_columns(table, rows)
    if weights is not None:
        shown[str(table.schema.weight)] = arrow_numbers(weights[rows.group])
    return shown


def _sensitive(table: Table, partition: Partition) -> pa.Table:
    """(group, value, count) of every group, without the person of a value."""
    import pyarrow as pa

    groups, sensitive = partition.groups, partition.cells.sensitive
    values = [text_of(value) for value in groups.values]
    roles = roles_of(table.schema, table.coders)
    return pa.table(
        {
            roles.group_column: arrow_numbers(groups.group_of_entry + 1),
            sensitive.name: _taken(values, groups.value_codes),
            roles.count_column: arrow_numbers(groups.value_counts),
        }
    )


def _differ(labels: Iterable[CodedLabels], n_groups: int) -> bool:
    """Whether no two groups have the same labels; else only their number separates them.

    Groups are in the order of their labels, so equal ones are neighbours.
    """
    differs = np.zeros(max(n_groups - 1, 0), dtype=bool)
    for column in labels:
        differs |= column.place[1:] != column.place[:-1]
    return bool(differs.all())


def _quasi(table: Table, column: int, cell: IntArray) -> pa.Array:
    texts = [text_of(value) for value in table.cells.domains[column].values]
    return _taken(texts, table.cells.codes[cell, column])


def _taken(texts: list[str], places: IntArray | CodeArray) -> pa.Array:
    import pyarrow as pa

    coded = pa.DictionaryArray.from_arrays(arrow_numbers(places), arrow_texts(texts))
    return coded.dictionary_decode()
