"""What all releases of groups share, whether their groups are in memory or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import ClassVar, Protocol

from gyges import __version__
from gyges.data.people_words import as_counted, counted
from gyges.data.schema import ValuesPerPerson
from gyges.exact import worst_case
from gyges.release.certificate import FORMAT, PAGES, Certificate, public_roles
from gyges.release.published import PublishedTables
from gyges.release.statements import SIMULATABLE, Claim, Form, Roles
from gyges.release.strict_model import one_line


class _Stated(Protocol):
    """The content of the certificate of a release of groups."""

    @property
    def form(self) -> Form: ...
    @property
    def method(self) -> str: ...
    @property
    def values_per_person(self) -> ValuesPerPerson: ...
    @property
    def roles(self) -> Roles: ...
    @property
    def n_people(self) -> int: ...
    @property
    def n_groups(self) -> int: ...
    @property
    def n_left_out(self) -> int: ...
    @property
    def is_simulatable(self) -> bool: ...
    @property
    def claims(self) -> tuple[Claim, ...]: ...
    @property
    def is_seeded(self) -> bool: ...
    @property
    def rows_are_people(self) -> bool: ...
    @property
    def allows_singling_out(self) -> bool: ...
    @property
    def notices(self) -> Sequence[str]: ...
    @property
    def shows(self) -> str: ...
    @property
    def is_read(self) -> bool: ...


class PublishedGroups(PublishedTables):
    """The certificate of a release of groups, and its text."""

    page_names: ClassVar[tuple[str, ...]] = PAGES

    def certificate(self: _Stated, files: Mapping[str, str]) -> dict[str, object]:
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
            claims=self.claims,
            files=dict(files),
            is_seeded=self.is_seeded,
            rows_are_people=self.rows_are_people,
            allows_singling_out=self.allows_singling_out,
            gyges=__version__,
            format=FORMAT,
        )
        return asdict(stated)

    @property
    def is_read(self) -> bool:
        """Whether the claims come from a file: then only `verify` shows that they hold."""
        return False

    @property
    def shows(self: _Stated) -> str:
        """The columns published unchanged, and what that reveals, in words; "" for none."""
        exact, meaning = list(self.roles.published), ""
        if self.form == "bucketized":
            exact = [*self.roles.quasi_identifiers, *exact]
            meaning = (
                "; anyone who knows these sees who is in the table, and only the link from a "
                "person to their sensitive value is protected"
            )
        return f"published unchanged with each row: {', '.join(exact)}{meaning}" if exact else ""

    def __str__(self: _Stated) -> str:
        lines = [
            f"{counted(self.n_people, self.rows_are_people)} in {self.n_groups:,} groups, "
            f"{self.form}, by {self.method}"
        ]
        if self.n_left_out:
            said = as_counted(f"{self.n_left_out:,} people are suppressed", self.rows_are_people)
            lines.append(said)
        said = "stated, not checked" if self.is_read else "holds"
        lines += [
            f"  {said}: {one_line(claim.text)} ({one_line(worst_case(claim.risk))})"
            for claim in self.claims
        ]
        if self.is_simulatable:
            lines.append(f"  {said}: {SIMULATABLE}")
        if self.shows:
            lines.append(f"  {self.shows}")
        return "\n".join([*lines, *self.notices])

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {str(self).splitlines()[0]}>"
