"""The pictures of a report: disclosure curve, skyline in three dimensions, risk against utility."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from gyges.auditing.tradeoff import Tradeoff
from gyges.release.groups import Groups

if TYPE_CHECKING:
    import plotly.graph_objects as go

INK, SAFE, RISK = "#1d2939", "#2563eb", "#dc2626"
_LINE, _FAR_LINE = "#e4e7ec", "#cbd2dc"
_MANY = 2_000  # dots in a picture
T = TypeVar("T")
_MOST_BOXES, _MOST_DOTS = 24, 500  # of a skyline that are drawn
_ROOM = 3  # how far beyond the largest finite amount "however large" is drawn


def curve_picture(curves: Mapping[str, list[Fraction]]) -> go.Figure:
    """How sure the worst attacker is, by the number of facts he knows."""
    figure = empty_figure()
    certain = [next((k for k, p in enumerate(c) if p == 1), len(c)) for c in curves.values()]
    shown = max(max(certain, default=0) + 2, 4)
    for (language, longer), colour in zip(curves.items(), (RISK, SAFE), strict=False):
        values = longer[:shown]
        figure.add_scatter(
            x=list(range(len(values))),
            y=[float(value) for value in values],
            text=[str(value) for value in values],
            name=f"any {language}",
            mode="lines+markers",
            line={"color": colour, "shape": "hv"},
            hovertemplate="knows %{x} facts: %{text}<extra></extra>",
        )
    figure.update_xaxes(title="facts that the attacker knows", dtick=1)
    figure.update_yaxes(title="how sure he is", range=[0, 1.05], tickformat=".0%")
    return _plain(figure)


def skyline_picture(points: Sequence[tuple[float, float, float]], value: str) -> go.Figure:
    """The safe region: every safe amount of knowledge as a dot, the most as red ones; it turns."""
    figure = empty_figure()
    top = [_limit([point[axis] for point in points]) for axis in range(3)]
    shown = [tuple(min(x, top[axis]) for axis, x in enumerate(point)) for point in points]
    for point in spread(shown, _MOST_BOXES):
        figure.add_trace(_box(*point))
    figure.add_trace(_dots(_below(shown), SAFE, 3, "safe"))
    words = [f"l = {l}, k = {k}, m = {m}" for l, k, m in spread(points, _MOST_DOTS)]
    figure.add_trace(_dots(spread(shown, _MOST_DOTS), RISK, 5, "the most that is safe", words))
    axes = {
        f"{axis}axis": {
            "title": {"text": name},
            "dtick": max(1, round(end / 6)),
            "range": [-0.5, end + 0.5],
        }
        for axis, name, end in zip("xyz", "lkm", top, strict=True)
    }
    camera = {"eye": {"x": 1.7, "y": 1.7, "z": 1.0}}
    figure.update_layout(
        scene={**axes, "aspectmode": "cube", "camera": camera}, showlegend=False, height=420
    )
    figure = _plain(figure)
    figure.update_layout(
        title={"text": escape(value), "x": 0.5, "font": {"size": 16}},
        margin={"l": 0, "r": 0, "t": 40, "b": 0},
    )
    return figure


def risk_picture(groups: Groups) -> go.Figure:
    """Risk against utility: every kind of group, by its people and its most frequent value."""
    share = np.minimum(groups.most_frequent / np.maximum(groups.sizes, 1), 1.0)
    kinds, counts = np.unique(np.stack([groups.sizes, share]), axis=1, return_counts=True)
    if kinds.shape[1] > _MANY:
        kept = np.argsort(-kinds[1], kind="stable")[:_MANY]  # the riskiest are all there
        kinds, counts = kinds[:, kept], counts[kept]
    figure = empty_figure()
    figure.add_scatter(
        x=kinds[0].tolist(),
        y=kinds[1].tolist(),
        mode="markers",
        marker={"size": (5 + 2 * np.log2(counts)).tolist(), "color": SAFE, "opacity": 0.6},
        text=[f"{n:,} groups" if n > 1 else "1 group" for n in counts],
        hovertemplate="%{text} of %{x} people: most frequent value %{y:.0%}<extra></extra>",
    )
    is_wide = kinds[0].max() > 20 * kinds[0].min()
    figure.update_xaxes(title="people in a group", type="log" if is_wide else "linear")
    figure.update_yaxes(title="share of its most frequent value", range=[0, 1.05], tickformat=".0%")
    return _plain(figure)


def tradeoff_picture(found: Sequence[Tradeoff]) -> go.Figure:
    """What is lost, against how sure an attacker with one fact becomes, by the least group."""
    figure = empty_figure()
    figure.add_scatter(
        x=[one.gcp for one in found],
        y=[float(1 if one.disclosure is None else one.disclosure) for one in found],
        text=_spaced(found),
        customdata=[one.k for one in found],
        mode="lines+markers+text",
        textposition="bottom right",
        line={"color": RISK},
        hovertemplate="k = %{customdata}: %{x:.1%} lost, %{y:.1%} sure<extra></extra>",
    )
    end = max(one.gcp for one in found)
    figure.update_xaxes(
        title="detail that is lost", tickformat=".0%", range=[-0.03 * end, 1.15 * end]
    )
    figure.update_yaxes(title="how sure, with one fact", range=[0, 1.05], tickformat=".0%")
    return _plain(figure)


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
) -> go.Scatter3d:
    import plotly.graph_objects as go

    x, y, z = ([place[axis] for place in places] for axis in range(3))
    return go.Scatter3d(
        x=x,
        y=y,
        z=z,
        mode="markers",
        marker={"size": size, "color": colour},
        text=words,
        hovertemplate="l = %{x}, k = %{y}, m = %{z}<extra></extra>"
        if words is None
        else ("%{text}<extra></extra>"),
        name=name,
    )


def spread(points: Sequence[T], most: int) -> list[T]:
    """At most so many points, evenly over all of them: large groups have skylines of thousands."""
    if len(points) <= most:
        return list(points)
    return [points[i * (len(points) - 1) // (most - 1)] for i in range(most)]


def _limit(amounts: list[float]) -> float:
    finite = [amount for amount in amounts if math.isfinite(amount)]
    highest = max(finite, default=0.0)
    return highest + _ROOM if len(finite) < len(amounts) else max(highest, 1.0)


def _box(l: float, k: float, m: float) -> go.Mesh3d:
    """A box around everything from nothing to (l, k, m), with some room on each side."""
    import plotly.graph_objects as go

    low, room = -0.25, 0.25
    return go.Mesh3d(
        x=[low, l + room, l + room, low] * 2,
        y=[low, low, k + room, k + room] * 2,
        z=[low] * 4 + [m + room] * 4,
        i=[0, 0, 4, 4, 0, 0, 1, 1, 2, 2, 3, 3],
        j=[1, 2, 5, 6, 1, 5, 2, 6, 3, 7, 0, 4],
        k=[2, 3, 6, 7, 5, 4, 6, 5, 7, 6, 4, 7],
        opacity=0.12,
        color=SAFE,
        hoverinfo="skip",
    )


def empty_figure() -> go.Figure:
    """A white page. Plotly's own templates take a tenth of a second to load, for each figure."""
    import plotly.graph_objects as go

    flat = {"gridcolor": _LINE, "linecolor": _LINE, "zerolinecolor": _LINE, "automargin": True}
    deep = {"gridcolor": _FAR_LINE, "zerolinecolor": _FAR_LINE, "showbackground": False}
    scene = dict.fromkeys(("xaxis", "yaxis", "zaxis"), deep)
    white = {"paper_bgcolor": "white", "plot_bgcolor": "white"}
    return go.Figure(
        layout={"template": {"layout": {**white, "xaxis": flat, "yaxis": flat, "scene": scene}}}
    )


def _plain(figure: go.Figure) -> go.Figure:
    figure.update_layout(
        height=figure.layout.height or 340,
        font={"family": "system-ui, sans-serif", "color": INK, "size": 14},
        margin={"l": 50, "r": 20, "t": 50, "b": 50},
        legend={"orientation": "h", "y": 1.12},
    )
    return figure
