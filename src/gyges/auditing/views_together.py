"""Views that are read together: what they say about each person [Kifer2006]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gyges.auditing.finding import Audited, Finding, Knowledge
from gyges.criteria.distinct_diversity import DistinctDiversity
from gyges.criteria.probabilistic_diversity import ProbabilisticDiversity
from gyges.criteria.verdict import Verdict
from gyges.errors import GygesError
from gyges.exact import show
from gyges.release.groups import Groups

if TYPE_CHECKING:
    from gyges.marginals.model import Marginals

TOPIC = "Views read together"


@dataclass(frozen=True, slots=True)
class Question:
    """A number that a criterion for views bounds; the threshold given here decides nothing."""

    name: str  # of the number, for programs
    sentence: str  # with a place for the number
    judged: Callable[[Marginals], Verdict]


QUESTIONS = (
    Question(
        "people in a combination of one view, at least",
        "Every combination of values that a view lists is shared by at least {} people.",
        lambda views: views.k_link(1),
    ),
    Question(
        "people whom all views leave room for in a combination, at least",
        "Read together, the views allow for at least {} people in every combination of values that "
        "exists.",
        lambda views: views.k_combinatorial(1),
    ),
    Question(
        "different sensitive values in the reconstruction, at least",
        "In the maximum-entropy reconstruction of the table, everyone's combination has at least "
        "{} different sensitive values.",
        lambda views: views.diversity(DistinctDiversity(1)),
    ),
    Question(
        "largest probability of a sensitive value in the reconstruction",
        "In the maximum-entropy reconstruction of the table, nobody's sensitive value has a "
        "probability above {}.",
        lambda views: views.diversity(ProbabilisticDiversity(1)),
    ),
)


class ViewsTogether:
    """Reads all views of a release together."""

    def findings(self, release: Audited, knowledge: Knowledge) -> list[Finding]:
        """The numbers that the criteria for views bound."""
        if isinstance(release, Groups) or release.form != "marginals":
            return []
        views = release.marginals
        found = [_answer(question, views) for question in QUESTIONS]
        risks = {
            question.name: one.number
            for question, one in zip(QUESTIONS, found, strict=True)
            if one.is_checked
        }
        n_people, n_views = views.n_people, len(views.views)
        said = Finding(
            "reads all views",
            f"The release is {n_views:,} {'view' if n_views == 1 else 'views'} of "
            f"{n_people:,} people: tables that count people by some of the columns.",
            number=n_views,
            topic=TOPIC,
            measures={"risks": risks, "n_people": n_people, "n_views": n_views},
        )
        return [said, *found]


def _answer(question: Question, views: Marginals) -> Finding:
    try:
        [risk] = question.judged(views).risks.values()
    except GygesError as problem:
        return Finding(
            "reads all views",
            f"Not checked: {question.name}. {problem}",
            topic=TOPIC,
            is_checked=False,
        )
    return Finding("reads all views", question.sentence.format(show(risk)), risk, topic=TOPIC)
