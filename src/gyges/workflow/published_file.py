"""A published table that Gyges did not make: which columns an attacker may know, as guesses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gyges.auditing.column_roles import guess_roles
from gyges.data.column_names import some_of
from gyges.data.schema import Schema
from gyges.engines.read import open_source
from gyges.errors import GygesError


@dataclass(frozen=True, slots=True)
class PublishedColumns:
    """The columns of a file, and guesses of their roles with the reasons."""

    names: list[str]
    quasi: list[str]
    sensitive: str | None
    reasons: dict[str, str]


def published_columns(file: str) -> PublishedColumns:
    """Guess which columns an attacker may know; all but the sensitive one if none looks like it."""
    source, _ = open_source(file)
    guesses = guess_roles(source, only_readable=True)
    sensitive = next((one.name for one in guesses if one.role == "sensitive"), None)
    likely = [one.name for one in guesses if one.role == "quasi-identifier"]
    return PublishedColumns(
        [one.name for one in guesses],
        likely or [one.name for one in guesses if one.name != sensitive],
        sensitive,
        {one.name: one.reason for one in guesses},
    )


def guessed_schema(file: Path, original: str | None, sensitive: str | None = None) -> Schema:
    """The guessed roles as a schema; the sensitive column is guessed where it is not named.

    With the original, its columns are guessed: labels do not look like the values they stand for.
    """
    guessed = published_columns(str(file))
    there = set(guessed.names)
    if original is not None:
        guessed = published_columns(original)
    sensitive = sensitive or (guessed.sensitive if guessed.sensitive in there else None)
    known = [name for name in guessed.quasi if name in there and name != sensitive]
    if not known and sensitive is None:
        raise GygesError(
            f"{file.name} has none of the columns of {original} that may be known or sensitive: "
            f"rename its columns, or give --quasi"
        )
    return Schema(quasi_identifiers=known, sensitive=sensitive)


def common_schema(files: Sequence[Path], original: str | None) -> Schema:
    """Guessed roles of the columns that several files have: the same attackers for each."""
    guesses = [guessed_schema(file, original) for file in files]
    names = [set(published_columns(str(file)).names) for file in files]
    there = set.intersection(*names)
    sensitive = next((one.sensitive for one in guesses if one.sensitive in there), None)
    known = dict.fromkeys(name for one in guesses for name in one.quasi_identifiers)
    return Schema(
        quasi_identifiers=[name for name in known if name in there and name != sensitive],
        sensitive=sensitive,
    )


def guess_in_words(schema: Schema) -> str:
    """What was guessed about the columns of a published file, and how to say otherwise."""
    known = some_of(schema.quasi_identifiers) or "no column"
    return (
        f"guessed: an attacker may know {known}; sensitive: {schema.sensitive or 'none'}. If that "
        f"is wrong, give --quasi and --sensitive"
    )
