"""The utility room: what survives of a table in a release.

One loss per file, each a small function `loss(grouping)` of who is in which group. Smaller is
better unless the file says otherwise. People who are left out count as lost.

Imports:      release, data, arrays, errors.
Used by:      search, audit, papers, cli, studio.
Yours:        any loss; add it to measure.py so that one call gives them all.
Take care:    `Grouping` in grouping.py.
Always along: a double loop over a tiny table in tests/oracles/utility.py.
"""
