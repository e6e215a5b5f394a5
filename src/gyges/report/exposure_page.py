"""An attack with several releases: how many people are exposed, as a table and as a page."""

from __future__ import annotations

from fractions import Fraction

from gyges.adversaries.possible_values import PossibleValues
from gyges.exact import percent
from gyges.report.figure import RISK, SAFE, Figure, Trace, axis
from gyges.report.html_page import BEGIN, html_page, paragraph, picture

CONFIDENCES = tuple(Fraction(1, n) for n in (1, 2, 3, 4, 5, 10))
# Which values are possible, and which are likely: by one release alone, and by all together.
POSSIBLE_ALONE, POSSIBLE = "possible values, one release alone", "possible values, joined"
LIKELY_ALONE, LIKELY = "shares, one release alone", "shares, joined"
_COLOURS = {POSSIBLE_ALONE: "#93c5fd", POSSIBLE: SAFE, LIKELY_ALONE: "#fca5a5", LIKELY: RISK}


def exposure_rows(attack: PossibleValues) -> list[dict[str, Fraction]]:
    """The share of people exposed at each confidence, by each way of reading the releases."""
    return [
        {
            "confidence": c,
            POSSIBLE_ALONE: attack.exposed_before(c),
            POSSIBLE: attack.exposed(c),
            LIKELY_ALONE: attack.bayesian.exposed_before(c),
            LIKELY: attack.bayesian.exposed(c),
        }
        for c in CONFIDENCES
    ]


def exposure_text(attack: PossibleValues) -> str:
    """The same as a small table for a terminal; bars show what is certain, not the estimate."""
    lines = [
        f"{'':>10} {'by possible values':^31}  {'by their shares':^31}",
        f"{'certainty':>10} {'alone':>15} {'joined':>15}  {'alone':>15} {'joined':>15}",
    ]
    for row in exposure_rows(attack):
        certainty = _certainty(row["confidence"])
        alone, joined = float(row[POSSIBLE_ALONE]), float(row[POSSIBLE])
        bar = "▒" * round(30 * alone) + "█" * round(30 * max(joined - alone, 0))
        lines.append(
            f"{certainty:>10} {percent(row[POSSIBLE_ALONE]):>15} {percent(row[POSSIBLE]):>15}  "
            f"{percent(row[LIKELY_ALONE]):>15} {percent(row[LIKELY]):>15}  {bar}".rstrip()
        )
    return "\n".join(lines)


def _certainty(confidence: Fraction) -> str:
    return "certain" if confidence == 1 else percent(confidence)


def exposure_picture(attack: PossibleValues) -> Figure:
    """Shares of people exposed, by how certain the attacker is of their value."""
    rows = exposure_rows(attack)
    names = [_certainty(row["confidence"]) for row in rows]
    bars: list[Trace] = [
        {
            "type": "bar",
            "x": names,
            "y": [float(row[name]) for row in rows],
            "name": name,
            "marker": {"color": colour},
        }
        for name, colour in _COLOURS.items()
    ]
    return Figure(
        bars,
        {
            "barmode": "group",
            "xaxis": axis("least certainty of the attacker", type="category"),
            "yaxis": axis("people exposed", range=[0, 1], tickformat=".0%"),
            "height": 420,
        },
    )


_TITLE = "What the releases reveal together"
PAGE_BEGINS = f"{BEGIN}{_TITLE}"  # by which a page is recognised before it is replaced


def exposure_page(attack: PossibleValues, verdict: str) -> str:
    """One self-contained page: the verdict in words, and the picture."""
    paragraphs = "".join(paragraph(line.strip()) for line in verdict.splitlines())
    return html_page(_TITLE, f"{paragraphs}{picture(exposure_picture(attack))}")
