"""People who are described by what someone knows about them: {age=42, zip=13012, sex=M}.

Any published row that looks like a described person may be theirs, each with the same probability
[Ganta2008, Def. 6]. Where such rows are in several groups, the answer is the mean over these
groups, weighted by their rows. People with different descriptions or numbers are different people.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np

from gyges.data.cells import Domain
from gyges.data.values import Kind, Value, as_kind, guess_kind, sort_key, text_of
from gyges.errors import GygesError, SentenceError, suggestion
from gyges.release.label_reading import covers_all
from gyges.release.release import Release

MOST_PLACEMENTS = 2_000  # ways to place the described people in groups

_PAIR = re.compile(
    r"""\s*(?:"((?:[^"\\]|\\.)*)"|([^={},"]+?))\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^{},"]*?))\s*(?:,|\Z)"""
)


def is_description(person: str) -> bool:
    """Whether a person is described, not named.

    >>> is_description("{age=42}"), is_description("1.2")
    (True, False)
    """
    return person.startswith("{") and person.endswith("}")


def placements(
    release: Release, descriptions: Sequence[str], numbered: Mapping[int, int]
) -> list[tuple[dict[str, int], Fraction]]:
    """Each way to place the described people in groups, with its probability.

    `numbered` counts the other people that a question names in each group: their rows are taken.
    """
    fitting = [_fitting(release, description) for description in descriptions]
    if prod(map(len, fitting)) > MOST_PLACEMENTS:
        raise SentenceError(
            f"the descriptions fit {prod(map(len, fitting)):,} combinations of groups: describe "
            f"people more closely, or fewer of them"
        )
    found = [
        (dict(zip(descriptions, groups, strict=True)), weight)
        for groups, weight in _weighted(release, fitting, numbered)
        if weight
    ]
    total = sum(weight for _, weight in found)
    if not total:
        raise SentenceError("the question names more people than the groups have that fit them")
    return [(places, Fraction(weight, total)) for places, weight in found]


def _weighted(
    release: Release, fitting: Sequence[Mapping[int, int]], numbered: Mapping[int, int]
) -> Iterator[tuple[tuple[int, ...], int]]:
    """The ways to choose a row for each described person, by the groups of these rows."""
    looks_alike = not release.group_form.is_exact  # all rows of a group look the same
    sizes = release.groups.sizes
    for groups in product(*fitting):
        taken, weight = Counter(numbered), 1
        for rows, group in zip(fitting, groups, strict=True):
            weight *= max(rows[group] - taken[group] if looks_alike else rows[group], 0)
            taken[group] += 1
        fits = all(taken[group] <= sizes[group] for group in groups)
        yield groups, weight if fits else 0


def _fitting(release: Release, description: str) -> dict[int, int]:
    """The groups that a described person can be in, and how many rows in each look like them."""
    known = _read(release, description)
    if release.group_form.is_averaged:
        raise SentenceError(
            "a release of averages does not show which values a person has, so nobody is found "
            "in it by a description: name a group, as in 2.3"
        )
    if release.group_form.is_exact:
        found = _with_exactly(release, known)
    else:
        fits = np.ones(len(release.groups), dtype=bool)
        for column, value in known.items():
            labels = release.labels[column]
            domain = _domain(release, column, value)
            covered = covers_all(labels, domain, theirs=_has_general_terms(release, column))
            fits &= np.array([covered[one][domain.present][0] for one in labels], dtype=bool)
        found = {int(g): int(release.groups.sizes[g]) for g in np.flatnonzero(fits)}
    if not found:
        raise SentenceError(f"nobody in the release fits {description}: check its values")
    return found


def _read(release: Release, description: str) -> dict[str, str]:
    columns = release.roles.quasi_identifiers
    inside, at, found = description[1:-1].strip(), 0, dict[str, str]()
    while at < len(inside):
        pair = _PAIR.match(inside, at)
        if pair is None:
            raise SentenceError(
                f"{description} is no description: write columns and values, as in "
                f'{{age=42, job="farmer, retired"}}'
            )
        column, value = (_unescaped(pair[i], pair[i + 1]) for i in (1, 3))
        if column not in columns:
            raise SentenceError(
                f"{column!r} is not a quasi-identifier of the release"
                f"{suggestion(column, columns)}: it has {', '.join(columns)}"
            )
        if column in found:
            raise SentenceError(f"{description} states {column!r} twice")
        found[column], at = value, pair.end()
    if not found:
        raise SentenceError("an empty description fits everyone: state at least one column")
    return found


def _unescaped(quoted: str | None, plain: str | None) -> str:
    return (plain or "").strip() if quoted is None else re.sub(r"\\(.)", r"\1", quoted)


def _domain(release: Release, column: str, text: str) -> Domain:
    """A column in which only the described person's value is present."""
    schema = release.roles.schema()
    value: Value = text
    kind = schema.kinds.get(column) or guess_kind([value])
    assert isinstance(kind, Kind)
    try:
        [value] = as_kind([value], kind, column)
        if column in schema.shapes:
            value = schema.shapes[column].of(value)
    except GygesError:
        raise SentenceError(
            f"{text!r} is no value of {column!r}, which holds {kind.value}s: write one of them"
        ) from None
    hierarchy, values = schema.hierarchies.get(column), [value]
    if hierarchy is not None and kind in (Kind.CATEGORY, Kind.CODE):
        values = sorted({text_of(value), *hierarchy.leaves}, key=sort_key)
    ladder = None if hierarchy is None else hierarchy.bind(values, column)
    present = np.array([text_of(one) == text_of(value) for one in values], dtype=bool)
    return Domain(column, kind, tuple(values), present, ladder)


def _has_general_terms(release: Release, column: str) -> bool:
    """Whether a label may be a term above values; a hierarchy of two levels has `*` alone."""
    stated = release.roles.hierarchies.get(column, {})
    return column in release.general_terms and stated.get("levels") != 2


def _with_exactly(release: Release, known: Mapping[str, str]) -> dict[int, int]:
    """In a bucketized release: the groups of the rows with these values."""
    people = release.tables["people"]
    fits = np.ones(len(people), dtype=bool)
    for column, value in known.items():
        fits &= np.array(
            [text == value for text in people.column(column).cast("string").to_pylist()]
        )
    numbers = people.column(release.roles.group_column).cast("int64").to_numpy()[fits] - 1
    return dict(Counter(numbers.tolist()))
