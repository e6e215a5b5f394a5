"""The report room: a page that a lawyer can read, the same as JSON, and `gy.verify`.

It presents results and decides nothing. Every text that comes from data is escaped, and no page
needs the network.

    page.py           the report of a release, as a page and as JSON
    sections.py       the sections of that page; pictures.py: its pictures
    html_page.py      the frame and style of every page; tables and lists
    figure.py         a picture as plotly.js draws it
    skyline_page.py   the page of one knowledge skyline; skyline_slices.py: it in two dimensions
    exposure_page.py  the table and the page of an attack with several releases
    comparison_page.py  releases side by side: the table, and pictures
    office_words.py   an audit in the words of a privacy office; thresholds.py: what offices use
    descriptions.py   a codebook, a data package and croissant.json of a release
    to_json.py        results as JSON values
    verify.py         `gy.verify`: the certificate and the report, recomputed and compared

Imports:      auditing and the rooms below it; from plotly only plotly.js.
Used by:      workflow, cli, studio.
Yours:        a new section in sections.py; page.py puts it in its place.
Take care:    a report in a release directory leaves the building: it may state only what the
              published files show.
Always along: the page opened in a browser (tests/report).
"""
