"""A plot as inline SVG: no script, no network, and it prints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from reproduction.experiment import Curve, Plot

_WIDTH, _HEIGHT = 640, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 72, 26, 14, 50
_COLOURS = ("#2563eb", "#dc2626", "#059669", "#d97706", "#7c3aed", "#0891b2", "#be185d", "#4b5563")
_DASHES = ("", "6 3", "2 3")
_TICKS = 6


@dataclass(frozen=True, slots=True)
class _Axis:
    """Maps values to coordinates."""

    low: float
    high: float
    start: float
    end: float
    is_log: bool

    def at(self, value: float) -> float:
        low, high, here = self.low, self.high, value
        if self.is_log:
            low, high, here = math.log10(low), math.log10(high), math.log10(value)
        return self.start + (here - low) / (high - low) * (self.end - self.start)


def plot_svg(plot: Plot) -> str:
    """The plot with axes, grid, legend; values can be read by pointing at the marks."""
    curves = [(curve, _points(curve, plot)) for curve in plot.curves]
    across = _axis(
        [x for _, points in curves for x, _ in points], plot.log_x, _LEFT, _WIDTH - _RIGHT
    )
    heights = [y for _, points in curves for _, y in points] + [0.0] * bool(plot.labels)
    up = _axis(heights, plot.log_y, _HEIGHT - _BOTTOM, _TOP)
    if plot.labels:
        across = _Axis(-0.5, len(plot.labels) - 0.5, _LEFT, _WIDTH - _RIGHT, False)
        drawn = [
            _bars(points, number, len(curves), across, up)
            for number, (_, points) in enumerate(curves)
        ]
    else:
        drawn = [
            _curve(curve.name, points, number, across, up)
            for number, (curve, points) in enumerate(curves)
        ]
    legend = _legend([curve.name for curve in plot.curves])
    height = _HEIGHT + 20 * len(legend)
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(plot.title)}" '
        f'xmlns="http://www.w3.org/2000/svg" font-family="system-ui, sans-serif" font-size="14">'
        f"{_frame(across, up, plot.labels)}{_names(plot)}{''.join(drawn)}{''.join(legend)}</svg>"
    )


def _points(curve: Curve, plot: Plot) -> list[tuple[float, float]]:
    return [
        (float(x), float(y))
        for x, y in zip(curve.x, curve.y, strict=True)
        if math.isfinite(x)
        and math.isfinite(y)
        and not (plot.log_x and x <= 0)
        and not (plot.log_y and y <= 0)
    ]


def _axis(values: Sequence[float], is_log: bool, start: float, end: float) -> _Axis:
    low, high = min(values, default=1.0), max(values, default=10.0)
    if is_log:
        low, high = 10 ** math.floor(math.log10(low)), 10 ** math.ceil(math.log10(high))
        return _Axis(low, high if high > low else low * 10, start, end, True)
    if 0 <= low < 0.6 * high:
        low = 0.0
    if high <= low:
        low, high = low - 0.5, high + 0.5
    step = _step(low, high)
    return _Axis(math.floor(low / step) * step, math.ceil(high / step) * step, start, end, False)


def _step(low: float, high: float) -> float:
    rough = (high - low) / _TICKS
    power: float = 10.0 ** math.floor(math.log10(rough))
    return next(power * times for times in (1, 2, 2.5, 5, 10) if power * times >= rough)


def _ticks(axis: _Axis) -> list[float]:
    if axis.is_log:
        first, last = round(math.log10(axis.low)), round(math.log10(axis.high))
        return [10.0**power for power in range(first, last + 1, max(1, (last - first) // 8))]
    step = _step(axis.low, axis.high)
    return [axis.low + step * i for i in range(round((axis.high - axis.low) / step) + 1)]


def _frame(across: _Axis, up: _Axis, labels: Sequence[str]) -> str:
    lines = []
    places = [float(place) for place in range(len(labels))] or _ticks(across)
    for place, name in zip(places, labels or [f"{tick:.6g}" for tick in places], strict=True):
        x = across.at(place)
        lines.append(
            f'<line x1="{x:.1f}" y1="{up.start}" x2="{x:.1f}" y2="{up.end}" stroke="#eaecf0"/>'
            f'<text x="{x:.1f}" y="{up.start + 16}" text-anchor="middle">{escape(name)}</text>'
        )
    for tick in _ticks(up):
        y = up.at(tick)
        lines.append(
            f'<line x1="{across.start}" y1="{y:.1f}" x2="{across.end}" y2="{y:.1f}" '
            f'stroke="#eaecf0"/>'
            f'<text x="{across.start - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:.6g}</text>'
        )
    return "".join(lines)


def _names(plot: Plot) -> str:
    middle = (_TOP + _HEIGHT - _BOTTOM) / 2
    return (
        f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2}" y="{_HEIGHT - 10}" text-anchor="middle">'
        f"{escape(plot.x)}</text>"
        f'<text transform="translate(13 {middle}) rotate(-90)" text-anchor="middle">'
        f"{escape(plot.y)}</text>"
    )


def _curve(
    name: str,
    points: list[tuple[float, float]],
    number: int,
    across: _Axis,
    up: _Axis,
) -> str:
    colour = _COLOURS[number % len(_COLOURS)]
    places = [(across.at(x), up.at(y)) for x, y in points]
    line = ""
    if len(places) > 1:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        line = (
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" '
            f'stroke-dasharray="{_DASHES[number // len(_COLOURS) % len(_DASHES)]}"/>'
        )
    marks = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{3.2 if len(points) < 60 else 2}" fill="{colour}">'
        f"<title>{escape(name)}: {a:.6g}, {b:.6g}</title></circle>"
        for (x, y), (a, b) in zip(places, points, strict=True)
    )
    return line + marks


def _bars(
    points: list[tuple[float, float]], number: int, n_curves: int, across: _Axis, up: _Axis
) -> str:
    """The bars of one curve, next to those of the others, with their heights above them."""
    width = 0.7 / n_curves
    drawn = []
    for x, y in points:
        left, right = (across.at(x - 0.35 + width * (number + end)) for end in (0, 1))
        top, bottom = sorted((up.at(y), up.at(max(up.low, 0.0))))
        drawn.append(
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" '
            f'height="{bottom - top:.1f}" fill="{_COLOURS[number % len(_COLOURS)]}"/>'
            f'<text x="{(left + right) / 2:.1f}" y="{top - 3:.1f}" text-anchor="middle" '
            f'font-size="10">{y:.3g}</text>'
        )
    return "".join(drawn)


def _legend(names: Sequence[str]) -> list[str]:
    """Rows of the legend, two names each."""
    rows = []
    for first in range(0, len(names), 2):
        y = _HEIGHT + 10 + 10 * first
        rows.append(
            "".join(
                f'<rect x="{x}" y="{y - 5}" width="18" height="4" '
                f'fill="{_COLOURS[number % len(_COLOURS)]}"/>'
                f'<text x="{x + 24}" y="{y + 1}">{escape(names[number])}</text>'
                for number, x in zip(range(first, len(names)), (_LEFT, _LEFT + 290), strict=False)
            )
        )
    return rows
