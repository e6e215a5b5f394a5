"""How releases of one form are read, checked and audited; `forms.py` lists the forms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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
    def claims(self) -> Sequence[object]:
        """What is claimed about privacy."""
        ...

    @property
    def rows_are_people(self) -> bool:
        """Whether each row was taken to be one person, because no column identifies people."""
        ...


@dataclass(frozen=True, slots=True)
class Original:
    """What stays with the publisher: the table, and the mapping of its people to groups."""

    table: Table
    mapping: str | Path | None = None


@dataclass(frozen=True, slots=True)
class Description:
    """What an audit says in addition to its findings: its subject, and what they do not cover."""

    subject: str  # a sentence
    notes: tuple[str, ...] = ()


CertificateT = TypeVar("CertificateT", bound=Stated)
ReleaseT = TypeVar("ReleaseT", bound=Published)


@dataclass(frozen=True, slots=True)
class FormOfRelease(Generic[CertificateT, ReleaseT]):
    """How releases of one form are read, verified and described.

    `read` reads a certificate by its strict model, and refuses a directory with any file that the
    form does not allow or the certificate does not list. `check` recomputes what a certificate
    claims, from files whose hashes match. Both raise ReleaseError where a release is malformed.
    `describe` raises it where a release must be saved before it can be audited.
    """

    read: Callable[[Path], CertificateT]
    load: Callable[[Path], ReleaseT]
    check: Callable[[Path, CertificateT], Iterable[Check]]
    describe: Callable[[ReleaseT], Description]
    # Where the original allows more checks than the files alone.
    check_original: Callable[[Path, CertificateT, Original], Iterable[Check]] | None = None
    # What the publisher says that no file can show.
    statements: Callable[[CertificateT], Iterable[str]] = lambda stated: about_rows(
        stated.rows_are_people
    )
