"""A purpose: what the readers of a release want to do with it, as its publisher states it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from gyges.arguments import instance, items, mapping, shown
from gyges.data.table import Table
from gyges.errors import RuleError
from gyges.exact import fraction

Question: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Purpose:
    """What must stay accurate in a release; a search prefers it where the rules leave a choice.

    >>> Purpose(weights={"age": 2}, questions=[["age", "disease"]], predict="disease").questions
    (('age', 'disease'),)

    Args:
        weights: how much each quasi-identifier counts, by default 1; 0 is "not at all".
        questions: tables of counts that readers will make, each given by its columns:
            quasi-identifiers and the sensitive column.
        predict: the column that readers will predict: the sensitive column, a quasi-identifier,
            or one that is published unchanged.
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    questions: Iterable[Iterable[str]] = ()
    predict: str | None = None

    def __post_init__(self) -> None:
        weights = {
            instance(name, str, "weights: a column", "give its name"): _weight(name, weight)
            for name, weight in mapping(self.weights, "weights", "{column: number}").items()
        }
        questions = items(self.questions, "questions", "lists of columns")
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "questions", tuple(map(_question, questions)))
        if self.predict is not None:
            instance(self.predict, str, "predict", "give the name of a column")
        if not (weights or questions or self.predict):
            raise RuleError("a purpose states nothing: give weights, questions or predict")

    @property
    def asked(self) -> tuple[Question, ...]:
        """The questions, each a tuple of columns."""
        return tuple(tuple(question) for question in self.questions)

    def check(self, table: Table) -> None:
        """Refuse questions and a class about columns that a release of the table does not show."""
        schema = table.schema
        quasi, sensitive = [*schema.quasi_identifiers], schema.sensitive
        for name in (name for question in self.asked for name in question):
            if name not in quasi and name != sensitive:
                raise RuleError(
                    f"questions names {shown(name)}: name quasi-identifiers and the sensitive "
                    f"column, which are all that a question can count"
                )
            if name == sensitive and schema.values_per_person != "one":
                raise RuleError(
                    f"questions names {shown(name)}: questions about the sensitive column need "
                    f"one value per person"
                )
        self._check_class(table, {*quasi, *schema.published, sensitive})

    def _check_class(self, table: Table, published: set[str | None]) -> None:
        if self.predict is not None and self.predict not in published:
            raise RuleError(
                f"predict names {shown(self.predict)}, which the release does not publish: name "
                f"the sensitive column, a quasi-identifier or a published column"
            )
        if self.predict is not None and table.schema.values_per_person != "one":
            raise RuleError("predict needs one sensitive value per person: omit it")


def _weight(name: object, weight: object) -> float:
    found = fraction(weight, f"weights: that of {shown(name)}")  # type: ignore[arg-type]
    if found < 0:
        raise RuleError(f"weights: that of {shown(name)} is {weight}: give a number, at least 0")
    return float(found)


def _question(given: object) -> Question:
    columns = items(given, "questions: one of them", "column names")
    names = tuple(instance(name, str, "questions: a column", "give its name") for name in columns)
    if not names or len(set(names)) < len(names):
        raise RuleError("questions: name at least one column in each, and none twice")
    return names
