"""A sample of a population that nobody holds: who is unique in it, by estimates [Dankar2012]."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from gyges.adversaries.population_uniqueness import PopulationModel, uniqueness_of_sizes
from gyges.auditing.finding import Audited, AuditKnowledge, Finding, listed, people_text
from gyges.auditing.published_rows import sizes_alike
from gyges.errors import RuleError
from gyges.exact import counted, percent
from gyges.release.release import Release

TOPIC = "Within the population, estimated from the sample"
_NAMES: dict[PopulationModel, str] = {
    "pitman": "Pitman",
    "zayatz": "Zayatz",
    "snb": "the slide negative binomial model",
}


@dataclass(frozen=True, slots=True)
class SampleUniqueness:
    """How many people are unique in the sample, and how large a share of the population is."""

    n_people: int
    n_unique: int
    sampling_fraction: Fraction
    population: dict[str, float]  # by model; "dankar" is the one that Dankar's rule trusts


class SampleOfPopulation:
    """Knows the population, but not who was sampled, and looks for people unique in it."""

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """Exact for the sample, estimated for the population; needs the sampling fraction."""
        share = knowledge.sampling_fraction
        if share is None or not isinstance(release, Release) or not release.n_people:
            return []
        if release.group_form.is_averaged:
            said = (
                "Not computed: how many people are unique in the population, because rows that "
                "show averages are alike for another reason."
            )
            return [Finding("population estimate", said, topic=TOPIC, is_checked=False)]
        sizes = sizes_alike(release)
        found: dict[str, float] = {}
        for model in ("dankar", *_NAMES):
            try:
                found[model] = uniqueness_of_sizes(sizes, share, model)
            except RuleError:
                continue  # the model does not fit such a sample
        n, n_unique = int(sizes.sum()), int((sizes == 1).sum())
        return [_said(SampleUniqueness(n, n_unique, share, found))]


def _said(found: SampleUniqueness) -> Finding:
    models = {model: share for model, share in found.population.items() if model != "dankar"}
    population = counted(round(found.n_people / found.sampling_fraction), "person")
    said = (
        f"{people_text(found.n_unique, found.n_people)} look like nobody else in the table, which "
        f"is taken for a random sample of {percent(found.sampling_fraction)} of {population}. "
    )
    if found.sampling_fraction == 1:
        said += "The table is the whole population, so they are unique in it."
        return _finding(said, found.population["dankar"], None, found)
    if "dankar" not in found.population or found.n_unique == found.n_people:
        said += (
            "No model can estimate how many are unique in the population: too few people of the "
            "sample look alike, or the sample is too small."
        )
        return replace(_finding(said, None, None, found), is_checked=False)
    number, ends = found.population["dankar"], (min(models.values()), max(models.values()))
    told = [f"{percent(share)} by {_NAMES[model]}" for model, share in models.items()]  # type: ignore[index]
    said += (
        f"The model that Dankar's rule trusts estimates that {percent(number)} of the population "
        f"are unique in it. By model: {listed(told)}. These are estimates, not bounds: the "
        f"interval is that of the models."
    )
    return _finding(said, number, ends, found)


def _finding(
    said: str, number: float | None, interval: tuple[float, float] | None, found: SampleUniqueness
) -> Finding:
    measures = {"population_uniqueness": found}
    return Finding(
        "population estimate", said, number, interval=interval, topic=TOPIC, measures=measures
    )
