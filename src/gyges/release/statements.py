"""What any release states: its form, the roles of its columns, and its claims."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from gyges.data.hierarchy import Hierarchy
from gyges.data.schema import Schema
from gyges.data.shape import Shape
from gyges.data.values import Kind

# How pydantic reads these classes from a certificate: no other field, no other type.
STRICT = {"extra": "forbid", "strict": True, "regex_engine": "python-re"}
SIMULATABLE = "the choice of the groups reveals nothing more than the groups themselves"
OTHER_SOFTWARE = "other software"  # the method of a release that gyges did not make


@dataclass(frozen=True, slots=True)
class Claim:
    """One rule that the release satisfies, as its certificate states it."""

    __pydantic_config__ = STRICT
    rule: Mapping[str, object]  # name and parameters, enough to judge again
    text: str  # the rule in words
    # The worst case in the release, an exact fraction or a number, as text.
    risk: str = field(metadata={"may_be_number": True})


@dataclass(frozen=True, slots=True)
class WeightTotal:
    """What the published weights of all rows with one of these labels add up to."""

    __pydantic_config__ = STRICT
    column: str
    labels: tuple[str, ...]
    total: Annotated[str, Field(pattern=r"^[1-9][0-9]{0,33}(/[1-9][0-9]{0,18})?\Z")]


@dataclass(frozen=True, slots=True)
class Roles:
    """The columns of a release, by their role."""

    __pydantic_config__ = STRICT
    quasi_identifiers: tuple[str, ...]
    sensitive: str | None
    published: tuple[str, ...] = ()
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    hierarchies: Mapping[str, Mapping[str, object]] = field(  # as `Hierarchy.to_data` gives them
        default_factory=dict, repr=False
    )
    shapes: Mapping[str, Shape] = field(default_factory=dict)  # columns made coarser when read
    pseudonyms: tuple[str, ...] = ()  # columns of `published` that hold keyed pseudonyms
    weight: str | None = None  # the column of `published` that holds the weights of groups
    weight_totals: tuple[WeightTotal, ...] = ()  # what these add up to
    parts: tuple[str, ...] = ()  # the sensitive columns, where `sensitive` joins several

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns: quasi-identifiers, those published unchanged, the sensitive one."""
        sensitive = () if self.sensitive is None else (self.sensitive,)
        return (*self.quasi_identifiers, *self.published, *sensitive)

    @property
    def recognizable(self) -> tuple[str, ...]:
        """The columns published unchanged by which someone could know a person: no pseudonyms."""
        return tuple(name for name in self.published if name not in self.pseudonyms)

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive columns: those that are joined, or the only one."""
        return self.parts or (() if self.sensitive is None else (self.sensitive,))

    @property
    def group_column(self) -> str:
        """The column of the group's number: `group`, or `group_2`, … if that is taken."""
        return _free_name("group", (*self.columns, *self.parts))

    @property
    def count_column(self) -> str:
        """The column that counts how often a value occurs in a group."""
        return _free_name("count", (*self.columns, *self.parts))

    def schema(self, *, with_sensitive: bool = False) -> Schema:
        """The schema of a table that describes people by the same quasi-identifiers.

        Without hierarchies that are tables, if the release was read from its files.
        """
        shown = self.sensitive_columns if with_sensitive else ()
        return Schema(
            quasi_identifiers=self.quasi_identifiers,
            sensitive=next(iter(shown), None),
            also_sensitive=shown[1:],
            shapes={
                name: shape
                for name, shape in self.shapes.items()
                if name in self.quasi_identifiers or name in shown
            },
            kinds={name: self.kinds[name] for name in self.quasi_identifiers if name in self.kinds},
            hierarchies={
                name: Hierarchy.from_data(described)
                for name, described in self.hierarchies.items()
                if "levels" not in described
            },
        )


def _free_name(name: str, taken: Sequence[str]) -> str:
    """The name, or the name with the smallest number that is not taken."""
    numbered = (f"{name}_{number}" for number in itertools.count(2))
    return next(free for free in itertools.chain([name], numbered) if free not in taken)
