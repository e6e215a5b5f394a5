"""The project file `gyges.toml`: the data, the roles of its columns, the rules, the release."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, overload

from pydantic import BaseModel, Field, PrivateAttr, ValidationError

from gyges.auditing.people_source import refuse_unsaid
from gyges.data.plain_files import read_plain_file
from gyges.data.pseudonyms import opened_key
from gyges.data.rows_of_people import RowsOfPeople
from gyges.data.schema import Schema
from gyges.data.source import Source
from gyges.data.table import FrameKind, Table
from gyges.data.totals import refuse_totals
from gyges.engines.read import open_source, read, read_opened, read_rows
from gyges.errors import GygesError, MissingColumnsError, SchemaError, suggestion
from gyges.release.faults import first_fault
from gyges.release.release import Release
from gyges.utility.purpose import Purpose
from gyges.workflow.prior_file import PriorFile
from gyges.workflow.project_lines import Place, key_lines
from gyges.workflow.project_rules import make_rule
from gyges.workflow.project_sections import (
    ColumnsSection,
    DataSection,
    DpSection,
    HierarchySection,
    LedgerSection,
    PublishSection,
    PurposeSection,
    Section,
    explain,
)

if TYPE_CHECKING:
    from gyges.criteria.base import Criterion
    from gyges.data.large_table import LargeTable
    from gyges.data.memory_limit import MemoryLimit


class ProjectFile(Section):
    """What a project file says, or the options of a command in place of one."""

    data: DataSection
    columns: ColumnsSection
    hierarchies: dict[str, HierarchySection] = Field(default_factory=dict)
    publish: PublishSection = Field(default_factory=PublishSection)
    purpose: PurposeSection | None = None
    require: list[dict[str, Any]] = Field(default_factory=list)
    ledger: LedgerSection = Field(default_factory=LedgerSection)
    dp: DpSection | None = None
    _place: Place = PrivateAttr(default=Place())
    _opened: tuple[Source, FrameKind] | None = PrivateAttr(default=None)  # for the first reading

    def schema_of_columns(self) -> Schema:
        """The schema that the file describes."""
        hierarchies = {}
        for column, section in self.hierarchies.items():
            with self._at("hierarchies", column):
                hierarchies[column] = section.build(column, self.folder)
        with self._at("columns"):
            return Schema(**self.columns.model_dump(), hierarchies=hierarchies)

    def rules(self) -> list[Criterion[Any]]:
        """The criteria that the file requires."""
        made = []
        for number, section in enumerate(self.require):
            with self._at("require", number):
                made.append(make_rule(self._with_prior(section)))
        return made

    def _with_prior(self, section: dict[str, Any]) -> dict[str, Any]:
        """The section of a rule; a `prior` is a file with the columns of the data."""
        stated = section.get("prior")
        if not isinstance(stated, str):
            return section
        columns = self.schema_of_columns()
        schema = Schema(
            quasi_identifiers=columns.quasi_identifiers,
            sensitive=columns.sensitive,
            hierarchies=columns.hierarchies,
            kinds=columns.kinds,
            formats=columns.formats,
            shapes=columns.shapes,
        )
        return {**section, "prior": PriorFile(self.folder / stated, schema)}

    def purpose_stated(self) -> Purpose | None:
        """What must stay accurate, if the file states it."""
        if self.purpose is None:
            return None
        with self._at("purpose"):
            return Purpose(**self.purpose.model_dump())

    def with_options(self, release: Release) -> Release:
        """A release that this project made, with the options of its search, which no file shows."""
        if release.method != self.publish.method:
            return release
        options = self.publish.options()
        if self.purpose is not None:
            options["purpose"] = self.purpose_stated()
        return replace(release, options=options)

    @contextmanager
    def _at(self, *keys: str | int) -> Iterator[None]:
        """Put the line of the file that caused an error in front of its message."""
        try:
            yield
        except GygesError as problem:
            first = str(problem).partition(" ")[0]  # "k is 'five': …" is about the key k
            raise type(problem)(f"{self._place.of([*keys, first])}{problem}") from None

    @overload
    def read(self, memory_limit: None = None, pseudonym_key: bytes | None = ...) -> Table: ...

    @overload
    def read(
        self, memory_limit: MemoryLimit | None, pseudonym_key: bytes | None = ...
    ) -> Table | LargeTable: ...

    def read(
        self, memory_limit: MemoryLimit | None = None, pseudonym_key: bytes | None = None
    ) -> Table | LargeTable:
        """The table that the file describes; a `pseudonym_key` replaces that of the file."""
        schema, source, data = self.schema_of_columns(), self.source, self.data
        opened = self._opened or open_source(source, data.table, encoding=data.encoding)
        self._opened = None  # the source may change before it is read again
        refuse_unsaid(opened[0], schema, by_name_only=memory_limit is not None)
        if not data.totals_are_people and memory_limit is None:
            refuse_totals(opened[0])
        marks = data.missing_marks
        try:
            if memory_limit is None:
                where = (source, data.table, data.encoding)
                with opened_key(pseudonym_key or self.pseudonym_key) as secret:
                    return read_opened(
                        where, opened, schema, self.values, data.missing, marks, key=secret
                    )
            return read(
                source,
                schema,
                table=data.table,
                values=self.values,
                missing=data.missing,
                missing_marks=marks,
                encoding=data.encoding,
                memory_limit=memory_limit,
            )
        except MissingColumnsError as problem:
            name = problem.missing[0]
            key = next((key for key, held in self.columns if name in (held or ())), "")
            raise SchemaError(f"{self._place.of(['columns', key])}{problem}") from None

    def read_rows(self, most: int) -> RowsOfPeople:
        """At most so many rows of each person, for a release with noise that counts rows."""
        data = self.data
        if self.values is not None:
            raise SchemaError("rows are counted of one table: omit the table of values")
        if not data.totals_are_people:
            refuse_totals(open_source(self.source, data.table, encoding=data.encoding)[0])
        return read_rows(
            self.source,
            self.schema_of_columns(),
            most=most,
            table=data.table,
            missing=data.missing,
            missing_marks=data.missing_marks,
            encoding=data.encoding,
        )

    @property
    def folder(self) -> Path:
        """The folder of the file; paths in the file are relative to it."""
        return Path() if self._place.path is None else self._place.path.parent

    @property
    def about(self) -> str:
        """A name for the people the data is about: from the file, else the name of the data."""
        return self.ledger.about or self.data.table or Path(self.data.source).stem

    @property
    def ledger_file(self) -> Path | None:
        """The ledger; None if the project keeps none."""
        return self.folder / self.ledger.file if self.ledger.keep else None

    @property
    def values(self) -> str | None:
        """The second table, with the sensitive values: a path, or a table of the same database."""
        if self.data.values is None or "://" in self.data.source:
            return self.data.values
        return str(self.folder / self.data.values)

    @property
    def pseudonym_key(self) -> Path | None:
        """The file with the key of the pseudonyms, if the project states one."""
        stated = self.data.pseudonym_key
        return None if stated is None else self.folder / stated

    @property
    def source(self) -> str:
        """The place of the data: a path or a URL."""
        is_url = "://" in self.data.source
        return self.data.source if is_url else str(self.folder / self.data.source)


def project_of_opened(stated: dict[str, Any], opened: tuple[Source, FrameKind]) -> ProjectFile:
    """The project that these keys state, without a file; its source is open already."""
    project = project_of(stated, Place())
    project._opened = opened
    return project


def read_project(path: Path) -> ProjectFile:
    """Read and validate a project file; an error names the key and its line."""
    try:
        text = read_plain_file(path).decode("utf-8")
        stated = tomllib.loads(text)
    except FileNotFoundError:
        raise GygesError(f"there is no project file {str(path)!r}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise GygesError(f"the project file {str(path)!r} is not valid TOML: {problem}") from None
    except (ValueError, RecursionError):  # an endless number, or lists in lists in lists
        raise GygesError(
            f"the project file {str(path)!r} has a number that is too long, or is nested too deeply"
        ) from None
    except OSError as problem:
        raise GygesError(
            f"the project file {str(path)!r} cannot be read: {problem.strerror}"
        ) from None
    try:
        _refuse_nul(stated, path)
    except RecursionError:
        raise GygesError(f"the project file {str(path)!r} is nested too deeply") from None
    return project_of(stated, Place(path, key_lines(text)))


def _refuse_nul(stated: object, path: Path, key: str = "") -> None:
    """Refuse a text with the character NUL, which no path and no column can contain."""
    if isinstance(stated, str) and "\x00" in stated:
        raise GygesError(f"{str(path)!r}: the value of {key!r} contains NUL: remove the character")
    if isinstance(stated, dict):
        for name, below in stated.items():
            _refuse_nul(below, path, f"{key}.{name}".lstrip("."))
    elif isinstance(stated, list):
        for below in stated:
            _refuse_nul(below, path, key)


def project_of(stated: dict[str, Any], place: Place) -> ProjectFile:
    """Validate what a file or the options of a command state."""
    try:
        project = ProjectFile(**stated)
    except ValidationError as problem:
        fault = first_fault(problem, stated)
        keys = list(fault.keys)
        near = _instead(keys[-1], _known_keys(keys)) if fault.kind == "unknown" else ""
        raise GygesError(f"{place.of(keys)}{explain(fault)}{near}") from None
    project._place = place
    for key in project.publish.unknown_keys():
        near = _instead(key, project.publish.known_keys())
        raise GygesError(f"{place.of(['publish', key])}there is no key 'publish.{key}'{near}")
    return project


def _instead(key: str, known: list[str]) -> str:
    """The key that may have been meant, and all keys there."""
    return f"{suggestion(key, known)}: the keys here are {', '.join(dict.fromkeys(known))}"


def _known_keys(keys: list[str]) -> list[str]:
    """The keys of the section in which the last of these keys was looked for."""
    annotation = ProjectFile.model_fields[keys[0]].annotation if len(keys) > 1 else ProjectFile
    kinds = [one for one in (annotation, *get_args(annotation)) if isinstance(one, type)]
    return [*next(one for one in kinds if issubclass(one, BaseModel)).model_fields]
