"""OpenDP, where it is installed: the one place that loads it."""

from __future__ import annotations

from typing import Any

from gyges.errors import EngineError


def enabled(*features: str) -> Any:
    """OpenDP's functions; an error says how to install them.

    "contrib" marks what OpenDP has not vetted to the end; every mechanism used here lies there.
    """
    try:
        import opendp.prelude as dp
    except ModuleNotFoundError:
        raise EngineError("differential privacy needs OpenDP: pip install 'gyges[dp]'") from None
    dp.enable_features("contrib", *features)
    return dp
