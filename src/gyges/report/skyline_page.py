"""A page of one knowledge skyline: the points in words, and the safe region turning in space."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from gyges.adversaries.skyline_frontier import explain_point, kinds_of_knowledge
from gyges.data.schema import ValuesPerPerson
from gyges.report.figure import library
from gyges.report.pictures import skyline_picture

Point = tuple[float, float, float]

_STYLE = """
body { font: 17px/1.5 system-ui, sans-serif; color: #1d2939; margin: 0 auto; max-width: 54rem;
  padding: 1.5rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid #eaecf0; }
td:nth-child(-n+3), th:nth-child(-n+3) { text-align: right; white-space: nowrap; }
small { color: #475467; }
"""
# The camera goes round once in half a minute, until someone touches the picture.
_TURN = """
const picture = document.querySelector(".plotly-graph-div");
let angle = Math.PI / 4, turning = !matchMedia("(prefers-reduced-motion: reduce)").matches;
for (const touch of ["pointerdown", "wheel", "touchstart"])
  picture.addEventListener(touch, () => { turning = false; }, {capture: true, passive: true});
function turn() {
  if (!turning) return;
  angle += 0.01;
  const eye = {x: 2.0 * Math.cos(angle), y: 2.0 * Math.sin(angle), z: 1.0};
  Plotly.relayout(picture, {"scene.camera.eye": eye}).then(() => setTimeout(turn, 50));
}
window.addEventListener("load", turn);
"""


PAGE_BEGINS = (
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    "<title>How much may be known while "
)


def skyline_page(
    points: Sequence[Point], value: str, confidence: str, values_per_person: ValuesPerPerson
) -> str:
    """The whole page as HTML; it loads nothing from anywhere."""
    name = escape(value)
    rows = "".join(
        f"<tr>{''.join(f'<td>{amount_text(x)}</td>' for x in point)}"
        f"<td>{escape(explain_point(point, values_per_person))}</td></tr>"
        for point in points
    )
    said = (
        f"<p>Every amount of knowledge at or below one of these points leaves the attacker less "
        f"than {escape(confidence)} certain; any other amount is enough for somebody.</p>"
        if points
        else f"<p>The release alone already makes an attacker {escape(confidence)} certain.</p>"
    )
    table = f"<table><tr><th>l</th><th>k</th><th>m</th><th></th></tr>{rows}</table>"
    return (
        f"{PAGE_BEGINS}{name} stays safe</title><style>{_STYLE}</style>"
        f"</head><body><h1>How much may be known while {name} stays safe</h1>{said}"
        f"{_picture(points, value) if points else ''}{table if points else ''}"
        f"<p><small>{_legend(values_per_person)} Nothing on this page is loaded from "
        "elsewhere.</small></p></body></html>\n"
    )


def _legend(values_per_person: ValuesPerPerson) -> str:
    """What l, k and m count."""
    kinds = zip("lkm", kinds_of_knowledge(values_per_person), strict=True)
    return " ".join(f"{letter}: {kind}." for letter, kind in kinds)


def amount_text(amount: float) -> str:
    """An amount of knowledge in a table; ∞ where there is no limit."""
    return "∞" if amount == float("inf") else f"{amount:,}"


def _picture(points: Sequence[Point], value: str) -> str:
    return f"{library()}{skyline_picture(points, value).html()}<script>{_TURN}</script>"
