"""Small problems of least loss, and the same for the slow definitions."""

from __future__ import annotations

import numpy as np

import gyges as gy
from gyges.criteria.base import bind_all
from gyges.release.groups_of_cells import everybody
from gyges.search.least_loss_problem import LossProblem


def posed(cells, labels="usual", rules=None):
    """The problem of these cells; by default every group of people will do."""
    rules = [gy.KAnonymity(1)] if rules is None else rules
    return LossProblem.of(cells, bind_all(rules, everybody(cells)), labels)


def described(cells, labels="usual"):
    """The columns of cells for the oracle: (kind, number of values, paths)."""
    columns = []
    for domain in cells.domains:
        is_node = domain.ladder is not None and labels != "sets"
        if is_node and (labels == "nodes" or not domain.is_ordered):
            levels = np.asarray(domain.ladder.ancestors)
            paths = [
                [(level, int(levels[level, code])) for level in range(len(levels))]
                for code in range(len(domain))
            ]
            columns.append(("tree", len(domain), paths))
        else:
            columns.append(("line" if domain.is_ordered else "set", len(domain), None))
    return columns


def rows_of(cells):
    """The codes of each cell."""
    return [tuple(int(code) for code in row) for row in cells.codes]


def in_order(problem):
    """The codes of the table, in the order of the problem's cells."""
    rows = rows_of(problem.cells)
    return [rows[i] for i in problem.order]


def random_groups(problem, rng, most=4):
    """A random group for each cell, numbered from 0."""
    drawn = rng.integers(0, most, len(problem.order))
    return np.unique(drawn, return_inverse=True)[1].ravel()
