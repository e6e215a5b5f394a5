"""The kernels room: numbers in, numbers out.

One file per computation, the formula above and the loop below. A kernel takes arrays and returns
arrays; it knows no table, no column and no privacy word, and it checks nothing.

    compiled.py            the decorator of every kernel; threads.py: several at once
    tally.py               adding up coded rows; rollup.py: counts of coarser rows from finer ones
    packed_items.py        coded rows as packed words; cuts.py: one cut of a group of them;
                           level_cuts.py: of many groups; recursive_cuts.py: until none is left
    mdav.py                far and near points; point_groups.py: groups of near points;
                           group_exchanges.py: made tighter; optimal_line.py: the tightest of a line
    atom_costs.py          the least probability that a few atoms are false; pruning_bounds.py: what
                           a group must reach to matter; dominating_groups.py: those that do
    signatures.py          what distinguishes groups; log_ratios.py: their least ratios;
                           frontier.py: where these stay above a limit
    joint_effect.py        the worst case once groups join others
    kernel_smoothing.py    sums under a product kernel
    conditioning.py        choices given their totals, of one group; conditioned_groups.py: of many;
                           permanent.py: exactly; conditional_bounds.py: bounds;
                           matrix_scaling.py, scaling_correction.py: nearly (covariance.py: how
                           totals vary); matching.py: which choices are possible
    jensen_shannon.py      divergences of rows, after smoothing where asked
    bit_sets.py            sets as words; share_products.py: normalized products of shares;
                           sum_bounds.py: bounds of unknowns whose sums are known;
                           circle_exchanges.py: arrangements drawn at random that keep sums
    label_trie.py          which sorted labels cover a row; nearest_rows.py: which are near to it
    cell_labels.py         what labels of coded rows cost; nearest_cells.py: by that cost;
                           cell_groups.py: groups with their labels; joining_groups.py,
                           group_moves.py, annealing.py, regrouping.py: groups that cost less;
                           peeling.py: groups of a lattice; lattice_bounds.py: what none is below;
                           narrow_labels.py: how narrow ranges and sets can be
    earth_mover.py         earth mover's distance; least_odds.py: the largest share once values are
                           ruled out

Imports:      arrays, numpy, numba, scipy.
Used by:      every room that computes.
Yours:        any file; its docstring states the timing (benchmarks/kernels.py) that justifies it.
Take care:    a changed signature compiles again; read-only arrays have a signature of their own.
Always along: a test in tests/kernels against a simple loop, and a line in benchmarks/kernels.py.
"""
