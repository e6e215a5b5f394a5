"""Columns that are published unchanged: what an attacker who knows them learns.

The published tables are judged as an attacker sees them. In a table with one value per row, every
rule must hold in the refined groups: people of one group who also agree in the published columns.
Where the sensitive values are in a separate table (bucketized, or several values per person), the
published columns do not divide the values of a group. Then only re-identification is judged: how
many people share everything that their row shows. A bucketized row shows the quasi-identifiers
themselves instead of labels.

Keyed pseudonyms show nothing if each occurs once. One that several rows share shows who has the
same value, which its frequency may give away, and a missing one who has none: without any key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gyges.criteria.base import Rule
from gyges.criteria.verdict import judge
from gyges.data.column_names import some_of
from gyges.data.schema import ValuesPerPerson
from gyges.errors import GygesError, SchemaError
from gyges.exact import counted, number_aside
from gyges.release.group_forms import GROUP_FORMS, Form
from gyges.release.groups import Groups
from gyges.release.groups_from_tables import groups_of_tables
from gyges.release.refined_groups import alike
from gyges.release.statements import Roles

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class ShownColumns:
    """How many people the published columns single out, and which rules fail through them."""

    columns: tuple[str, ...]
    n_people: int
    n_alone: int  # unique in everything that their row shows: labels and published columns
    n_alone_by_columns: int  # unique in the published columns alone
    smallest: int  # the least number of people whose rows look the same
    failures: tuple[str, ...]  # rules that do not hold for an attacker who knows the columns
    pseudonyms: tuple[str, ...] = ()  # those of the columns that hold pseudonyms

    @property
    def is_safe(self) -> bool:
        """No one is unique, and every rule holds, for an attacker who also knows the columns."""
        return not self.n_alone and not self.failures

    def __str__(self) -> str:
        named = some_of(self.columns)
        text = f"Published unchanged: {named}."
        if not self.n_alone:
            return f"{text} Each row is the same for at least {counted(self.smallest, 'person')}."
        return (
            f"{text} {self.n_alone:,} of {self.n_people:,} people have a row that no one else has, "
            f"{self.n_alone_by_columns:,} by these columns alone."
        )

    def notices(self) -> tuple[str, ...]:
        """The notices of a release with these columns."""
        named = some_of(self.columns)
        failed = (f"For an attacker who knows {named}, fails: {text}" for text in self.failures)
        return (str(self), *failed)


def shown_columns(
    tables: Mapping[str, pa.Table], roles: Roles, form: Form, rules: Sequence[Rule]
) -> ShownColumns:
    """What the published columns of a release's tables show to someone who has no key."""
    rows = tables["people"] if "people" in tables else tables["data"]
    rows, telling = as_seen_without_key(rows, roles)
    seen = tuple(name for name in roles.published if name in (*roles.recognizable, *telling))
    roles = replace(roles, published=seen, pseudonyms=())
    shows_values = "data" in tables and roles.sensitive is not None
    refined = _refined(rows, roles if shows_values else replace(roles, sensitive=None), form)
    by_columns = alike(rows, roles.published)
    is_divided = shows_values or roles.sensitive is None
    judged = rules if is_divided else [rule for rule in rules if rule.reads == "sizes"]
    return ShownColumns(
        columns=roles.published,
        n_people=rows.num_rows,
        n_alone=int((refined.sizes == 1).sum()),
        n_alone_by_columns=int((np.bincount(by_columns) == 1).sum()),
        smallest=int(refined.sizes.min(initial=rows.num_rows)),
        failures=tuple(text for rule in judged for text in _failure(rule, refined)),
        pseudonyms=telling,
    )


def as_seen_without_key(rows: pa.Table, roles: Roles) -> tuple[pa.Table, tuple[str, ...]]:
    """The rows with what pseudonyms show to someone who has no key, and those that show anything:
    which people share one, and who has none.
    """
    telling = {name: _what_pseudonyms_show(rows, name) for name in roles.pseudonyms}
    found = {name: column for name, column in telling.items() if column is not None}
    for name, column in found.items():
        rows = rows.set_column(rows.column_names.index(name), name, column)
    return rows, tuple(found)


def _what_pseudonyms_show(rows: pa.Table, name: str) -> pa.Array | None:
    """Which pseudonyms several rows share, and where one is missing; None if neither occurs."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = rows.column(name).cast(pa.string())
    is_missing = pc.fill_null(pc.equal(texts, ""), True).to_numpy()
    number = alike(rows, [name])
    is_unique = (np.bincount(number)[number] == 1) & ~is_missing
    return None if is_unique.all() else pa.array(np.where(is_unique, -1, number))


def refuse_singling_out(found: ShownColumns) -> None:
    """Refuse published columns that single people out, or through which a rule fails."""
    if found.is_safe:
        return
    named = some_of(found.columns)
    first = f"{named}, published unchanged, break a rule for an attacker who knows them:"
    if found.n_alone:
        first = (
            f"the columns published unchanged single people out ({named}): {found.n_alone:,} of "
            f"{found.n_people:,} people have a row that no one else has, "
            f"{found.n_alone_by_columns:,} by these columns alone"
        )
    others = some_of([name for name in found.columns if name not in found.pseudonyms])
    advice = [f"make {others} quasi-identifiers or drop them"] if others else []
    if found.pseudonyms:
        advice.append(
            f"publish no {', '.join(found.pseudonyms)}: some people share one, or have none, and "
            f"that shows without the key"
        )
    advice.append(
        "to publish them anyway, set allow_singling_out=True (in a project file, under [publish]: "
        "allow_singling_out = true)"
    )
    failures = [f"  {text}" for text in found.failures]
    raise SchemaError("\n".join([first, *failures, "; ".join(advice)]))


def _refined(rows: pa.Table, roles: Roles, form: Form) -> Groups:
    """The groups of people whose rows look the same, with the values that their rows show."""
    import pyarrow as pa

    columns = [*roles.quasi_identifiers, *roles.published]
    if not GROUP_FORMS[form].is_exact and roles.group_column in rows.column_names:
        columns.append(roles.group_column)
    number = pa.array(alike(rows, columns) + 1)
    rows = rows.drop_columns([c for c in rows.column_names if c == roles.group_column])
    numbered = {"data": rows.append_column(roles.group_column, number)}
    kind: ValuesPerPerson = "set" if roles.sensitive is None else "one"
    return groups_of_tables(numbered, roles, kind, "bucketized")[0]


def _failure(rule: Rule, refined: Groups) -> list[str]:
    """The rule and the number that is reached, where it fails or cannot be judged."""
    try:
        return [
            f"{rule} (worst case: {number_aside(failure.risk)})"
            for failure in judge(rule, refined).failures
        ]
    except GygesError:
        return [f"{rule}: cannot be judged where columns are published unchanged"]
