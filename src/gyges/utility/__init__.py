"""The utility room: how much of a table a release keeps.

One measure per file, each a function of a `Grouping`: how many people of each cell are in each
group. Smaller is better unless the file says otherwise. Suppressed people count as lost.

    measure.py            `gy.measure_utility`: all measures of any groups, or those named
    known_measures.py     `MEASURES`: every measure, one line each
    grouping.py           the counts that measures read
    group_size.py         average group size, discernibility
    certainty_penalty.py  NCP and GCP: how wide the labels are
    loss.py               the share of the values that a label covers, as ARX defines it
    ambiguity.py          the original rows that a published row could stand for
    non_uniform_entropy.py  the bits that labels hide
    height.py             generalization height, precision
    divergence.py         KL-divergence from the table
    classification.py     the classification metric
    purpose.py            `gy.Purpose`: what readers want to do with a release
    before_after.py       statistics of the original beside those of the release
    column_statistics.py  means with certain intervals, correlations; prediction.py: a class
    marginal_tables.py    tables of counts, before and after; label_values.py: what labels cover
    k_marginal.py         NIST's score of such tables, and the sample that scores as much

Imports:      release, data, arrays, exact, errors.
Used by:      search, auditing, workflow.
Yours:        any measure: its own file, and one line in `MEASURES`.
Take care:    `Grouping` in grouping.py.
Always along: a double loop over a tiny table in tests/oracles/utility.py.
"""
