"""A release that was made part by part: its rows are on disk, only its claims are in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from gyges.data.schema import RowsPerPerson, ValuesPerPerson
from gyges.exact import counted
from gyges.release.group_forms import Form
from gyges.release.published import Ungrouped
from gyges.release.published_groups import PublishedGroups
from gyges.release.rows_of_workers import RowsOfWorkers
from gyges.release.shuffle_on_disk import ScatteredRows
from gyges.release.statements import Claim, Roles


@dataclass(frozen=True, eq=False, repr=False)
class LargeRelease(PublishedGroups, Ungrouped):
    """A release made under a memory limit; `save` writes it, `gy.load` reads it back.

    Its one table, "data", is generalized, with one value per person.
    """

    roles: Roles
    rows: ScatteredRows | RowsOfWorkers
    n_people: int
    n_groups: int
    n_parts: int  # that were finished one after another
    form: Form = "generalized"
    method: str = "partition"
    claims: tuple[Claim, ...] = ()
    n_left_out: int = 0
    is_simulatable: bool = False
    rows_per_person: RowsPerPerson = "one"
    is_seeded: bool = False
    rows_are_people: bool = False
    allows_singling_out: bool = False
    notices: tuple[str, ...] = ()

    page_names: ClassVar[tuple[str, ...]] = ()  # a report needs all groups in memory
    why_not_compared: ClassVar[str | None] = (
        "only a release whose groups fit into memory can be compared"
    )
    may_expose: ClassVar[bool] = True
    why_no_groups: ClassVar[str] = (
        "the release was made part by part, and its groups are not all in memory: save it, and "
        "read it again (gy.load) where there is memory for all of it"
    )

    def facts(self) -> dict[str, Any]:
        """What a surface shows of it, as data."""
        return {**super().facts(), "parts": self.n_parts}

    def lines(self, facts: Mapping[str, Any]) -> list[str]:
        """Those of a release in memory, and what needs more memory than `publish` had."""
        parts = counted(self.n_parts, "part")
        found = f"  found in {parts}, without a report: it and verify need memory for all groups"
        return [*super().lines(facts), found]

    @property
    def tables(self) -> dict[str, ScatteredRows | RowsOfWorkers]:
        """Its one table, which can be read once, piece by piece."""
        return {"data": self.rows}

    @property
    def values_per_person(self) -> ValuesPerPerson:
        """How many sensitive values a person has."""
        return "one" if self.roles.sensitive else "set"
