"""The figures and tables of the five papers, rerun with gyges.

An experiment repeats one figure or table with the paper's parameters and compares the result with
what the paper says. A statement *held* or *did not hold*; it is *measured* where the paper gives
nothing to compare with, or where it cannot fail. `python -m reproduction list` lists them, and
`make papers` runs all. This folder is not part of the installed package.

    experiment.py     what an experiment is; registry.py: which there are, and running one
    data.py           the public data sets; adult.py, ganta_data.py, li_data.py: as papers use them
    arrays.py         array types, and groups counted from arrays
    page.py           outcomes as a page; pictures.py: their plots; text.py: in a terminal
    martin.py, chen_*.py, ganta*.py, kifer*.py, li*.py   the experiments, paper by paper
    c45.py            the decision tree of a figure; count_queries.py: the COUNT queries of another

Imports:      `import gyges as gy` and no room of gyges (tests/house checks it); numpy, pyarrow.
Take care:    the names of experiments ("martin-5"): pages and people link to them.
To add one:   the experiment in the module of its paper, a test in tests/reproduction, and an entry
              in docs/papers.md where a paper and gyges disagree.
"""
