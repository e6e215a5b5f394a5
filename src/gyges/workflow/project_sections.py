"""The sections of the project file: what each key means, and which values it may have."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import PydanticKnownError

from gyges.arguments import shown
from gyges.data.hierarchy import Hierarchy
from gyges.errors import RuleError, SchemaError

if TYPE_CHECKING:
    from gyges.search.methods import Method, WithoutGroups

MOST_NUMBERS = 1_000_000  # public values of one column
NO_SENSITIVE = (
    "no sensitive column is named: people are hidden in groups, but no value is protected."
)


class Section(BaseModel):
    """A part of the file in which every key is known."""

    model_config = ConfigDict(extra="forbid", defer_build=True)


class DataSection(Section):
    """[data]: where the rows are."""

    source: str
    table: str | None = None
    values: str | None = None
    missing: Literal["error", "drop", "value"] = "error"
    missing_marks: list[str] = Field(default_factory=list)


class ColumnsSection(Section):
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


class HierarchySection(Section):
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


# The keys that are options of a search, and what the searches call them.
OPTIONS = {key: key for key in ("suppression", "utility", "weights", "order", "relaxed")}
OPTIONS["seconds"] = "time_limit"


class PublishSection(Section):
    """[publish]: how to search, in which form, and where to."""

    method: str = "partition"  # out of METHODS
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

    @field_validator("method")
    @classmethod
    def _known(cls, method: str) -> str:
        if method not in _methods():
            expected = ", ".join(map(repr, _methods()))
            raise PydanticKnownError("literal_error", {"expected": expected})
        return method

    def changed(self, settings: Mapping[str, object]) -> PublishSection:
        """The section with other settings, where they are not None; refused before any work."""
        stated = self.model_dump(exclude_unset=True)
        stated |= {key: one for key, one in settings.items() if one is not None}
        try:
            chosen = PublishSection.model_validate(stated)
        except ValidationError as problem:
            first = problem.errors()[0]
            name = str(first["loc"][0])
            if first["type"] == "extra_forbidden":
                raise RuleError(f"[publish] has no key {name!r}") from None
            said = str(first["msg"]).removeprefix("Input should be ")
            raise RuleError(f"{name} is {shown(first['input'])}: give {said}") from None
        chosen.options()
        return chosen

    def options(self) -> dict[str, Any]:
        """What is asked of the search beyond its rules; a method takes only what it knows."""
        given = {key: getattr(self, key) for key in OPTIONS if getattr(self, key) is not None}
        takes = _methods()[self.method].options
        for key in given:
            if OPTIONS[key] not in takes:
                users = [name for name, way in _methods().items() if OPTIONS[key] in way.options]
                self._refuse(key, f"or use the method {' or '.join(users)}")
        for key in ("form", "memory"):
            if getattr(self, key) is not None and not self.has_groups:
                self._refuse(key, "or use a method that publishes groups")
        return {OPTIONS[key]: value for key, value in given.items()}

    @property
    def has_groups(self) -> bool:
        """Whether the method publishes groups of people."""
        return _methods()[self.method].has_groups

    def _refuse(self, key: str, instead: str) -> NoReturn:
        raise RuleError(f"{key} means nothing to the method {self.method}: leave it out, {instead}")


def _methods() -> dict[str, Method | WithoutGroups]:
    from gyges.search.methods import METHODS  # 0.5 s: numba, which `gyges init` does without

    return METHODS


class LedgerSection(Section):
    """[ledger]: where releases and budgets are remembered, and whom the data is about."""

    file: str = "ledger.sqlite"
    keep: bool = True
    about: str | None = None


class WholeNumbers(Section):
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


class BudgetSection(Section):
    """[dp.budget]: how much all noisy releases about these people may cost together."""

    epsilon: str | float | int
    delta: str | float | int = 0
    accounting: Literal["sums", "concentrated"] = "sums"


class DpSection(Section):
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
