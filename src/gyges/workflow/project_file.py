"""The project file `gyges.toml`: where the data is, what each column is, what is asked."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from pydantic import BaseModel, Field, ValidationError

from gyges.data.schema import Schema
from gyges.errors import GygesError, MissingColumnsError, SchemaError, suggestion
from gyges.workflow.project_lines import Place, key_lines
from gyges.workflow.project_rules import make_rule
from gyges.workflow.project_sections import (
    ColumnsSection,
    DataSection,
    DpSection,
    HierarchySection,
    LedgerSection,
    PublishSection,
    Section,
)

if TYPE_CHECKING:
    from gyges.criteria.base import Criterion
    from gyges.data.large_table import LargeTable
    from gyges.data.memory_limit import MemoryLimit
    from gyges.data.table import Table

_OURS = {"folder", "place"}  # fields that no file may set


class ProjectFile(Section):
    """The file `gyges.toml`: where the data is, what each column is, what is asked."""

    data: DataSection
    columns: ColumnsSection
    hierarchies: dict[str, HierarchySection] = Field(default_factory=dict)
    publish: PublishSection = Field(default_factory=PublishSection)
    require: list[dict[str, Any]] = Field(default_factory=list)
    ledger: LedgerSection = Field(default_factory=LedgerSection)
    dp: DpSection | None = None
    folder: Path = Field(default=Path(), exclude=True)
    place: Place = Field(default=Place(Path("gyges.toml")), exclude=True)

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
                made.append(make_rule(section))
        return made

    @contextmanager
    def _at(self, *keys: str | int) -> Iterator[None]:
        """Put the line of the file that caused an error in front of its message."""
        try:
            yield
        except GygesError as problem:
            first = str(problem).partition(" ")[0]  # "k is 'five': …" is about the key k
            raise type(problem)(f"{self._where(*keys, first)}{problem}") from None

    def _where(self, *keys: str | int) -> str:
        """`gyges.toml, line 12: `, or nothing where the command line said it."""
        return f"{self.place.of(keys)}: " if self.place.lines else ""

    @overload
    def read(self, memory_limit: None = None) -> Table: ...

    @overload
    def read(self, memory_limit: MemoryLimit | None) -> Table | LargeTable: ...

    def read(self, memory_limit: MemoryLimit | None = None) -> Table | LargeTable:
        """The table that the file describes."""
        from gyges.engines.read import read  # loads pyarrow: not before the file is read

        schema = self.schema_of_columns()
        try:
            return read(
                self.source,
                schema,
                table=self.data.table,
                values=self.values,
                missing=self.data.missing,
                missing_marks=self.data.missing_marks,
                memory_limit=memory_limit,
            )
        except MissingColumnsError as problem:
            name = problem.missing[0]
            key = next((key for key, held in self.columns if name in (held or ())), "")
            raise SchemaError(f"{self._where('columns', key)}{problem}") from None

    @property
    def about(self) -> str:
        """Whom the data is about, in one word: what the file says, else the name of the data."""
        return self.ledger.about or self.data.table or Path(self.data.source).stem

    @property
    def ledger_file(self) -> Path | None:
        """Where releases are remembered; none if the file says so."""
        return self.folder / self.ledger.file if self.ledger.keep else None

    @property
    def values(self) -> str | None:
        """The second table with the sensitive values: a path beside the file, or another table."""
        if self.data.values is None or "://" in self.data.source:
            return self.data.values
        return str(self.folder / self.data.values)

    @property
    def source(self) -> str:
        """The data's place; a path is taken relative to the project file."""
        is_url = "://" in self.data.source
        return self.data.source if is_url else str(self.folder / self.data.source)


def read_project(path: Path) -> ProjectFile:
    """Read and validate a project file; an error names the key and its line."""
    try:
        text = path.read_text(encoding="utf-8")
        stated = tomllib.loads(text)
    except FileNotFoundError:
        raise GygesError(f"there is no project file {str(path)!r}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise GygesError(f"the project file {str(path)!r} is not valid TOML: {problem}") from None
    except OSError as problem:
        raise GygesError(
            f"the project file {str(path)!r} cannot be read: {problem.strerror}"
        ) from None
    place = Place(path, key_lines(text))
    for key in _OURS & set(stated):
        raise GygesError(f"{place.of([key])}: there is no key {key!r}")
    try:
        project = ProjectFile(**stated)
    except ValidationError as problem:
        raise GygesError(_explained(problem, place)) from None
    return project.model_copy(update={"folder": path.parent, "place": place})


def _explained(problem: ValidationError, place: Place) -> str:
    first = problem.errors()[0]
    keys = [str(key) for key in first["loc"]]
    where, named = place.of(keys), ".".join(keys)
    if first["type"] == "extra_forbidden":
        return f"{where}: there is no key {named!r}{_near(keys)}"
    if first["type"] == "missing":
        return f"{where}: the key {named!r} is missing"
    if first["type"] == "literal_error":
        return f"{where}: {named} is {first['input']!r}: choose {first['ctx']['expected']}"
    said = str(first["msg"]).removeprefix("Input should be ").removeprefix("a valid ")
    return f"{where}: {named} must be {said}, not {first['input']!r}"


def _near(keys: list[str]) -> str:
    sections: dict[str, type[BaseModel]] = {
        "data": DataSection,
        "columns": ColumnsSection,
        "hierarchies": HierarchySection,
        "publish": PublishSection,
        "ledger": LedgerSection,
        "dp": DpSection,
    }
    model = sections.get(keys[0], ProjectFile) if len(keys) > 1 else ProjectFile
    return suggestion(keys[-1], [name for name in model.model_fields if name not in _OURS])
