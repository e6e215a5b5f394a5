"""What all releases of groups share, whether their groups are in memory or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gyges import __version__
from gyges.arrays import IntArray
from gyges.data.people_words import counted_people
from gyges.data.schema import RowsPerPerson, ValuesPerPerson
from gyges.exact import counted, percent, worst_case
from gyges.release.certificate import FORMAT, PAGES, Certificate, public_roles
from gyges.release.group_forms import GROUP_FORMS, Form, GroupForm
from gyges.release.published import PublishedTables
from gyges.release.statements import SIMULATABLE, Claim, Roles
from gyges.release.strict_model import one_line


class PublishedGroups(PublishedTables):
    """The certificate of a release of groups, and its text."""

    page_names: ClassVar[tuple[str, ...]] = PAGES
    form: Form
    roles: Roles
    claims: tuple[Claim, ...]
    n_left_out: int
    is_seeded: bool
    is_simulatable: bool
    rows_per_person: RowsPerPerson
    rows_are_people: bool
    allows_singling_out: bool

    if TYPE_CHECKING:

        @property
        def n_people(self) -> int:
            """How many people are published."""

        @property
        def n_groups(self) -> int:
            """How many groups are published."""

        @property
        def values_per_person(self) -> ValuesPerPerson:
            """How many sensitive values a person has."""

    def certificate(self, files: Mapping[str, str]) -> dict[str, object]:
        """What the certificate states, given the SHA-256 of each file."""
        stated = Certificate(
            form=self.form,
            method=self.method,
            values_per_person=self.values_per_person,
            roles=public_roles(self.roles),
            n_people=self.n_people,
            n_groups=self.n_groups,
            n_left_out=self.n_left_out,
            is_simulatable=self.is_simulatable,
            rows_per_person=self.rows_per_person,
            claims=self.claims,
            files=dict(files),
            is_seeded=self.is_seeded,
            rows_are_people=self.rows_are_people,
            allows_singling_out=self.allows_singling_out,
            counterfeits=self.counterfeits,
            gyges=__version__,
            format=FORMAT,
        )
        return asdict(stated)

    @property
    def counterfeits(self) -> tuple[tuple[int, int], ...]:
        """(group from 1, how many) for each group with values that belong to nobody."""
        return ()

    @property
    def group_form(self) -> GroupForm:
        """What its rows show of their people."""
        return GROUP_FORMS[self.form]

    @property
    def is_read(self) -> bool:
        """Whether the claims come from a file: then only `verify` shows that they hold."""
        return False

    @property
    def known_loss(self) -> float | None:
        """What the labels of the groups lose, where the groups are in memory."""
        return None

    @property
    def shows(self) -> str:
        """The columns published unchanged, and what that reveals, in words; "" for none."""
        exact, meaning = list(self.roles.recognizable), ""
        if self.group_form.is_exact:
            exact = [*self.roles.quasi_identifiers, *exact]
            meaning = (
                "; anyone who knows these sees who is in the table, and only the link from a "
                "person to their sensitive value is protected"
            )
        return f"published unchanged with each row: {', '.join(exact)}{meaning}" if exact else ""

    @property
    def title(self) -> str:
        """How many people are published in how many groups."""
        people = counted_people(self.n_people, self.rows_are_people)
        return f"{people} in {counted(self.n_groups, 'group')}"

    def facts(self) -> dict[str, Any]:
        """What a surface shows of it, as data."""
        counts = {"people": self.n_people, "groups": self.n_groups, "left_out": self.n_left_out}
        return {**counts, "claims": self.claims, "notices": self.notices}

    def lines(self, facts: Mapping[str, Any]) -> list[str]:
        """What is suppressed, what holds, and what is left of the detail."""
        suppressed = f"  {counted(self.n_left_out, 'person is', 'people are')} suppressed"
        left = f"  groups have {self.n_people / self.n_groups:.1f} people on average"
        names = self.roles.quasi_identifiers
        shown = ", ".join(names) if len(names) <= 8 else f"{len(names)} quasi-identifiers"
        if self.known_loss is not None and self.group_form.has_true_labels and shown:
            left += f"; {percent(self.known_loss)} of the detail in {shown} is lost"
        unchanged = [f"  {self.shows}"] if self.shows else []
        rest = [left, *self._bound(facts), *unchanged, *self.notices]
        return [*([suppressed] if self.n_left_out else []), *self._claimed("holds"), *rest]

    def _bound(self, facts: Mapping[str, Any]) -> list[str]:
        if not facts.get("bound"):
            return []
        return [f"  no release under these rules loses less than {percent(facts['bound'])}"]

    def _claimed(self, said: str) -> list[str]:
        claimed = [
            f"  {said}: {one_line(claim.text)} ({one_line(worst_case(claim.risk))})"
            for claim in self.claims
        ]
        return [*claimed, *([f"  {said}: {SIMULATABLE}"] if self.is_simulatable else [])]

    def __str__(self) -> str:
        lines = [f"{self.title}, {self.form}, by {self.method}"]
        if self.n_left_out:
            lines.append(f"{counted(self.n_left_out, 'person is', 'people are')} suppressed")
        lines += self._claimed("stated, not checked" if self.is_read else "holds")
        if self.shows:
            lines.append(f"  {self.shows}")
        return "\n".join([*lines, *self.notices])

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {str(self).splitlines()[0]}>"


def counterfeits_per_group(stated: Sequence[tuple[int, int]], n_groups: int) -> IntArray:
    """How many counterfeits each group has."""
    found = np.zeros(n_groups, dtype=np.int64)
    for group, n in stated:
        found[group - 1] = n
    return found


def about_counterfeits(stated: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """What a reader should know of values that belong to nobody."""
    total = sum(n for _, n in stated)
    if not total:
        return ()
    groups = counted(len(stated), "group")
    return (
        f"{counted(total, 'value')} in {groups} belong to nobody (counterfeits, which keep a "
        f"person's group at the same values as before): the certificate says in which groups. "
        f"Numbers of members of groups and of values count them.",
    )
