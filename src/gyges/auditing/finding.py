"""A finding: what one attacker learns from a release. Attackers answer with a list of findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from gyges.adversaries.compared_rows import ComparedTables
from gyges.adversaries.located_people import Whereabouts
from gyges.adversaries.skyline_frontier import Amounts
from gyges.auditing.effort import ShowStep, show_nothing
from gyges.auditing.original_places import OriginalPlaces
from gyges.data.column_names import some_of
from gyges.data.people_words import as_counted
from gyges.data.schema import ValuesPerPerson
from gyges.data.table import Table
from gyges.exact import counted, percent
from gyges.release.groups import Groups
from gyges.release.published import Published
from gyges.release.release import Release

if TYPE_CHECKING:
    from gyges.auditing.published_rows import PublishedRows

Audited: TypeAlias = Published | Groups
# Where a finding is printed: before everything else, also in the summary, or under its topic only.
Place: TypeAlias = Literal["first", "summary", "topic"]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A small table of texts; the first column names the rows."""

    rows: tuple[tuple[str, ...], ...]
    heads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CertaintyCurve:
    """Probabilities for 0, 1, 2, … facts; the curves of one topic are drawn together."""

    name: str
    values: Sequence[Fraction]


@dataclass(frozen=True, slots=True)
class Limits:
    """How much an attacker may know before a value is at risk: a knowledge skyline for each."""

    skylines: Mapping[str, list[Amounts]]  # by sensitive value
    values_per_person: ValuesPerPerson


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """What one attacker learns: a sentence about people, and the number in it."""

    attacker: str  # who attacks, in a word or two
    sentence: str
    number: Fraction | int | float | None = None
    interval: tuple[float, float] | None = None  # None where the number is exact
    witness: object = None  # the worst case, as data; str() reads as English
    topic: str = ""  # findings of one topic are printed together
    place: Place = "topic"
    is_checked: bool = True  # false where the sentence states what was not checked
    details: Sheet | CertaintyCurve | Limits | None = None
    measures: Mapping[str, object] = field(default_factory=dict)  # named figures, for programs
    rows_are_people: bool = False  # each row was counted as one person

    @property
    def worst_case(self) -> str:
        """The witness in words: a sentence, or "age = 76, sex = Female"."""
        if isinstance(self.witness, Mapping):
            return some_of([f"{name} = {value}" for name, value in self.witness.items()])
        return as_counted(str(self.witness), self.rows_are_people)


@dataclass(frozen=True, slots=True, eq=False)
class AuditKnowledge:
    """What the auditor gave, prepared once for all attackers."""

    confidence: Fraction = Fraction(19, 20)
    rows: PublishedRows | None = None  # None of groups alone
    original: Table | None = None
    places: OriginalPlaces | None = None  # in which groups the original's people are
    whereabouts: Whereabouts | None = None  # of the original's rows, where they were looked up
    # The same, but unknown in groups in which the given original has other values; these.
    places_with_values: OriginalPlaces | None = None
    n_other_values: int = 0
    population: Table | None = None
    sampling_fraction: Fraction | None = None  # the share of the population that is in the table
    others: tuple[Release, ...] = ()
    compared: ComparedTables | str | None = None  # for attacks on a table; or why it cannot be
    is_same_order: bool = False  # whether row i of the table was made from row i of the original
    prior: object = None  # a table of other people, or a matrix for the original's rows
    people: Table | None = None  # whom an attacker with several releases looks for
    is_thorough: bool = False  # whether what takes long is computed too: see effort.py
    tell: ShowStep = show_nothing  # what is being done, for a progress line


class Attacker(Protocol):
    """One attacker, or several who share a method; `ATTACKERS` in attackers.py lists them all."""

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """What they learn; empty where they cannot attack this form or lack what they need."""
        ...


def groups_of(release: Audited) -> Groups | None:
    """The groups of people in a release; None where its form has none."""
    if isinstance(release, Release):
        return release.groups
    return release if isinstance(release, Groups) else None


def share_text(share: Fraction) -> str:
    """A share of people or a probability in a sentence: exactly, and in percent.

    >>> share_text(Fraction(1, 5)), share_text(Fraction(1)), share_text(Fraction(1, 10**6))
    ('1/5 (20%)', '100%', '1/1000000 (less than 0.1%)')
    """
    if share.denominator == 1 or share.denominator >= 10**9:
        return percent(share)
    return f"{share} ({percent(share)})"


def people_text(n: int, total: int) -> str:
    """A number of people in a sentence.

    >>> people_text(35, 300)
    '35 of 300 people (11.7%)'
    """
    return f"{n:,} of {counted(total, 'person')} ({percent(Fraction(n, max(total, 1)))})"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> listed(["age", "zip", "sex"])
    'age, zip and sex'
    """
    some = some_of(names)
    if len(names) == 1 or some != ", ".join(names):
        return some
    return f"{', '.join(names[:-1])} and {names[-1]}"
