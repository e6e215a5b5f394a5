"""The pictures of a report: disclosure curve, skyline in three dimensions, risk against utility."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from html import escape
from typing import TypeVar

import numpy as np

from gyges.auditing.tradeoff import Tradeoff
from gyges.exact import percent, show
from gyges.release.groups import Groups
from gyges.report.figure import RISK, SAFE, Figure, Part, axis, far_axis

_MANY = 2_000  # dots in a picture
T = TypeVar("T")
_MOST_BOXES, _MOST_DOTS = 24, 500  # of a skyline that are drawn
_ROOM = 3  # how far beyond the largest finite amount "however large" is drawn


def curve_picture(curves: Mapping[str, Sequence[Fraction]]) -> Figure:
    """How certain the worst attacker is, by the number of facts they know."""
    certain = [next((k for k, p in enumerate(c) if p == 1), len(c)) for c in curves.values()]
    shown = max(max(certain, default=0) + 2, 4)
    traces: list[Part] = [
        {
            "x": list(range(len(longer[:shown]))),
            "y": [float(value) for value in longer[:shown]],
            "text": [show(value) for value in longer[:shown]],
            "name": f"any {language}",
            "mode": "lines+markers",
            "line": {"color": colour, "shape": "hv"},
            "hovertemplate": "knows %{x} facts: %{text}<extra></extra>",
        }
        for (language, longer), colour in zip(curves.items(), (RISK, SAFE), strict=False)
    ]
    return Figure(
        traces,
        {
            "xaxis": axis("facts that the attacker knows", dtick=1),
            "yaxis": axis("how certain they are", range=[0, 1.05], tickformat=".0%"),
        },
    )


def skyline_picture(points: Sequence[tuple[float, float, float]], value: str) -> Figure:
    """The safe region: every safe amount of knowledge as a dot, the most as red ones; it turns."""
    top = [_limit([point[axis] for point in points]) for axis in range(3)]
    shown = [tuple(min(x, top[axis]) for axis, x in enumerate(point)) for point in points]
    words = [f"l = {l}, k = {k}, m = {m}" for l, k, m in spread(points, _MOST_DOTS)]
    traces = [
        *(_box(*point) for point in spread(shown, _MOST_BOXES)),
        _dots(_below(shown), SAFE, 3, "safe"),
        _dots(spread(shown, _MOST_DOTS), RISK, 5, "the most that is safe", words),
    ]
    axes = {
        f"{place}axis": far_axis(name, dtick=max(1, round(end / 6)), range=[-0.5, end + 0.5])
        for place, name, end in zip("xyz", "lkm", top, strict=True)
    }
    camera = {"eye": {"x": 1.7, "y": 1.7, "z": 1.0}}
    return Figure(
        traces,
        {
            "scene": {**axes, "aspectmode": "cube", "camera": camera},
            "showlegend": False,
            "height": 420,
            "title": {"text": escape(value), "x": 0.5, "font": {"size": 16}},
            "margin": {"l": 0, "r": 0, "t": 40, "b": 0},
        },
    )


def risk_picture(groups: Groups) -> Figure:
    """Risk against utility: every kind of group, by its people and its most frequent value."""
    share = np.minimum(groups.most_frequent / np.maximum(groups.sizes, 1), 1.0)
    kinds, counts = np.unique(np.stack([groups.sizes, share]), axis=1, return_counts=True)
    if kinds.shape[1] > _MANY:
        kept = np.argsort(-kinds[1], kind="stable")[:_MANY]  # the riskiest are all there
        kinds, counts = kinds[:, kept], counts[kept]
    dots: Part = {
        "x": kinds[0].tolist(),
        "y": kinds[1].tolist(),
        "mode": "markers",
        "marker": {"size": (7 + 2 * np.log2(counts)).tolist(), "color": SAFE, "opacity": 0.6},
        "text": [
            f"{f'{n:,} groups' if n > 1 else '1 group'} of {size:.0f} people: most frequent value "
            f"{percent(float(most))}"
            for n, size, most in zip(counts, *kinds, strict=True)
        ],
        "hovertemplate": "%{text}<extra></extra>",
    }
    is_wide = kinds[0].max() > 20 * kinds[0].min()
    return Figure(
        [dots],
        {
            "xaxis": axis("people in a group", type="log" if is_wide else "linear"),
            "yaxis": axis("share of its most frequent value", range=[0, 1.05], tickformat=".0%"),
        },
    )


def tradeoff_picture(found: Sequence[Tradeoff]) -> Figure:
    """What is lost, against how sure an attacker with one fact becomes, by the least group."""
    line: Part = {
        "x": [one.gcp for one in found],
        "y": [float(1 if one.disclosure is None else one.disclosure) for one in found],
        "text": _spaced(found),
        "customdata": [
            f"k = {one.k}: {percent(one.gcp)} lost, {percent(one.disclosure or 1)} certain"
            for one in found
        ],
        "mode": "lines+markers+text",
        "textposition": "bottom right",
        "line": {"color": RISK},
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    end = max(one.gcp for one in found)
    return Figure(
        [line],
        {
            "xaxis": axis("detail that is lost", tickformat=".0%", range=[-0.03 * end, 1.15 * end]),
            "yaxis": axis("certainty, with one fact", range=[0, 1.05], tickformat=".0%"),
        },
    )


def _spaced(found: Sequence[Tradeoff]) -> list[str]:
    """A label for each point that is not too near to the one labelled before."""
    room = max(one.gcp for one in found) / 12
    labels, last = [], -math.inf
    for one in found:
        is_apart = one.gcp - last >= room
        labels.append(f"k = {one.k}" if is_apart else "")
        last = one.gcp if is_apart else last
    return labels


def _below(points: Sequence[tuple[float, ...]]) -> list[tuple[float, ...]]:
    """Every whole amount of knowledge beneath a point, if that is not too many."""
    sides = [range(int(max(point[axis] for point in points)) + 1) for axis in range(3)]
    if math.prod(map(len, sides)) > _MANY:
        return []
    return [
        at
        for at in itertools.product(*sides)
        if any(all(a <= b for a, b in zip(at, point, strict=True)) for point in points)
    ]


def _dots(
    places: Sequence[tuple[float, ...]],
    colour: str,
    size: int,
    name: str,
    words: list[str] | None = None,
) -> Part:
    x, y, z = ([place[axis] for place in places] for axis in range(3))
    plain = "l = %{x}, k = %{y}, m = %{z}<extra></extra>"
    return {
        "type": "scatter3d",
        "x": x,
        "y": y,
        "z": z,
        "mode": "markers",
        "marker": {"size": size, "color": colour},
        "text": words,
        "hovertemplate": plain if words is None else "%{text}<extra></extra>",
        "name": name,
    }


def spread(points: Sequence[T], most: int) -> list[T]:
    """At most so many points, evenly over all of them: large groups have skylines of thousands."""
    if len(points) <= most:
        return list(points)
    return [points[i * (len(points) - 1) // (most - 1)] for i in range(most)]


def _limit(amounts: list[float]) -> float:
    finite = [amount for amount in amounts if math.isfinite(amount)]
    highest = max(finite, default=0.0)
    return highest + _ROOM if len(finite) < len(amounts) else max(highest, 1.0)


def _box(l: float, k: float, m: float) -> Part:
    """A box around everything from nothing to (l, k, m), with some room on each side."""
    low, room = -0.25, 0.25
    return {
        "type": "mesh3d",
        "x": [low, l + room, l + room, low] * 2,
        "y": [low, low, k + room, k + room] * 2,
        "z": [low] * 4 + [m + room] * 4,
        "i": [0, 0, 4, 4, 0, 0, 1, 1, 2, 2, 3, 3],
        "j": [1, 2, 5, 6, 1, 5, 2, 6, 3, 7, 0, 4],
        "k": [2, 3, 6, 7, 5, 4, 6, 5, 7, 6, 4, 7],
        "opacity": 0.12,
        "color": SAFE,
        "hoverinfo": "skip",
    }
