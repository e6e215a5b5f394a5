"""Thresholds that offices use, with their sources: they help to choose, and decide nothing."""

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


PRECEDENTS = (
    Precedent(3, "disclosure to known recipients", "custodians listed in [ElEmam2013, ch. 16]"),
    Precedent(5, "the cell size of five: most health data custodians", "[ElEmam2013, ch. 16]"),
    Precedent(
        11,
        "public release of health data: the cells of CMS; a risk of at most 0.09 in EMA's policy "
        "0070 and Health Canada's clinical information",
        "CMS cell size suppression policy; EMA/90915/2016; Health Canada, Public Release of "
        "Clinical Information (2019)",
    ),
    Precedent(20, "public release of some health data and registries", "[ElEmam2013, ch. 16]"),
)
OTHER_LIMITS: Mapping[str, str] = {
    "places of at least 20,000 people": "three-digit ZIP codes under HIPAA's Safe Harbor, 45 CFR "
    "164.514(b)(2)(i)(B)",
    "ages above 89 as one": "HIPAA's Safe Harbor, 45 CFR 164.514(b)(2)(i)(C)",
}


def precedents_met(k: int) -> list[Precedent]:
    """Those that a least group size meets."""
    return [one for one in PRECEDENTS if k >= one.k]
