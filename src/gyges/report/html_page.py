"""A self-contained HTML page, and the parts that pages are made of; every text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from gyges import __version__
from gyges.report.figure import Figure, library

BEGIN = (
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1"><title>'
)
_STYLE = """
:root { color-scheme: light; }
body { font: 17px/1.55 system-ui, sans-serif; color: #1d2939; background: #fff; margin: 0 auto;
  max-width: 54rem; padding: 1.5rem; overflow-wrap: break-word; }
h1 { font-size: 1.9rem; line-height: 1.2; }
h2 { margin-top: 2.2rem; border-top: 1px solid #d0d5dd; padding-top: 1.2rem; font-size: 1.35rem; }
h3 { margin: 1.6rem 0 .4rem; font-size: 1.1rem; }
li { margin: .3rem 0; } details { margin-top: .6rem; } small { line-height: 1.4; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid #eaecf0;
  vertical-align: top; }
tbody th { font-weight: normal; }
.box { background: #f2f4f7; border-radius: .5rem; padding: .8rem 1.1rem; }
ul.box { padding-left: 2.2rem; }
.warn { background: #fef3f2; border-left: 4px solid #b42318; }
.wide { overflow-x: auto; } small, figcaption { color: #475467; } figure { margin: 1rem 0; }
figcaption { font-size: .9rem; margin-top: .5rem; }
@media (max-width: 40rem) { body { padding: 1rem; font-size: 16px; } h1 { font-size: 1.6rem; }
  th, td { padding: .3rem .35rem; } ul { padding-left: 1.4rem; } }
@media print { body { max-width: none; font-size: 10.5pt; padding: 0; }
  h2 { break-after: avoid; } figure, tr, li, .box { break-inside: avoid; } }
"""


def html_page(title: str, body: str) -> str:
    """A page with a title, which loads nothing from elsewhere."""
    script = library() if 'class="plotly' in body else ""
    return (
        f"{BEGIN}{escape(title)}</title><style>{_STYLE}</style>{script}</head><body>"
        f"<h1>{escape(title)}</h1>{body}<p><small>Made by gyges {__version__}. This page loads "
        "nothing from elsewhere.</small></p></body></html>\n"
    )


def table(rows: Iterable[Sequence[str]], heads: Sequence[str] = ()) -> str:
    """A table; the first cell of a row names it."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    body = "".join(
        f'<tr><th scope="row">{escape(first)}</th>'
        f"{''.join(f'<td>{escape(cell)}</td>' for cell in rest)}</tr>"
        for first, *rest in rows
    )
    above = f"<thead><tr>{head}</tr></thead>" if heads else ""
    return f'<div class="wide"><table>{above}<tbody>{body}</tbody></table></div>'


def bullets(texts: Iterable[str], style: str = "") -> str:
    """A list of sentences."""
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f'<ul class="{style}">{items}</ul>' if style else f"<ul>{items}</ul>"


def paragraph(text: str, style: str = "") -> str:
    """A paragraph of text."""
    return f'<p class="{style}">{escape(text)}</p>' if style else f"<p>{escape(text)}</p>"


def picture(drawn: Figure, caption: str = "") -> str:
    """A picture with its caption."""
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f"<figure>{drawn.html()}{below}</figure>"
