"""The schema: which role each column plays in re-identification."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, Literal, TypeAlias, get_args

from gyges.arguments import choice, items, mapping, shown
from gyges.data.hierarchy import Hierarchy
from gyges.data.local_formats import check_format
from gyges.data.shape import Shape, shapes_of
from gyges.data.values import Kind, check_value, kind_named, text_of
from gyges.errors import SchemaError
from gyges.exact import Number, exactly

ValuesPerPerson: TypeAlias = Literal["one", "set", "multiset"]
KeepRow: TypeAlias = Literal["first", "last", "most sensitive"]
MOST_SENSITIVE: Final = "most sensitive"
RowsPerPerson: TypeAlias = Literal["one", "all"]
_LISTS = (
    "identifiers", "quasi_identifiers", "published", "dropped", "do_not_identify", "person_columns",
    "pseudonyms",
)  # fmt: skip
_LARGEST_TOTAL = 10**15  # people of a population; sums of weights are numbers
_OF_PARTS = ("identifier", "dropped", "quasi-identifier")  # roles of one of `person_columns`


class _FirstOfSeveral:
    """The field `sensitive`: one name or a list of names is given, the first of them is read."""

    def __get__(self, schema: Schema | None, owner: type[Schema]) -> str | None:
        return None if schema is None else next(iter(schema.__dict__["sensitive"]), None)

    def __set__(self, schema: Schema, given: str | Sequence[str] | None) -> None:
        listed = [given] if isinstance(given, str) else () if given is None else given
        names = _names(listed, "sensitive")
        schema.__dict__["sensitive"] = names


@dataclass(frozen=True)
class Schema:
    """The role of each column; a column without a role is never published.

    Each row must be one person, unless `keep_row` says which of a person's rows is used, or
    `rows_per_person` "all" that each person is described by all of their rows. `person` names the
    column that identifies people: no value of it may repeat otherwise. `person_columns` names
    several that do so together, such as name and date of birth; `person` is then their joint name.
    Without either no identifier may repeat; without any identifier each row counts as one person,
    and a release says so.
    Several sensitive values per person (`values_per_person` "set" or "multiset") come as several
    rows with the same `person` (the identifiers, unless a column is named), or in one cell with a
    `separator` between them.
    """

    identifiers: Sequence[str] = ()  # never published
    quasi_identifiers: Sequence[str] = ()  # what an attacker may know; generalized
    # What an attacker wants to know; of several columns the first, and `also_sensitive` the others.
    sensitive: _FirstOfSeveral = _FirstOfSeveral()
    also_sensitive: Sequence[str] = ()  # further such columns, each protected by its own rules
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    values_per_person: ValuesPerPerson = "one"
    published: Sequence[str] = ()  # published unchanged
    dropped: Sequence[str] = ()  # not published, on purpose
    kinds: Mapping[str, Kind | str] = field(default_factory=dict)
    formats: Mapping[str, str] = field(default_factory=dict)  # dd.mm.yyyy: see local_formats.py
    # Top and bottom coding, rounding, periods of dates, before anything else: see shape.py.
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    person: str | None = None  # the column that identifies people; never published
    person_columns: Sequence[str] = ()  # instead: columns that identify people together
    separator: str | None = None  # between the sensitive values in one cell
    # Columns that look like people's numbers, names or addresses, and are not: the user's word.
    do_not_identify: Sequence[str] = ()
    # Whether identifiers that differ only in spelling ("007", "7") are different people's.
    exact_spelling: bool = False
    # Of a person's rows, the one that is used: the "first" or "last" by a column, or the "most
    # sensitive", whose sensitive value comes first in `worst_first` (one_row.py).
    keep_row: KeepRow | None = None
    keep_row_by: str | None = None
    worst_first: Sequence[str] = ()
    rows_per_person: RowsPerPerson = "one"  # "all": described by all their rows (all_rows.py)
    # Columns that identify people, of which keyed pseudonyms are published (pseudonyms.py).
    pseudonyms: Sequence[str] = ()
    household: str | None = None  # the column that members of a household share; never published
    weight: str | None = None  # a survey weight: people of the population per row
    # Whether each row shows the mean weight of its group, rounded; weights are not published else.
    publish_weight: bool = False
    # {column: {value: people of the population who have it}}, to which published weights are raked.
    weight_totals: Mapping[str, Mapping[str, Number]] = field(default_factory=dict)
    # Of a table that was read: the columns whose values together are those of `sensitive`.
    joined: Sequence[str] = ()

    def __post_init__(self) -> None:
        further = (*self.__dict__["sensitive"][1:], *_names(self.also_sensitive, "also_sensitive"))
        object.__setattr__(self, "also_sensitive", further)
        for name in (*_LISTS, "also_sensitive", "joined"):
            object.__setattr__(self, name, _names(getattr(self, name), name))
        object.__setattr__(self, "worst_first", _names(self.worst_first, "worst_first", "values"))
        for name in ("person", "separator", "keep_row_by", "household", "weight"):
            if getattr(self, name) is not None:
                _refuse_other_than_text(getattr(self, name), name)
        for name in ("kinds", "formats", "shapes", "hierarchies"):
            given = mapping(getattr(self, name), name, "{column: …}", SchemaError)
            for column in given:
                _refuse_other_than_text(column, f"{name}: the name of a column")
        kinds = {column: kind_named(kind, column) for column, kind in self.kinds.items()}
        object.__setattr__(self, "kinds", kinds)
        formats = {column: check_format(stated, column) for column, stated in self.formats.items()}
        object.__setattr__(self, "formats", formats)
        object.__setattr__(self, "shapes", shapes_of(self.shapes))
        object.__setattr__(self, "hierarchies", dict(self.hierarchies))
        if not isinstance(self.exact_spelling, bool):
            raise SchemaError(f"exact_spelling is {shown(self.exact_spelling)}: give True or False")
        self._join_person()
        self._check_roles()
        self._check_several_values()
        self._check_several_columns()
        self._check_kept_row()
        self._check_all_rows()
        self._check_shapes()
        self._check_pseudonyms()
        self._check_weight()
        self._check_hierarchies()

    def _join_person(self) -> None:
        """Give the columns that identify people together a joint name, as `person`."""
        if not self.person_columns:
            return
        joint = " + ".join(self.person_columns)
        if len(self.person_columns) == 1 or self.person not in (None, joint):
            raise SchemaError(
                f"person_columns names columns that identify people together, two or more, and "
                f"`person` a column that does so alone: give one of the two, here person = "
                f"{self.person or joint!r}"
            )
        object.__setattr__(self, "person", joint)

    def _check_roles(self) -> None:
        roles: dict[str, str] = {}
        for role, names in self.roles.items():
            for column in names:
                if column in roles:
                    raise SchemaError(
                        f"column {column!r} has two roles, {roles[column]} and {role}: choose one"
                    )
                roles[column] = role
        if self.person in roles and roles[self.person] not in ("identifier", "dropped"):
            raise SchemaError(
                f"column {self.person!r} identifies people, so it cannot be "
                f"{roles[self.person]} as well"
            )
        for column in self.person_columns:
            if roles.get(column, "dropped") not in _OF_PARTS:
                raise SchemaError(
                    f"column {column!r} is one of person_columns, so it cannot be {roles[column]} "
                    f"as well"
                )
        for column in self.do_not_identify:
            if column == self.person or column in self.identifiers:
                raise SchemaError(
                    f"column {column!r} identifies people and is listed under do_not_identify: "
                    f"choose one"
                )
        described = dict.fromkeys([*self.kinds, *self.formats, *self.hierarchies])
        idle = [one for one in described if one not in roles and one != self.keep_row_by]
        if idle:
            columns = "column" if len(idle) == 1 else "columns"
            raise SchemaError(
                f"no role is given to the {columns} {', '.join(map(repr, idle))}, which a kind, a "
                f"format or a hierarchy describes: list what is not used under dropped"
            )

    def _check_several_values(self) -> None:
        choice(self.values_per_person, get_args(ValuesPerPerson), "values_per_person", SchemaError)
        several = self.values_per_person != "one"
        if several and self.sensitive is None:
            raise SchemaError("several values per person need a sensitive column")
        if several and not (self.person or self.separator or self.identifiers):
            raise SchemaError(
                "several values per person need `person` (the column that the rows of one person "
                "share) or `separator` (the text between the values in a cell)"
            )
        if self.separator and not several:
            raise SchemaError("a separator needs values_per_person='set' or 'multiset'")
        if self.separator and self.person:
            raise SchemaError("give `person` or `separator`, not both")

    def _check_several_columns(self) -> None:
        if not self.also_sensitive:
            return
        if self.sensitive is None:
            raise SchemaError("also_sensitive names further columns: name the first as `sensitive`")
        if self.values_per_person != "one" or self.rows_per_person == "all":
            raise SchemaError(
                "several sensitive columns need one row and one value of each per person: keep one "
                "row of each person (keep_row), or name one sensitive column"
            )

    def _check_kept_row(self) -> None:
        if self.keep_row is None and self.keep_row_by is None and not self.worst_first:
            return
        choice(self.keep_row, get_args(KeepRow), "keep_row", SchemaError)
        is_worst = self.keep_row == MOST_SENSITIVE
        if is_worst != bool(self.worst_first) or (is_worst and self.sensitive is None):
            raise SchemaError(
                f"keep_row = {MOST_SENSITIVE!r} needs `sensitive` and `worst_first` (its values, "
                f"from the worst on; others come after them), which no other choice of keep_row has"
            )
        if self.person is None or (self.keep_row_by is None and not is_worst):
            raise SchemaError(
                "keep_row needs `person` (the column that the rows of one person share) and "
                "`keep_row_by` (a column of numbers or dates, by which a row is first or last)"
            )
        if self.keep_row_by == self.person:
            raise SchemaError(
                f"keep_row_by names {self.person!r}, which is the same in all rows of a person: "
                f"name a column of numbers or dates that differs between them"
            )
        if self.values_per_person != "one":
            raise SchemaError(
                "keep_row keeps one row of each person, and values_per_person asks for several: "
                "choose one"
            )

    def _check_all_rows(self) -> None:
        choice(self.rows_per_person, get_args(RowsPerPerson), "rows_per_person", SchemaError)
        if self.rows_per_person == "one":
            return
        if self.person is None:
            raise SchemaError(
                "rows_per_person='all' needs `person`: the column that the rows of one person share"
            )
        if self.keep_row is not None:
            raise SchemaError(
                "keep_row keeps one row of each person, and rows_per_person='all' uses all of "
                "them: choose one"
            )
        if self.values_per_person == "multiset":
            raise SchemaError(
                "rows_per_person='all' cannot count how often a person has a value: an attacker "
                "may know how many rows their target has; write values_per_person='set'"
            )

    def _check_shapes(self) -> None:
        seen = {*self.quasi_identifiers, *self.published, *self.roles["sensitive"]}
        for column in self.shapes:
            if column not in seen:
                raise SchemaError(f"column {column!r} has a shape, and is not published: remove it")
        if self.shapes and (self.rows_per_person == "all" or self.separator):
            raise SchemaError(
                "columns are shaped where each cell holds one value of a person: omit the shapes"
            )

    def _check_weight(self) -> None:
        if not isinstance(self.publish_weight, bool):
            raise SchemaError(f"publish_weight is {shown(self.publish_weight)}: give true or false")
        if self.publish_weight and self.weight is None:
            raise SchemaError("publish_weight needs `weight`: the column of survey weights")
        object.__setattr__(self, "weight_totals", _totals(self.weight_totals))
        if self.weight_totals and not self.publish_weight:
            raise SchemaError("weight_totals needs publish_weight: no weights are published else")
        for column in self.weight_totals:
            if column not in self.quasi_identifiers:
                raise SchemaError(
                    f"weight_totals names {column!r}, which is no quasi-identifier: weights that "
                    f"differ by anything else would tell people of a group apart"
                )

    def _check_pseudonyms(self) -> None:
        unseen = {*self.identifiers, *self.dropped, *filter(None, [self.person])}
        for column in self.pseudonyms:
            if column not in unseen:
                raise SchemaError(
                    f"column {column!r} gets pseudonyms, so it must be an identifier or dropped: "
                    f"its own values are not published"
                )

    def _check_hierarchies(self) -> None:
        for column, hierarchy in self.hierarchies.items():
            if not isinstance(hierarchy, Hierarchy):
                raise SchemaError(
                    f"the hierarchy of {column!r} is a {type(hierarchy).__name__}: make one with "
                    f"gy.Hierarchy.from_tree, from_csv, intervals, prefixes or calendar"
                )
            if column in self.identifiers:
                raise SchemaError(
                    f"{column!r} is an identifier and never published: remove its hierarchy"
                )

    @property
    def roles(self) -> dict[str, Sequence[str]]:
        """The columns of each role, by the role's name in the singular."""
        return {
            "identifier": self.identifiers,
            "quasi-identifier": self.quasi_identifiers,
            "sensitive": [*filter(None, [self.sensitive]), *self.also_sensitive, *self.joined],
            "published unchanged": self.published,
            "dropped": self.dropped,
            "household": [self.household] if self.household else [],
            "survey weight": [self.weight] if self.weight else [],
        }

    @property
    def columns(self) -> list[str]:
        """Every column that the schema names, each once."""
        named = [column for names in self.roles.values() for column in names]
        named += self.person_columns
        return list(dict.fromkeys([*named, *filter(None, [self.person, self.keep_row_by])]))

    @property
    def shared_columns(self) -> list[str]:
        """The columns that the rows of one person share; empty if each row is a person."""
        if self.values_per_person == "one" or self.separator:
            return []
        return [self.person] if self.person else list(self.identifiers)

    @property
    def identifies_people(self) -> bool:
        """Whether a column identifies people, so that a repeated person is noticed."""
        return bool(self.person or self.identifiers)


def _names(names: str | Iterable[str], role: str, what: str = "column names") -> tuple[str, ...]:
    given = items(names, role, what, SchemaError)
    strange = [name for name in given if not isinstance(name, str) or not name]
    if strange:
        raise SchemaError(f"{role} names {shown(strange[0])}: write {what} as texts")
    listed = tuple(name for name in given if isinstance(name, str))
    repeated = sorted({name for name in listed if listed.count(name) > 1})
    if repeated:
        raise SchemaError(f"{role} names {repeated[0]!r} twice")
    return listed


def _totals(given: object) -> dict[str, dict[str, Fraction]]:
    """The totals of weights, exactly."""
    what, read = "{column: {value: total}}", dict[str, dict[str, Fraction]]()
    for column, stated in mapping(given, "weight_totals", what, SchemaError).items():
        _refuse_other_than_text(column, "weight_totals: the name of a column")
        name = f"weight_totals of {column!r}"
        read[str(column)] = {
            text_of(check_value(value, name, SchemaError)): _total(total, name)
            for value, total in mapping(stated, name, "{value: total}", SchemaError).items()
        }
        if not read[str(column)]:
            raise SchemaError(f"{name} is empty: give a total for each value")
    return read


def _total(given: object, name: str) -> Fraction:
    """A number of people of the population."""
    try:
        total = exactly(given)
    except (ValueError, TypeError, OverflowError, ZeroDivisionError):
        total = Fraction(0)
    if not 0 < total <= _LARGEST_TOTAL or total.denominator > 10**18:
        raise SchemaError(
            f"{name}: {shown(given)} is no number of people: give a positive number up to "
            f"{_LARGEST_TOTAL:,}"
        )
    return total


def _refuse_other_than_text(value: object, name: str) -> None:
    if not isinstance(value, str) or not value:
        raise SchemaError(f"{name} is {shown(value)}: give one text")
