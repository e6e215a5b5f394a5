"""The command line: parse, call, print, exit. It decides nothing.

0 = done or holds, 1 = does not hold, 2 = bad input and nothing written, 3 = not all checked,
4 = something was written before an error. Results go to standard output, notes and progress to
standard error. Each verb is the file of its name; all of them take --json.

    start.py           where the command begins
    main.py            the command, exit codes; show.py: printing, progress, JSON
    interrupt.py       Ctrl-C; outputs.py: what is about to be written, and whether it is there
    noise.py           `publish` with noise; large.py: under a memory limit
    recording.py       where a release goes, and its entry in the ledger
    inside_files.py    what must stay inside the building
    project.py         the file gyges.toml; project_rules.py: its rules; project_lines.py: its lines
    policy_fitting.py  rules for `init`, eased to what a table can satisfy
    options.py         options that verbs read alike; people_table.py: tables of people
    spared_imports.py  what need not be loaded, so that the command starts fast

Imports:      every room, inside the verbs, so that `gyges --help` answers at once.
Used by:      people.
Yours:        a new verb: one file, one line in main.py.
Take care:    exit codes; scripts rely on them.
Always along: a test through the real command.
"""
