"""The report room: one page that a lawyer can read, and the same as JSON.

Shows and decides nothing. Every text that comes from data is escaped; the page needs no network.

    page.py          the page and the JSON of a release
    sections.py      its sections, made of findings; pictures.py: its pictures
    figure.py        a picture as plotly.js draws it
    skyline_page.py  the page of one knowledge skyline
    exposure.py      the picture of an attack with several releases
    to_json.py       a result as JSON knows it

Imports:      auditing and the rooms below it; of plotly, its library for browsers.
Used by:      cli, studio.
Yours:        a new section in sections.py; page.py puts it in its place.
Take care:    a report in a release directory leaves the building: nothing inside-only in it.
Always along: the page opened in a browser (tests/report).
"""
