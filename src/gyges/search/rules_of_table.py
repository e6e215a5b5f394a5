"""Rules with the values of a table that they name by terms of a hierarchy."""

from __future__ import annotations

from collections.abc import Iterable

from gyges.criteria.base import Rule
from gyges.criteria.similar_values import with_listed_values
from gyges.data.large_table import LargeTable
from gyges.data.table import Table


def rules_of_table(table: Table | LargeTable, rules: Iterable[Rule]) -> list[Rule]:
    """The rules with the values that are similar by the hierarchy of a sensitive column."""
    schema = table.schema
    domain = table.sensitive if isinstance(table, LargeTable) else table.cells.sensitive
    values = [value for value, has in zip(domain.values, domain.present, strict=True) if has]
    return with_listed_values(rules, schema.hierarchies, schema.sensitive, values)
