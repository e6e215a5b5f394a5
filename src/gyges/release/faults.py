"""What a strict model refuses, in sentences: pydantic's own words are never shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from pydantic import ValidationError

_NEEDED = {
    "string": "a text", "int": "a whole number", "float": "a number", "bool": "true or false",
    "list": "a list", "tuple": "a list", "dict": "a section", "model": "a section",
    "dataclass": "a section", "mapping": "a section", "sequence": "a list", "enum": "{expected}",
    "greater_than_equal": "at least {ge:g}",
    "less_than_equal": "at most {le:g}", "finite_number": "a finite number",
    "literal_error": "{expected}", "too_long": "at most {max_length} entries long",
    "too_short": "at least {min_length} entries long",
    "string_too_long": "at most {max_length} characters long",
    "string_pattern_mismatch": "written as gyges writes it",
}  # fmt: skip


class Fault(NamedTuple):
    """The first thing that a model refuses."""

    keys: tuple[str, ...]  # where it is
    kind: Literal["unknown", "missing", "wrong"]
    needed: str  # what its value must be
    given: Any


def first_fault(problem: ValidationError, stated: object) -> Fault:
    """What is wrong first; where a value may be of several kinds, all of them are named."""
    errors = problem.errors(include_url=False)
    first = errors[0]
    if first["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        return Fault(tuple(map(str, first["loc"])), "unknown", "", None)
    if first["type"] in ("missing", "missing_argument"):
        return Fault(tuple(map(str, first["loc"])), "missing", "", None)
    keys, given = _found(first["loc"], stated)
    alike = [one for one in errors if _found(one["loc"], stated)[0] == keys]
    needed = dict.fromkeys(_needed(one["type"], one.get("ctx", {})) for one in alike)
    named = [one for one in needed if one is not None]
    return Fault(keys, "wrong", " or ".join(named) or "something else", given)


def _found(loc: Sequence[str | int], stated: Any) -> tuple[tuple[str, ...], Any]:
    """The keys that lead to a value, without the kinds that pydantic adds, and the value."""
    keys = []
    for key in loc:
        if not isinstance(stated, list if isinstance(key, int) else Mapping):
            break
        if isinstance(stated, Mapping) and key not in stated:
            break
        stated = stated[key]  # type: ignore[index]
        keys.append(str(key))
    return tuple(keys), stated


def _needed(kind: str, context: Mapping[str, Any]) -> str | None:
    """What a value must be, by the kind of error; None if the kind does not say."""
    known = _NEEDED.get(kind) or _NEEDED.get(kind.partition("_")[0])
    return None if known is None else known.format_map(context)
