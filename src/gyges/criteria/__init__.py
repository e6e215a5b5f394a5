"""The criteria room: when is a release safe?

One file per definition. A rule is bound to the table that it judges (`rule.bind(groups)`), which
prepares all that it takes from there; the bound rule folds groups into a small summary and judges
the summary. It changes nothing, reads no file, asks no engine, draws no chance.

    base.py                     `Rule`, and what it becomes when bound: `JudgesEach`, `JudgesAll`
    rules.py                    `RULES`: every rule by its names, one line each
    verdict.py                  `gy.judge`: which rule fails, where, by how much
    k_anonymity.py              at least k people in a group
    distinct_diversity.py       at least l different values
    entropy_diversity.py        values as uncertain as l equally frequent ones
    recursive_diversity.py      (c,l): the most frequent value against the rare ones
    probabilistic_diversity.py  no value with a probability above 1/l
    t_closeness.py              values distributed almost as in the whole table
    m_invariance.py             a growing table, published again
    safety.py                   (c,k): an attacker who knows any k facts [Martin2007]
    skyline.py                  an attacker with three kinds of knowledge [Chen2009]
    skyline_points.py           what they may know: read, thinned out, laid out over values
    belief.py                   (B,t): an attacker who knows how values depend on the rest [Li2009]
    measure.py                  diversities of several tables together, on expected counts
    worst_value.py              the summary that most rules about single groups share
    settle_exactly.py           what rounding leaves unclear of many cuts, settled one by one
    nearest_passing_rule.py     for a rule that does not hold, the nearest that does
    describe.py                 rules as plain data, for certificates

To add a rule: copy k_anonymity.py, and add its line to `RULES` (docs/adding_a_rule.md).

Imports:      adversaries, release, data, kernels, exact, arrays, errors.
Used by:      search, marginals, auditing, cli, studio.
Yours:        any definition file.
Take care:    base.py; every search calls it.
Always along: an oracle in tests/oracles/ and an entry in docs/references.bib.
"""
