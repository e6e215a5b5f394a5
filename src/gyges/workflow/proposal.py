"""Proposing a project: what each column of a table seems to be, and rules that it can satisfy."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gyges.data.source import Source
from gyges.engines.read import open_source
from gyges.errors import GygesError
from gyges.workflow.column_roles import ColumnGuess, guess_roles
from gyges.workflow.policies import POLICIES, fitted_rules
from gyges.workflow.uniqueness import Uniqueness, uniqueness

_MARKS = ("?", "NA", "N/A", "n/a", "NULL", "null", "None", "nan", "NaN")  # of missing values


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a table seems to hold, and a policy for publishing it."""

    source: str  # as the project file names it
    columns: list[ColumnGuess]
    uniqueness: list[Uniqueness]  # which columns single people out; empty where rows are no people
    policy: str
    rules: str  # the [[require]] sections of the policy, as far as the table can satisfy them
    marks: list[str]  # texts that look like a mark for missing values

    def with_role(self, role: str) -> list[ColumnGuess]:
        """The columns of a role."""
        return [guess for guess in self.columns if guess.role == role]

    @property
    def most_telling(self) -> list[Uniqueness]:
        """The set of columns of each size that singles most people out."""
        sizes = sorted({len(one.columns) for one in self.uniqueness})
        return [
            max(
                (one for one in self.uniqueness if len(one.columns) == size),
                key=lambda one: one.n_alone,
            )
            for size in sizes
        ]

    @property
    def several_rows(self) -> list[str]:
        """What to do where the column that says who is who repeats; nothing where it does not."""
        repeated = [guess for guess in self.with_role("person") if guess.repeats]
        if not repeated:
            return []
        return [
            f"{repeated[0].name} {repeated[0].reason}. Publishing is refused as long as a person",
            "has several rows: keep one row per person, or list the column under `dropped` if it",
            "does not say who is who.",
        ]


def propose(data: str, policy: str, out: Path) -> Proposal:
    """Look at a table and propose a project for it; `out` is the file that will hold it."""
    if policy not in POLICIES:
        raise GygesError(f"--policy is {policy!r}: choose one of {', '.join(POLICIES)}")
    source, _ = open_source(data)
    if not source.columns:
        raise GygesError(f"{source.name} has no columns: give a table with a row per person")
    guesses = guess_roles(source)
    quasi = [guess.name for guess in guesses if guess.role == "quasi-identifier"]
    person = next((guess for guess in guesses if guess.role == "person"), None)
    rows_are_people = person is None or not person.repeats
    return Proposal(
        source=_seen_from(out, data),
        columns=guesses,
        uniqueness=uniqueness(source, quasi) if quasi and rows_are_people else [],
        policy=policy,
        rules=fitted_rules(source, guesses, POLICIES[policy][1]),
        marks=_found_marks(source, guesses),
    )


def _seen_from(out: Path, data: str) -> str:
    """The data's place as the project file names it: beside the file, wherever that is."""
    path = Path(data)
    if "://" in data or path.is_absolute() or not path.exists():
        return data
    return Path(os.path.relpath(path.absolute(), out.absolute().parent)).as_posix()


def _found_marks(source: Source, guesses: Sequence[ColumnGuess]) -> list[str]:
    """Texts that look like a mark for missing values and occur in some column."""
    found = set()
    for guess in guesses:
        if guess.role not in ("person", "identifier"):
            values = source.count([guess.name]).column(guess.name).to_pylist()
            found |= set(_MARKS) & {str(value) for value in values if value is not None}
    return sorted(found)
