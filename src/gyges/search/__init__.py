"""The search room: find the most useful release that satisfies the rules.

Six algorithms (Mondrian, least loss, lattice, suppression, buckets, microaggregation), each with
`search(cells, criteria, …)` in the file of its name, followed in this list by its parts. A search
uses rules only through their protocol, works on cells and never reads a row again.

    publish.py                       `gy.publish`: runs a method, publishes what it finds
    methods.py                       `METHODS`, one line per method; method_options.py: its options
    bound_purpose.py                 what a purpose means for a table: the seam of all methods
    column_weights.py                how much each column counts
    without_groups.py                the methods that publish no groups: views, and noise
    published_columns.py             columns published unchanged: what they reveal; refusing them
    sensitive_columns.py             several sensitive columns: what a release reveals of each
    publish_large.py                 publish under a memory limit; publish_on_workers.py: where
                                     the rows live
    republish.py                     new rows under the scheme of an earlier release
    infeasible.py                    if nothing is safe: which rule fails, and what would pass
    partition.py                     the method of that name: Mondrian, or the least loss
    mondrian.py                      cut the table and its parts while every rule holds
    mondrian_relaxed.py              relaxed cuts: people who look alike may be separated
    blind_search.py                  rules about sizes alone: the search sees no sensitive value
    mondrian_larger_than_memory.py   the same where cells do not fit: the engine counts
    descent.py                       the order of cuts; levels.py: all open groups cut at once
    simulatable.py                   cuts that anyone can repeat: their choice reveals nothing
    recorded_cuts.py                 the decisions of a search that depend on the values
    acceptance.py                    which cuts rules accept; batch.py: the groups they judge
    certified.py                     groups accepted on an estimate are certified or cut again
    items.py                         cells packed for cutting
    least_loss.py                    groups that lose as little as time allows, and a bound
    least_loss_problem.py            cells, columns and levels as its kernels see them
    least_loss_start.py              safe groups to begin with; neighbours
    least_loss_walk.py               annealing
    least_loss_rules.py              what rules say on the way
    least_loss_bound.py              what no release loses less than
    lattice.py                       full-domain generalization: every column at one level
    lattice_nodes.py                 the nodes
    lattice_boxes.py                 boxes of nodes, and what some nodes imply for others
    lattice_steps.py                 where boxes are split
    lattice_walk.py                  searches for a good node, the best one, every safe one
    lattice_check.py                 is a node safe?
    lattice_chosen.py                a node that a person chose by its levels
    lattice_rollup.py                counts of a node from those of a finer one
    lattice_objective.py             the loss that is minimized, and its bounds
    lattice_group_costs.py           the same for losses that need a node's groups
    lattice_purpose.py               what is lost for a purpose
    lattice_by_measure.py            the best node by any other measure
    lattice_outcome.py               the partition, notices, or why nothing is safe
    suppression.py                   single cells become `*`, as few and unimportant as possible
    suppression_masks.py             the sets of columns to hide, in order
    suppression_peel.py              accepts groups by what they hide
    suppression_join.py              joins the others with accepted groups
    column_weights.py                how important each column is
    buckets.py                       Anatomy: buckets of people with different sensitive values
    microaggregation.py              small groups of similar people
    microaggregation_mdav.py         MDAV
    microaggregation_best.py         tighter groups of numbers; one column's optimum
    microaggregation_distances.py    distances between people
    centroids.py                     what is published about such a group

Imports:      criteria, utility, release, data, kernels, arrays, errors; marginals and dp in
              without_groups.py alone.
Used by:      auditing, workflow.
Yours:        a new algorithm in its own file and one line in METHODS.
Take care:    acceptance.py decides for every rule; kernels/cuts.py is timed.
Always along: a slow oracle in tests/oracles/, minimality by brute force, and a line in benchmarks/.
"""
