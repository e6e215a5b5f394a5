"""A release of any form: its tables, its claims, its certificate; written by `save`.

`gyges.auditing.forms` lists the forms, and how a directory of each is read and checked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Protocol

from gyges.arguments import flag, mapping, path, shown
from gyges.arrays import IntArray
from gyges.data.table import FrameKind, Table
from gyges.errors import ReleaseError
from gyges.exact import worst_case
from gyges.release.certificate import DESCRIPTIONS, digests, write_certificate
from gyges.release.directory import Entry, refuse_target, write_whole
from gyges.release.exchange_files import EXCHANGE_FORMATS, write_exchange_file
from gyges.release.groups import Groups
from gyges.release.rows_of_workers import RowsOfWorkers
from gyges.release.signature import SigningKey, signing_key
from gyges.release.statements import Claim
from gyges.release.tables import FORMATS, RowsInPieces, as_text, write_table

if TYPE_CHECKING:
    import pyarrow as pa


class Published(Protocol):
    """A release of any form, made here or read from its directory."""

    @property
    def form(self) -> str:
        """Its name in `FORMS`."""
        ...

    @property
    def title(self) -> str:
        """What is published, in a few words."""
        ...

    @property
    def groups(self) -> Groups:
        """Its groups; a form without groups raises an error with the reason."""
        ...

    @property
    def tables(self) -> Mapping[str, pa.Table | RowsInPieces]:
        """The published tables, by name."""
        ...

    @property
    def claims(self) -> Sequence[Claim]:
        """The rules that the release satisfies."""
        ...

    @property
    def frame_kind(self) -> FrameKind:
        """The kind of frame in which `frame` shows a table."""
        ...

    @property
    def page_names(self) -> Collection[str]:
        """The pages that this form may have besides its tables."""
        ...

    @property
    def saved_tables(self) -> Mapping[str, pa.Table | RowsInPieces]:
        """The tables as they are saved: each is a file of its name."""
        ...

    @property
    def labelled(self) -> tuple[str, ...]:
        """The columns of codes with labels, for programs that have such."""
        ...

    @property
    def notices(self) -> Sequence[str]:
        """What a reader should know that no claim says."""
        ...

    @property
    def rows_are_people(self) -> bool:
        """Whether rows were counted, because no column identifies people."""
        ...

    @property
    def why_no_groups(self) -> str:
        """Why questions about groups do not apply to it; "" where they do."""
        ...

    @property
    def why_not_compared(self) -> str | None:
        """Why it is not compared with earlier releases; None where that would find nothing."""
        ...

    def as_groups(self) -> list[Any]:
        """Releases of groups that say the same about sensitive values; none where nothing does."""
        ...

    @property
    def may_expose(self) -> bool:
        """Whether, though it is not compared, it may expose people with earlier releases."""
        ...

    def certificate(self, files: Mapping[str, str]) -> Mapping[str, object]:
        """What its certificate states, given the SHA-256 of each saved file."""
        ...

    def facts(self) -> dict[str, Any]:
        """What a surface shows of it, as data."""
        ...

    def lines(self, facts: Mapping[str, Any]) -> list[str]:
        """The same in lines, below its title; the workflow may have added to the facts."""
        ...

    def recorded(self) -> dict[str, object]:
        """What a ledger records of it."""
        ...

    def locate(self, people: Table) -> IntArray:
        """The group of each row of a table of people."""
        ...

    def save(
        self,
        directory: str | Path,
        *,
        format: str = ...,
        overwrite: bool = ...,
        pages: Mapping[str, str] | None = ...,
        before: Entry | None = ...,
        sign: str | Path | SigningKey | None = ...,
    ) -> Path:
        """Write it to a directory."""
        ...


class PublishedTables:
    """What all forms share: what surfaces show, a table as a frame, and saving all of them."""

    frame_kind: FrameKind = "arrow"
    page_names: ClassVar[tuple[str, ...]] = ()
    method: str
    notices: Sequence[str] = ()
    why_no_groups: ClassVar[str] = ""
    why_not_compared: ClassVar[str | None] = None
    may_expose: ClassVar[bool] = False

    def as_groups(self) -> list[Any]:
        """Releases of groups that say the same about sensitive values; none where nothing does."""
        return []

    def facts(self: Published) -> dict[str, Any]:
        """What a surface shows of it, as data."""
        return {"claims": self.claims, "notices": self.notices}

    def lines(self: Published, facts: Mapping[str, Any]) -> list[str]:
        """The same in lines, below its title."""
        holds = [f"  holds: {claim.text} ({worst_case(claim.risk)})" for claim in self.claims]
        return [*holds, *self.notices]

    def recorded(self) -> dict[str, object]:
        """What a ledger records of it."""
        return {"text": str(self), "method": self.method}

    @property
    def labelled(self) -> tuple[str, ...]:
        """The columns of codes with labels, for programs that have such."""
        return ()

    @property
    def saved_tables(self: Published) -> Mapping[str, pa.Table | RowsInPieces]:
        """The tables as they are saved: each is a file of its name."""
        return self.tables

    def frame(self: Published, name: str | None = None) -> object:
        """A published table in the kind of frame that was read (pandas, polars, else Arrow)."""
        if name is not None and not (isinstance(name, str) and name in self.tables):
            raise ReleaseError(
                f"the release has no table {shown(name)}: it has {', '.join(self.tables)}"
            )
        tables = self.saved_tables
        return _as_frame(tables[name or next(iter(tables))], self.frame_kind)

    def save(
        self: Published,
        directory: str | Path,
        *,
        format: str = "csv",
        overwrite: bool = False,
        pages: Mapping[str, str] | None = None,
        before: Entry | None = None,
        sign: str | Path | SigningKey | None = None,
    ) -> Path:
        """Write the release to a directory that may be published: whole, or not at all.

        Args:
            format: "csv" or "parquet", or beside a CSV also "xlsx", "dta", "sav" or "xpt".
            pages: files to add to the tables, such as `gy.report_pages(release)`.
            before: gets the finished directory before it is moved into place, for example to
                enter it in a ledger.
            sign: the file of a private Ed25519 key (OpenSSH or PEM) that signs all files.
        """
        directory = path(directory, "directory", ReleaseError)
        refuse_target(directory, format, flag(overwrite, "overwrite"))
        texts = _checked_pages(pages, self.page_names)
        _refuse_descriptions_of_others(texts, self.saved_tables, format)
        key = None if sign is None else signing_key(sign)

        def fill(hidden: Path) -> None:
            known: dict[str, str] = {}
            for name, rows in self.saved_tables.items():
                if isinstance(rows, RowsOfWorkers):
                    known |= rows.write(hidden / name, format)
                else:
                    _write_files(rows, hidden / name, format, self.labelled)
            for name, text in texts.items():
                (hidden / name).write_text(text, encoding="utf-8")
            write_certificate(self.certificate(digests(hidden, known)), hidden)
            if key is not None:
                key.sign(hidden)

        return write_whole(directory, fill, before)


def _write_files(
    rows: pa.Table | RowsInPieces, path: Path, format: str, labelled: Collection[str]
) -> None:
    """Write a table; for another program also as CSV, which is the file that is judged."""
    import pyarrow as pa

    if format not in EXCHANGE_FORMATS:
        write_table(rows, path.with_name(f"{path.name}.{format}"))
        return
    if not isinstance(rows, pa.Table):
        raise ReleaseError(f"a table larger than memory is not written as {format}: choose csv")
    write_table(rows, path.with_name(f"{path.name}.csv"))
    write_exchange_file(as_text(rows), path.with_name(f"{path.name}.{format}"), labelled)


class Ungrouped(PublishedTables):
    """A release without groups in memory: a question about them raises an error with the reason."""

    why_not_compared: ClassVar[str | None] = "this one has no groups"

    @property
    def groups(self) -> Groups:
        """Raise the error that says why this release has no groups."""
        self._refuse()

    def locate(self, people: Table) -> IntArray:
        """Raise the error that says why nobody can be located."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise ReleaseError(self.why_no_groups)


def file_named(name: str, files: Collection[str]) -> str:
    """The file of a table, in either format."""
    return next(f"{name}.{format}" for format in FORMATS if f"{name}.{format}" in files)


def _as_frame(rows: pa.Table | RowsInPieces, kind: FrameKind) -> object:
    """Rows in the caller's kind of frame."""
    import pyarrow as pa

    if not isinstance(rows, pa.Table):
        raise ReleaseError("the table is not in memory: save the release and read the file")
    if kind == "pandas":
        return rows.to_pandas()
    if kind == "polars":
        import polars as pl

        return pl.from_arrow(rows)
    return rows


def _checked_pages(pages: object, names: Collection[str]) -> dict[str, str]:
    """Pages as {file name: text}; refuse those that the form does not allow."""
    given = {} if pages is None else mapping(pages, "pages", "{file name: text}", ReleaseError)
    checked = {}
    for name, text in given.items():
        if not isinstance(name, str) or name not in names:
            raise ReleaseError(
                f"pages: {shown(name)} is not a page of this form, which has "
                f"{', '.join(names) or 'no pages'}"
            )
        if not isinstance(text, str) or _is_broken(text):
            raise ReleaseError(f"pages: {name!r} is {shown(text)}: give the text of a page")
        checked[name] = text
    return checked


def _refuse_descriptions_of_others(
    texts: Mapping[str, str], tables: Collection[str], format: str
) -> None:
    """Refuse descriptions of files that are not written, such as a CSV beside Parquet."""
    ending = format if format in FORMATS else FORMATS[0]
    files = [f"{name}.{ending}" for name in tables]
    for page in DESCRIPTIONS:
        missing = [file for file in files if file not in texts.get(page, file)]
        if missing:
            raise ReleaseError(
                f"pages: {page!r} does not describe {missing[0]!r}: make the pages with "
                f"gy.description_pages(release, {format!r})"
            )


def _is_broken(text: str) -> bool:
    """Whether a text cannot be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
