"""The data room: what came in.

Schema, hierarchies, values and their codes, and `Cells`: the distinct rows of a table with their
counts, which is all that the rooms above reason about. Knows nothing of privacy.

    schema.py     `gy.Schema`: the part of each column
    hierarchy.py  `gy.Hierarchy`: how values are coarsened; hierarchy_rules.py: by a rule
    values.py     kinds of values, their text and order; distances.py between them
    table.py      `gy.Table`: schema, cells and the way back to rows; description.py: its text
    cells.py      `Cells`: the distinct rows with their counts, as codes
    counting.py   from rows to cells; consistency.py: is it what the schema says?
    encoding.py   dictionary codes of a column; tree_order.py: codes in a tree's order
    arrow_arrays.py  Arrow arrays from NumPy and back, without loading pandas
    source.py     the boundary to where rows live
    large_table.py  cells that do not fit into memory; placement.py: which group a row is in;
                  memory_limit.py: how much memory there is
    personal_patterns.py  texts that name a person by their form
    held_folders.py  folders of a running process, found by the next if it was killed
    examples.py   the hospital that does not exist

Imports:      arrays, errors; pyarrow where a column arrives.
Used by:      engines, release and every room above.
Yours:        a new coarsening rule in hierarchy_rules.py.
Take care:    `Cells` in cells.py and `Source` in source.py: every engine and search leans on them.
Always along: the same cells from every engine (tests/engines).
"""
