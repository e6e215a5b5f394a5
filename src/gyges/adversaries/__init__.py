"""The adversaries room: what does an attacker learn from a release?

One attacker a file: what he holds, what he does, what counts as success. An attacker gives exact
probabilities (fractions) or beliefs (floats) and a witness; whether that is too much is for the
criteria room to say.

    sentences.py             `gy.probability`: any sentence, given any other; sentences_syntax.py:
                             its language; sentences_formulas.py, sentences_worlds.py: exactly;
                             sentences_sampling.py: by sampled worlds
    implications.py          knows any k implications [Martin2007]; minimize.py finds the worst k
    negations.py             knows k values that people do not have; exposure.py: group by group
    dimensions.py            knows of the target, of others, of relatives [Chen2009]
    dimension_statistics.py  the five minima behind it; dimension_formulas.py: one of them, exactly
    skyline_frontier.py      `gy.skyline_find`: how much such an attacker may know
    beliefs.py               knows how values go with the rest [Li2009]: the public names
    kernel_prior.py          what he believes before; kernel_columns.py, kernel_order.py: its sums
    posterior.py             what he believes after; belief_distance.py: how far that is
    belief_knowledge.py      both, prepared once; member_groups.py: people as kernels want
                             them
    vulnerable.py            who is exposed to him, in any release
    other_releases.py        holds other releases [Ganta2008]; bayesian_composition.py: multiplies
    population_uniqueness.py who is unique in the population, estimated from a sample
    people_lookup.py         where people are in releases
    ambiguous_matches.py     people who fit several groups of a release
    witness.py               who is exposed, by which knowledge; breach_witness.py: for dimensions

Imports:      release, data, kernels, exact, arrays, errors.
Used by:      criteria, search, audit, cli, studio.
Yours:        a new attacker in a file of its own.
Take care:    the definition by enumeration of worlds decides, not a paper's pseudo-code.
Always along: an oracle in tests/oracles/ that enumerates.
"""
