"""The adversaries room: what does an attacker learn from a release?

One attacker per file: what they know, what they do, what counts as success. An attacker gives exact
probabilities (fractions) or beliefs (floats) and a witness; the criteria room decides whether that
is too much.

    sentences.py             `gy.probability`: any sentence, given any other; sentences_syntax.py:
                             its language; sentences_formulas.py, sentences_worlds.py: exactly;
                             sentences_sampling.py: by sampled worlds
    implications.py          knows any k implications [Martin2007]; minimize.py: the worst k
    negations.py             knows k values that people do not have
    given_value.py           both, about targets with a given value; independent_values.py: where
                             people have several values; worst_interval.py: of numbers;
                             asked_values.py, policy_odds.py: for each value or class
    group_disclosure.py      both, for a target in each group
    dimensions.py            knows of the target, of others, of relatives [Chen2009]
    dimension_statistics.py  the five minima behind it; dimension_formulas.py: one of them, exactly
    skyline_frontier.py      `gy.skyline_find`: how much such an attacker may know
    kernel_prior.py          knows how values depend on the quasi-identifiers [Li2009]: prior
                             beliefs; kernel_columns.py, kernel_order.py: the sums behind them;
                             given_prior.py: priors from another table or a matrix
    posterior.py             posterior beliefs; belief_distance.py: how far they are from the prior
    belief_knowledge.py      prior and gain, prepared once; certain_gains.py: proven bounds on gains
    member_groups.py         people as the kernels of beliefs take them
    belief_exposure.py       whom this attacker learns too much about, in any release
    other_releases.py        holds other releases [Ganta2008]; bayesian_composition.py: multiplies;
                             possible_values.py: how many values stay possible
    joint_attack.py          uses all counts of all releases at once; joint_counts.py: as unknowns
                             with known sums; joint_slices.py: excludes values;
                             joint_exchanges.py: shows values to be possible; joint_worlds.py:
                             counts worlds; joint_relaxation.py: linear programs where there are
                             too many; joint_samples.py: draws worlds; joint_solution.py: all of it;
                             known_world.py: a world in which some people's values are known;
                             joint_estimate.py: means; joint_shares.py: probabilities
    minimal_uniques.py       the smallest sets of columns that single a person out
    distinguishing_columns.py  how well sets of columns tell people apart
    leakage.py               by what factor the probability of a value rises
    population_uniqueness.py who is unique in the population, estimated from a sample
    chosen_release.py        knows how the groups were chosen [Wong2007]; divided_values.py: the
                             worlds; settled_parts.py: what is the same in all of them
    finer_values.py          proves finer quasi-identifiers from tight labels [Cohen2022]
    compared_rows.py         rows of several tables in one coding, and the nearest of them;
                             nearest_row_attacks.py: links and infers by these [Giomi2023];
                             singling_predicates.py: conditions that one row meets;
                             attack_rates.py: how often an attack succeeds, with an interval
    distance_linkage.py      links each person to the nearest row, or all of them at once
    people_lookup.py         which group each person is in, in several releases;
                             located_people.py: the result
    ambiguous_matches.py     people who fit several groups of a release
    witness.py               who is exposed, by which knowledge; breach_witness.py: for dimensions

Imports:      release, data, kernels, exact, arrays, errors.
Used by:      criteria, search, auditing, workflow, cli, studio.
Yours:        a new attacker in a file of its own.
Take care:    the definition by enumeration of worlds decides, not a paper's pseudo-code.
Always along: an oracle in tests/oracles/ that enumerates.
"""
