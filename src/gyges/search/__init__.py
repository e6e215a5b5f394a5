"""The search room: find the most useful release that passes the rules.

One algorithm per file, each with `search(cells, criteria, …) -> Partition`: `lattice`
(full-domain), `partition` (Mondrian), `buckets` (Anatomy), `microaggregation` (MDAV). A search
asks criteria only by their protocol, works on cells and never reads a row again. `publish` joins a
search with a form of release. `outside` is `partition` for cells that do not fit into memory.

Imports:      criteria, utility, release, data, kernels, arrays, errors; dp in publish.py alone.
Used by:      audit, cli, studio, report, papers.
Yours:        a new algorithm in a file of its own; add its name to METHODS in publish.py.
Take care:    acceptance.py decides for every rule; kernels/items.py and cuts.py are timed.
Always along: a slow twin in tests/oracles/, minimality by brute force, and a ratio in benchmarks/.
"""
