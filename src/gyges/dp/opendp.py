"""OpenDP, where it is installed: the one place that loads it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gyges.errors import EngineError, RuleError


def enabled(*features: str) -> Any:
    """OpenDP's functions; an error says how to install them.

    "contrib" marks what OpenDP has not fully vetted; every mechanism used here belongs to it.
    """
    try:
        import opendp.prelude as dp
    except ModuleNotFoundError:
        raise EngineError("differential privacy needs OpenDP: pip install 'gyges[dp]'") from None
    dp.enable_features("contrib", *features)
    return dp


@contextmanager
def refusals() -> Iterator[Any]:
    """OpenDP's functions; their refusals of a parameter become RuleErrors."""
    dp = enabled()
    try:
        yield dp
    except (dp.OpenDPException, OverflowError, ZeroDivisionError):
        raise RuleError(
            "OpenDP refuses these parameters of the noise: epsilon, delta or a scale is too large "
            "or too small to be accounted for"
        ) from None
