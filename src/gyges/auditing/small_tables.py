"""Auditing what is not one table of groups: views that are read together, and noisy releases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from gyges.auditing.audit import MINIMALITY
from gyges.auditing.noise_price import check_price
from gyges.criteria.base import Risk
from gyges.criteria.distinct_diversity import DistinctDiversity
from gyges.criteria.probabilistic_diversity import ProbabilisticDiversity
from gyges.criteria.verdict import Verdict, show
from gyges.data.consistency import ROWS_ARE_PEOPLE
from gyges.dp.files import load_noisy
from gyges.dp.semantics import semantic_privacy
from gyges.errors import GygesError, ReleaseError
from gyges.marginals.files import SCOPE, load_marginals
from gyges.notebook import card
from gyges.notebook import lines as shown_lines


@dataclass(frozen=True, slots=True)
class ViewsAudit:
    """What views say together [Kifer2006]."""

    n_people: int
    n_views: int
    risks: dict[str, Risk]  # by what was asked
    notes: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"{self.n_views} views of {self.n_people:,} people, read together"]
        lines += [f"  {asked}: {show(risk)}" for asked, risk in self.risks.items()]
        return "\n".join([*lines, *self.notes])

    def _repr_html_(self) -> str:
        return card("what the views say together", shown_lines(str(self)))


@dataclass(frozen=True, slots=True)
class NoisyAudit:
    """What a noisy release promises, and what that means for any attacker [Ganta2008]."""

    epsilon: Fraction
    delta: Fraction
    neighbours: str
    n_views: int
    meaning: str
    notes: tuple[str, ...]

    def __str__(self) -> str:
        lines = [
            f"{self.n_views} noisy views: ε = {show(self.epsilon)}, δ = {show(self.delta)}, "
            f"tables being neighbours that {self.neighbours}",
            f"  {self.meaning}",
        ]
        return "\n".join([*lines, *self.notes])

    def _repr_html_(self) -> str:
        return card("what the noise promises", shown_lines(str(self)))


def audit_views(directory: Path) -> ViewsAudit:
    """The numbers that the criteria for views bound; the thresholds given here decide nothing."""
    published = load_marginals(directory)
    views, notes = published.marginals, [f"not claimed: {SCOPE}", MINIMALITY]
    notes += _about_rows(views.rows_are_people)
    asked: dict[str, Callable[[], Verdict]] = {
        "people in a combination of one view, at least": lambda: views.k_link(1),
        "people whom all views leave room for in a combination, at least": (
            lambda: views.k_combinatorial(1)
        ),
        "different sensitive values in the reconstruction, at least": (
            lambda: views.diversity(DistinctDiversity(1))
        ),
        "largest probability of a sensitive value in the reconstruction": (
            lambda: views.diversity(ProbabilisticDiversity(1))
        ),
    }
    risks: dict[str, Risk] = {}
    for name, judged in asked.items():
        try:
            [risks[name]] = judged().risks.values()
        except GygesError as problem:
            notes.append(f"{name}: {problem}")
    return ViewsAudit(views.n_people, len(views.views), risks, tuple(notes))


def audit_noisy(directory: Path) -> NoisyAudit:
    """The guarantee of a noisy release and its meaning, for as many people as it makes up."""
    published = load_noisy(directory)
    promise = published.guarantee
    for check in check_price(published):
        if check.holds is False:
            raise ReleaseError(
                f"{str(directory)!r} promises what its own steps do not pay for ({check}): nothing "
                f"follows from such a promise. See `gyges verify`"
            )
    people = max(published.synthetic.num_rows, 1)
    meaning = semantic_privacy(promise.epsilon, promise.delta, people=people)
    note = "a guarantee about noise cannot be seen in the tables: it is the publisher's word"
    return NoisyAudit(
        promise.epsilon,
        promise.delta,
        str(promise.neighbours),
        len(published.views),
        str(meaning),
        (note, *_about_rows(published.rows_are_people)),
    )


def _about_rows(rows_are_people: bool) -> list[str]:
    return [ROWS_ARE_PEOPLE] if rows_are_people else []
