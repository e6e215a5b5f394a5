"""The report room: one page that a lawyer can read, and the same as JSON.

Shows and decides nothing. Every text that comes from data is escaped; the page needs no network.

Imports:      auditing and the rooms below it; plotly for the pictures.
Used by:      cli, studio, papers.
Yours:        a new section in page.py.
Take care:    a report in a release directory leaves the building: nothing inside-only in it.
Always along: the page opened in a browser (tests/report).
"""
