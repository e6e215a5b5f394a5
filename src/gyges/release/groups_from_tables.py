"""From published tables back to their groups.

Nothing is trusted. The tables must have the columns of their roles and no others; the rows of a
group must show the same labels, unless the form shows everyone's own values; groups are numbered
1, 2, …; and no value is counted more often than the people of its group can have it. Sizes are
counted from the rows, never taken from a number that a file states.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import CodeArray, IntArray
from gyges.data.arrow_arrays import numbers_of
from gyges.data.cells import distinct_rows
from gyges.data.encoding import dictionary
from gyges.data.schema import ValuesPerPerson
from gyges.data.values import Kind, Value, as_kind, kind_named, sort_key, text_of
from gyges.errors import ReleaseError
from gyges.release.certificate import PAGES, Certificate
from gyges.release.closed_directory import certified_tables, refuse_strange_files
from gyges.release.group_forms import GROUP_FORMS, Form
from gyges.release.groups import Groups
from gyges.release.joint_tables import join_table
from gyges.release.published_groups import counterfeits_per_group
from gyges.release.rows_of_workers import parts_of_table
from gyges.release.shaped_values import refuse_unshaped_values
from gyges.release.statements import Roles
from gyges.release.strict_tables import read_strictly
from gyges.release.written_labels import refuse_other_labels

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_VALUES = 2**53  # counted in one release
_MOST_EACH = 10_000  # times that a person may hold one value on average, in a multiset


def read_tables(directory: Path, certificate: Certificate) -> dict[str, pa.Table]:
    """The tables of a certified release of groups, every column as text."""
    import pyarrow as pa

    read = {
        name: pa.concat_tables([read_strictly(directory / file) for file in files])
        for name, files in table_files(directory, certificate).items()
    }
    for rows in read.values():
        refuse_unshaped_values(rows, certificate.roles, certificate.form)
    return {name: join_table(rows, certificate.roles) for name, rows in read.items()}


def table_files(directory: Path, certificate: Certificate) -> dict[str, list[str]]:
    """The files of each table of a release of groups; refuse a directory with other files."""
    parts = parts_of_table(certificate.files)
    if parts and certificate.table_names == ("data",):
        refuse_strange_files(directory, parts, certificate.files)
        return {"data": parts}
    found = certified_tables(directory, certificate.table_names, certificate.files, PAGES)
    return {name: [file] for name, file in found.items()}


def groups_of_certified(
    tables: Mapping[str, pa.Table], certificate: Certificate
) -> tuple[Groups, dict[str, list[str]]]:
    """The groups of a certified release, and each group's labels."""
    roles, form = certificate.roles, certificate.form
    for name, rows in tables.items():
        _refuse_other_columns(name, rows, roles, certificate.table_names)
    if roles.sensitive is not None:
        values = tables[certificate.table_names[-1]].column(roles.sensitive)
        _refuse_other_spellings(values, roles.sensitive, roles.kinds.get(roles.sensitive))
    groups, labels = groups_of_tables(
        tables, roles, certificate.values_per_person, form, certificate.counterfeits
    )
    _refuse_other_labels(tables, labels, certificate)
    return groups, labels


def _refuse_other_labels(
    tables: Mapping[str, pa.Table], labels: Mapping[str, list[str]], certificate: Certificate
) -> None:
    """Refuse words among numbers and dates: what gyges does not write there may name somebody."""
    roles, form = certificate.roles, GROUP_FORMS[certificate.form]
    people = tables["people"] if "people" in tables else tables["data"]
    for name in roles.quasi_identifiers:
        kind, tree = roles.kinds.get(name), roles.hierarchies.get(name, {})
        if kind not in (Kind.NUMBER, Kind.DATE, Kind.MONTH) or "levels" in tree:
            continue
        shown = labels.get(name) or [str(text) for text in dictionary(people.column(name))[0]]
        refuse_other_labels(
            name,
            kind_named(kind, name),
            shown,
            tree=tree,
            are_values=not form.has_true_labels,
            is_strict=not form.is_exact,
        )


def _refuse_other_spellings(column: pa.ChunkedArray, name: str, kind: str | None) -> None:
    """Refuse 1.0 for 1: texts that differ must not count as the same value."""
    if not kind or kind_named(kind, name) not in (Kind.NUMBER, Kind.DATE):
        return
    texts = [str(text) for text in dictionary(column)[0]]
    values = as_kind(list(texts), kind_named(kind, name), name)
    for text, value in zip(texts, values, strict=True):
        if text_of(value) != text:
            raise ReleaseError(
                f"the column {name!r} holds {text!r}, which gyges writes as {text_of(value)!r}"
            )


def groups_of_tables(
    tables: Mapping[str, pa.Table],
    roles: Roles,
    values_per_person: ValuesPerPerson,
    form: Form = "generalized",
    counterfeits: Sequence[tuple[int, int]] = (),
) -> tuple[Groups, dict[str, list[str]]]:
    """The groups in published tables, and each group's labels.

    `counterfeits`: (group from 1, how many of its values belong to nobody); they count as members.
    """
    people = tables["people"] if "people" in tables else tables["data"]
    if people.num_rows == 0:
        raise ReleaseError("the release has nobody in it: its table has no rows")
    _refuse_missing_columns(people, [*roles.quasi_identifiers])
    group, labels = _group_of_person(people, roles, form)
    sizes = np.bincount(group).astype(np.int64)
    if any(number > len(sizes) for number, _ in counterfeits):
        raise ReleaseError("the certificate states counterfeits of a group that has no people")
    sizes += counterfeits_per_group(counterfeits, len(sizes))
    if roles.sensitive is None:
        return _groups_without_values(sizes), labels
    if "sensitive" in tables:
        entries = _counted_values(tables["sensitive"], roles, len(sizes))
    else:
        _refuse_missing_columns(people, [roles.sensitive])
        held = people.column(roles.sensitive)
        entries = group, held, np.ones(len(held), dtype=np.int64)
    groups = _groups(sizes, *entries, roles, values_per_person)
    refuse_impossible_counts(groups)
    return groups, labels


def _groups_without_values(sizes: IntArray) -> Groups:
    nothing = np.zeros(0, dtype=np.int64)
    return Groups.from_entries(
        sizes=sizes,
        group_of_entry=nothing,
        value_codes=nothing.astype(np.int32),
        value_counts=nothing,
        values=[],
        values_per_person="set",
    )


def _refuse_other_columns(
    name: str, rows: pa.Table, roles: Roles, table_names: tuple[str, ...]
) -> None:
    """Refuse a table that has not exactly the columns of its roles, and perhaps a group number."""
    if name == "sensitive":
        expected = [roles.group_column, str(roles.sensitive), roles.count_column]
    elif "sensitive" in table_names:
        expected = [*roles.quasi_identifiers, *roles.published, roles.group_column]
    else:
        expected = [column for column in rows.column_names if column == roles.group_column]
        expected += roles.columns
    _refuse_missing_columns(rows, expected)
    strange = sorted(set(rows.column_names) - set(expected))
    if strange:
        raise ReleaseError(f"the table {name!r} has the column {strange[0]!r}, which has no role")


def _group_of_person(
    people: pa.Table, roles: Roles, form: Form
) -> tuple[IntArray, dict[str, list[str]]]:
    """The group of each published person: by its number, or else by its labels' order as text."""
    quasi = list(roles.quasi_identifiers)
    is_numbered = roles.group_column in people.column_names
    if is_numbered and GROUP_FORMS[form].is_exact:
        return _group_numbers(people, roles.group_column), {}
    texts, codes = _coded_labels(people, quasi)
    if is_numbered:
        group = _group_numbers(people, roles.group_column)
        shown = codes[np.unique(group, return_index=True)[1]]
        _refuse_differing_labels(codes, shown[group], group, quasi)
    else:
        shown, group = distinct_rows(codes, [len(column) for column in texts])
    return group, {
        name: [column[code] for code in shown[:, place]]
        for place, (name, column) in enumerate(zip(quasi, texts, strict=True))
    }


def _coded_labels(people: pa.Table, quasi: list[str]) -> tuple[list[list[str]], CodeArray]:
    """The labels of each column in their order as text, and the code of each person's labels."""
    texts, codes = [], np.empty((people.num_rows, len(quasi)), dtype=np.int32, order="F")
    for column, name in enumerate(quasi):
        raw, places = dictionary(people.column(name))
        labelled = [text_of(text) for text in (*map(str, raw), None)]
        ordered = sorted(set(labelled))
        code = {text: place for place, text in enumerate(ordered)}
        codes[:, column] = np.array([code[text] for text in labelled], dtype=np.int32)[places]
        texts.append(ordered)
    return texts, codes


def _refuse_differing_labels(
    codes: CodeArray, shown: CodeArray, group: IntArray, quasi: list[str]
) -> None:
    differ = codes != shown
    if differ.any():
        row, column = np.argwhere(differ)[0]
        raise ReleaseError(
            f"the rows of group {int(group[row]) + 1} show different labels in {quasi[column]!r}: "
            f"in this form all rows of a group must show the same"
        )


def _group_numbers(people: pa.Table, name: str) -> IntArray:
    group = _integers(people, name) - 1
    present = np.unique(group)
    if len(present) and (present[0] != 0 or present[-1] != len(present) - 1):
        raise ReleaseError(f"the column {name!r} must number the groups 1, 2, … without a gap")
    return group


def _counted_values(
    sensitive: pa.Table, roles: Roles, n_groups: int
) -> tuple[IntArray, pa.ChunkedArray, IntArray]:
    """(group, value, count) as the table of sensitive values states them."""
    names = [roles.group_column, str(roles.sensitive), roles.count_column]
    _refuse_missing_columns(sensitive, names)
    group, counts = _integers(sensitive, names[0]) - 1, _integers(sensitive, names[2])
    if len(group) and (group.min() < 0 or group.max() >= n_groups):
        raise ReleaseError("the table of sensitive values names a group that has no people")
    if len(counts) and (counts.min() < 1 or float(counts.sum(dtype=np.float64)) > _MOST_VALUES):
        raise ReleaseError(f"the column {names[2]!r} must hold counts of 1 or more")
    return group, sensitive.column(names[1]), counts


def refuse_impossible_counts(groups: Groups) -> None:
    """Refuse a group with more values, or of a value more, than its people can have.

    In a multiset any number is possible; the bound keeps exact probabilities computable, and no
    release beyond it is published.
    """
    size = groups.sizes[groups.group_of_entry]
    if groups.values_per_person == "one":
        wrong = np.flatnonzero(groups.n_occurrences != groups.sizes)
        limit = "has as many values as people"
    elif groups.values_per_person == "set":
        wrong = groups.group_of_entry[groups.value_counts > size]
        limit = "has a value at most once per person"
    else:
        wrong = groups.group_of_entry[groups.value_counts > size * _MOST_EACH]
        limit = f"has a value at most {_MOST_EACH:,} times per person"
    if len(wrong):
        raise ReleaseError(f"group {int(wrong[0]) + 1} is impossible: a group {limit}")


def _groups(
    sizes: IntArray,
    group: IntArray,
    held: pa.ChunkedArray,
    counts: IntArray,
    roles: Roles,
    values_per_person: ValuesPerPerson,
) -> Groups:
    kind = roles.kinds.get(roles.sensitive or "")
    raw, places = dictionary(held)
    if "" in raw or (places == len(raw)).any():  # a missing value is published as a word
        raise ReleaseError(f"the release's column {roles.sensitive!r} has empty cells")
    known: list[Value] = [str(text) for text in raw]
    if kind and kind_named(kind, "sensitive") in (Kind.NUMBER, Kind.DATE):
        known = as_kind(known, kind_named(kind, "sensitive"), str(roles.sensitive))
    ordered = sorted(set(known), key=sort_key)
    place = {value: code for code, value in enumerate(ordered)}
    codes = np.array([place[value] for value in known], dtype=np.int32)
    return Groups.from_entries(
        sizes=sizes,
        group_of_entry=group,
        value_codes=codes[places],
        value_counts=counts,
        values=ordered,
        values_per_person=values_per_person,
    )


def _integers(rows: pa.Table, name: str) -> IntArray:
    """A column of whole numbers, each in its only allowed spelling: 1, not 01."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = rows.column(name)
    if pa.types.is_integer(texts.type):
        return np.asarray(numbers_of(texts), dtype=np.int64)
    try:
        numbers = texts.cast(pa.int64())
    except pa.ArrowInvalid:
        raise ReleaseError(f"the release's column {name!r} must hold whole numbers") from None
    if not pc.all(pc.equal(numbers.cast(pa.string()), texts), min_count=0).as_py():
        raise ReleaseError(f"the release's column {name!r} spells a number unusually, as in 01")
    return np.asarray(numbers_of(numbers), dtype=np.int64)


def _refuse_missing_columns(rows: pa.Table, names: list[str]) -> None:
    missing = [name for name in names if name not in rows.column_names]
    if missing:
        raise ReleaseError(f"the release has no column {missing[0]!r}")
