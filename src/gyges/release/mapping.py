"""The mapping of a release: which combination of values became which labels.

It reveals who is in which group, so it must not be published. It allows to publish next month's
rows under the same scheme.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gyges.arrays import IntArray, distinct_pairs
from gyges.data.cells import Cells
from gyges.data.hierarchy import Hierarchy
from gyges.data.plain_files import read_plain_file
from gyges.data.schema import Schema
from gyges.data.table import Table
from gyges.data.values import text_of
from gyges.errors import HierarchyError, ReleaseError
from gyges.ragged import Ragged
from gyges.release.label_reading import covers_all
from gyges.release.labels import cells_by_group
from gyges.release.locating import refuse_other_columns
from gyges.release.lookup import candidates_by_labels
from gyges.release.mapping_reading import Reading, reading_from, reading_of
from gyges.release.partition_of_cells import LEFT_OUT, Partition
from gyges.release.private_files import write_private
from gyges.release.release import Release

AMBIGUOUS = (
    "people with the same quasi-identifiers are in different groups, and the mapping does not say "
    "who is in which"
)
FORMAT = 2  # since 2, the mapping records how the table was read
READABLE = (1, FORMAT)
BEGINS = tuple(f'{{\n "format": {number},\n "columns": [' for number in READABLE)


@dataclass(frozen=True, slots=True, repr=False)
class LabelMapping:
    """The labels of each group in each quasi-identifier, and the rules of the release."""

    columns: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]  # columns × groups
    rules: tuple[dict[str, Any], ...]  # as they were asked for
    kinds: dict[str, str]
    hierarchies: dict[str, Hierarchy]
    group_of_combination: dict[tuple[str, ...], int]  # of the combinations that were published
    is_ambiguous: bool = False  # people of one combination are in several groups
    reading: Reading | None = None  # None in a mapping of format 1
    allows_singling_out: bool = False  # through columns published unchanged

    @property
    def known_reading(self) -> Reading:
        """How the table was read; refused if an older mapping does not say it."""
        if self.reading is None:
            raise ReleaseError(
                "the mapping was written by an earlier version of gyges and does not say how its "
                "table was read (several values, missing values, formats): publish that table "
                "again with --mapping"
            )
        return self.reading


def save_mapping(release: Release, path: str | Path) -> Path:
    """Write the mapping of a release that was made here, for its owner alone."""
    if release.partition is None or release.table is None or not release.group_form.has_true_labels:
        raise ReleaseError("only a generalized release that was made here has a mapping")
    stated = {
        "format": FORMAT,
        "columns": list(release.labels),
        "groups": [list(row) for row in zip(*release.labels.values(), strict=True)],
        "rules": list(release.asked),
        "values": _values_to_labels(release),
        "combinations": _combinations(release),
        "kinds": {name: release.roles.kinds[name] for name in release.labels},
        "hierarchies": {
            name: one.to_data() for name, one in release.table.schema.hierarchies.items()
        },
        "reading": reading_of(release.table, release.roles).to_data(),
        "allows_singling_out": release.allows_singling_out,
    }
    lines = [
        f" {json.dumps(key)}: {json.dumps(x, ensure_ascii=False)}" for key, x in stated.items()
    ]
    return write_private(Path(path), "{\n" + ",\n".join(lines) + "\n}\n")


def load_mapping(path: str | Path) -> LabelMapping:
    """Read a mapping file; one that does not fit together is refused."""
    try:
        stated = json.loads(read_plain_file(Path(path)))
        if stated["format"] not in READABLE:
            raise ReleaseError(f"its format is {stated['format']!r:.20}, not {FORMAT}")
        mapping = _mapping(stated)
        _refuse_misfits(mapping)
        return mapping
    except FileNotFoundError:
        raise ReleaseError(f"there is no mapping {str(path)!r}") from None
    except KeyError as problem:
        raise ReleaseError(f"{str(path)!r} is not a mapping of gyges: no {problem}") from None
    except OSError as problem:
        raise ReleaseError(
            f"the mapping {str(path)!r} cannot be read: {problem.strerror}"
        ) from None
    except (ReleaseError, HierarchyError) as problem:
        raise ReleaseError(f"{str(path)!r} is not a mapping of gyges: {problem}") from None
    except (ValueError, TypeError, AttributeError, RecursionError, OverflowError):
        raise ReleaseError(f"{str(path)!r} is not a mapping of gyges, or is damaged") from None


def _mapping(stated: dict[str, Any]) -> LabelMapping:
    groups = [tuple(map(str, row)) for row in stated["groups"]]
    combinations = {
        tuple(map(str, values)): int(group) for *values, group in stated["combinations"]
    }
    return LabelMapping(
        columns=tuple(map(str, stated["columns"])),
        labels=tuple(zip(*groups, strict=True)),
        rules=tuple(dict(rule) for rule in stated["rules"]),
        group_of_combination=combinations,
        is_ambiguous=len(combinations) < len(stated["combinations"]),
        kinds={str(name): str(kind) for name, kind in stated["kinds"].items()},
        hierarchies={
            str(name): Hierarchy.from_data(described)
            for name, described in stated["hierarchies"].items()
        },
        reading=reading_from(stated["reading"]) if stated["format"] == FORMAT else None,
        allows_singling_out=stated["format"] == FORMAT and bool(stated["allows_singling_out"]),
    )


def _refuse_misfits(mapping: LabelMapping) -> None:
    """Refuse columns, labels, combinations, kinds and hierarchies that contradict each other."""
    columns = set(mapping.columns)
    if len(mapping.labels) != len(mapping.columns) or len(columns) != len(mapping.columns):
        raise ReleaseError("its groups do not have one label in each of its columns")
    stated = mapping.reading.schema if mapping.reading else {}
    sensitive = [stated.get("sensitive"), *stated.get("joined", ())]
    strange = [name for name in mapping.hierarchies if name not in {*columns, *sensitive}]
    if columns != set(mapping.kinds) or strange:
        raise ReleaseError("its kinds or hierarchies are not those of its columns")
    n_groups = len(mapping.labels[0]) if mapping.labels else 0
    for combination, group in mapping.group_of_combination.items():
        if len(combination) != len(columns) or not 0 <= group < n_groups:
            raise ReleaseError("a combination of values belongs to a group that does not exist")


def mapping_schema(
    mapping: LabelMapping,
    *,
    sensitive: str | None = None,
    identifiers: Sequence[str] = (),
    person: str | None = None,
) -> Schema:
    """The schema under which new rows are read: that of the earlier release.

    Args:
        sensitive: must be the recorded column, if it is named.
        identifiers: columns of the new rows that identify people, instead of the recorded ones.
        person: likewise.
    """
    kinds = {name: mapping.kinds[name] for name in mapping.columns}
    schema = mapping.known_reading.schema_of(kinds, mapping.hierarchies)
    _refuse_other_sensitive(sensitive or schema.sensitive, schema.sensitive)
    schema = replace(schema, identifiers=identifiers) if identifiers else schema
    return replace(schema, person=person, person_columns=()) if person else schema


def refuse_other_reading(mapping: LabelMapping, table: Table) -> None:
    """Refuse a table whose sensitive values are not those of the earlier release."""
    recorded = mapping.known_reading.schema
    _refuse_other_sensitive(table.schema.sensitive, recorded.get("sensitive"))
    expected = recorded.get("values_per_person", "one")
    if table.schema.values_per_person != expected:
        raise ReleaseError(
            f"values_per_person was {expected!r} in the earlier release, and is "
            f"{table.schema.values_per_person!r} in this table: read it the same way"
        )


def _refuse_other_sensitive(named: str | None, recorded: object) -> None:
    if named != recorded:
        raise ReleaseError(
            f"the sensitive column of the earlier release is {recorded!r}, not {named!r}: other "
            f"values need rules of their own: publish them with `gyges publish`"
        )


def apply_mapping(mapping: LabelMapping, table: Table) -> tuple[Partition, dict[str, list[str]]]:
    """Put new rows into the groups of an earlier release; rows that fit no group are suppressed.

    A combination that was published then keeps its group. Another gets the group whose labels
    cover it most narrowly: labels may overlap, as 148** does with 14850.
    """
    order = _order(mapping, table)
    labels = [mapping.labels[i] for i in order]
    known = group_of_cell(mapping, table)
    placed = np.where(known == LEFT_OUT, _narrowest(labels, table), known)
    used, placed = np.unique(np.append(placed, LEFT_OUT), return_inverse=True)
    kept = [int(g) for g in used if g != LEFT_OUT]
    partition = Partition(table.cells, (placed[:-1] - 1).astype(np.int64), n_groups=len(kept))
    names = table.schema.quasi_identifiers
    return partition, _taken(names, labels, kept)


def group_in_release(mapping: LabelMapping, release: Release, table: Table) -> IntArray:
    """The group of a release in which each combination of the original is, by its labels.

    LEFT_OUT where the mapping has no such combination, or the release no such labels.
    """
    if mapping.is_ambiguous:
        raise ReleaseError(AMBIGUOUS)
    order = _order(mapping, table)
    published = zip(*(release.labels[name] for name in table.schema.quasi_identifiers), strict=True)
    place = {labels: group for group, labels in enumerate(published)}
    recorded = zip(*(mapping.labels[i] for i in order), strict=True)
    group_of = np.array([*(place.get(labels, LEFT_OUT) for labels in recorded), LEFT_OUT])
    return np.asarray(group_of[group_of_cell(mapping, table)], dtype=np.int64)


def group_of_cell(mapping: LabelMapping, table: Table) -> IntArray:
    """The mapping's group of each combination of a table; LEFT_OUT if it was not published."""
    order = _order(mapping, table)
    texts = [[text_of(value) for value in domain.values] for domain in table.cells.domains]
    group = np.full(len(table.cells), LEFT_OUT, dtype=np.int64)
    for cell, codes in enumerate(table.cells.codes):
        named = [column[code] for column, code in zip(texts, codes, strict=True)]
        combination = tuple(named[order.index(i)] for i in range(len(order)))
        group[cell] = mapping.group_of_combination.get(combination, LEFT_OUT)
    return group


def _order(mapping: LabelMapping, table: Table) -> list[int]:
    """The place of each quasi-identifier of a table among the mapping's columns."""
    refuse_other_columns(mapping.columns, table)
    return [mapping.columns.index(name) for name in table.schema.quasi_identifiers]


def _narrowest(labels: Sequence[Sequence[str]], table: Table) -> IntArray:
    """The group of each cell whose labels cover it and as little else as possible."""
    n_groups = len(labels[0]) if labels else 1
    volume = np.ones(n_groups)
    for column, domain in zip(labels, table.cells.domains, strict=True):
        covered = {label: max(int(c.sum()), 1) for label, c in covers_all(column, domain).items()}
        volume *= [covered[label] for label in column]
    found = candidates_by_labels(labels, table, np.ones(n_groups, dtype=np.int64))
    group_of_cell = np.full(len(table.cells), LEFT_OUT, dtype=np.int64)
    cell = Ragged(found.groups, found.starts).segment_of_value
    widest_first = np.lexsort((found.groups, -volume[found.groups]))
    group_of_cell[cell[widest_first]] = found.groups[widest_first]  # the last one stays
    return group_of_cell


def _taken(
    names: Sequence[str], labels: Sequence[Sequence[str]], kept: list[int]
) -> dict[str, list[str]]:
    return {name: [column[g] for g in kept] for name, column in zip(names, labels, strict=True)}


def _values_to_labels(release: Release) -> dict[str, dict[str, list[str]]]:
    """For each column, the labels of each value; one where the scheme is full-domain."""
    cells, cell, group = _members(release)
    found: dict[str, dict[str, list[str]]] = {}
    for column, domain in enumerate(cells.domains):
        labels, texts = release.labels[domain.name], [text_of(value) for value in domain.values]
        pairs = np.stack(distinct_pairs(cells.codes[cell, column], group))
        became: dict[str, set[str]] = {}
        for code, g in pairs.T.tolist():
            became.setdefault(texts[code], set()).add(labels[g])
        found[domain.name] = {value: sorted(names) for value, names in sorted(became.items())}
    return found


def _combinations(release: Release) -> list[list[object]]:
    """Every published combination of values, and its group."""
    cells, cell, group = _members(release)
    texts = [[text_of(value) for value in domain.values] for domain in cells.domains]
    return [
        [*(column[code] for column, code in zip(texts, cells.codes[c], strict=True)), int(g)]
        for c, g in zip(cell, group, strict=True)
    ]


def _members(release: Release) -> tuple[Cells, IntArray, IntArray]:
    """The cells of a release, and (cell, group) of everyone published, each pair once."""
    assert release.partition is not None
    members = cells_by_group(release.partition)
    return release.partition.cells, members.values, members.segment_of_value
