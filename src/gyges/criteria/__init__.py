"""The criteria room: when is a release safe?

One file per definition. A rule is bound to the table that it judges (`rule.bind(groups)`), which
prepares all that it takes from there; the bound rule folds groups into a small summary and judges
the summary. It changes nothing, reads no file, calls no engine and draws no random numbers.

    base.py                     `Rule`, and what it becomes when bound: `JudgesEach`, `JudgesAll`
    rules.py                    `RULES`: every rule by its names, one line each
    verdict.py                  `gy.judge`: which rule fails, where, by how much
    k_anonymity.py              at least k people in a group
    distinct_diversity.py       at least l different values
    entropy_diversity.py        values as uncertain as l equally frequent ones
    recursive_diversity.py      (c,l): the most frequent value compared with the rare ones
    probabilistic_diversity.py  no value with a probability above 1/l
    t_closeness.py              values distributed almost as in the whole table
    beta_likeness.py            no value much more frequent than in the whole table
    delta_disclosure.py         every value about as frequent as in the whole table
    share_ratios.py             what these two share
    m_invariance.py             a growing table, published again
    safety.py                   (c,k): an attacker who knows any k facts [Martin2007]
    skyline.py                  an attacker with three kinds of knowledge [Chen2009]
    skyline_points.py           the points of a skyline, read and listed for each value
    belief.py                   (B,t): an attacker who knows how values depend on the rest [Li2009]
    about.py                    another rule, about one of several columns, or coarser values
    divided_groups.py           groups as such a rule sees them
    worst_group.py              what rules share in which the worst group decides
    diversity_measure.py        diversities of several tables together, on expected counts
    settle_exactly.py           close calls of many batches of groups, decided exactly
    implied_rules.py            weaker rules that a rule implies
    nearest_passing_rule.py     for a rule that fails, the nearest one that holds
    describe.py                 rules as data for JSON

To add a rule: copy k_anonymity.py, and add its line to `RULES` (docs/adding_a_rule.md).

Imports:      adversaries, release, data, kernels, exact, arrays, errors.
Used by:      search, marginals, auditing, workflow.
Yours:        any definition file.
Take care:    base.py; every search calls it.
Always along: an oracle in tests/oracles/ and an entry in docs/references.bib.
"""
