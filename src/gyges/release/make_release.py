"""The forms of a release: generalized, bucketized, microaggregated.

Each turns a partition into published tables. Reading them back gives the same `Groups`: groups are
numbered by the order of their labels as text. Where that order does not decide (equal labels;
buckets, which show everyone's own values) the numbers are drawn at random, so that they reveal
nothing about the original order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from gyges.arguments import choice
from gyges.arrays import CodeArray, FloatArray, IntArray
from gyges.data.arrow_arrays import arrow_numbers, arrow_texts
from gyges.data.encoding import Coder
from gyges.data.pseudonyms import pseudonym_column
from gyges.data.schema import Schema
from gyges.data.table import Table
from gyges.data.values import text_of
from gyges.errors import ReleaseError
from gyges.release.group_forms import GROUP_FORMS, Form
from gyges.release.group_weights import calibrated, group_weights
from gyges.release.labels import group_labels
from gyges.release.partition_of_cells import LEFT_OUT, Partition, Pieces
from gyges.release.release import Release
from gyges.release.statements import Roles, WeightTotal

if TYPE_CHECKING:
    import pyarrow as pa

# From a table, some rows, the group of each row and perhaps the values, the rows in random order.
_OrderRows: TypeAlias = Callable[..., IntArray]


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
        labels = dict(zip(names, group_labels(partition), strict=True))
    shown = [] if GROUP_FORMS[form].is_exact else [labels[name] for name in names]
    order = _by_label(shown, rng.permutation(partition.n_groups))
    partition = _renumbered(partition, order, rng)
    labels = {name: [labels[name][g] for g in order] for name in names}
    order_rows = partial(_shuffled, rng=rng, is_seeded=is_seeded)
    weights, totals = _weights(table, partition, form, labels)
    return Release(
        form=form,
        roles=replace(_roles(table), weight_totals=totals),
        groups=partition.groups,
        labels=labels,
        make_tables=lambda: _tables(table, partition, form, labels, weights, order_rows),
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
    table: Table, partition: Partition, form: Form, labels: Mapping[str, list[str]]
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
    labels: Mapping[str, list[str]],
    weights: FloatArray | None,
    order_rows: _OrderRows,
) -> dict[str, pa.Table]:
    if not table.schema.sensitive:
        return {"data": _people(table, partition, form, labels, weights, order_rows)}
    if table.schema.values_per_person != "one" or GROUP_FORMS[form].is_exact:
        people = _people(table, partition, form, labels, weights, order_rows)
        return {"people": people, "sensitive": _sensitive(table, partition)}
    import pyarrow as pa

    group = partition.group_of_row(table)
    rows = np.flatnonzero(group != LEFT_OUT)
    rows = order_rows(table, rows, group, table.value_of_row)
    columns = _labelled(labels, group[rows])
    if _labels_repeat(labels, partition.n_groups):
        columns[roles_of(table.schema, table.coders).group_column] = arrow_numbers(group[rows] + 1)
    columns |= _published(table, rows, group[rows], weights)
    columns[str(table.schema.sensitive)] = _values(table, rows)
    return {"data": pa.table(columns)}


def _people(
    table: Table,
    partition: Partition,
    form: Form,
    labels: Mapping[str, list[str]],
    weights: FloatArray | None,
    order_rows: _OrderRows,
) -> pa.Table:
    """One row per person with the group's number; the quasi-identifiers exact if bucketized."""
    import pyarrow as pa

    group = partition.group_of_row(table)
    rows = np.flatnonzero(group != LEFT_OUT)
    if table.schema.shared_columns:
        rows = rows[table.is_first_row[rows]]
    rows = order_rows(table, rows, group)
    if GROUP_FORMS[form].is_exact:
        columns = {name: _quasi(table, i, rows) for i, name in enumerate(labels)}
    else:
        columns = _labelled(labels, group[rows])
    columns |= _published(table, rows, group[rows], weights)
    if table.schema.sensitive:
        columns[roles_of(table.schema, table.coders).group_column] = arrow_numbers(group[rows] + 1)
    return pa.table(columns)


def _shuffled(
    table: Table,
    rows: IntArray,
    group: IntArray,
    values: CodeArray | None = None,
    *,
    rng: np.random.Generator,
    is_seeded: bool,
) -> IntArray:
    """Rows in a random order; a seeded one depends on what is published of them and on it alone.

    A database has no order of rows, and another source has one that must not show.
    """
    if not is_seeded:
        return rng.permutation(rows)
    keys: dict[str, IntArray | CodeArray] = {"group": group[rows]}
    keys["cell"] = table.cell_of_row[rows]
    if values is not None:
        keys["value"] = values[rows]
    if not table.schema.published:
        known = np.lexsort([*keys.values()])
    else:
        import pyarrow as pa
        import pyarrow.compute as pc

        shown = _published(table, rows, group[rows], None)  # weights follow from the group
        columns = {name: arrow_numbers(codes) for name, codes in keys.items()}
        columns |= {f"published {name}": one for name, one in shown.items()}
        by = [(name, "ascending") for name in columns]
        known = pc.sort_indices(pa.table(columns), sort_keys=by).to_numpy()
    return rng.permutation(rows[known])


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


def _labels_repeat(labels: Mapping[str, list[str]], n_groups: int) -> bool:
    """Whether two groups have the same labels, so that only their number separates them."""
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


def _published(
    table: Table, rows: IntArray, group: IntArray, weights: FloatArray | None
) -> dict[str, pa.Array]:
    """The columns that are published unchanged, and the weights of the groups, for some rows."""
    shown, names = {}, list(table.schema.published)
    if names:
        taken = table.fetch(names).take(arrow_numbers(rows))
        shown = {name: _decoded(taken.column(name).combine_chunks()) for name in names}
    if weights is not None:
        shown[str(table.schema.weight)] = arrow_numbers(weights[group])
    return shown


def _decoded(column: pa.Array) -> pa.Array:
    """A published column's values; an empty text and NaN become null, so that each looks the same.

    Without a dictionary, which may hold values of people who are suppressed.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_floating(column.type):
        return pc.if_else(pc.is_nan(column), None, column)  # the bits of a NaN can differ
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    return pc.if_else(pc.equal(column, ""), None, column)
