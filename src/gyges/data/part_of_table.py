"""A table with several sensitive columns, seen as one with one of them."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np

from gyges.arrays import BoolArray, CodeArray
from gyges.data.cells import Cells
from gyges.data.encoding import Coder
from gyges.data.joint_values import joint_text, part_of
from gyges.data.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class PartOfTable(Table):
    """The same rows with one of the sensitive columns; the others are published with each row."""

    whole: Table = field(kw_only=True)

    @cached_property
    def _row_codes(self) -> tuple[CodeArray, CodeArray | None, BoolArray]:
        """The whole table decides which rows are used."""
        codes, _, used = self.whole._row_codes
        name = str(self.schema.sensitive)
        return codes, self.coders[name].encode(self.source.fetch([name]).column(name)), used


def part_of_table(table: Table, column: str) -> PartOfTable:
    """The table with one of its sensitive columns; its people and cells are the same."""
    schema = table.schema
    others = [name for name in schema.joined if name != column]
    shown = replace(schema, sensitive=column, joined=(), published=[*schema.published, *others])
    held = {one.name: getattr(table, one.name) for one in fields(Table)}
    cells = _cells(table.cells, table.coders[column], column)
    return PartOfTable(
        **{**held, "schema": shown, "source": table.source, "cells": cells},
        whole=table,
    )


def _cells(cells: Cells, coder: Coder, column: str) -> Cells:
    """The cells with the values of one column."""
    values = coder.domain.values
    code = {part_of(joint_text({column: v}), column): place for place, v in enumerate(values)}
    new = np.array([code[part_of(v, column)] for v in cells.sensitive.values], dtype=np.int32)
    people = cells.people
    return replace(
        Cells.from_entries(
            domains=cells.domains,
            codes=cells.codes,
            people=people,
            sensitive=coder.domain,
            entry_codes=cells.codes[cells.cell_of_entry],
            value_codes=new[cells.value_codes],
            value_counts=cells.value_counts,
            values_per_person="one",
        ),
        households=cells.households,
    )
