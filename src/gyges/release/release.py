"""A release: what is published, the groups it comes down to, and what is claimed of it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from gyges.arguments import choice
from gyges.arrays import IntArray
from gyges.data.hierarchy import Hierarchy
from gyges.data.schema import Schema
from gyges.data.table import FrameKind, Table, check_table
from gyges.data.values import Kind
from gyges.errors import ReleaseError
from gyges.exact import worst_case
from gyges.notebook import card, table
from gyges.release.groups import Groups
from gyges.release.partition import Partition

if TYPE_CHECKING:
    import pyarrow as pa

    from gyges.release.lookup import Candidates

Form: TypeAlias = Literal["generalized", "bucketized", "microaggregated"]

# How pydantic reads these classes from a certificate: no other field, no other type.
STRICT = {"extra": "forbid", "strict": True}
SOMEBODY_ELSE = "somebody else"  # the method of a release that is not ours


@dataclass(frozen=True, slots=True)
class Claim:
    """One rule that the release satisfies, as its certificate states it."""

    __pydantic_config__ = STRICT
    rule: Mapping[str, object]  # name and parameters, enough to judge again
    text: str  # the rule in plain words
    # What the release has, an exact fraction or a number, as text.
    risk: str = field(metadata={"may_be_number": True})


@dataclass(frozen=True, slots=True)
class Roles:
    """The columns of a release, by the part they play."""

    __pydantic_config__ = STRICT
    quasi_identifiers: tuple[str, ...]
    sensitive: str | None
    published: tuple[str, ...] = ()
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    hierarchies: Mapping[str, Mapping[str, object]] = field(  # as plain data, with its leaves
        default_factory=dict, repr=False
    )

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that has a part: quasi-identifiers, published ones, the sensitive one."""
        sensitive = () if self.sensitive is None else (self.sensitive,)
        return (*self.quasi_identifiers, *self.published, *sensitive)

    @property
    def group_column(self) -> str:
        """The column that holds the group's number: `group`, or `group_2`, … if that is taken."""
        return _free_name("group", self.columns)

    @property
    def count_column(self) -> str:
        """The column that says how often a value occurs in a group."""
        return _free_name("count", self.columns)

    def schema(self, *, with_sensitive: bool = False) -> Schema:
        """The schema of a table that describes people by the same quasi-identifiers.

        Of a release that was read from its files, without the hierarchies that are tables.
        """
        return Schema(
            quasi_identifiers=self.quasi_identifiers,
            sensitive=self.sensitive if with_sensitive else None,
            kinds={name: self.kinds[name] for name in self.quasi_identifiers if name in self.kinds},
            hierarchies={
                name: Hierarchy.from_data(described)
                for name, described in self.hierarchies.items()
                if "levels" not in described
            },
        )


def _free_name(name: str, taken: Sequence[str]) -> str:
    """The name, with the least number behind it that makes it differ from those that are taken."""
    numbered = (f"{name}_{number}" for number in itertools.count(2))
    return next(free for free in itertools.chain([name], numbered) if free not in taken)


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """What is published (`tables`), and what must stay inside (`group_of_row`, `table`).

    `tables` holds "data" for one value per person in the generalized and microaggregated forms;
    "people" and "sensitive", joined by the group's number, otherwise. Rows are in an order that
    says nothing. Made by `gy.publish` and `gy.load`; the constructor checks nothing.
    """

    form: Form
    roles: Roles
    groups: Groups
    labels: Mapping[str, list[str]]  # what each group shows in each quasi-identifier
    make_tables: Callable[[], dict[str, pa.Table]]
    method: str = "unknown"
    claims: tuple[Claim, ...] = ()
    levels: Mapping[str, int] | None = None
    n_left_out: int = 0
    is_seeded: bool = False  # then the order of the rows is no secret
    rows_are_people: bool = False  # each row was taken to be one person: no column says so
    allows_singling_out: bool = False  # through columns published as they are
    notices: tuple[str, ...] = ()
    frame_kind: FrameKind = "arrow"
    partition: Partition | None = None  # inside only
    table: Table | None = None  # inside only

    @cached_property
    def tables(self) -> dict[str, pa.Table]:
        """The published tables as Arrow, by name."""
        return self.make_tables()

    @cached_property
    def group_of_row(self) -> IntArray:
        """The group of each row of the original table; it must stay inside the building."""
        if self.partition is None or self.table is None:
            raise ReleaseError("who is in which group is known only where the release was made")
        return self.partition.group_of_row(self.table)

    def frame(self, name: str | None = None) -> object:
        """A published table in the kind of frame that was read (pandas, polars, else Arrow)."""
        first = next(iter(self.tables))
        if name is not None:
            choice(name, list(self.tables), "name", ReleaseError)
        return as_frame(self.tables[name or first], self.frame_kind)

    def locate(self, people: Table) -> IntArray:
        """The group of each row of `people`, found by their quasi-identifiers.

        -1 where no group can be theirs, -2 where several can.
        """
        check_table(people, "people")
        return np.asarray(self.candidates(people).only[people.cell_of_row])

    def candidates(self, people: Table) -> Candidates:
        """All groups that can be somebody's, for each cell of a table of people."""
        from gyges.release.locating import locate_by_centroid, refuse_other_columns
        from gyges.release.lookup import Candidates, candidates_by_labels, candidates_exactly

        check_table(people, "people")
        refuse_other_columns(self.roles.quasi_identifiers, people)
        if self.form == "bucketized":
            return candidates_exactly(self.tables["people"], self.roles.group_column, people)
        labels = [self.labels[name] for name in people.schema.quasi_identifiers]
        if self.form != "microaggregated":
            return candidates_by_labels(labels, people, self.groups.sizes, self._not_our_labels)
        nearest = np.zeros(len(people.cells), dtype=np.int64)
        nearest[people.cell_of_row] = locate_by_centroid(labels, people)
        return Candidates(np.arange(len(nearest) + 1), nearest, self.groups.sizes[nearest])

    @property
    def _not_our_labels(self) -> list[str]:
        """The columns whose labels may be general terms: of others, or of a table's hierarchy."""
        stated = self.roles.hierarchies
        tables = [name for name, one in stated.items() if "table" in one or "rows" in one]
        return list(self.roles.quasi_identifiers) if self.method == SOMEBODY_ELSE else tables

    def save(
        self,
        directory: str | Path,
        *,
        format: str = "csv",
        overwrite: bool = False,
        pages: Mapping[str, str] | None = None,
    ) -> Path:
        """Write the release to a directory that may leave the building: whole, or not at all.

        `pages` are files to put beside the tables, such as the report: `gy.report_pages(release)`.
        """
        from gyges.release.files import save

        return save(self, directory, format=format, overwrite=overwrite, pages=pages)

    def __str__(self) -> str:
        sizes = self.groups.sizes
        people = int(sizes.sum())
        lines = [f"{people:,} people in {len(sizes):,} groups, {self.form}, by {self.method}"]
        if self.n_left_out:
            lines.append(f"{self.n_left_out:,} people are suppressed")
        lines += [f"  holds: {claim.text} ({worst_case(claim.risk)})" for claim in self.claims]
        if self.shows:
            lines.append(f"  {self.shows}")
        return "\n".join([*lines, *self.notices])

    def __repr__(self) -> str:
        return f"<Release: {str(self).splitlines()[0]}>"

    @property
    def shows(self) -> str:
        """What the rows show of people beside generalized or averaged columns; "" for nothing."""
        exact, said = list(self.roles.published), ""
        if self.form == "bucketized":
            exact = [*self.roles.quasi_identifiers, *exact]
            said = (
                "; anyone who knows these sees who is in the table, and only the link from a "
                "person to their sensitive value is protected"
            )
        return f"published unchanged with each row: {', '.join(exact)}{said}" if exact else ""

    def _repr_html_(self) -> str:
        first = next(iter(self.tables.values())).slice(0, 5)
        claims = [(claim.text, claim.risk) for claim in self.claims]
        return card(
            str(self).splitlines()[0],
            table(claims, ("what is promised", "it is")) if claims else "",
            table([row.values() for row in first.to_pylist()], first.column_names),
        )


def as_frame(rows: pa.Table, kind: FrameKind) -> object:
    """Rows in the kind of frame that the caller uses."""
    if kind == "pandas":
        return rows.to_pandas()
    if kind == "polars":
        import polars as pl

        return pl.from_arrow(rows)
    return rows
