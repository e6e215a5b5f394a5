"""The pictures of a report: certainty by facts, a knowledge skyline, risk against utility."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from html import escape
from typing import TypeVar

import numpy as np

from gyges.auditing.finding import share_text
from gyges.auditing.tradeoff import Tradeoff
from gyges.exact import counted, percent
from gyges.release.groups import Groups
from gyges.report.figure import RISK, SAFE, Figure, Trace, axis, scene_axis

T = TypeVar("T")
_MOST_DOTS = 2_000  # of groups, or of safe amounts of knowledge
_MOST_BOXES, _MOST_POINTS = 24, 500  # of a skyline
_BEYOND = 3  # how far beyond the largest finite amount "no limit" is drawn


def curve_picture(curves: Mapping[str, Sequence[Fraction]]) -> Figure:
    """How certain the worst attacker is, by the number of facts they know.

    Curves may coincide, so that the first is drawn wider than the second, on top of it.
    """
    certain = [next((k for k, p in enumerate(c) if p == 1), len(c)) for c in curves.values()]
    n_drawn = max(max(certain, default=0) + 2, 4)
    styles = ({"color": RISK, "width": 6}, {"color": SAFE, "width": 2})
    traces: list[Trace] = [
        {
            "x": list(range(len(curve[:n_drawn]))),
            "y": [float(share) for share in curve[:n_drawn]],
            "text": [share_text(share) for share in curve[:n_drawn]],
            "name": language,
            "mode": "lines+markers",
            "line": {**style, "shape": "hv"},
            "hovertemplate": f"%{{x}} {language}: %{{text}}<extra></extra>",
        }
        for (language, curve), style in zip(curves.items(), styles, strict=False)
    ]
    return Figure(
        traces,
        {
            "xaxis": axis("facts that the attacker knows", dtick=1),
            "yaxis": axis("certainty", range=[0, 1.05], tickformat=".0%"),
        },
    )


def skyline_picture(points: Sequence[tuple[float, float, float]], value: str) -> Figure:
    """The safe region: every safe amount of knowledge is a dot, and the limits are red."""
    top = [_limit([point[axis] for point in points]) for axis in range(3)]
    shown = [tuple(min(x, top[axis]) for axis, x in enumerate(point)) for point in points]
    words = [f"l = {l}, k = {k}, m = {m}" for l, k, m in spread(points, _MOST_POINTS)]
    traces = [
        *(_box(*point) for point in spread(shown, _MOST_BOXES)),
        _dots(_below(shown), SAFE, 3, "safe"),
        _dots(spread(shown, _MOST_POINTS), RISK, 5, "limit", words),
    ]
    axes = {
        f"{place}axis": scene_axis(name, dtick=max(1, round(end / 6)), range=[-0.5, end + 0.5])
        for place, name, end in zip("xyz", "lkm", top, strict=True)
    }
    camera = {"eye": {"x": 2.0, "y": 2.0, "z": 1.1}}
    return Figure(
        traces,
        {
            "scene": {**axes, "aspectmode": "cube", "camera": camera},
            "showlegend": False,
            "height": 400,
            "title": {"text": escape(value), "x": 0.5, "y": 0.97, "font": {"size": 16}},
            "margin": {"l": 0, "r": 0, "t": 30, "b": 0},
        },
    )


def risk_picture(groups: Groups, *, rows_are_people: bool = False) -> Figure:
    """Groups by their size and the share of their most frequent value."""
    whom = "rows" if rows_are_people else "people"
    share = np.minimum(groups.most_frequent / np.maximum(groups.sizes, 1), 1.0)
    kinds, counts = np.unique(np.stack([groups.sizes, share]), axis=1, return_counts=True)
    if kinds.shape[1] > _MOST_DOTS:
        kept = np.argsort(-kinds[1], kind="stable")[:_MOST_DOTS]  # the riskiest
        kinds, counts = kinds[:, kept], counts[kept]
    dots: Trace = {
        "x": kinds[0].tolist(),
        "y": kinds[1].tolist(),
        "mode": "markers",
        "marker": {"size": (7 + 2 * np.log2(counts)).tolist(), "color": SAFE, "opacity": 0.6},
        "text": [
            f"{counted(n, 'group')} of {size:.0f} {whom}: most frequent value "
            f"{percent(float(most))}"
            for n, size, most in zip(counts, *kinds, strict=True)
        ],
        "hovertemplate": "%{text}<extra></extra>",
    }
    is_wide = kinds[0].max() > 20 * kinds[0].min()
    return Figure(
        [dots],
        {
            "xaxis": axis(f"{whom} in a group", type="log" if is_wide else "linear"),
            "yaxis": axis("share of the most frequent value", range=[0, 1.05], tickformat=".0%"),
        },
    )


def tradeoff_picture(found: Sequence[Tradeoff]) -> Figure:
    """The detail lost against the certainty of an attacker with one fact, by least group size."""
    line: Trace = {
        "x": [one.gcp for one in found],
        "y": [float(1 if one.disclosure is None else one.disclosure) for one in found],
        "text": _spaced(found),
        "customdata": [
            f"k = {one.k}: {percent(one.gcp)} lost, {percent(one.disclosure or 1)} certain"
            for one in found
        ],
        "mode": "lines+markers+text",
        "textposition": "top right",
        "line": {"color": RISK},
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    end = max(one.gcp for one in found)
    return Figure(
        [line],
        {
            "xaxis": axis("detail lost", tickformat=".0%", range=[-0.03 * end, 1.15 * end]),
            "yaxis": axis("certainty with one fact", range=[0, 1.15], tickformat=".0%"),
        },
    )


def _spaced(found: Sequence[Tradeoff]) -> list[str]:
    """A label for each point that is not too close to the last labelled one."""
    least_gap = max(one.gcp for one in found) / 12
    labels, last = [], -math.inf
    for one in found:
        is_apart = one.gcp - last >= least_gap
        labels.append(f"k = {one.k}" if is_apart else "")
        last = one.gcp if is_apart else last
    return labels


def _below(points: Sequence[tuple[float, ...]]) -> list[tuple[float, ...]]:
    """Every whole amount of knowledge at or below a point, if there are not too many."""
    sides = [range(int(max(point[axis] for point in points)) + 1) for axis in range(3)]
    if math.prod(map(len, sides)) > _MOST_DOTS:
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
) -> Trace:
    x, y, z = ([place[axis] for place in places] for axis in range(3))
    coordinates = "l = %{x}, k = %{y}, m = %{z}<extra></extra>"
    return {
        "type": "scatter3d",
        "x": x,
        "y": y,
        "z": z,
        "mode": "markers",
        "marker": {"size": size, "color": colour},
        "text": words,
        "hovertemplate": coordinates if words is None else "%{text}<extra></extra>",
        "name": name,
    }


def spread(points: Sequence[T], most: int) -> list[T]:
    """At most `most` points, evenly spread: skylines of large groups have thousands."""
    if len(points) <= most:
        return list(points)
    return [points[i * (len(points) - 1) // (most - 1)] for i in range(most)]


def _limit(amounts: list[float]) -> float:
    finite = [amount for amount in amounts if math.isfinite(amount)]
    highest = max(finite, default=0.0)
    return highest + _BEYOND if len(finite) < len(amounts) else max(highest, 1.0)


def _box(l: float, k: float, m: float) -> Trace:
    """A box from the origin to (l, k, m), with a margin on each side."""
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
