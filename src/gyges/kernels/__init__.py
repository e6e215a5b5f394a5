"""The kernels room: numbers in, numbers out.

One file per computation, the formula above and the loop below. A kernel takes arrays and returns
arrays; it knows no table, no column and no privacy word, and it checks nothing.

    compiled.py    the decorator of every kernel; threads.py: several at once
    tally.py       adding up coded rows; rollup.py: counts of coarser rows from finer ones
    items.py       a table's cells as packed words; cuts.py, levels.py, partition.py: cutting them
    mdav.py        far and near points, for microaggregation
    minimize.py    any k facts: the least probability that atoms are false; bar.py, decisive.py:
                   the few groups that decide
    breach.py      three kinds of knowledge: the ratios; signatures.py: what tells groups apart;
                   frontier.py: the border of what may be known
    beside.py      what becomes of the worst case when groups join others
    kernel_smoothing.py  beliefs before a release; posterior.py: after it, of many groups;
                   conditioning.py: of one, exactly by permanent.py, else by margins.py and
                   refining.py (covariance.py: how totals vary); matching.py: which values are
                   possible; divergence.py: how far apart both are
    bit_sets.py    other releases: possible values; products.py: their shares; label_trie.py:
                   which groups cover a person
    emd.py         earth mover's distance; shares.py: the largest share once values are ruled out

Imports:      arrays, numpy, numba, scipy.
Used by:      every room that computes.
Yours:        any file; say in it which timing shows that NumPy alone is not enough.
Take care:    a signature that changes compiles anew; arrays that are read-only have their own.
Always along: the caller's test against an oracle, and a ratio in benchmarks/.
"""
