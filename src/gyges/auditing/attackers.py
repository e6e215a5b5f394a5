"""All attackers that an audit asks, in the order in which their findings are printed."""

from __future__ import annotations

from gyges.auditing.beliefs_and_releases import BeliefsOverReleases
from gyges.auditing.classical import ReIdentification
from gyges.auditing.downcoding import Downcoding
from gyges.auditing.facts import KnowsFacts
from gyges.auditing.finding import Attacker
from gyges.auditing.knowledge_gain import GainsProbability
from gyges.auditing.knowledge_limits import KnowledgeLimits
from gyges.auditing.links_by_distance import LinksByDistance
from gyges.auditing.minimality import MinimalityAttack
from gyges.auditing.noise_promise import NoisePromise
from gyges.auditing.other_releases import OtherReleases
from gyges.auditing.population import PopulationList
from gyges.auditing.prior_knowledge import PriorBeliefs
from gyges.auditing.published_rows import SinglingOut
from gyges.auditing.reconstructs_counts import ReconstructsCounts
from gyges.auditing.reconstructs_rows import ReconstructsRows
from gyges.auditing.sample_of_population import SampleOfPopulation
from gyges.auditing.sampled_people import KnowsHouseholds, SurveySample
from gyges.auditing.tells_apart import TellsApart
from gyges.auditing.three_risks import InfersSecrets, LinksHalves, SinglesOut
from gyges.auditing.unique_columns import KnowsFewColumns
from gyges.auditing.views_together import ViewsTogether

ATTACKERS: tuple[Attacker, ...] = (
    SinglingOut(),
    ReIdentification(),
    KnowsFewColumns(),
    TellsApart(),
    PopulationList(),
    SampleOfPopulation(),
    SurveySample(),
    KnowsHouseholds(),
    SinglesOut(),
    LinksHalves(),
    InfersSecrets(),
    LinksByDistance(),
    OtherReleases(),
    BeliefsOverReleases(),
    KnowsFacts("implications"),
    KnowsFacts("negations"),
    KnowledgeLimits(),
    GainsProbability(),
    MinimalityAttack(),
    Downcoding(),
    PriorBeliefs(),
    ViewsTogether(),
    ReconstructsRows(),
    NoisePromise(),
    ReconstructsCounts(),
)
