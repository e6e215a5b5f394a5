"""How much an attacker may know about a release on disk before a value is at risk."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from gyges.adversaries.dimension_statistics import code_of
from gyges.adversaries.dimensions import skyline_find
from gyges.adversaries.skyline_frontier import explain_point, kinds_of_knowledge
from gyges.auditing.forms import load_groups
from gyges.data.schema import ValuesPerPerson
from gyges.errors import GygesError, suggestion
from gyges.exact import fraction
from gyges.release.groups import Groups
from gyges.report.skyline_page import skyline_page
from gyges.workflow.one_sensitive_column import about_one_column, not_known

_MOST_VALUES = 10  # that an error lists


@dataclass(frozen=True, slots=True)
class SkylineOfRelease:
    """The largest knowledge (l, k, m) under which a value stays safe [Chen2009]."""

    value: str
    confidence: Fraction  # safe means: less certain than this
    points: list[tuple[float, float, float]]
    values_per_person: ValuesPerPerson
    not_known: str = ""  # what the attacker does not know of other sensitive columns, in words

    @property
    def kinds(self) -> tuple[str, str, str]:
        """What l, k and m count."""
        return kinds_of_knowledge(self.values_per_person)

    def sentences(self) -> list[str]:
        """The meaning of each point."""
        return [explain_point(point, self.values_per_person) for point in self.points]

    def page(self, confidence: str) -> str:
        """A page with the picture; `confidence` as the user wrote it."""
        return skyline_page(self.points, self.value, confidence, self.values_per_person)


def skyline_of_release(
    release: Path, value: str, confidence: str, sensitive: str | None = None
) -> SkylineOfRelease:
    """The skyline of a value of one sensitive column; refused if nobody in the release has it."""
    loaded = load_groups(release)
    found = skyline_of_groups(about_one_column(loaded, sensitive).groups, value, confidence)
    return replace(found, not_known=not_known(loaded, sensitive))


def skyline_of_groups(groups: Groups, value: str, confidence: str) -> SkylineOfRelease:
    """The same for groups in memory."""
    if code_of(groups.values, value) is None:
        known = [str(one) for one in groups.values]
        raise GygesError(
            f"nobody in the release has the value {value!r}{suggestion(value, known)}: it has "
            f"{', '.join(known[:_MOST_VALUES])}{', …' if len(known) > _MOST_VALUES else ''}"
        )
    points = skyline_find(groups, value=value, confidence=confidence)
    exact = fraction(confidence, "--confidence")
    return SkylineOfRelease(value, exact, points, groups.values_per_person)
