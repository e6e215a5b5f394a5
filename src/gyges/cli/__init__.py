"""The command line: parse, call, print, exit. It decides nothing.

0 = done or holds, 1 = does not hold, 2 = bad input. Results go to standard output, notes and
progress to standard error. Each verb is one file; all of them take --json.

Imports:      every room, inside the verbs, so that `gyges --help` answers at once.
Used by:      people.
Yours:        a new verb: one file, one line in main.py.
Take care:    exit codes; scripts rely on them.
Always along: a test through the real command.
"""
