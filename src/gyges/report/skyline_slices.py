"""A knowledge skyline in two dimensions: for several numbers of relatives, the safe l and k."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gyges.report.figure import Figure, Trace, axis

_MOST_SLICES = 5
_MOST_STEPS = 40
_COLOURS = ("#2563eb", "#0d9488", "#ca8a04", "#ea580c", "#dc2626")

Point = tuple[float, float, float]


def largest_k(points: Sequence[Point], l: float, m: float) -> float | None:
    """The largest k that is safe with these l and m; None if no k is, not even 0.

    >>> largest_k([(0, 3, 0), (1, 1, 2)], 1, 0), largest_k([(0, 3, 0), (1, 1, 2)], 2, 0)
    (1, None)
    """
    fitting = [k for l_most, k, m_most in points if l_most >= l and m_most >= m]
    return max(fitting, default=None)


def slices_picture(points: Sequence[Point], kinds: tuple[str, str, str] = ("", "", "")) -> Figure:
    """One step line for each of a few m: the largest safe k for every l.

    `kinds` says what l, k and m count.
    """
    l_name, k_name, m_name = (
        f"{x}: {kind}" if kind else x for x, kind in zip("lkm", kinds, strict=True)
    )
    traces: list[Trace] = []
    ends = [k for _, k, _ in points if math.isfinite(k)]
    beyond = max(ends, default=0.0) + 2
    for colour, m in zip(_COLOURS, _few(points), strict=False):
        steps = [(l, largest_k(points, l, m)) for l in range(_longest(points) + 1)]
        shown = [(l, k) for l, k in steps if k is not None]
        traces.append(
            {
                "x": [l for l, _ in shown],
                "y": [min(k, beyond) for _, k in shown],
                "text": ["any number" if k == math.inf else f"{k:,.0f}" for _, k in shown],
                "name": f"m = {m:,.0f}",
                "mode": "lines+markers",
                "line": {"shape": "hv", "color": colour},
                "hovertemplate": f"l = %{{x}}, m = {m:,.0f}: safe up to k = %{{text}}"
                "<extra></extra>",
            }
        )
    return Figure(
        traces,
        {
            "xaxis": axis(l_name, dtick=1, range=[-0.2, _longest(points) + 0.3]),
            "yaxis": axis(k_name, range=[-0.2, beyond], dtick=max(1, round(beyond / 8))),
            "legend": {
                "title": {"text": m_name},
                "orientation": "h",
                "y": 1.02,
                "yanchor": "bottom",
            },
        },
    )


def _few(points: Sequence[Point]) -> list[float]:
    """Some of the finite m at which the safe region changes, from 0 on."""
    marks = sorted({0.0, *(m for *_, m in points if math.isfinite(m))})
    if len(marks) <= _MOST_SLICES:
        return marks
    step = (len(marks) - 1) / (_MOST_SLICES - 1)
    return [marks[round(i * step)] for i in range(_MOST_SLICES)]


def _longest(points: Sequence[Point]) -> int:
    finite = [int(l) for l, *_ in points if math.isfinite(l)]
    has_no_end = len(finite) < len(points)
    return min(max(finite, default=0) + (2 if has_no_end else 0), _MOST_STEPS)
