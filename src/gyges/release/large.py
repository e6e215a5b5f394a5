"""A release that was made part by part: its rows are on disk, only its claims in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gyges import __version__
from gyges.exact import worst_case
from gyges.release.certificate import FORMAT, Certificate, public_roles, write_pages_and_certificate
from gyges.release.directory import Entry, refuse_target, write_whole
from gyges.release.release import Claim, Form, Roles
from gyges.release.shuffle_on_disk import ScatteredRows
from gyges.release.tables import TableWriter


@dataclass(frozen=True, eq=False, repr=False)
class LargeRelease:
    """What is published under a memory limit; `save` writes it, `gy.load` reads it back.

    It has one table, "data": one value per person, generalized.
    """

    roles: Roles
    rows: ScatteredRows
    n_people: int
    n_groups: int
    n_parts: int  # that were finished one after another
    form: Form = "generalized"
    method: str = "partition"
    claims: tuple[Claim, ...] = ()
    n_left_out: int = 0
    is_seeded: bool = False
    rows_are_people: bool = False
    notices: tuple[str, ...] = ()

    def save(
        self,
        directory: str | Path,
        *,
        format: str = "csv",
        overwrite: bool = False,
        pages: Mapping[str, str] | None = None,
        before: Entry | None = None,
    ) -> Path:
        """Write the release to a directory that may leave the building: whole, or not at all."""
        directory = Path(directory)
        refuse_target(directory, format, overwrite)

        def fill(beside: Path) -> None:
            with TableWriter(beside / f"data.{format}", self.rows.names) as writer:
                for rows in self.rows.shuffled():
                    writer.write(rows)
            write_pages_and_certificate(beside, pages, self._certificate)

        return write_whole(directory, fill, before)

    def _certificate(self, files: Mapping[str, str]) -> Certificate:
        return Certificate(
            form=self.form,
            method=self.method,
            values_per_person="one" if self.roles.sensitive else "set",
            roles=public_roles(self.roles),
            n_people=self.n_people,
            n_groups=self.n_groups,
            n_left_out=self.n_left_out,
            claims=self.claims,
            files=dict(files),
            is_seeded=self.is_seeded,
            rows_are_people=self.rows_are_people,
            allows_singling_out=False,
            gyges=__version__,
            format=FORMAT,
        )

    def __str__(self) -> str:
        lines = [
            f"{self.n_people:,} people in {self.n_groups:,} groups, {self.form}, by {self.method}"
        ]
        lines += [f"  holds: {claim.text} ({worst_case(claim.risk)})" for claim in self.claims]
        return "\n".join([*lines, *self.notices])

    def __repr__(self) -> str:
        return f"<LargeRelease: {str(self).splitlines()[0]}>"
