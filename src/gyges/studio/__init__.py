"""The studio room: the whole job in a web page, on this machine only. It decides nothing.

Whatever a page does is a change of the project file, which `gyges publish` publishes as well. The
server makes the pages and stays free to answer; two processes compute, and cancelling ends one.

    serving.py         starts the server and opens the browser
    gate.py            who may ask: token, cookie, host, origin, size; the headers of every answer
    application.py     which address answers what
    pages.py           the pages; parts.py: what is computed in them, and its progress
    actions.py         what a person does: open, change, undo, publish, check
    uploads.py         files dropped on a page; downloads.py: what is taken away
    cards.py           the attackers in plain words; rule_cards.py: the rules of a project as cards
    session.py         the open project, its working folder, and the work in progress
    new_project.py     a project for a table that has none
    workers.py         the processes that compute, seen from the server
    worker_process.py  the same from inside: tasks, progress, being stopped
    tasks.py           what they compute; task_memory.py: what they keep
    task_risk.py       the page "Risk"; task_publish.py, task_check.py: those of their names
    shown.py           results as plain data with words
    templates/         the pages; static/: style, script and icon, all our own

Imports:      the same rooms as cli; Starlette, uvicorn and Jinja2, of the extra `studio`.
Used by:      people.
Yours:        a new part of a page: a task, a template, a line in PARTS.
Take care:    gate.py; tests/studio/test_refusals.py lists every refusal.
Always along: the page opened in a browser (tests/studio), and looked at.
"""
