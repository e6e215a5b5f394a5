"""Changes that a person makes to a project, one at a time, on what its file states."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from gyges.errors import GygesError
from gyges.search.methods import METHODS
from gyges.workflow.column_profiles import coded_tree
from gyges.workflow.policies import POLICIES

Stated = dict[str, Any]
_LISTS = {
    "quasi-identifier": "quasi_identifiers",
    "identifier": "identifiers",
    "published": "published",
    "dropped": "dropped",
}
_SINGLE = ("sensitive", "person", "household", "weight")
ROLES = (
    "quasi-identifier", "sensitive", "identifier", "person", "published", "household", "weight",
    "dropped",
)  # fmt: skip
_READ = ("quasi-identifier", "sensitive")  # roles of columns whose values are read
ROWS = ("one", "first", "last", "all")  # of a person that are used
_EMPTY: tuple[Any, ...] = (None, [], {}, "")
_SHOWN = ("quasi_identifiers", "dropped")  # keys that a file has even if they are empty


def role_of(stated: Mapping[str, Any], column: str) -> str:
    """The role of a column; "dropped" where it has none, because it is not published either."""
    columns = stated.get("columns", {})
    for role in _SINGLE:
        if columns.get(role) == column:
            return role
    named = (role for role, key in _LISTS.items() if column in columns.get(key, ()))
    return next(named, "dropped")


def set_role(
    stated: Stated, column: str, role: str, proposed: Mapping[str, Any] | None = None
) -> Stated:
    """Give a column another role; what was sensitive before is then dropped.

    A column that is published from now on is read and generalized as `proposed_reading` says,
    unless the project states something else.
    """
    if role not in ROLES:
        raise GygesError(f"there is no role {role!r}: choose from {', '.join(ROLES)}")
    changed = copy.deepcopy(stated)
    columns = changed.setdefault("columns", {})
    before = role_of(stated, column)
    for key in _LISTS.values():
        columns[key] = [name for name in columns.get(key, []) if name != column]
    for key in _SINGLE:
        if columns.get(key) == column:
            columns.pop(key)
    if role in _SINGLE:
        other = columns.get(role)
        if other is not None:
            columns["dropped"] = [*columns["dropped"], other]
        columns[role] = column
        if role == "person":
            columns.pop("person_columns", None)
    else:
        columns[_LISTS[role]] = [*columns[_LISTS[role]], column]
    if role in ("identifier", "person"):
        _remove(columns, "do_not_identify", column)
    if "person" not in columns:
        _one_row(columns)
    if "sensitive" not in columns:
        columns.pop("values_per_person", None)
    if role not in _READ:
        for key in ("kinds", "formats"):
            columns.get(key, {}).pop(column, None)
        changed.get("hierarchies", {}).pop(column, None)
    elif proposed and before not in _READ:
        _read_as(columns, column, proposed)
    hierarchy = (proposed or {}).get("hierarchy")
    if role == "quasi-identifier" and before != role and hierarchy:
        changed.setdefault("hierarchies", {}).setdefault(column, dict(hierarchy))
    return _tidy(changed)


def _read_as(columns: Stated, column: str, proposed: Mapping[str, Any]) -> None:
    """State how a column is written and of which kind it is, where nothing is stated."""
    for key, name in (("kinds", "kind"), ("formats", "format")):
        if proposed.get(name):
            columns.setdefault(key, {}).setdefault(column, proposed[name])


def set_rows(stated: Stated, how: str, by: str | None, written: str | None = None) -> Stated:
    """Say what is used of a person with several rows.

    `how` is "one" (each person must have one), "first" or "last" (that row, in the order of the
    column `by`, whose dates or numbers are written in the format `written`), or "all".
    """
    if how not in ROWS:
        raise GygesError(f"there is no choice {how!r}: choose from {', '.join(ROWS)}")
    changed = copy.deepcopy(stated)
    columns = changed.setdefault("columns", {})
    _one_row(columns)
    if how in ("first", "last"):
        columns.pop("values_per_person", None)
        columns |= {"keep_row": how, "keep_row_by": by}
        if by is not None and written:
            columns.setdefault("formats", {}).setdefault(by, written)
    elif how == "all":
        columns["rows_per_person"] = how
        if columns.get("sensitive"):
            columns["values_per_person"] = "set"
    return _tidy(changed)


def _one_row(columns: Stated) -> None:
    """State that each person has one row."""
    if columns.pop("rows_per_person", "one") == "all":
        columns.pop("values_per_person", None)
    for key in ("keep_row", "keep_row_by", "worst_first"):
        columns.pop(key, None)


def set_identifies(stated: Stated, column: str, identifies: bool) -> Stated:
    """State that a column does not identify people although it looks like it, or take it back."""
    changed = copy.deepcopy(stated)
    columns = changed.setdefault("columns", {})
    _remove(columns, "do_not_identify", column)
    if not identifies:
        columns["do_not_identify"] = [*columns.get("do_not_identify", []), column]
    return _tidy(changed)


def set_kind(stated: Stated, column: str, kind: str | None) -> Stated:
    """Read the values of a column as numbers, dates, codes, …; None guesses."""
    return _with_reading(stated, "kinds", column, kind)


def set_format(stated: Stated, column: str, written: str | None) -> Stated:
    """Read the dates or numbers of a column as they are written; None: 2024-01-31 and 1234.5."""
    return _with_reading(stated, "formats", column, written)


def _with_reading(stated: Stated, key: str, column: str, value: str | None) -> Stated:
    """The same with another value of a column in a table of [columns], or without it."""
    changed = copy.deepcopy(stated)
    held = changed.setdefault("columns", {}).setdefault(key, {})
    held.pop(column, None)
    if value:
        held[column] = value
    return _tidy(changed)


def set_separator(stated: Stated, separator: str | None) -> Stated:
    """Say what separates several sensitive values in one cell; None: a cell has one value."""
    changed = copy.deepcopy(stated)
    columns = changed.setdefault("columns", {})
    columns.pop("separator", None)
    if separator:
        columns |= {"separator": separator, "values_per_person": "set"}
    elif columns.get("rows_per_person") != "all":
        columns.pop("values_per_person", None)
    return _tidy(changed)


def set_hierarchy(stated: Stated, column: str, section: Mapping[str, Any] | None) -> Stated:
    """Give a column a hierarchy, as the section of the file describes it, or none."""
    changed = copy.deepcopy(stated)
    hierarchies = changed.setdefault("hierarchies", {})
    hierarchies.pop(column, None)
    if section:
        hierarchies[column] = dict(section)
    return _tidy(changed)


def set_coding(
    stated: Stated,
    column: str,
    values: Sequence[str],
    *,
    width: float,
    bottom: float | None,
    top: float | None,
) -> Stated:
    """Group the numbers of a column in intervals, with one label at either end."""
    try:
        tree = coded_tree(values, width, bottom, top)
    except ValueError as problem:
        if isinstance(problem, GygesError):
            raise
        raise GygesError(f"top and bottom coding needs numbers, and {column} has others") from None
    return set_hierarchy(stated, column, {"tree": tree})


def set_rule(stated: Stated, number: int | None, section: Mapping[str, Any] | None) -> Stated:
    """Replace a rule by its place, add one (no place), or remove one (no section)."""
    changed = copy.deepcopy(stated)
    rules = changed.setdefault("require", [])
    if number is not None and not 0 <= number < len(rules):
        raise GygesError("this rule is no longer in the project")
    if section is None:
        if number is not None:
            rules.pop(number)
    elif number is None:
        rules.append(dict(section))
    else:
        rules[number] = dict(section)
    return _tidy(changed)


def set_policy(stated: Stated, policy: str) -> Stated:
    """Take the rules of a policy; rules about values only if a column is sensitive."""
    if policy not in POLICIES:
        raise GygesError(f"there is no policy {policy!r}: choose from {', '.join(POLICIES)}")
    rules = [dict(rule) for rule in POLICIES[policy][1]]
    if not stated.get("columns", {}).get("sensitive"):
        rules = [rule for rule in rules if rule["rule"] == "k-anonymity"]
    return _tidy({**copy.deepcopy(stated), "require": rules})


def set_key(stated: Stated, section: str, key: str, value: object) -> Stated:
    """Set one key of a section; an empty value removes it."""
    changed = copy.deepcopy(stated)
    held = changed.setdefault(section, {})
    held.pop(key, None)
    if value not in _EMPTY:
        held[key] = value
    return _tidy(changed)


def for_method(stated: Stated, method: str) -> Stated:
    """Without what does not apply to a method: noise has no rules about groups, and no purpose."""
    if method not in METHODS or not METHODS[method].spends_budget:
        return stated
    return {name: held for name, held in stated.items() if name not in ("require", "purpose")}


def set_domain(
    stated: Stated, column: str, ends: Sequence[str] | None, values: Sequence[str]
) -> Stated:
    """Declare the public values of a column: all whole numbers between two ends, or a list."""
    made: object = [*values]
    if ends is not None:
        try:
            first, last = map(int, ends)
        except ValueError:
            raise GygesError(f"{column}: both ends are whole numbers") from None
        if first > last:
            raise GygesError(f"{column}: the first value is larger than the last")
        made = {"from": first, "to": last}
    elif stated.get("columns", {}).get("kinds", {}).get(column) not in ("code", "category"):
        made = _numbers(values)
    if not made:
        raise GygesError(f"{column}: list at least one value")
    domains = {**stated.get("dp", {}).get("domains", {}), column: made}
    return set_key(stated, "dp", "domains", domains)


def _numbers(values: Sequence[str]) -> list[Any]:
    """Whole numbers, where all texts are such."""
    try:
        return [int(one) for one in values]
    except ValueError:
        return [*values]


def _remove(columns: Stated, key: str, column: str) -> None:
    columns[key] = [name for name in columns.get(key, []) if name != column]


def _tidy(stated: Stated) -> Stated:
    """Without keys and sections that say nothing."""
    columns = stated.get("columns", {})
    stated["columns"] = {k: v for k, v in columns.items() if v not in _EMPTY or k in _SHOWN}
    return {name: held for name, held in stated.items() if held not in _EMPTY}
