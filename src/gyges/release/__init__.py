"""The release room: what is published.

Groups (people per group, count of each sensitive value), the partition that a search found, the
forms in which groups are published, files and certificate. Knows nothing of how a
release was found or whether it is safe.

    groups.py                  `Groups`: people per group, and how often each value occurs
    groups_of_cells.py         groups that know the cells of their people
    refined_groups.py          groups divided by what rows show besides their labels
    partition_of_cells.py      `Partition`: the group of each cell, which a search finds
    placed_people.py           how many people of each cell and value are in each group
    published.py               `Published`: a release of any form; the one way to save it
    published_groups.py        what all releases of groups share: their certificate and their text
    release.py                 `Release`: one with its groups; large_release.py: made part by part
    joint_tables.py            tables with several sensitive columns; part_of_release.py: with one
    group_forms.py             the forms of groups: what a row shows of its quasi-identifiers
    statements.py              what a release states: the roles of its columns, its claims
    make_release.py            a partition as a release: generalized, bucketized, microaggregated
    shuffled_rows.py           its rows in a random order, made from counts
    coded_labels.py            the labels of groups as codes
    labels.py                  what is shown of a group in a column; range_ends.py: ends of ranges
    grouped_files.py           releases of groups, read back; tables.py: CSV and Parquet;
                               exchange_files.py: for Excel, Stata, SPSS and SAS
    groups_from_tables.py      from published tables back to their groups
    certificate.py             the certificate of a release of groups, and the hashes of files
    directory.py               a directory that appears whole or not at all
    directory_system_calls.py  exchanging two directories in one system call
    private_files.py           files for their owner alone; undisturbed.py: what Ctrl-C waits for
    closed_directory.py        a directory as an auditor may read it: a closed list of plain files
    strict_model.py            how a certificate of any form is read; strict_tables.py: its tables;
                               faults.py: what a model refuses, in sentences
    shuffle_on_disk.py         rows in a random order, without all of them in memory
    rows_of_workers.py         rows that an engine's workers keep, shuffle and write
    locating.py                finding people by the nearest centroid; lookup.py: by labels
    label_reading.py           what a label covers, in any spelling; label_spans.py: ranges
    mapping.py                 which values became which labels, to publish new rows alike
    mapping_reading.py         how the table was read, so that new rows are read alike

Imports:      data, kernels, arrays, errors.
Used by:      adversaries, criteria, search, auditing, workflow, cli, studio.
Yours:        a new form of groups in group_forms.py and make_release.py.
Take care:    `Groups` in groups.py; every criterion and attacker reads it.
Always along: every label is true of the original, and reading back gives the same groups.
"""
