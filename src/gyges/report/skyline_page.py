"""The page of one knowledge skyline: its points in words, and the safe region as it rotates."""

from __future__ import annotations

from collections.abc import Sequence

from gyges.adversaries.skyline_frontier import Amounts, explain_point, kinds_of_knowledge
from gyges.data.schema import ValuesPerPerson
from gyges.report.html_page import BEGIN, html_page, paragraph, picture, table
from gyges.report.pictures import skyline_picture

# The camera circles once in half a minute, until someone touches the picture.
_ROTATE = """
const picture = document.querySelector(".plotly-graph-div");
let angle = Math.PI / 4, rotating = !matchMedia("(prefers-reduced-motion: reduce)").matches;
for (const touch of ["pointerdown", "wheel", "touchstart"])
  picture.addEventListener(touch, () => { rotating = false; }, {capture: true, passive: true});
function rotate() {
  if (!rotating) return;
  angle += 0.01;
  const eye = {x: 2.8 * Math.cos(angle), y: 2.8 * Math.sin(angle), z: 1.1};
  Plotly.relayout(picture, {"scene.camera.eye": eye}).then(() => setTimeout(rotate, 50));
}
window.addEventListener("load", rotate);
"""
_TITLE = "How much an attacker may know before "
PAGE_BEGINS = f"{BEGIN}{_TITLE}"  # by which a page is recognised before it is replaced


def skyline_page(
    points: Sequence[Amounts], value: str, confidence: str, values_per_person: ValuesPerPerson
) -> str:
    """The whole page as HTML; it loads nothing from elsewhere."""
    title = f"{_TITLE}“{value}” is at risk"
    if not points:
        said = f"The release alone makes an attacker at least {confidence} certain of this value."
        return html_page(title, paragraph(said))
    said = (
        f"Each row of the table is a limit: an attacker who knows no more than it allows is less "
        f"than {confidence} certain that anyone has the value. An attacker whose knowledge exceeds "
        f"every row can be at least {confidence} certain of someone."
    )
    rows = [(*map(amount_text, point), explain_point(point, values_per_person)) for point in points]
    kinds = zip("lkm", kinds_of_knowledge(values_per_person), strict=True)
    legend = "; ".join(f"{letter}: {kind}" for letter, kind in kinds)
    return html_page(
        title,
        f"{paragraph(said)}{picture(skyline_picture(points, value), f'{legend}.')}"
        f"<script>{_ROTATE}</script>{table(rows, (*'lkm', ''))}",
    )


def amount_text(amount: float) -> str:
    """An amount of knowledge in a table; ∞ where there is no limit."""
    return "∞" if amount == float("inf") else f"{amount:,}"
