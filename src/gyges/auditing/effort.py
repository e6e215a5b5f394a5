"""What an audit computes without being asked: what takes seconds, not minutes.

An attacker who may take long estimates the time from the size of the table. This is the one place
that decides whether that is too long, and says how to ask for the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from gyges.exact import counted

ShowStep: TypeAlias = Callable[[str, float, float], None]  # a step, how much is done, of how much

MOST_SECONDS = 20.0  # of one attacker, on an ordinary computer
HOW_TO_ASK = "`gyges audit RELEASE --original DATA --thorough` computes it"


def is_too_long(seconds: float, is_thorough: bool) -> bool:
    """Whether a computation is skipped unless the user asks for it."""
    return seconds > MOST_SECONDS and not is_thorough


def too_long(seconds: float) -> str:
    """Why it was skipped, and how to ask for it.

    >>> print(too_long(400))
    it would take about 7 minutes; `gyges audit RELEASE --original DATA --thorough` computes it
    """
    minutes = counted(max(1, round(seconds / 60)), "minute")
    return f"it would take about {minutes}; {HOW_TO_ASK}"


def show_nothing(_text: str, _done: float, _total: float) -> None:
    """Tell nobody how far an audit is."""
