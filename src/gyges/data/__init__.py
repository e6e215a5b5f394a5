"""The data room: what came in.

Schema, hierarchies, values and their codes, and `Cells`: the distinct rows of a table with their
counts, which is all that the rooms above reason about. Knows nothing of privacy.

    schema.py     `gy.Schema`: the role of each column
    hierarchy.py  `gy.Hierarchy`: how values are generalized; hierarchy_rules.py: by a rule
    values.py     kinds of values, their text and order; distances.py between them
    local_formats.py  dates and numbers as people write them: 31.12.2024, 1.234,5
    table.py      `gy.Table`: schema, cells and the way back to rows; description.py: its text
    cells.py      `Cells`: the distinct rows with their counts, as codes
    counting.py   from rows to cells; consistency.py: does the table fit its schema?
    joint_person.py  people identified by several columns together
    one_row.py    one row per person by a stated rule; all_rows.py: people described by all rows
    encoding.py   dictionary codes of a column; tree_order.py: codes in a tree's order
    arrow_arrays.py  Arrow arrays from NumPy and back, without loading pandas
    source.py     the boundary to where rows live; changed_source.py: rows changed on their way
    shape.py      how values are made coarser when they are read; shapes.py: in a table
    joint_values.py, joint_source.py, part_of_table.py
                  several sensitive columns as one, and one of them again
    large_table.py  cells that do not fit into memory; placement.py: which group a row is in;
                  memory_limit.py: how much memory there is
    personal_patterns.py  texts that look like names, addresses or numbers of people;
                  check_digits.py: national numbers; hipaa.py: which of HIPAA's identifiers they are
    people_names.py  frequent names, titles, initials; illness_words.py: words about illness
    column_names.py  what the name of a column suggests; column_words.py: in many languages
    repeated_people.py  columns whose values repeat as people do; doubtful_people.py: are the rows
                  of a table people? people_words.py: how many people or rows, in words
    totals.py     lines of totals among the rows
    plain_files.py  reads a file whole, unless it is a pipe, a device or too large
    held_folders.py  folders locked by a running process; the next run removes abandoned ones
    examples.py   a made-up hospital

Imports:      arrays, errors; pyarrow where a column arrives.
Used by:      engines, release and every room above.
Yours:        a new rule of generalization in hierarchy_rules.py.
Take care:    `Cells` in cells.py and `Source` in source.py: every engine and search uses them.
Always along: the same cells from every engine (tests/engines).
"""
