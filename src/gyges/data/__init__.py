"""The data room: what came in.

Schema, hierarchies, values and their codes, and `Cells`: the distinct rows of a table with their
counts, which is all that the rooms above reason about. Knows nothing of privacy.

Imports:      arrays, errors; pyarrow where a column arrives.
Used by:      engines, release and every room above.
Yours:        a new coarsening rule in rules.py.
Take care:    `Cells` in cells.py and `Source` in source.py: every engine and search leans on them.
Always along: the same cells from every engine (tests/engines).
"""
