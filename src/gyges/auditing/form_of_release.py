"""How releases of one form are read, checked and audited; `forms.py` lists the forms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from gyges.auditing.checks import Check
from gyges.auditing.notes import about_rows
from gyges.data.table import Table
from gyges.release.published import Published


class Stated(Protocol):
    """What a certificate of any form states."""

    @property
    def files(self) -> Mapping[str, str]:
        """The SHA-256 of each file."""
        ...

    @property
    def rows_are_people(self) -> bool:
        """Whether each row was taken to be one person, since no column says who is who."""
        ...


@dataclass(frozen=True, slots=True)
class Original:
    """What stays with the publisher: the table, and who of it went where."""

    table: Table
    mapping: str | Path | None = None


@dataclass(frozen=True, slots=True)
class Description:
    """What an audit says besides its findings: what was audited, and what they do not cover."""

    subject: str  # a sentence
    notes: tuple[str, ...] = ()


Certificate = TypeVar("Certificate", bound=Stated)
Release = TypeVar("Release", bound=Published)


@dataclass(frozen=True, slots=True)
class FormOfRelease(Generic[Certificate, Release]):
    """All that reading, verifying and auditing ask of one form.

    `read` reads a certificate by its strict model, and refuses a directory that holds any file
    but those that the form foresees and the certificate lists. `check` recomputes what a
    certificate claims, from files whose hashes are the stated ones. Both raise ReleaseError where
    a release is malformed. `describe` raises it where a release cannot be audited as it is.
    """

    read: Callable[[Path], Certificate]
    load: Callable[[Path], Release]
    check: Callable[[Path, Certificate], Iterable[Check]]
    describe: Callable[[Release], Description]
    # Where the original can tell more than the files alone.
    check_original: Callable[[Path, Certificate, Original], Iterable[Check]] | None = None
    say: Callable[[Certificate], Iterable[str]] = lambda stated: about_rows(stated.rows_are_people)
