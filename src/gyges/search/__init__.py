"""The search room: find the most useful release that passes the rules.

Four algorithms (partition, lattice, buckets, microaggregation), each with `search(cells,
criteria, …)` in the file of its name, and below it in this list its parts. A search asks criteria
only by their protocol, works on cells and never reads a row again.

    publish.py                       `gy.publish`: runs a method, publishes what it finds
    methods.py                       METHODS, a line a method; options.py: what a method takes
    without_groups.py                the methods that publish no groups: views, and noise
    published_columns.py             what columns published as they are show, and refusing it
    publish_large.py                 the same under a memory limit
    republish.py                     new rows under the scheme of an earlier release
    infeasible.py                    if nothing is safe: which rule stops it, and what would pass
    partition.py                     Mondrian: cut the table and its parts while every rule holds
    partition_relaxed.py             its relaxed cuts: people who look alike may be separated
    partition_larger_than_memory.py  the same where cells do not fit: the engine counts
    descent.py                       the way down; levels.py: all open groups cut at once
    acceptance.py                    which cuts rules accept; batch.py: the groups they judge
    certified.py                     the groups that only seemed safe are cut again
    items.py                         cells packed for cutting
    lattice.py                       full-domain generalization: every column at one level
    lattice_nodes.py                 the nodes
    lattice_boxes.py                 boxes of nodes, and what some nodes say of others
    lattice_walk.py                  ways through: to a good node, the best one, every safe one
    lattice_check.py                 is a node safe?
    lattice_rollup.py                counts of a node from those of a finer one
    lattice_objective.py             the loss that is made small
    lattice_by_measure.py            the same for measures that are known of groups only
    lattice_outcome.py               the partition, notices, or why nothing is safe
    buckets.py                       Anatomy: buckets of people with different sensitive values
    microaggregation.py              MDAV: small groups of similar people
    microaggregation_distances.py    how far people are apart
    centroids.py                     what is published of such a group

Imports:      criteria, utility, release, data, kernels, arrays, errors; marginals and dp in
              without_groups.py alone.
Used by:      audit, cli, studio, report.
Yours:        a new algorithm in a file of its own and one line in METHODS.
Take care:    acceptance.py decides for every rule; kernels/cuts.py is timed.
Always along: a slow twin in tests/oracles/, minimality by brute force, and a ratio in benchmarks/.
"""
