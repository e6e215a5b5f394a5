"""The search room: find the most useful release that satisfies the rules.

Four algorithms (Mondrian, lattice, buckets, microaggregation), each with `search(cells, criteria,
…)` in the file of its name, followed in this list by its parts. A search uses rules only through
their protocol, works on cells and never reads a row again.

    publish.py                       `gy.publish`: runs a method, publishes what it finds
    methods.py                       `METHODS`, one line per method; method_options.py: its options
    bound_purpose.py                 what a purpose means for a table: the seam of all methods
    column_weights.py                how much each column counts
    without_groups.py                the methods that publish no groups: views, and noise
    published_columns.py             columns published unchanged: what they reveal; refusing them
    publish_large.py                 publish under a memory limit
    republish.py                     new rows under the scheme of an earlier release
    infeasible.py                    if nothing is safe: which rule fails, and what would pass
    mondrian.py                      cut the table and its parts while every rule holds
    mondrian_relaxed.py              relaxed cuts: people who look alike may be separated
    mondrian_larger_than_memory.py   the same where cells do not fit: the engine counts
    descent.py                       the order of cuts; levels.py: all open groups cut at once
    acceptance.py                    which cuts rules accept; batch.py: the groups they judge
    certified.py                     groups accepted on an estimate are certified or cut again
    items.py                         cells packed for cutting
    lattice.py                       full-domain generalization: every column at one level
    lattice_nodes.py                 the nodes
    lattice_boxes.py                 boxes of nodes, and what some nodes imply for others
    lattice_walk.py                  searches for a good node, the best one, every safe one
    lattice_check.py                 is a node safe?
    lattice_rollup.py                counts of a node from those of a finer one
    lattice_objective.py             the loss that is minimized, and its bounds
    lattice_group_costs.py           the same for losses that need a node's groups
    lattice_purpose.py               what is lost for a purpose
    lattice_by_measure.py            the best node by any other measure
    lattice_outcome.py               the partition, notices, or why nothing is safe
    buckets.py                       Anatomy: buckets of people with different sensitive values
    microaggregation.py              MDAV: small groups of similar people
    microaggregation_distances.py    distances between people
    centroids.py                     what is published about such a group

Imports:      criteria, utility, release, data, kernels, arrays, errors; marginals and dp in
              without_groups.py alone.
Used by:      auditing, workflow.
Yours:        a new algorithm in its own file and one line in METHODS.
Take care:    acceptance.py decides for every rule; kernels/cuts.py is timed.
Always along: a slow oracle in tests/oracles/, minimality by brute force, and a line in benchmarks/.
"""
