"""The command line: parse, call, print, exit. It decides nothing.

0 = done or holds, 1 = does not hold, 2 = bad input and nothing written, 3 = not all checked,
4 = something was written before an error. Results go to standard output, notes and progress to
standard error. Each verb is the file of its name; all of them take --json.

    start.py           the entry point
    main.py            the command and its exit codes
    output.py          the terminal: printing, progress, JSON; published_text.py: about a release
    interrupt.py       Ctrl-C
    options.py         options that several verbs share

The workflow room does the work of a verb; here it is parsed and printed.

Imports:      workflow, report, auditing and public names. Verbs import what is slow to load inside
              their functions, so that `gyges --help` answers at once.
Used by:      people.
Yours:        a new verb: one file, one line in main.py.
Take care:    exit codes; scripts rely on them.
Always along: a test through the real command.
"""
