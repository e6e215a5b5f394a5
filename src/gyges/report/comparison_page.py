"""Releases side by side as a page: the table, and a picture of risk against what is lost."""

from __future__ import annotations

from gyges.auditing.comparison import NOTE, RISKS, RiskFigure, SideBySide
from gyges.report.figure import Figure, Trace, axis
from gyges.report.html_page import BEGIN, bullets, html_page, paragraph, picture, table

_TITLE = "Releases compared"
PAGE_BEGINS = f"{BEGIN}{_TITLE}"  # by which a page is recognised before it is replaced


def comparison_picture(found: SideBySide) -> Figure:
    """Each risk of each release, one group of bars for a risk."""
    bars: list[Trace] = [
        {
            "type": "bar",
            "x": [name for name in RISKS if name in one.risks],
            "y": [float(one.risks[name].number) for name in RISKS if name in one.risks],
            "name": one.name,
            "error_y": {
                "type": "data",
                "symmetric": False,
                "array": [_reach(one.risks[name], 1) for name in RISKS if name in one.risks],
                "arrayminus": [_reach(one.risks[name], 0) for name in RISKS if name in one.risks],
            },
            "hovertemplate": "%{x}: %{y:.1%}<extra>%{fullData.name}</extra>",
        }
        for one in found.releases
    ]
    layout = {
        "barmode": "group",
        "xaxis": axis("risk", type="category"),
        "yaxis": axis("probability, or share of people", range=[0, 1.05], tickformat=".0%"),
        "height": 420,
    }
    return Figure(bars, layout)


def risk_utility_picture(found: SideBySide) -> Figure:
    """How much of the pairs of columns is kept, against the largest figure of any risk."""
    known = [one for one in found.releases if "pairs kept" in one.utility and one.risks]
    points: list[Trace] = [
        {
            "x": [one.utility["pairs kept"] for one in known],
            "y": [float(one.risks[name].number) if name in one.risks else None for one in known],
            "text": [one.name for one in known],
            "name": name,
            "mode": "markers",
            "marker": {"size": 11},
            "hovertemplate": "%{text}: %{y:.1%}<extra>%{fullData.name}</extra>",
        }
        for name in RISKS
        if any(name in one.risks for one in known)
    ]
    layout = {
        "xaxis": axis("pairs of columns kept (NIST's score)", range=[-20, 1040]),
        "yaxis": axis("risk", range=[-0.02, 1.05], tickformat=".0%"),
        "height": 420,
    }
    return Figure(points, layout)


def _reach(figure: RiskFigure, end: int) -> float:
    return 0.0 if figure.interval is None else abs(figure.interval[end] - float(figure.number))


def comparison_page(found: SideBySide) -> str:
    """One self-contained page."""
    sheet = found.sheet()
    parts = [table(sheet.rows, sheet.heads), paragraph(NOTE), picture(comparison_picture(found))]
    if any("pairs kept" in one.utility for one in found.releases):
        parts.append(picture(risk_utility_picture(found), "Risk against what is kept"))
    left = [f"{one.name}: {said}" for one in found.releases for said in one.not_checked]
    return html_page(_TITLE, "".join([*parts, bullets(left) if left else ""]))
