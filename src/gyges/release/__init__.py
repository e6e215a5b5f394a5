"""The release room: what goes out.

Groups (people per group, count of each sensitive value), the partition that a search found, the
forms in which groups are published, files, certificate and ledger. Knows nothing of how a
release was found or whether it is safe.

Imports:      data, arrays, errors.
Used by:      adversaries, criteria, search, audit, cli, studio.
Yours:        a new form in forms/.
Take care:    `Groups` in groups.py; every criterion and attacker reads it.
Always along: what is published is true of the original, and reads back to the same groups.
"""
