"""The page about noise that is not yet drawn: error against ε, as a picture and a table."""

from __future__ import annotations

from collections.abc import Sequence

from gyges.dp.error_curve import ErrorCurve
from gyges.report.figure import RISK, SAFE, Figure, Trace, axis
from gyges.report.html_page import BEGIN, html_page, paragraph, picture, table

_TITLE = "Error against epsilon"
PAGE_BEGINS = f"{BEGIN}{_TITLE}"  # by which a page is recognised before it is replaced
_CAPTION = "Left is more privacy, lower is more accuracy. Both axes are logarithmic."


def noise_page(curve: ErrorCurve, found: Sequence[str] = ()) -> str:
    """The whole page as HTML; it loads nothing from elsewhere."""
    said = "".join(paragraph(line, "box") for line in found)
    shown = [picture(one, _CAPTION) for one in noise_pictures(curve)]
    return html_page(
        _TITLE,
        f"{paragraph(curve.about)}{said}{''.join(shown)}{table(curve.rows(), curve.heads)}",
    )


def noise_pictures(curve: ErrorCurve) -> list[Figure]:
    """How far a count is from the true one; and, with their number, how many people move."""
    found = [
        _picture(curve, [one.reach for one in curve.points], "reach of a count (95 %)", SAFE, ",")
    ]
    shares = [one.share for one in curve.points if one.share is not None]
    if shares:
        found.append(_picture(curve, shares, curve.heads[-1], RISK, ".1%"))
    return found


def _picture(
    curve: ErrorCurve, errors: Sequence[float], name: str, colour: str, format: str
) -> Figure:
    line: Trace = {
        "x": [float(one.epsilon) for one in curve.points],
        "y": [error if error > 0 else None for error in errors],  # 0 has no logarithm
        "mode": "lines+markers",
        "line": {"color": colour},
        "hovertemplate": f"epsilon %{{x}}: %{{y:{format}}}<extra></extra>",
    }
    epsilons = [float(one.epsilon) for one in curve.points]
    ticks = {"tickvals": epsilons, "ticktext": [f"{epsilon:g}" for epsilon in epsilons]}
    return Figure(
        [line],
        {
            "xaxis": axis("epsilon", type="log", **ticks),
            "yaxis": axis(name, type="log", tickformat=format, dtick=1),
            "showlegend": False,
        },
    )
