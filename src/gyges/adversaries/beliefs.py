"""The attacker who knows how values go with age, sex and the rest [Li2009].

He attacks with beliefs about every person, mined from the table itself: the smaller his bandwidth,
the finer. He holds the release and knows who is in which group. He succeeds as far as the release
moves his beliefs.

    prior = prior_beliefs(table, bandwidth=0.3)
    after = posterior_beliefs(prior, release.group_of_row, table.value_of_row)
    gain = belief_gain(prior, after, distances=matrix)
"""

from __future__ import annotations

from gyges.adversaries.belief_distance import belief_gain
from gyges.adversaries.kernel_prior import cell_priors, prior_beliefs
from gyges.adversaries.posterior import Posterior, posterior_beliefs, posteriors
from gyges.adversaries.vulnerable import Case, Exposure, vulnerable

__all__ = [
    "Case",
    "Exposure",
    "Posterior",
    "belief_gain",
    "cell_priors",
    "posterior_beliefs",
    "posteriors",
    "prior_beliefs",
    "vulnerable",
]
