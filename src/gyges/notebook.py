"""How results appear in a notebook: cards of texts, small tables and pictures, all escaped.

A result inherits `NotebookCard` and says what its card holds, as plain data. HTML is made here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import TypeAlias

_SAFE, _RISK, _INK, _GRID = "#067647", "#b42318", "#1d2939", "#d0d5dd"
_CARD = f"font-family:system-ui,sans-serif;color:{_INK};background:#fff;max-width:46rem"
_CELL = f"text-align:left;padding:.2rem .6rem;border-bottom:1px solid {_GRID}"
_WIDTH, _HEIGHT, _LEFT, _BELOW = 420, 180, 44, 34  # of a picture, in pixels
_MOST_AMOUNTS = 8  # rows or columns of a skyline map


@dataclass(frozen=True, slots=True)
class Rows:
    """A table: rows of values under their headings."""

    rows: Iterable[Sequence[object]]
    heads: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Steps:
    """A picture of probabilities over 0, 1, 2, …: one line for each name."""

    curves: Mapping[str, Sequence[Fraction]]
    along: str  # what is counted


@dataclass(frozen=True, slots=True)
class SkylineMap:
    """Points (l, k, m) of a skyline: for each l and k, how many relatives m may be known."""

    points: Sequence[tuple[float, float, float]]


Part: TypeAlias = str | Rows | Steps | SkylineMap


class NotebookCard:
    """A result that a notebook shows as a card: by default its text under a title."""

    __slots__ = ()

    def _card_title(self) -> str:
        raise NotImplementedError

    def _card_parts(self) -> Sequence[Part]:
        return [str(self)]

    def _repr_html_(self) -> str:
        return card(self._card_title(), *map(_html, self._card_parts()))


def _html(part: Part) -> str:
    if isinstance(part, Rows):
        return table(part.rows, part.heads)
    if isinstance(part, Steps):
        return steps(part.curves, part.along)
    return _skyline_map(part.points) if isinstance(part, SkylineMap) else lines(part)


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
    """A text, line by line."""
    return f'<div style="white-space:pre-wrap">{escape(text)}</div>'


def mark(holds: bool | None, yes: str = "yes", no: str = "no") -> Html:
    """Yes in green, no in red, a dash where the answer is unknown."""
    if holds is None:
        return Html("–")
    colour, word = (_SAFE, yes) if holds else (_RISK, no)
    return Html(f'<b style="color:{colour}">{escape(word)}</b>')


def table(rows: Iterable[Sequence[object]], heads: Sequence[str] = ()) -> str:
    """Rows of values, all escaped unless they are `Html` already."""
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


def _skyline_map(points: Sequence[tuple[float, float, float]]) -> str:
    """l across, k down: the largest m that may be known as well, or a cross."""
    columns, rows = (_amounts([point[axis] for point in points]) for axis in (0, 1))

    def relatives(l: float, k: float) -> object:
        allowed = [m for high_l, high_k, m in points if l <= high_l and k <= high_k]
        return _amount(max(allowed)) if allowed else mark(False, no="✗")

    body = [[f"k = {_amount(k)}", *(relatives(l, k) for l in columns)] for k in rows]
    return table(body, ["relatives m", *(f"l = {_amount(l)}" for l in columns)])


def _amounts(ends: list[float]) -> list[float]:
    """0, 1, 2, … to one more than the largest finite amount, and infinity where it occurs."""
    finite = [int(end) for end in ends if end != float("inf")]
    listed: list[float] = list(range(min(max(finite, default=0) + 2, _MOST_AMOUNTS)))
    return [*listed, float("inf")] if len(finite) < len(ends) else listed


def _amount(number: float) -> str:
    return "∞" if number == float("inf") else f"{number:.0f}"
