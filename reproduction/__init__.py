"""The papers room: every figure and table of the five papers, rerun.

An experiment repeats one figure with the paper's parameters, through the public names of gyges, and
says of every sentence that can be checked whether it held. `gyges reproduce` lists and runs them.

    experiment.py  what an experiment is; registry.py: which there are, and running one
    data.py        the public data sets; adult.py, ganta_data.py, li_data.py: as the papers use them
    page.py        outcomes as a page; pictures.py: their plots; text.py: in a terminal
    martin.py, chen_*.py, ganta*.py, kifer*.py, li*.py   the experiments, paper by paper
    c45.py         the decision tree of a figure

Imports:      the public names of gyges; numpy and pyarrow inside the experiments.
Used by:      cli.
Yours:        a new experiment in the module of its paper (see `experiment.py` for the nouns).
Take care:    the names of experiments ("martin-5"): pages and people link to them.
Always along: a test in tests/papers that asserts what must hold; an entry in docs/papers.md where
              a paper and gyges disagree.
"""
