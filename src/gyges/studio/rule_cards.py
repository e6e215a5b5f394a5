"""The rules of a project as cards: what each shows, and what a change of its sliders states.

A card shows some numbers of a [[require]] section. What it does not show stays as the file states
it, and so does a number that was not touched: "1/2" is not rewritten.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gyges.errors import GygesError
from gyges.exact import exactly, fraction
from gyges.studio.cards import CARDS, UNCHANGED_EXAMPLE, UNCHANGED_SAYS, Card, Parameter
from gyges.workflow.project_edits import set_rule
from gyges.workflow.project_rules import make_rule
from gyges.workflow.rule_names import plain_rule_name, usual_parameters

Stated = dict[str, Any]
ALL_VALUES = "*"  # of a skyline: every value without a limit of its own
_POINT = ("l", "k", "m", "c")


def card_of(rule: str) -> Card | None:
    """The card of a rule, by any name that a project file may have for it."""
    name = plain_rule_name(rule)
    return next((card for card in CARDS if card.rule == name), None)


def misfit(card: Card, found: Mapping[str, Any]) -> str:
    """Why a card's rule cannot be judged on the table; empty if it can."""
    if card.needs == "households":
        return "" if found["household"] else "this rule needs the column that households share"
    if card.needs != "nothing" and not found["sensitive"]:
        return "this rule is about values, and no column is sensitive"
    if card.needs == "one value" and found["values_per_person"] != "one":
        return "this rule is about one value per person, and people have several"
    return ""


def edited(stated: Stated, asked: Mapping[str, Any]) -> tuple[Stated, int]:
    """The project after a change on a card, and the place of its rule.

    `asked` has `rule`, `number` (the place in the project, None to add it), `point` of a skyline
    (its value and its place), `numbers`, `value`, and `remove`.
    """
    card, number, point = card_of(str(asked.get("rule"))), asked.get("number"), asked.get("point")
    rules: list[Stated] = stated.get("require", [])
    if number is not None and not (isinstance(number, int) and 0 <= number < len(rules)):
        raise GygesError("this rule is no longer in the project")
    before = {} if number is None else copy.deepcopy(rules[number])
    if asked.get("remove"):
        section = _without_point(before, point) if point else None
    elif card is None and number is not None:  # a rule without a card stays as it is
        section = before
    elif card is None:
        raise GygesError("there is no such rule")
    elif card.rule == "skyline":
        section = _with_point(card, before, point, asked)
    else:
        section = {"rule": card.rule, **before, **_numbers(card, before, asked.get("numbers"))}
    made = set_rule(stated, number, section)
    return made, len(made.get("require", [])) - 1 if number is None else number


def _numbers(card: Card, before: Mapping[str, Any], given: object) -> Stated:
    """The numbers of a card's sliders; those that were not touched as they are stated."""
    texts = given if isinstance(given, dict) else {}
    found = {}
    for one in card.parameters:
        stated = number_text(before.get(one.key, one.default))
        text = str(texts.get(one.key, stated)).strip()
        if one.key not in before or text != stated:
            found[one.key] = _read(one, text)
    return found


def _read(parameter: Parameter, text: str) -> int | str:
    """A number as the project file states it."""
    number = fraction(text, parameter.key)
    if parameter.is_text:
        return text
    if number.denominator != 1:
        raise GygesError(f"{parameter.key} is {text!r}: give a whole number")
    return int(number)


def number_text(stated: object) -> str:
    """A number of a project file as a card shows it: exactly; empty if it is none."""
    if isinstance(stated, str):
        return stated.strip()
    if isinstance(stated, bool) or not isinstance(stated, (int, float)):
        return ""
    return str(stated) if isinstance(stated, int) else repr(stated).removesuffix(".0")


def _with_point(
    card: Card, before: Stated, point: Sequence[Any] | None, asked: Mapping[str, Any]
) -> Stated:
    """A skyline with one limit added, or changed; all others stay."""
    value = str(asked.get("value") or ALL_VALUES)
    held = dict(zip(_POINT, _point_at(before, point), strict=True)) if point else {}
    made = {**held, **_numbers(card, held, asked.get("numbers"))}
    limit = [made[key] for key in _POINT]
    points: dict[str, list[Any]] = before.get("points", {})
    if point and str(point[0]) == value:
        points[value][int(point[1])] = limit
        return {**before, "points": points}
    kept = _without_point(before, point) if point else before
    points = {} if kept is None else kept.get("points", {})
    return {"rule": "skyline", "points": {**points, value: [*points.get(value, []), limit]}}


def _without_point(before: Stated, point: Sequence[Any]) -> Stated | None:
    """A skyline without one limit; None if it was the last."""
    _point_at(before, point)
    value, place = str(point[0]), int(point[1])
    points = {name: list(limits) for name, limits in before["points"].items()}
    points[value].pop(place)
    points = {name: limits for name, limits in points.items() if limits}
    return {**before, "points": points} if points else None


def _point_at(before: Stated, point: Sequence[Any]) -> Sequence[Any]:
    try:
        value, place = point
        found: Sequence[Any] = before["points"][str(value)][int(place)]
    except (KeyError, IndexError, TypeError, ValueError):
        raise GygesError("this limit is no longer in the project") from None
    return found


def only_point(section: Stated, point: Sequence[Any] | None) -> Stated:
    """A skyline with one of its limits alone; other values keep their own entries, empty."""
    if not point:
        return section
    own: dict[str, list[Any]] = {name: [] for name in section["points"]}
    return {**section, "points": {**own, str(point[0]): [_point_at(section, point)]}}


def shown_cards(stated: Stated, found: Mapping[str, Any]) -> list[Stated]:
    """A card for every rule of the project, and one for each other kind that fits the table."""
    rules: list[Stated] = stated.get("require", [])
    shown = [
        _shown(section, number, point, found)
        for number, section in enumerate(rules)
        for point in _points(section)
    ]
    there = {one["rule"] for one in shown}
    # A skyline can always get another limit; of other rules a second one adds nothing.
    others = [card for card in CARDS if card.rule not in there or card.rule == "skyline"]
    fitting = (card for card in others if not misfit(card, found))
    common = sorted(fitting, key=lambda card: not card.is_common)
    return [*shown, *(_shown({"rule": card.rule}, None, None, found) for card in common)]


def _points(section: Stated) -> list[list[Any] | None]:
    """The limits of a skyline, each by its value and place; other rules have none."""
    points = section.get("points")
    if not isinstance(points, dict):
        return [None]
    listed = [[value, place] for value, limits in points.items() for place in range(len(limits))]
    return [*listed] or [None]


def _shown(
    section: Stated, number: int | None, point: list[Any] | None, found: Mapping[str, Any]
) -> Stated:
    card = _as_published(card_of(str(section["rule"])), found)
    held = dict(zip(_POINT, _point_at(section, point), strict=True)) if point else section
    if number is None and card is not None:
        held = {one.key: one.default for one in card.parameters}
    sliders = [] if card is None else [_slider(one, held.get(one.key)) for one in card.parameters]
    is_told = card is not None and (number is None or _tells_all(card, section))
    value = str(point[0]) if point else ALL_VALUES
    numbers = {one["key"]: one["text"] for one in sliders if one is not None}
    words = _words(found)
    shown = {
        "rule": section["rule"] if card is None else card.rule,
        "number": number,
        "point": point,
        "value": value,
        "sliders": [one for one in sliders if one is not None],
        "takes_value": card is not None and card.rule == "skyline",
        "advice": "" if card is None else card.advice,
        "misfit": "" if card is None else misfit(card, found),
        "example": None,
        "template": None,
    }
    if card is None or not is_told:  # its own sentence says what the card does not
        return {**shown, "title": f"Rule: {shown['rule']}", "says": str(make_rule(section))}
    return {
        **shown,
        "title": _filled(card.title, words),
        "says": _filled(card.says, words),
        "example": _filled(
            card.example,
            {**words, **numbers, **derived_words(numbers), "limited": limited_words(value)},
        ),
        "template": _filled(card.example, words),
    }


def _as_published(card: Card | None, found: Mapping[str, Any]) -> Card | None:
    """The card in words that are true of a release that shows quasi-identifiers unchanged."""
    if card is None or card.needs != "nothing" or not found["is_exact"]:
        return card
    return replace(card, says=UNCHANGED_SAYS, example=UNCHANGED_EXAMPLE)


def _tells_all(card: Card, section: Stated) -> bool:
    """Whether a card's words are true of a section: it states nothing but the card's numbers."""
    usual = usual_parameters(card.rule)
    shown = {"rule", "points", *(one.key for one in card.parameters)}
    if any(usual.get(key) != one for key, one in section.items() if key not in shown):
        return False
    keys = () if card.rule == "skyline" else (one.key for one in card.parameters)
    return all(number_text(section.get(key)) for key in keys)


def _slider(parameter: Parameter, stated: object) -> Stated | None:
    """A number with its slider; None if what is stated is no single number."""
    text = number_text(stated)
    try:
        number = float(text) if text == "inf" else float(exactly(text))
    except (ValueError, ZeroDivisionError):
        return None
    place = number if math.isfinite(number) else parameter.most
    return {
        "key": parameter.key,
        "label": parameter.label,
        "least": min(parameter.least, place),
        "most": max(parameter.most, place),
        "step": parameter.step,
        "text": text,
        "place": place,
    }


def derived_words(numbers: Mapping[str, str]) -> dict[str, str]:
    """What follows from a card's numbers, in its example; the page's script computes the same.

    Upper bounds are rounded up.

    >>> derived_words({"beta": "1/2", "delta": "1.5"})
    {'beta_share': '1.5', 'delta_factor': '4.49'}
    """
    found = {}
    for key, name, of in (
        ("beta", "beta_share", lambda number: 1 + number),
        ("delta", "delta_factor", math.exp),
    ):
        try:
            found[name] = rounded_up(of(float(fraction(numbers[key], key))))
        except (KeyError, GygesError, OverflowError):
            continue
    return found


def rounded_up(number: float) -> str:
    """A bound with at most two digits after the point, never below it.

    >>> rounded_up(4.4817), rounded_up(3.0), rounded_up(1.1)
    ('4.49', '3', '1.1')
    """
    return f"{math.ceil(round(number * 100, 9)) / 100:,.2f}".rstrip("0").rstrip(".")


def limited_words(value: str) -> str:
    """What a limit of a skyline is about."""
    return "of anyone's value" if value == ALL_VALUES else f"that anyone has {value}"


def _words(found: Mapping[str, Any]) -> dict[str, str]:
    values, quasi = found["values"], found["quasi"]
    return {
        "value": values[0] if values else "a value",
        "other": values[1] if len(values) > 1 else "another value",
        "sensitive": found["sensitive"] or "value",
        "household": found["household"] or "household",
        "quasi": names_in_short(quasi) or "facts",
    }


def names_in_short(names: Sequence[str]) -> str:
    """All names if they are few, else some of them and how many more there are.

    >>> names_in_short(["age", "zip"]), names_in_short(["age", "zip", "sex", "race", "job"])
    ('age and zip', 'age, zip, sex and 2 other columns')
    """
    return _listed(names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} other columns"])


def _filled(text: str, words: Mapping[str, str]) -> str:
    """A sentence with its words; what stands in a word is not filled again."""
    parts = text.split("{")
    made = [parts[0]]
    for part in parts[1:]:
        name, _, rest = part.partition("}")
        made += [words.get(name, f"{{{name}}}"), rest]
    return "".join(made)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
