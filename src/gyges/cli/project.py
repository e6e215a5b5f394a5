"""The project file `gyges.toml`: where the data is, what each column is, what is asked."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, overload

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gyges.arguments import shown
from gyges.cli.project_lines import Place, key_lines
from gyges.cli.project_rules import make_rule
from gyges.criteria.base import Criterion
from gyges.data.hierarchy import Hierarchy
from gyges.data.large_table import LargeTable
from gyges.data.memory_limit import MemoryLimit
from gyges.data.schema import Schema
from gyges.data.table import Table
from gyges.errors import (
    GygesError,
    MissingColumnsError,
    RuleError,
    SchemaError,
    suggestion,
)

MOST_NUMBERS = 1_000_000  # public values of one column
_OURS = {"folder", "place"}  # fields that no file may set


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", defer_build=True)


class DataSection(_Strict):
    """[data]: where the rows are."""

    source: str
    table: str | None = None
    values: str | None = None
    missing: Literal["error", "drop", "value"] = "error"
    missing_marks: list[str] = Field(default_factory=list)


class ColumnsSection(_Strict):
    """[columns]: what each column is."""

    identifiers: list[str] = Field(default_factory=list)
    quasi_identifiers: list[str] = Field(default_factory=list)
    sensitive: str | None = None
    published: list[str] = Field(default_factory=list)
    dropped: list[str] = Field(default_factory=list)
    values_per_person: Literal["one", "set", "multiset"] = "one"
    person: str | None = None
    separator: str | None = None
    kinds: dict[str, str] = Field(default_factory=dict)


class HierarchySection(_Strict):
    """One of [hierarchies]: a file, a rule, or a tree."""

    csv: str | None = None
    intervals: list[int | float] | None = None
    prefixes: bool | None = None
    calendar: list[str] | None = None
    tree: Any = None

    @classmethod
    def of(cls, hierarchy: Hierarchy) -> HierarchySection:
        """The section that describes a rule."""
        if hierarchy.rule == "prefixes":
            return cls(prefixes=True)
        return cls.model_validate({str(hierarchy.rule): list(hierarchy.parameters)})

    def build(self, column: str, folder: Path) -> Hierarchy:
        """The hierarchy that the section describes."""
        if len(self.model_fields_set) != 1:
            raise SchemaError(
                f"the hierarchy of {column!r} needs exactly one of csv, intervals, prefixes, "
                f"calendar, tree"
            )
        if self.csv is not None:
            return Hierarchy.from_csv(folder / self.csv)
        if self.intervals is not None:
            return Hierarchy.intervals(*self.intervals)
        if self.calendar is not None:
            return Hierarchy.calendar(*self.calendar)
        return Hierarchy.prefixes() if self.prefixes else Hierarchy.from_tree(self.tree)


# Which further settings each search takes.
OPTIONS = {
    "lattice": ("suppression", "utility", "weights", "seconds"),
    "partition": ("order", "relaxed"),
    "marginals": ("seconds",),
}


class PublishSection(_Strict):
    """[publish]: how to search, in which form, and where to."""

    method: Literal["partition", "lattice", "buckets", "microaggregation", "marginals", "dp"] = (
        "partition"
    )
    form: Literal["generalized", "bucketized", "microaggregated"] | None = None
    out: str = "release"
    format: Literal["csv", "parquet"] = "csv"
    suppression: str | float | None = None
    utility: (
        Literal["loss", "precision", "height", "discernibility", "average_group_size", "gcp"] | None
    ) = None
    weights: dict[str, float] | None = None
    seconds: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    order: Literal["range", "gain"] | None = None
    relaxed: bool | None = None
    seed: int | None = Field(default=None, ge=0)
    memory: str | int | None = None
    allow_singling_out: bool = False  # by columns that are published as they are

    def options(self) -> dict[str, Any]:
        """What is asked of the search beyond its rules; a method takes only what it knows."""
        named = ("suppression", "utility", "weights", "seconds", "order", "relaxed")
        given = {key: getattr(self, key) for key in named if getattr(self, key) is not None}
        known = OPTIONS.get(self.method, ())
        for key in given:
            if key not in known:
                users = " or ".join(method for method, keys in OPTIONS.items() if key in keys)
                raise RuleError(
                    f"{key} means nothing to the method {self.method}: leave it out, or use the "
                    f"method {users}"
                )
        if "seconds" in given:
            given["time_limit"] = given.pop("seconds")
        return given


class LedgerSection(_Strict):
    """[ledger]: where releases and budgets are remembered, and whom the data is about."""

    file: str = "ledger.sqlite"
    keep: bool = True
    about: str | None = None


class WholeNumbers(_Strict):
    """Public values that are all whole numbers between two, both included."""

    first: int = Field(alias="from")
    last: int = Field(alias="to")

    def all(self, column: str) -> list[int]:
        """Every number; refuse more than a table could show."""
        if self.last - self.first >= MOST_NUMBERS:
            raise SchemaError(
                f"dp.domains: column {column!r} goes from {shown(self.first)} to "
                f"{shown(self.last)}: declare at most {MOST_NUMBERS:,} values, or a hierarchy"
            )
        return list(range(self.first, self.last + 1))


class BudgetSection(_Strict):
    """[dp.budget]: how much all noisy releases about these people may cost together."""

    epsilon: str | float | int
    delta: str | float | int = 0
    accounting: Literal["sums", "concentrated"] = "sums"


class DpSection(_Strict):
    """[dp]: what a release with noise promises and shows."""

    epsilon: str | float | int
    delta: str | float | int = 0
    neighbours: Literal["add or remove one person", "change one person"] = (
        "add or remove one person"
    )
    views: Literal["greedy"] | list[list[str]] = "greedy"
    levels: dict[str, int] = Field(default_factory=dict)
    domains: dict[str, list[str | int | float] | WholeNumbers] = Field(default_factory=dict)
    rows: int | None = None
    budget: BudgetSection | None = None

    def values(self) -> dict[str, list[Any]]:
        """The public values of each column that declares them."""
        return {
            column: listed.all(column) if isinstance(listed, WholeNumbers) else list(listed)
            for column, listed in self.domains.items()
        }


class Project(_Strict):
    """A whole project file."""

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
        """Say of an error where in the file its cause stands."""
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
        from gyges.cli.spared_imports import spare_pandas
        from gyges.engines.read import read

        spare_pandas(self.source)
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


def read_project(path: Path) -> Project:
    """Read and validate a project file; an error names the key and its line."""
    try:
        text = path.read_text(encoding="utf-8")
        stated = tomllib.loads(text)
    except FileNotFoundError:
        raise GygesError(f"there is no project file {str(path)!r}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise GygesError(f"{str(path)!r} is not valid TOML: {problem}") from None
    except OSError as problem:
        raise GygesError(f"{str(path)!r} cannot be read: {problem.strerror}") from None
    place = Place(path, key_lines(text))
    for key in _OURS & set(stated):
        raise GygesError(f"{place.of([key])}: there is no key {key!r}")
    try:
        project = Project(**stated)
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
    model = sections.get(keys[0], Project) if len(keys) > 1 else Project
    return suggestion(keys[-1], [name for name in model.model_fields if name not in _OURS])
