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
from math import perm, prod
from typing import TypeAlias

import numpy as np

from gyges.data.cells import Domain
from gyges.data.values import Kind, Value, as_kind, guess_kind, sort_key, text_of
from gyges.errors import GygesError, SentenceError, suggestion
from gyges.release.label_reading import covers_all
from gyges.release.release import Release

MOST_PLACEMENTS = 2_000  # ways to place the described people in groups
_MOST_BY_ROWS = 8  # described people, of whom each choice of rows is listed

# By group: the rows that look like a person, or None where all rows of the group look the same.
_Fits: TypeAlias = "dict[int, frozenset[int] | None]"

_PAIR = re.compile(
    r"""(?:\s*"((?:[^"\\]|\\.)*)"\s*|([^={},"]+))=(?:\s*"((?:[^"\\]|\\.)*)"\s*|([^{},"]*))(?:,|\Z)"""
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
    if release.group_form.is_exact and len(descriptions) > _MOST_BY_ROWS:
        raise SentenceError(
            f"{len(descriptions)} people are described: describe at most {_MOST_BY_ROWS} in a "
            f"bucketized release"
        )
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
    return [(places, weight / total) for places, weight in found]


def _weighted(
    release: Release, fitting: Sequence[_Fits], numbered: Mapping[int, int]
) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """The ways to choose rows for the described people, by the groups of these rows.

    A row is one person's. The people who are numbered have any other rows of their groups.
    """
    sizes = release.groups.sizes.tolist()
    for groups in product(*fitting):
        weight = Fraction(1)
        for group, n in Counter(groups).items():
            held = [fits[g] for fits, g in zip(fitting, groups, strict=True) if g == group]
            weight *= perm(sizes[group], n) if None in held else _distinct_rows(held)
            others = numbered.get(group, 0)
            left = perm(sizes[group] - n, others) if n <= sizes[group] else 0
            weight *= Fraction(left, perm(sizes[group], others))
        yield groups, weight


def _distinct_rows(fitting: Sequence[frozenset[int] | None]) -> int:
    """In how many ways each of some people can have a row of their own among those that fit.

    Rows that fit the same people are counted together: `ways` is by who has a row already.
    """
    kinds = Counter(
        sum(1 << person for person, rows in enumerate(fitting) if rows and row in rows)
        for row in frozenset[int]().union(*(rows for rows in fitting if rows))
    )
    ways = {0: 1}
    for kind, n in kinds.items():
        before, ways = ways, Counter(ways)
        for placed, count in before.items():
            more = chosen = kind & ~placed
            while more:
                ways[placed | more] += count * perm(n, more.bit_count())
                more = (more - 1) & chosen
    return ways.get((1 << len(fitting)) - 1, 0)


def _fitting(release: Release, description: str) -> _Fits:
    """The groups that a described person can be in, and which rows of each look like them."""
    known = _read(release, description)
    if release.group_form.is_averaged:
        raise SentenceError(
            "a release of averages does not show which values a person has, so nobody is found "
            "in it by a description: name a group, as in 2.3"
        )
    found: _Fits = {}
    if release.group_form.is_exact:
        found |= _with_exactly(release, known)
    else:
        fits = np.ones(len(release.groups), dtype=bool)
        for column, value in known.items():
            labels = release.labels[column]
            domain = _domain(release, column, value)
            covered = covers_all(labels, domain, theirs=_has_general_terms(release, column))
            fits &= np.array([covered[one][domain.present][0] for one in labels], dtype=bool)
        found |= dict.fromkeys(np.flatnonzero(fits).tolist())
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


def _with_exactly(release: Release, known: Mapping[str, str]) -> dict[int, frozenset[int]]:
    """In a bucketized release: the rows with these values, by their groups."""
    people = release.tables["people"]
    fits = np.ones(len(people), dtype=bool)
    for column, value in known.items():
        fits &= np.array(
            [text == value for text in people.column(column).cast("string").to_pylist()]
        )
    numbers = people.column(release.roles.group_column).cast("int64").to_numpy() - 1
    rows: dict[int, list[int]] = {}
    for row in np.flatnonzero(fits).tolist():
        rows.setdefault(int(numbers[row]), []).append(row)
    return {group: frozenset(held) for group, held in rows.items()}
