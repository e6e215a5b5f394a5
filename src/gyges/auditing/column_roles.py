"""Guess the role of each column from its name and its values. The user decides.

A column that may identify people is not proposed for publishing. If its name, the form of its
values or the way they repeat looks like numbers, names or addresses of people, it is an identifier;
in doubt it is dropped, and publishing asks about it. Names and addresses that repeat are dropped
too, unless another column identifies people: an identifier must not repeat. Guesses can be wrong:
docs/weaknesses.md says where.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from gyges.auditing.column_guess import ColumnGuess, guess_column, sensitive_rank
from gyges.auditing.column_values import TOO_FEW
from gyges.auditing.people_in_rows import agreeing_columns, may_be_same_people
from gyges.data.arrow_arrays import numbers_of
from gyges.data.column_names import is_of_household, is_strong, meaning
from gyges.data.consistency import in_rows
from gyges.data.encoding import dictionary
from gyges.data.local_formats import DECIMAL_COMMA
from gyges.data.source import COUNT, Source
from gyges.data.values import Kind
from gyges.errors import GygesError

_NAMES = ("name", "part of a name")  # several such columns agree because they are one


def guess_roles(source: Source, *, only_readable: bool = False) -> list[ColumnGuess]:
    """Guess a role for every column; at most one is sensitive, and at most one is the person.

    A column of lists or records is refused, or skipped if `only_readable`.
    """
    columns = [one for one in source.columns if not only_readable or _is_readable(source, one)]
    guesses = _with_commas(source, [guess_column(source, name) for name in columns])
    guesses = _with_repeated_people(source, guesses)
    likely = [guess for guess in guesses if guess.role == "sensitive"]
    if len(likely) > 1:
        best = min(likely, key=sensitive_rank)
        guesses = [
            _not_sensitive(source, guess, best) if guess in likely and guess is not best else guess
            for guess in guesses
        ]
    return _with_one_sample(_without_repeated_identifiers(_with_person(guesses)))


def _with_commas(source: Source, guesses: list[ColumnGuess]) -> list[ColumnGuess]:
    """Read 1.234 as a thousand and more where another column has decimal commas."""
    if not any(guess.local_format == DECIMAL_COMMA for guess in guesses):
        return guesses
    return [
        guess_column(source, guess.name, commas_known=True) if guess.kind is Kind.NUMBER else guess
        for guess in guesses
    ]


def _is_readable(source: Source, name: str) -> bool:
    try:
        dictionary(source.count([name]).column(name), name)
    except GygesError:
        return False
    return True


def unnamed_person(source: Source, named: Collection[str]) -> ColumnGuess | None:
    """The column outside `named` that may identify people and repeats, if there is one."""
    guesses = guess_roles(source, only_readable=True)
    return next((g for g in guesses if g.name not in named and g.counts_people), None)


def guess_by_names(source: Source, names: Collection[str]) -> list[ColumnGuess]:
    """Guess which columns hold numbers of people by their names; no value leaves the engine."""
    n_rows = int(numbers_of(source.count([]).column(COUNT))[0])
    found = []
    for name in (c for c in names if meaning(c) in ("person", "number")):
        n = int(numbers_of(source.count_distinct([name], by=[]).column(COUNT))[0])
        n_missing = source.count_missing([name])[name]
        if n >= TOO_FEW or is_strong(name):
            why = "its name suggests a person's number"
            guess = ColumnGuess(
                name, "identifier", Kind.NUMBER, n - (n_missing > 0), n_missing, why
            )
            found.append(replace(guess, n_rows=n_rows, identifies="number"))
    return found


def _with_repeated_people(source: Source, guesses: Sequence[ColumnGuess]) -> list[ColumnGuess]:
    """Find columns whose repeated values stand for people, whatever they are called."""
    telling = [
        guess
        for guess in guesses
        if 1 < guess.n_distinct < 0.9 * guess.n_rows and guess.identifies not in _NAMES
    ]
    found: list[ColumnGuess] = []
    for guess in guesses:
        agreed = (
            []
            if guess.identifies in ("person", "number", "part of a name") or guess.is_about_others
            else agreeing_columns(
                source, guess.name, guess.kind, [g.name for g in telling if g is not guess]
            )
        )
        if agreed:
            why = (
                f"rows with the same value agree on {first_columns(agreed)}, as rows of one person"
            )
            guess = replace(guess, role="identifier", identifies="person", reason=why)
        found.append(guess)
    return found if any(g.identifies for g in found) else _with_same_days(source, found)


def _with_same_days(source: Source, guesses: list[ColumnGuess]) -> list[ColumnGuess]:
    """Where nothing identifies people, find rows that agree on a day and on all else."""
    others = [g.name for g in guesses if g.role == "quasi-identifier" and g.kind != "date"]
    days = [g for g in guesses if g.kind == "date" and g.n_distinct > 1]
    n = may_be_same_people(source, days[0].name, others) if days and others else 0
    if not n:
        return guesses
    why = (
        f"{n:,} rows agree with another row on it and on {first_columns(others)}, more than chance "
        f"explains: they may be several rows of one person"
    )
    changed = replace(days[0], role="dropped", identifies="maybe", reason=why)
    return [changed if guess is days[0] else guess for guess in guesses]


def _not_sensitive(source: Source, guess: ColumnGuess, best: ColumnGuess) -> ColumnGuess:
    """Guess the role of a column where another one is the sensitive column."""
    again = guess_column(source, guess.name, may_be_sensitive=False)
    if again.role != "quasi-identifier":
        return again
    why = f"may be sensitive too: to protect it as well as {best.name}, write also_sensitive"
    role = "dropped" if guess.is_illness else again.role
    return replace(again, role=role, reason=why, may_be_sensitive=True)


def _with_person(guesses: list[ColumnGuess]) -> list[ColumnGuess]:
    """Choose the person column, where an identifier repeats.

    If a person's number repeats, people have several rows. If it does not, each row is a person,
    although several people share a name or a phone number.
    """
    known = [guess for guess in guesses if guess.role == "identifier"]
    order = ("person", "number")
    repeated = [guess for guess in known if guess.identifies in order and guess.repeats]
    repeated.sort(key=lambda guess: order.index(guess.identifies))
    unique = [g for g in known if g.identifies == "person" and not (g.repeats or g.n_missing)]
    if repeated:
        chosen = repeated[0]
        n_rows = chosen.n_rows - chosen.n_missing
        why = f"repeats: {in_rows(chosen.n_distinct, n_rows)}"
        why += f"; {chosen.reason}"
    elif unique and any(guess.repeats for guess in known):
        chosen, why = unique[0], f"every row has a different value; {unique[0].reason}"
    else:
        return guesses
    return [replace(g, role="person", reason=why) if g is chosen else g for g in guesses]


def _without_repeated_identifiers(guesses: list[ColumnGuess]) -> list[ColumnGuess]:
    """Drop names and addresses that repeat where no column identifies people."""
    if any(guess.role == "person" and not guess.repeats for guess in guesses):
        return guesses
    return [
        replace(guess, role="dropped") if guess.role == "identifier" and guess.repeats else guess
        for guess in guesses
    ]


def _with_one_sample(guesses: list[ColumnGuess]) -> list[ColumnGuess]:
    """Choose one survey weight, rather of people than of households, and one household.

    Neither may have a missing value. The others are dropped.
    """
    changed = list(guesses)
    for role in ("weight", "household"):
        found = [guess for guess in guesses if guess.role == role]
        whole = [guess for guess in found if not guess.n_missing]
        chosen = min(whole, key=lambda guess: is_of_household(guess.name), default=None)
        for place, guess in enumerate(changed):
            if guess.role == role and guess is not chosen:
                changed[place] = replace(guess, role="dropped")
    return changed


def first_columns(names: Sequence[str]) -> str:
    """The first names of a list, in words."""
    shown = ", ".join(names[:4])
    return shown if len(names) <= 4 else f"{shown} and {len(names) - 4} more columns"
