"""The pictures of a report: the disclosure curve, and the knowledge skyline in three dimensions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import plotly.graph_objects as go

INK, SAFE, RISK = "#1d2939", "#2563eb", "#dc2626"
_ROOM = 3  # how far beyond the largest finite amount "however large" is drawn


def curve_picture(curves: Mapping[str, list[Fraction]]) -> go.Figure:
    """How sure the worst attacker is, by the number of facts he knows."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for (language, values), colour in zip(curves.items(), (RISK, SAFE), strict=False):
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
    """The safe region: a box from nothing known up to each point of the skyline; it turns."""
    import plotly.graph_objects as go

    figure = go.Figure()
    top = [_limit([point[axis] for point in points]) for axis in range(3)]
    for point in points:
        l, k, m = (min(amount, top[axis]) for axis, amount in enumerate(point))
        figure.add_trace(_box(l, k, m))
    figure.add_scatter3d(
        x=[min(point[0], top[0]) for point in points],
        y=[min(point[1], top[1]) for point in points],
        z=[min(point[2], top[2]) for point in points],
        mode="markers",
        marker={"size": 4, "color": RISK},
        text=[f"l = {l}, k = {k}, m = {m}" for l, k, m in points],
        hovertemplate="%{text}<extra></extra>",
        name="skyline",
    )
    figure.update_layout(
        title={"text": f"what an attacker may know while {value} stays safe"},
        scene={
            "xaxis_title": "l: values the target lacks",
            "yaxis_title": "k: other people known",
            "zaxis_title": "m: relatives known",
            "aspectmode": "cube",
            "camera": {"eye": {"x": 1.6, "y": 1.6, "z": 1.1}},
        },
        showlegend=False,
        height=480,
    )
    return _plain(figure)


def _limit(amounts: list[float]) -> float:
    finite = [amount for amount in amounts if math.isfinite(amount)]
    highest = max(finite, default=0.0)
    return highest + _ROOM if len(finite) < len(amounts) else max(highest, 1.0)


def _box(l: float, k: float, m: float) -> go.Mesh3d:
    import plotly.graph_objects as go

    return go.Mesh3d(
        x=[0, l, l, 0, 0, l, l, 0],
        y=[0, 0, k, k, 0, 0, k, k],
        z=[0, 0, 0, 0, m, m, m, m],
        i=[0, 0, 4, 4, 0, 0, 1, 1, 2, 2, 3, 3],
        j=[1, 2, 5, 6, 1, 5, 2, 6, 3, 7, 0, 4],
        k=[2, 3, 6, 7, 5, 4, 6, 5, 7, 6, 4, 7],
        opacity=0.18,
        color=SAFE,
        hoverinfo="skip",
    )


def _plain(figure: go.Figure) -> go.Figure:
    figure.update_layout(
        template="plotly_white",
        font={"family": "system-ui, sans-serif", "color": INK, "size": 14},
        margin={"l": 50, "r": 20, "t": 50, "b": 50},
        legend={"orientation": "h", "y": 1.12},
    )
    return figure
