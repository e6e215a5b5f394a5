"""A release of groups: its tables, its groups, and its claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import IntArray
from gyges.data.cells import by_columns
from gyges.data.counting import Missing
from gyges.data.schema import RowsPerPerson, ValuesPerPerson
from gyges.data.table import FrameKind, Table, check_table
from gyges.errors import ReleaseError
from gyges.notebook import NotebookCard, Part, Rows
from gyges.release.group_forms import Form
from gyges.release.groups import Groups
from gyges.release.joint_tables import split_table
from gyges.release.locating import locate_by_centroid, refuse_other_columns
from gyges.release.missing_labels import known_part
from gyges.release.part_of_release import part_of_release
from gyges.release.partition_of_cells import Partition
from gyges.release.published_groups import PublishedGroups, counterfeits_per_group
from gyges.release.statements import OTHER_SOFTWARE, Claim, Roles
from gyges.release.strict_model import one_line

if TYPE_CHECKING:
    import pyarrow as pa

    from gyges.release.lookup import Candidates


@dataclass(frozen=True, eq=False, repr=False)
class Release(PublishedGroups, NotebookCard):
    """What is published (`tables`), and what must not be (`group_of_row`, `table`).

    `tables` has "data" for one value per person in the generalized and microaggregated forms;
    "people" and "sensitive", joined by the group's number, otherwise. The order of rows is
    random. Made by `gy.publish` and `gy.load`; the constructor checks nothing.
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
    is_simulatable: bool = False  # which groups were chosen reveals nothing more than they do
    rows_per_person: RowsPerPerson = "one"  # "all": each person is described by all their rows
    options: Mapping[str, object] | None = None  # of the search; None if the release was read
    # The rules as they were asked for, as data; a claim leaves out what this table has no part in.
    asked: tuple[Mapping[str, object], ...] = ()
    is_seeded: bool = False  # then the order of the rows is no secret
    rows_are_people: bool = False  # each row was counted as one person: no column identifies people
    allows_singling_out: bool = False  # through columns published unchanged
    notices: tuple[str, ...] = ()
    frame_kind: FrameKind = "arrow"
    measure_loss: Callable[[Partition], float] | None = None  # `loss`, where utility is known
    counterfeits: tuple[tuple[int, int], ...] = ()  # (group from 1, how many) where there are any
    partition: Partition | None = None  # never published
    table: Table | None = None  # never published

    @property
    def values_per_person(self) -> ValuesPerPerson:
        """How many sensitive values a person has."""
        return self.groups.values_per_person

    @property
    def labelled(self) -> tuple[str, ...]:
        """The columns that were codes with labels in the source."""
        return () if self.table is None else self.table.labelled

    @property
    def is_read(self) -> bool:
        """Whether the release was read from its files."""
        return self.partition is None

    @property
    def n_people(self) -> int:
        """How many people are published; counterfeits are not people."""
        return int(self.people_per_group.sum())

    @property
    def people_per_group(self) -> IntArray:
        """How many people each group has, without its counterfeits."""
        return self.groups.sizes - counterfeits_per_group(self.counterfeits, len(self.groups))

    @property
    def n_groups(self) -> int:
        """How many groups are published."""
        return len(self.groups)

    @cached_property
    def tables(self) -> dict[str, pa.Table]:
        """The published tables as Arrow, by name."""
        return self.make_tables()

    @property
    def saved_tables(self) -> dict[str, pa.Table]:
        """The tables as they are saved: each sensitive column by itself."""
        return {name: split_table(rows, self.roles) for name, rows in self.tables.items()}

    @cached_property
    def loss(self) -> float:
        """What the labels of the groups lose: the "loss" of `gy.measure_utility`."""
        if self.partition is None or self.measure_loss is None:
            raise ReleaseError("the loss of a release that was read is not known")
        return self.measure_loss(self.partition)

    @property
    def known_loss(self) -> float | None:
        """What the labels of the groups lose, of a release that a search made."""
        return None if self.partition is None or self.measure_loss is None else self.loss

    @property
    def bound(self) -> float:
        """Proven: no release that satisfies the rules loses less; 0 if nothing was proven."""
        return 0.0 if self.partition is None else self.partition.bound

    @cached_property
    def group_of_row(self) -> IntArray:
        """The group of each row of the original table; it must not be published."""
        if self.partition is None or self.table is None:
            raise ReleaseError("a release that was read does not say who is in which group")
        return self.partition.group_of_row(self.table)

    def as_groups(self) -> list[Release]:
        """The release itself."""
        return [self]

    def about(self, column: str) -> Release:
        """The release with one of its several sensitive columns; the others are published."""
        return part_of_release(self, column)

    def locate(self, people: Table) -> IntArray:
        """The group of each row of `people`, found by their quasi-identifiers.

        -1 where no group can be theirs, -2 where several can.
        """
        check_table(people, "people")
        return np.asarray(self.candidates(people).only[people.cell_of_row])

    def locate_original(self, original: Table) -> IntArray:
        """The group of each row of the table that was published, which shows who lacks a value."""
        return np.asarray(self.candidates_of_original(original).only[original.cell_of_row])

    def candidates_of_original(self, original: Table, *, settle: bool = True) -> Candidates:
        """All groups that the people of the original can be in.

        `settle`: where a missing value lets people fit several, the one of their stand-ins.
        """
        from gyges.release.lookup import settled_by_stand_ins

        found = self.candidates(original, missing="value")
        if not settle or not self.group_form.has_true_labels:
            return found
        labels = [self.labels[name] for name in original.schema.quasi_identifiers]
        return settled_by_stand_ins(found, labels, original, self.groups)

    def candidates(self, people: Table, missing: Missing | None = None) -> Candidates:
        """All groups that a person can be in, for each cell of a table of people.

        `missing`: what a missing value means, if not what it means in the table.
        """
        from gyges.release.lookup import Candidates, candidates_by_labels, candidates_exactly

        check_table(people, "people")
        refuse_other_columns(self.roles.quasi_identifiers, people)
        if self.group_form.is_exact:
            return candidates_exactly(self.tables["people"], self.roles.group_column, people)
        labels = [self.labels[name] for name in people.schema.quasi_identifiers]
        if not self.group_form.is_averaged:
            how = self._missing(missing or people.missing)
            return candidates_by_labels(labels, people, self.groups.sizes, self.general_terms, how)
        nearest = np.zeros(len(people.cells), dtype=np.int64)
        nearest[people.cell_of_row] = locate_by_centroid(labels, people)
        return Candidates(np.arange(len(nearest) + 1), nearest, self.groups.sizes[nearest])

    def candidates_by(self, people: Table, columns: Sequence[str]) -> Candidates:
        """All groups that a person can be in by some of its columns alone, for each cell.

        Without any column, that is every group: nothing is known but that they are in it.
        """
        from gyges.release.lookup import Candidates, candidates_by_labels, candidates_exactly

        some = by_columns(people.cells, columns)
        if not columns:
            groups = np.arange(len(self.groups))
            found = Candidates(np.array([0, len(groups)]), groups, self.groups.sizes)
        elif self.group_form.is_exact:
            found = candidates_exactly(self.tables["people"], self.roles.group_column, some)
        else:
            labels = [self.labels[name] for name in columns]
            sizes, how = self.groups.sizes, self._missing(people.missing)
            found = candidates_by_labels(labels, some, sizes, self.general_terms, how)
        return found.take(some.place)

    def _missing(self, stated: Missing) -> Missing:
        """What a missing value means to someone who looks up people of a table.

        Where it matched anything in the release, only a table with the same gaps shows who lacks
        one: any other, and one without gaps, is of an attacker who does not know it.
        """
        return "any" if self.shows_missing and stated != "value" else stated

    @property
    def shows_missing(self) -> bool:
        """Whether some labels say that a value is missing that may be any value."""
        return any(known_part(one) is not None for col in self.labels.values() for one in col)

    @property
    def general_terms(self) -> list[str]:
        """The columns whose labels may be general terms: of other software, or of a hierarchy
        that is a table, whose leaves a certificate does not state.
        """
        stated = self.roles.hierarchies
        tables = [name for name, one in stated.items() if "levels" in one or "rows" in one]
        return list(self.roles.quasi_identifiers) if self.method == OTHER_SOFTWARE else tables

    def _card_title(self) -> str:
        return str(self).splitlines()[0]

    def _card_parts(self) -> list[Part]:
        first = next(iter(self.saved_tables.values())).slice(0, 5)
        claims = [(one_line(claim.text), one_line(claim.risk)) for claim in self.claims]
        head = "stated, not checked" if self.is_read else "what is promised"
        rows = Rows([list(row.values()) for row in first.to_pylist()], first.column_names)
        return [Rows(claims, (head, "worst case")), rows] if claims else [rows]
