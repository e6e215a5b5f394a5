"""The release room: what goes out.

Groups (people per group, count of each sensitive value), the partition that a search found, the
forms in which groups are published, files and certificate. Knows nothing of how a
release was found or whether it is safe.

    groups.py                  `Groups`: people per group, and how often each value occurs
    refined_groups.py          groups divided by what rows show besides their labels
    partition.py               `Partition`: the group of each cell, which is what a search finds
    published.py               `Published`: what a release of any form is; the one way to save it
    published_groups.py        what releases of groups have in common
    release.py                 `Release`: one whose groups are known; large.py: made part by part
    statements.py              what a release states of itself: form, roles of columns, claims
    make_release.py            a partition as a release: generalized, bucketized, microaggregated
    labels.py                  what is shown of a group in a column; range_ends.py: ends of ranges
    grouped_files.py           releases of groups, read back; tables.py: CSV and Parquet
    groups_from_tables.py      from published tables back to their groups
    certificate.py             what a certificate of groups says, and the hashes of the files
    directory.py               a directory that appears whole or not at all
    directory_system_calls.py  exchanging two directories, as the system does it
    private_files.py           files for their owner alone; undisturbed.py: what Ctrl-C waits for
    closed_directory.py        a directory as an auditor may read it: a closed list of plain files
    strict_model.py            the strict parts of certificates; strict_tables.py: of their tables
    shuffle_on_disk.py         rows in a random order without holding them
    locating.py                finding people by what is known of them; lookup.py: many at once
    label_reading.py           what a label covers, in any spelling; label_spans.py: ranges
    mapping.py                 which values became which labels, to publish new rows alike

Imports:      data, arrays, errors.
Used by:      adversaries, criteria, search, auditing, workflow, cli, studio.
Yours:        a new form of groups in make_release.py.
Take care:    `Groups` in groups.py; every criterion and attacker reads it.
Always along: what is published is true of the original, and reads back to the same groups.
"""
