"""Similar values by a hierarchy: a rule names a level or general terms instead of the values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from gyges.criteria.about import About, column_of, with_terms
from gyges.criteria.base import Rule
from gyges.data.hierarchy import Hierarchy
from gyges.data.joint_values import part_of
from gyges.data.values import Value, text_of
from gyges.errors import RuleError, suggestion

_LEVEL = re.compile(r"level (\d{1,4})")


def with_listed_values(
    rules: Iterable[Rule],
    hierarchies: Mapping[str, Hierarchy],
    sensitive: str | None,
    values: Sequence[Value],
) -> list[Rule]:
    """The rules with lists of similar values, for these sensitive values of a table.

    The values under one term of the hierarchy count as one, unless they are harmless; those under
    a term with a policy of its own are its class. A certificate so states the values themselves,
    and verification needs no hierarchy.
    """
    return [_with_values(rule, hierarchies, sensitive, values) for rule in rules]


def _with_values(
    rule: Rule, hierarchies: Mapping[str, Hierarchy], sensitive: str | None, values: Sequence[Value]
) -> Rule:
    one = with_terms(rule)
    if one is not None:
        return _listed(one, hierarchies, one.column or sensitive, values)
    column = column_of(rule)
    own = values if column is None else [part_of(value, column) for value in values]
    return _with_classes(rule, hierarchies, column or sensitive, own)


def _with_classes(
    rule: Rule, hierarchies: Mapping[str, Hierarchy], column: str | None, values: Sequence[Value]
) -> Rule:
    """The rule with the values under each general term that has a policy.

    A name may be that of a value and of a term above it and others ("C50" above "C50.1"): it then
    means all of them, whether or not somebody has the value itself.
    """
    hierarchy, terms = hierarchies.get(column or ""), rule.named()
    if hierarchy is None or not terms:
        return rule
    under, known = _under(hierarchy, list({text_of(v): v for v in values}.values()), str(column))
    classes = {
        term: _values_under(term, under, known, str(column)) for term in terms if term in known
    }
    return rule.with_classes(
        {term: held for term, held in classes.items() if held and not _is_alone(term, held)}
    )


def _listed(
    rule: About,
    hierarchies: Mapping[str, Hierarchy],
    column: str | None,
    values: Sequence[Value],
) -> Rule:
    assert isinstance(rule.similar, tuple)
    hierarchy = hierarchies.get(column or "")
    if hierarchy is None:
        raise RuleError(
            f"similar names {rule.similar[0]!r} of a hierarchy, and the sensitive column "
            f"{column!r} has none: give it a hierarchy, or list the values that are similar"
        )
    own = values if rule.column is None else [part_of(value, rule.column) for value in values]
    spared = set(map(text_of, rule.harmless))
    judged = [v for v in {text_of(v): v for v in own}.values() if text_of(v) not in spared]
    classes = _classes(rule.similar, hierarchy, judged, str(column))
    named = rule.of.named()  # an entry for a term is about its values, even if there is only one
    kept = {
        name: held
        for name, held in classes.items()
        if len(held) > 1 or (name in named and not _is_alone(name, held))
    }
    if not (kept or rule.column or rule.knowing or rule.harmless):
        return rule.of
    return About(rule.of, rule.column, rule.knowing, kept or None, rule.harmless)


def _classes(
    terms: Sequence[str], hierarchy: Hierarchy, values: Sequence[Value], column: str
) -> dict[str, list[Value]]:
    """The values under each term, or under each term of a level."""
    under, known = _under(hierarchy, values, column)
    level = _LEVEL.fullmatch(terms[0]) if len(terms) == 1 else None
    if level is not None:
        chosen, height = int(level[1]), hierarchy.bind(values, column).height
        if not 1 <= chosen < height:
            raise RuleError(
                f"similar names {terms[0]}, and between the values and the top the hierarchy of "
                f"{column!r} has {_levels(height - 1)}"
            )
        return {name: by_level[chosen] for name, by_level in under.items() if chosen in by_level}
    return {term: _values_under(term, under, known, column) for term in terms}


def _under(
    hierarchy: Hierarchy, values: Sequence[Value], column: str
) -> tuple[dict[str, dict[int, list[Value]]], set[str]]:
    """The values under each general term by level, and all general terms."""
    ladder = hierarchy.bind(values, column)
    under: dict[str, dict[int, list[Value]]] = {}
    for at in range(1, ladder.height):
        for value, code in zip(values, ladder.ancestors[at], strict=True):
            under.setdefault(ladder.labels[at][code], {}).setdefault(at, []).append(value)
    return under, {*under, *(label for row in hierarchy.rows for label in row[1:-1])}


def _values_under(
    term: str, under: Mapping[str, Mapping[int, list[Value]]], known: set[str], column: str
) -> list[Value]:
    if term not in known:
        raise RuleError(
            f"similar names {term!r}, which is no general term of the hierarchy of {column!r}"
            f"{suggestion(term, known)}: name a term between its values and its top, or a level "
            f'such as "level 1"'
        )
    found = list(under.get(term, {}).values())
    if any(held != found[0] for held in found[1:]):
        raise RuleError(
            f"a rule names {term!r}, which stands for different values at different levels of the "
            f'hierarchy of {column!r}: name a level, such as "level 1", or list the values'
        )
    return found[0] if found else []


def _is_alone(term: str, held: Sequence[Value]) -> bool:
    """Whether a term is the name of the only value under it, as in shorter branches."""
    return list(map(text_of, held)) == [term]


def _levels(n: int) -> str:
    return "no level" if n < 1 else "the level 1" if n == 1 else f"the levels 1 to {n}"
