"""Thresholds that offices use, with their sources: they help to choose, and decide nothing.

A source that nobody could open when this was written is marked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Precedent:
    """One threshold: the least group size, the largest risk that it allows, and who uses it."""

    k: int
    used_for: str
    source: str

    @property
    def risk(self) -> Fraction:
        """The largest probability of picking the right row: 1/k."""
        return Fraction(1, self.k)


_CELL_SIZES = "[ElEmam2013], chapter “Cell Size Precedents”"
UNCHECKED = "not checked against the text"

PRECEDENTS = (
    Precedent(3, "some custodians of health data", _CELL_SIZES),
    Precedent(5, "the cell size of five: most custodians of health data", _CELL_SIZES),
    Precedent(
        11,
        "public release in the United States; CMS: no cell of 1 to 10 is reported",
        f"{_CELL_SIZES}; CMS Cell Size Suppression Policy (version of 2024)",
    ),
    Precedent(
        11,
        "a risk of 0.09, which is 1/11 rounded: clinical reports of EMA and Health Canada",
        f"EMA/90915/2016 (policy 0070); Health Canada, Public Release of Clinical Information "
        f"(2019): {UNCHECKED}",
    ),
    Precedent(20, "public patient data in Canada and the United States", _CELL_SIZES),
)
OTHER_LIMITS: Mapping[str, str] = {
    "places of more than 20,000 people": "three-digit ZIP codes under HIPAA's Safe Harbor, 45 CFR "
    "164.514(b)(2)(i)(B)",
    "ages above 89 as one": "HIPAA's Safe Harbor, 45 CFR 164.514(b)(2)(i)(C)",
}


def precedents_met(k: int) -> list[Precedent]:
    """Those that a least group size meets."""
    return [one for one in PRECEDENTS if k >= one.k]
