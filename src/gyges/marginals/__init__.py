"""The marginals room: many small tables instead of one coarse one.

A view counts people by some columns, each at some level of its hierarchy. This room knows what
several views say together (maximum entropy), how far that is from the table (KL divergence),
whether it is safe (k-link, k-combinatorial, maxent diversity), and which views to publish.

    model.py            `gy.Marginals`: where all of it meets; views.py: the views asked for
    selection.py        `gy.select_marginals`: which views to publish; moves.py: its steps;
                        selection_check.py: its privacy check, which remembers answers
    induced.py          columns as paths; counts.py: views as counts; store.py: counts made once
    graph.py            junction trees of views that decompose
    maxent.py           their distribution in closed form; fitting.py: by proportional fitting
    k_link.py           is a view safe by itself? k_combinatorial.py: are all of them together?
    diversity.py        is what they say together diverse?
    sensitive_tree.py   views of the sensitive column; least_diverse.py, elimination.py: their
                        least diverse combination; pruning.py: what need not be examined
    joint.py            k-combinatorial anonymity of views that do not decompose
    fitted_diversity.py their diversity, decided within the error of the fit
    certified_fit.py    a fit with a proven error; row_space.py: the independent sums behind it;
                        support.py: what is possible at all
    reconstruction.py   rows that the counts prove, and likely ones [Dick2023]
    tables_with_counts.py  tables that have all counts of some views, by integer programs
    view_rules.py       the rules for sets of views; judging.py: which criteria apply to them
    published_views.py  views as they are published and read back
    described_columns.py  what their reader must know of the columns
    views_certificate.py  what a certificate of views may say

Imports:      criteria, release, data, exact, arrays, errors; networkx, scipy.
Used by:      search.without_groups, auditing, workflow, cli, studio.
Yours:        moves.py and selection.py: any search that calls selection_check.py at every step.
Take care:    `Resolution` in induced.py, which every file uses. least_diverse.py and pruning.py
              decide what need not be examined, certified_fit.py how far a fit can be off: a mistake
              there says "safe" too often.
Always along: tests/oracles/marginals.py, which reconstructs and enumerates everything.
"""
