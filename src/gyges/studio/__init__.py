"""The studio room: the web page of gyges. It holds nothing yet.

What it will show is what the command line shows: it calls the public functions and decides nothing.
The extra `studio` of the package installs NiceGUI for it, and no other room needs that.

Imports:      every room, like cli.
Used by:      nobody yet.
Yours:        all of it.
Take care:    a page states the guarantee, its parameters and its limits beside the number.
Always along: the page opened in a browser, as tests/report does it.
"""
