"""OpenDP, where it is installed: the one place that loads it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from gyges.errors import EngineError, RuleError


def enabled(*features: str) -> Any:
    """OpenDP's functions; an error says how to install them.

    "contrib" marks what OpenDP has not fully vetted; every mechanism used here belongs to it.
    """
    try:  # not opendp.prelude, which loads Scikit-learn and takes a second
        from opendp import combinators, domains, measurements, measures, metrics, mod
    except ModuleNotFoundError:
        raise EngineError("differential privacy needs OpenDP: pip install 'gyges[dp]'") from None
    mod.enable_features("contrib", *features)
    return SimpleNamespace(
        m=measurements,
        c=combinators,
        atom_domain=domains.atom_domain,
        vector_domain=domains.vector_domain,
        discrete_distance=metrics.discrete_distance,
        l1_distance=metrics.l1_distance,
        l2_distance=metrics.l2_distance,
        linf_distance=metrics.linf_distance,
        max_divergence=measures.max_divergence,
        zero_concentrated_divergence=measures.zero_concentrated_divergence,
        OpenDPException=mod.OpenDPException,
    )


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
