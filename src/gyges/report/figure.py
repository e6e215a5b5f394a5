"""A picture as plotly.js draws it: traces and a layout, as JSON in a page.

Plotly's own figures check every word of them, which takes longer than all else on the page; what
is wrong here shows in the browser (tests/report).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from gyges.errors import GygesError

INK, SAFE, RISK = "#1d2939", "#2563eb", "#dc2626"
_LINE, _FAR_LINE = "#e4e7ec", "#cbd2dc"
_FLAT = {"gridcolor": _LINE, "linecolor": _LINE, "zerolinecolor": _LINE, "automargin": True}
_DEEP = {"gridcolor": _FAR_LINE, "zerolinecolor": _FAR_LINE, "showbackground": False}
_OPTIONS = {"displayModeBar": False, "responsive": True}

Part = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Figure:
    """Traces, and what goes around them."""

    data: list[Part]
    layout: dict[str, object] = field(default_factory=dict)

    def html(self) -> str:
        """The place of the picture in a page, which plotly.js (`library`) fills."""
        layout = {
            "paper_bgcolor": "white",
            "plot_bgcolor": "white",
            "autotypenumbers": "strict",  # "50%" is a text
            "height": 340,
            "font": {"family": "system-ui, sans-serif", "color": INK, "size": 14},
            "margin": {"l": 50, "r": 20, "t": 50, "b": 50},
            "legend": {"orientation": "h", "y": 1.12},
            **self.layout,
        }
        drawn = ", ".join(map(_as_script, (self.data, layout, _OPTIONS)))
        name = f"picture-{hashlib.sha256(drawn.encode()).hexdigest()[:12]}"
        return (
            f'<div id="{name}" class="plotly-graph-div" style="height:{layout["height"]}px"></div>'
            f'<script>Plotly.newPlot("{name}", {drawn})</script>'
        )


def axis(title: str, **options: object) -> dict[str, object]:
    """An axis of a flat picture."""
    return {**_FLAT, "title": {"text": title}, **options}


def far_axis(title: str, **options: object) -> dict[str, object]:
    """An axis of a picture with three."""
    return {**_DEEP, "title": {"text": title}, **options}


@cache
def library() -> str:
    """plotly.js as a script, so that a page needs no network."""
    found = find_spec("plotly")
    if found is None or found.origin is None:
        raise GygesError("plotly is not installed, and a report has pictures: pip install plotly")
    text = (Path(found.origin).parent / "package_data" / "plotly.min.js").read_text("utf-8")
    return f"<script>{text}</script>"


def _as_script(part: object) -> str:
    """JSON that stands in a script: no text in it can end the script."""
    return json.dumps(part, ensure_ascii=False).replace("<", "\\u003c")
