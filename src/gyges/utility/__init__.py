"""The utility room: what survives of a table in a release.

One loss per file, each a small function `loss(grouping)` of who is in which group. Smaller is
better unless the file says otherwise. People who are left out count as lost.

    measure.py            `gy.measure_utility`: every loss in one call
    grouping.py           who is in which group, counted; regions.py: what a label says
    group_size.py         average group size, discernibility
    certainty_penalty.py  NCP and GCP: how wide the labels are
    loss.py               the share of values that a label could stand for, as ARX has it
    height.py             generalization height, precision
    divergence.py         KL-divergence from the table
    classification.py     the classification metric; classifiers.py: accuracy of a classifier
    query_error.py        error of COUNT queries

Imports:      release, data, arrays, errors.
Used by:      search, audit, cli, studio.
Yours:        any loss; add it to measure.py so that one call gives them all.
Take care:    `Grouping` in grouping.py.
Always along: a double loop over a tiny table in tests/oracles/utility.py.
"""
