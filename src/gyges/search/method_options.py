"""The options of a search: its keyword-only parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping

from gyges.errors import RuleError, suggestion


def options_of(search: Callable[..., object]) -> list[str]:
    """The names of a search's options."""
    parameters = inspect.signature(search).parameters.values()
    return [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name != "rng"]


def refuse_unknown_options(
    search: Callable[..., object], options: Mapping[str, object], method: str
) -> None:
    """Refuse an option that a method does not have, by its name."""
    if not options:
        return
    known = options_of(search)
    for name in options:
        if name not in known:
            raise RuleError(
                f"the method {method} has no option {name!r}{suggestion(name, known)}: it has "
                f"{', '.join(known)}"
            )


def takes_chance(search: Callable[..., object]) -> bool:
    """Whether a search uses a random generator."""
    return "rng" in inspect.signature(search).parameters
