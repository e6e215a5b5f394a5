"""How large the error of a project's release with noise will be: before anything is spent.

Only the project file is read. Its data is not opened, so nothing about a person can show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from gyges.dp.error_curve import USUAL, ErrorCurve, ExpectedError, error_curve
from gyges.exact import percent
from gyges.report.noise_page import noise_page
from gyges.workflow.noise_options import wanted_noise
from gyges.workflow.project_file import ProjectFile
from gyges.workflow.run_options import RunOptions


@dataclass(frozen=True, slots=True, eq=False)
class NoisePreview:
    """The errors of a release against ε, and the ε that a stated error needs."""

    curve: ErrorCurve
    error: str | None
    found: ExpectedError | None  # at the ε that was stated, or that the error needs

    def lines(self) -> list[str]:
        """The table, and what was found."""
        if self.found is None:
            return [str(self.curve)]
        one, needed = self.found, ""
        if self.error is not None:
            needed = f" is enough: {self.curve.meaning_of(self.error)}"
        moved = "" if one.share is None else f", moved to another cell {percent(one.share)}"
        return [
            str(self.curve),
            f"epsilon = {float(one.epsilon):g}{needed} (standard deviation {one.deviation:,.3g}, "
            f"reach {one.reach:,}{moved})",
        ]

    def page(self) -> str:
        """The page with the picture and the table."""
        return noise_page(self.curve, self.lines()[1:])

    def stated(self) -> dict[str, object]:
        """The result as data."""
        return {
            "points": list(self.curve.points),
            "error": self.error,
            "found": self.found,
            "people": self.curve.people,
            "about": self.curve.about,
        }


def preview_noise(
    project: ProjectFile, options: RunOptions, epsilons: Sequence[str] = ()
) -> NoisePreview:
    """Preview the noise of a project for several ε; the ε of an error, if one is stated."""
    wanted = wanted_noise(project, options)
    curve = error_curve(
        project.schema_of_columns(),
        delta=wanted.delta,
        views=wanted.views,
        neighbours=wanted.neighbours,
        domains=wanted.values(),
        levels=wanted.levels,
        workload=wanted.workload,
        people=wanted.people,
        rows_per_person=wanted.rows_per_person,
        epsilons=list(epsilons) or USUAL,
    )
    error = None if wanted.error is None else str(wanted.error)
    epsilon: Fraction | str | None = None if wanted.epsilon is None else str(wanted.epsilon)
    if error is not None:
        epsilon = curve.epsilon_for(error)
    return NoisePreview(curve, error, None if epsilon is None else curve.at(epsilon))
