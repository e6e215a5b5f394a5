"""The sections of the project file: the meaning of each key, and the values it may have."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NoReturn

from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    StrictInt,
    ValidationError,
    field_validator,
)
from pydantic_core import PydanticKnownError

from gyges.arguments import either, shown
from gyges.data.counting import Missing
from gyges.data.hierarchy import Hierarchy
from gyges.errors import RuleError, SchemaError, suggestion
from gyges.release.faults import Fault, first_fault
from gyges.release.group_forms import Form
from gyges.search.methods import METHODS

METHOD_NAMES = tuple(METHODS)
MOST_NUMBERS = 1_000_000  # public values of one column
NO_SENSITIVE = (
    "no sensitive column is named: people are hidden in groups, but no value is protected."
)


def _key(meaning: str, default: Any = ...) -> Any:
    """A key of the file: what it means, and its value where it is not stated."""
    return Field(default, description=meaning)


def _keys(meaning: str, empty: type[list[Any]] | type[dict[str, Any]]) -> Any:
    """A key that holds a list or a table, empty where it is not stated."""
    return Field(default_factory=empty, description=meaning)


class Section(BaseModel):
    """A part of the file, in which every key is known."""

    model_config = ConfigDict(extra="forbid", defer_build=True)


def explain(fault: Fault) -> str:
    """What is wrong with a key, in a sentence."""
    key = ".".join(fault.keys)
    if fault.kind != "wrong":
        return (
            f"there is no key {key!r}" if fault.kind == "unknown" else f"the key {key!r} is missing"
        )
    return f"{key} must be {fault.needed}, not {shown(fault.given)}"


class DataSection(Section):
    """[data]: where the rows are."""

    source: str = _key(
        "a CSV or Parquet file or a glob of such files, a workbook, a file of SPSS, Stata or SAS, "
        "or the URL of a database"
    )
    table: str | None = _key("the table of the database, or the sheet of the workbook", None)
    encoding: str | None = _key(
        "the encoding of a CSV file, such as `cp1252`; without it, it is found", None
    )
    values: str | None = _key("a second file or table with one sensitive value per row", None)
    missing: Missing = _key(
        "what to do with missing values: stop, drop these people, count them as one value, or let "
        "those of quasi-identifiers match anything",
        "error",
    )
    missing_marks: list[str] = _keys("texts that stand for a missing value, such as `?`", list)
    pseudonym_key: str | None = _key(
        "a file with the key of the pseudonyms, so that releases with the same key can be linked; "
        "a new one is written if there is none. Without it each release has a key of its own, "
        "which is not kept",
        None,
    )
    totals_are_people: bool = _key("`true`: rows that look like lines of totals are people", False)


class ColumnsSection(Section):
    """[columns]: what each column is."""

    identifiers: list[str] = _keys("columns that identify people; never published", list)
    quasi_identifiers: list[str] = _keys(
        "columns that someone could know about a person; generalized", list
    )
    sensitive: str | None = _key("the column to protect", None)
    also_sensitive: list[str] = _keys(
        "further columns to protect; a rule without `column` holds for each", list
    )
    published: list[str] = _keys("columns that are published unchanged", list)
    dropped: list[str] = _keys("columns that are not published, on purpose", list)
    values_per_person: Literal["one", "set", "multiset"] = _key(
        "how many sensitive values a person has: one, several, or several that may repeat", "one"
    )
    person: str | None = _key("the column that the rows of one person share", None)
    person_columns: list[str] = _keys(
        "columns that do so together, such as a name and a date of birth", list
    )
    keep_row: Literal["first", "last", "most sensitive"] | None = _key(
        "which of a person's rows is used: by the order of `keep_row_by`, or by `worst_first`", None
    )
    keep_row_by: str | None = _key("a column of numbers or dates", None)
    worst_first: list[str] = _keys(
        'sensitive values, the worst first, for `keep_row = "most sensitive"`; others come after '
        "them, and of equally sensitive rows the last by `keep_row_by` is used",
        list,
    )
    rows_per_person: Literal["one", "all"] = _key(
        "`all`: a person has several rows, and is described by all of them", "one"
    )
    pseudonyms: list[str] = _keys(
        "columns that identify people, of which keyed pseudonyms are published", list
    )
    household: str | None = _key("the column that members of a household share", None)
    weight: str | None = _key("a column of survey weights", None)
    publish_weight: bool = _key(
        "`true`: each row shows the mean weight of its group to three digits; without it weights "
        "are not published",
        False,
    )
    weight_totals: dict[str, dict[str, int | float | str]] = _keys(
        "totals of the population that published weights shall add up to, as "
        "`{sex = {f = 17000000, m = 16500000}}`",
        dict,
    )
    separator: str | None = _key("the text between several sensitive values in one cell", None)
    do_not_identify: list[str] = _keys(
        "columns that look as if they identified people, and do not", list
    )
    exact_spelling: bool = _key(
        "`true`: identifiers that differ only in leading zeros, letter case, blanks or signs are "
        "different people's",
        False,
    )
    kinds: dict[str, str] = _keys(
        "the kind of a column where the guess is wrong: `number`, `date`, `month`, `code` or "
        "`category`",
        dict,
    )
    formats: dict[str, str] = _keys(
        "how dates and numbers of a column are written, such as `dd.mm.yyyy`", dict
    )
    shapes: dict[str, dict[str, int | float | str]] = _keys(
        "what is made coarser when it is read: `{bottom = 0, top = 90, round = 5}`, or the "
        "`period` of dates, `year`, `quarter`, `month` or `week`",
        dict,
    )

    @property
    def who(self) -> list[str]:
        """The columns that identify people, together or, without `person`, each alone."""
        return [self.person] if self.person else self.person_columns or self.identifiers


class HierarchySection(Section):
    """One of [hierarchies]: a file, a rule, or a tree."""

    csv: str | None = _key("a file with a line per value: the value, then ever coarser terms", None)
    intervals: list[int | float] | None = _key(
        "widths of intervals, each a multiple of the last", None
    )
    cuts: list[int | float] | None = _key(
        "own points between intervals; the ends are open, as for top and bottom coding", None
    )
    prefixes: bool | None = _key("`true`: codes are shortened from the end", None)
    calendar: list[str] | None = _key("steps of dates, such as `month`, `year`", None)
    tree: Any = _key("terms and what they contain, as a table of tables and lists", None)

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
                f"the hierarchy of {column!r} needs exactly one of csv, intervals, cuts, "
                f"prefixes, calendar, tree"
            )
        if self.csv is not None:
            return Hierarchy.from_csv(folder / self.csv)
        if self.intervals is not None:
            return Hierarchy.intervals(*self.intervals)
        if self.cuts is not None:
            return Hierarchy.cuts(*self.cuts)
        if self.calendar is not None:
            return Hierarchy.calendar(*self.calendar)
        return Hierarchy.prefixes() if self.prefixes else Hierarchy.from_tree(self.tree)


SECONDS = "time_limit"  # the option that the key `seconds` sets


class PublishSection(Section):
    """[publish]: the method, the form and the place of a release; further keys are the options of
    the method (`Method.options`), which checks their values.
    """

    model_config = ConfigDict(extra="allow", defer_build=True)

    method: str = _key("how the release is found", "partition")  # out of METHODS
    form: Form | None = _key("what is published; without it, the method's own form", None)
    out: str = _key("the directory of the release", "release")
    format: Literal["csv", "parquet", "xlsx", "dta", "sav", "xpt"] | None = _key(
        "the format of its tables; without it, that of the source. Files of other programs "
        "(Excel, Stata, SPSS, SAS) come beside a CSV",
        None,
    )
    seconds: float | None = Field(
        default=None,
        ge=0,
        allow_inf_nan=False,
        validation_alias=AliasChoices("seconds", "time_limit"),
        description="how long the search may take (also: `time_limit`)",
    )
    # StrictInt: a huge Decimal is not written out.
    seed: StrictInt | None = Field(
        default=None, ge=0, description="for a reproducible row order, which can then be undone"
    )
    memory: str | StrictInt | None = _key("a limit, such as `2GB`", None)
    describe: bool = _key(
        "add a codebook, a Frictionless data package and a description in Croissant", False
    )
    allow_singling_out: bool = _key(
        "publish columns unchanged although they single people out", False
    )

    @field_validator("method")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in METHODS:
            expected = either([*map(repr, METHODS)])
            raise PydanticKnownError("literal_error", {"expected": expected})
        return name

    def changed(self, settings: Mapping[str, object]) -> PublishSection:
        """The section with other settings, where they are not None; refused before any work."""
        stated = self.model_dump(exclude_unset=True)
        stated |= {key: one for key, one in settings.items() if one is not None}
        try:
            chosen = PublishSection.model_validate(stated)
        except ValidationError as problem:
            raise RuleError(explain(first_fault(problem, stated))) from None
        for key in chosen.unknown_keys():
            raise RuleError(f"there is no key {key!r}{suggestion(key, chosen.known_keys())}")
        if not METHODS[chosen.method].spends_budget:  # `refuse_incomplete` lists all it needs
            chosen.options()
        return chosen

    def options(self) -> dict[str, Any]:
        """The options of the search; those that the method does not know are refused."""
        given = {key: one for key, one in (self.model_extra or {}).items() if one is not None}
        if self.seconds is not None:
            given[SECONDS] = self.seconds
        for key in ("purpose", "progress"):
            if key in given:
                raise RuleError(f"{key} is not a key of [publish]: a purpose has its own section")
        method = METHODS[self.method]
        takes = [] if method.spends_budget else method.options
        for option in given:
            if option not in takes:
                key = "seconds" if option == SECONDS else option
                users = [name for name, one in METHODS.items() if option in one.options]
                instead = f"or use the method {' or '.join(users)}"
                in_section = "or write it in the section [dp]"
                self._refuse(key, in_section if self.method in users else instead)
        for key in ("form", "memory"):
            if getattr(self, key) is not None and not self.has_groups:
                self._refuse(key, "or use a method that publishes groups")
        return given

    def unknown_keys(self) -> list[str]:
        """Keys that are not an option of any method."""
        return [key for key in self.model_extra or {} if key not in self.known_keys()]

    def known_keys(self) -> list[str]:
        """The section's own keys and the options of its method; of all methods if it has others."""
        own = [*PublishSection.model_fields, *METHODS[self.method].options]
        if set(self.model_extra or {}) <= set(own):
            return own
        return [*own, *(option for one in METHODS.values() for option in one.options)]

    @property
    def has_groups(self) -> bool:
        """Whether the method publishes groups of people."""
        return METHODS[self.method].has_groups

    @property
    def spends_budget(self) -> bool:
        """Whether the method draws noise, whose options have a section of their own."""
        return METHODS[self.method].spends_budget

    def _refuse(self, key: str, instead: str) -> NoReturn:
        raise RuleError(f"{key} does not apply to the method {self.method}: omit it, {instead}")


class PurposeSection(Section):
    """[purpose]: what must stay accurate in the release."""

    weights: dict[str, float] = _keys("how much each column matters", dict)
    questions: list[list[str]] = _keys("sets of columns whose counts must stay accurate", list)
    predict: str | None = _key("the column that readers will predict", None)


class LedgerSection(Section):
    """[ledger]: where releases and budgets are recorded, and which people the data is about."""

    file: str = _key("where it is kept", "ledger.sqlite")
    keep: bool = _key("`false`: nothing is recorded", True)
    about: str | None = _key("a name for the people; the same name means the same people", None)


class WholeNumbers(Section):
    """Public values: all whole numbers from one to another, both included."""

    first: int = Field(alias="from")
    last: int = Field(alias="to")

    def all(self, column: str) -> list[int]:
        """Every number; refuse more than `MOST_NUMBERS`."""
        if self.last - self.first >= MOST_NUMBERS:
            raise SchemaError(
                f"dp.domains: column {column!r} goes from {shown(self.first)} to "
                f"{shown(self.last)}: declare at most {MOST_NUMBERS:,} values, or a hierarchy"
            )
        return list(range(self.first, self.last + 1))


class BudgetSection(Section):
    """[dp.budget]: how much all noisy releases about these people may spend together."""

    epsilon: str | float | int = _key("what all releases together may spend")
    delta: str | float | int = _key("likewise", 0)
    accounting: Literal["sums", "concentrated"] = _key("how costs are added up", "sums")


class DpSection(Section):
    """[dp]: the guarantee and the tables of a release with noise."""

    epsilon: str | float | int | None = _key("the ε of this release (or `error`)", None)
    error: str | float | int | None = _key(
        "instead of ε: the share of people whom the noise may move to another cell, such as `5%`, "
        "or how far a count may be from the true one",
        None,
    )
    people: int | None = _key(
        "for an `error` in percent: about how many people there are, from public knowledge", None
    )
    rows_per_person: int = _key(
        "how many rows of each person are counted at most; more than 1 needs `person` in [columns]",
        1,
    )
    delta: str | float | int = _key("the δ of the guarantee; 0 for pure ε", 0)
    neighbours: Literal["add or remove one person", "change one person"] = _key(
        "which tables the guarantee compares", "add or remove one person"
    )
    views: Literal["aim", "mst", "greedy"] | list[list[str]] = _key(
        "the tables to publish, as sets of columns; `aim` or, quicker, `mst` chooses and pays for "
        "it",
        "aim",
    )
    workload: int | list[list[str]] = _key(
        "what `aim` should answer well: every set of so many columns, or sets of columns", 2
    )
    impossible: list[dict[str, str | int | list[str | int]]] = _keys(
        "combinations that nobody can have, as labels by column", list
    )
    levels: dict[str, int] = _keys("the level of a column's hierarchy", dict)
    domains: dict[str, list[str | int | float] | WholeNumbers] = _keys(
        "the public values of a column: a list, or `{from = 0, to = 120}`", dict
    )
    rows: int | None = _key("how many synthetic rows to draw", None)
    budget: BudgetSection | None = _key("the section [dp.budget]", None)

    def values(self) -> dict[str, list[Any]]:
        """The public values of each column that declares them."""
        return {
            column: listed.all(column) if isinstance(listed, WholeNumbers) else list(listed)
            for column, listed in self.domains.items()
        }
