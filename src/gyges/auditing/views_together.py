"""Views that are read together: what they reveal about each person [Kifer2006]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gyges.auditing.finding import Audited, AuditKnowledge, Finding
from gyges.criteria.distinct_diversity import DistinctDiversity
from gyges.criteria.probabilistic_diversity import ProbabilisticDiversity
from gyges.criteria.verdict import Verdict
from gyges.errors import GygesError
from gyges.exact import counted, readable_number
from gyges.release.groups import Groups

if TYPE_CHECKING:
    from gyges.marginals.model import Marginals

TOPIC = "Views read together"


@dataclass(frozen=True, slots=True)
class ViewMeasure:
    """A number that a rule about views bounds; the threshold given here decides nothing."""

    name: str  # of the number, for programs
    sentence: str  # with a place for the number
    judge: Callable[[Marginals], Verdict]


MEASURES = (
    ViewMeasure(
        "fewest people in a combination of one view",
        "In every view, each combination of quasi-identifiers is shared by at least {} people.",
        lambda views: views.k_link(1),
    ),
    ViewMeasure(
        "fewest people whom all views together allow in a combination",
        "Read together, the views allow at least {} people in every combination that exists.",
        lambda views: views.k_combinatorial(1),
    ),
    ViewMeasure(
        "fewest different sensitive values in the reconstruction",
        "In the maximum-entropy reconstruction of the table, every combination has at least {} "
        "different sensitive values.",
        lambda views: views.diversity(DistinctDiversity(1)),
    ),
    ViewMeasure(
        "largest probability of a sensitive value in the reconstruction",
        "In the maximum-entropy reconstruction of the table, nobody's sensitive value has a "
        "probability above {}.",
        lambda views: views.diversity(ProbabilisticDiversity(1)),
    ),
)


class ViewsTogether:
    """Reads all views of a release together."""

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """The numbers that rules about views bound."""
        if isinstance(release, Groups) or not release.why_no_groups:
            return []
        from gyges.marginals.published_views import PublishedMarginals

        if not isinstance(release, PublishedMarginals):
            return []
        views = release.marginals
        found = [_measured(measure, views) for measure in MEASURES]
        risks = {
            measure.name: one.number
            for measure, one in zip(MEASURES, found, strict=True)
            if one.is_checked
        }
        n_people, n_views = views.n_people, len(views.views)
        said = Finding(
            "reads all views",
            f"The release consists of {counted(n_views, 'view')} of "
            f"{counted(n_people, 'person')}. A view is a table that counts people by some of the "
            f"columns.",
            number=n_views,
            topic=TOPIC,
            measures={"risks": risks, "n_people": n_people, "n_views": n_views},
        )
        return [said, *found]


def _measured(measure: ViewMeasure, views: Marginals) -> Finding:
    try:
        [risk] = measure.judge(views).risks.values()
    except GygesError as problem:
        return Finding(
            "reads all views",
            f"Not checked: {measure.name}. {problem}",
            topic=TOPIC,
            is_checked=False,
        )
    return Finding(
        "reads all views", measure.sentence.format(readable_number(risk)), risk, topic=TOPIC
    )
