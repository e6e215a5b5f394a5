"""What the options of `gyges publish` may be, in words: read from the registries, for its help."""

from __future__ import annotations

from typing import get_args

from gyges.arguments import either
from gyges.release.group_forms import Form
from gyges.search.methods import METHODS
from gyges.utility.known_measures import LABEL_MEASURES, monotone_measures


def choices() -> dict[str, str]:
    """The methods, forms and utilities that `gyges publish` takes."""
    return {
        "methods": either([*METHODS]),
        "forms": either(get_args(Form)),
        "utilities": either([*LABEL_MEASURES, *monotone_measures()]),
    }
