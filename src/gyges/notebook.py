"""How results show themselves in a notebook: small tables and pictures, all escaped.

Every result that a researcher sees has a `_repr_html_` that is made of these parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from html import escape

_SAFE, _RISK, _INK, _GRID = "#067647", "#b42318", "#1d2939", "#d0d5dd"
_CARD = f"font-family:system-ui,sans-serif;color:{_INK};background:#fff;max-width:46rem"
_CELL = f"text-align:left;padding:.2rem .6rem;border-bottom:1px solid {_GRID}"
_WIDTH, _HEIGHT, _LEFT, _BELOW = 420, 180, 44, 34  # of a picture, in pixels


class Html(str):
    """A text that is HTML already."""

    __slots__ = ()


def card(title: str, *parts: str) -> str:
    """Parts (already HTML) under a title."""
    return (
        f'<div style="{_CARD}"><p style="margin:.3rem 0"><b>{escape(title)}</b></p>'
        f"{''.join(parts)}</div>"
    )


def lines(text: str) -> str:
    """A text for people, line by line."""
    return f'<div style="white-space:pre-wrap">{escape(text)}</div>'


def mark(holds: bool | None, yes: str = "yes", no: str = "no") -> Html:
    """Yes in green, no in red, a dash where it is not known."""
    if holds is None:
        return Html("–")
    colour, word = (_SAFE, yes) if holds else (_RISK, no)
    return Html(f'<b style="color:{colour}">{escape(word)}</b>')


def table(rows: Iterable[Sequence[object]], heads: Sequence[str] = ()) -> str:
    """Rows of values, all escaped but what is `Html` already."""
    head = "".join(f'<th style="{_CELL}">{escape(name)}</th>' for name in heads)
    cells = ((f'<td style="{_CELL}">{_cell(value)}</td>' for value in row) for row in rows)
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in cells)
    first = f"<tr>{head}</tr>" if heads else ""
    return f'<table style="border-collapse:collapse;color:{_INK}">{first}{body}</table>'


def _cell(value: object) -> str:
    return str(value) if isinstance(value, Html) else escape(str(value))


def steps(curves: Mapping[str, Sequence[Fraction]], along: str) -> str:
    """Probabilities as lines over 0, 1, 2, …; the first is drawn in red."""
    most = max((len(values) for values in curves.values()), default=1)
    right, top = _WIDTH - _LEFT - 8, _HEIGHT - _BELOW - 8

    def place(x: float, y: float) -> tuple[float, float]:
        return _LEFT + x / max(most - 1, 1) * right, 8 + (1 - y) * top

    drawn = [_grid(most, place)]
    for (name, values), colour in zip(curves.items(), (_RISK, "#2563eb"), strict=False):
        points = [place(x, float(y)) for x, y in enumerate(values)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        drawn.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2">'
            f"<title>{escape(name)}</title></polyline>"
        )
        drawn += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
    drawn.append(
        f'<text x="{_LEFT + right / 2:.0f}" y="{_HEIGHT - 4}" text-anchor="middle" '
        f'font-size="12">{escape(along)}</text>'
    )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" style="max-width:100%" '
        f'role="img" font-family="system-ui,sans-serif" fill="{_INK}">{"".join(drawn)}</svg>'
    )


def _grid(most: int, place: Callable[[float, float], tuple[float, float]]) -> str:
    drawn = []
    for share in (0.0, 0.5, 1.0):
        x, y = place(0, share)
        end, _ = place(most - 1, share)
        drawn.append(
            f'<line x1="{x}" y1="{y:.1f}" x2="{max(end, x + 8):.1f}" y2="{y:.1f}" '
            f'stroke="{_GRID}"/><text x="{x - 6}" y="{y + 4:.1f}" text-anchor="end" '
            f'font-size="11">{share:.0%}</text>'
        )
    for number in range(0, most, max(1, -(-most // 13))):
        x, y = place(number, 0)
        drawn.append(
            f'<text x="{x:.1f}" y="{y + 15:.1f}" text-anchor="middle" font-size="11">'
            f"{number}</text>"
        )
    return "".join(drawn)


def knowledge(points: Sequence[tuple[float, float, float]], most: int = 8) -> str:
    """A skyline from above: for l across and k down, how many relatives m may be known as well."""
    if not points:
        return ""
    columns = _amounts([point[0] for point in points], most)
    rows = _amounts([point[1] for point in points], most)

    def relatives(l: float, k: float) -> object:
        allowed = [m for high_l, high_k, m in points if l <= high_l and k <= high_k]
        return _amount(max(allowed)) if allowed else mark(False, no="✗")

    body = [[f"k = {_amount(k)}", *(relatives(l, k) for l in columns)] for k in rows]
    return table(body, ["relatives m", *(f"l = {_amount(l)}" for l in columns)])


def _amounts(ends: list[float], most: int) -> list[float]:
    """0, 1, 2, … up to just beyond the largest that is finite, and infinity where it occurs."""
    finite = [int(end) for end in ends if end != float("inf")]
    listed: list[float] = list(range(min(max(finite, default=0) + 2, most)))
    return [*listed, float("inf")] if len(finite) < len(ends) else listed


def _amount(number: float) -> str:
    return "∞" if number == float("inf") else f"{number:.0f}"
