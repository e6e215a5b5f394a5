"""A picture as plotly.js draws it: traces and a layout, as JSON in a page.

Plotly's own figure classes validate every property, which takes longer than the rest of the page;
mistakes here show in the browser (tests/report).
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
_LINE, _SCENE_LINE = "#e4e7ec", "#cbd2dc"
_AXIS = {"gridcolor": _LINE, "linecolor": _LINE, "zerolinecolor": _LINE, "automargin": True}
_SCENE_AXIS = {"gridcolor": _SCENE_LINE, "zerolinecolor": _SCENE_LINE, "showbackground": False}
_OPTIONS = {"displayModeBar": False, "responsive": True}

Trace = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Figure:
    """Traces, and the layout around them."""

    data: list[Trace]
    layout: dict[str, object] = field(default_factory=dict)

    def html(self) -> str:
        """An element of a page, which plotly.js (`library`) draws."""
        layout = {
            "paper_bgcolor": "white",
            "plot_bgcolor": "white",
            "autotypenumbers": "strict",  # "50%" is a text
            "height": 340,
            "font": {"family": "system-ui, sans-serif", "color": INK, "size": 14},
            "margin": {"l": 50, "r": 20, "t": 30, "b": 50},
            "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom"},
            **self.layout,
        }
        drawn = ", ".join(map(_as_script, (self.data, layout, _OPTIONS)))
        name = f"picture-{hashlib.sha256(drawn.encode()).hexdigest()[:12]}"
        return (
            f'<div id="{name}" class="plotly-graph-div" style="height:{layout["height"]}px"></div>'
            f'<script>Plotly.newPlot("{name}", {drawn})</script>'
        )


def axis(title: str, **options: object) -> dict[str, object]:
    """An axis of a picture in two dimensions."""
    return {**_AXIS, "title": {"text": title, "font": {"size": 14}}, **options}


def scene_axis(title: str, **options: object) -> dict[str, object]:
    """An axis of a picture in three dimensions."""
    return {**_SCENE_AXIS, "title": {"text": title}, **options}


@cache
def library() -> str:
    """plotly.js as a script, so that a page needs no network."""
    return f"<script>{library_file().read_text('utf-8')}</script>"


def library_file() -> Path:
    """The file of plotly.js in the installed package."""
    found = find_spec("plotly")
    if found is None or found.origin is None:
        raise GygesError("plotly is not installed, but reports need it: pip install plotly")
    return Path(found.origin).parent / "package_data" / "plotly.min.js"


def _as_script(value: object) -> str:
    """JSON within a script: no text in it can end the script."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")
