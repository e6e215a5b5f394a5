"""The studio room: the web page of Gyges. It is still empty.

The page will show what the command line shows: it calls the workflow room and decides nothing. The
extra `studio` of the package installs NiceGUI for it; no other room needs that.

Imports:      the same rooms as cli.
Used by:      people.
Yours:        all of it.
Take care:    a page states the guarantee, its parameters and its limits next to the number.
Always along: the page opened in a browser, as in tests/report.
"""
