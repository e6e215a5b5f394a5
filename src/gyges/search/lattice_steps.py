"""Where boxes of lattice nodes are split: how much each level of a column matters, roughly.

A good split parts the finer nodes, which fail, from the coarser ones, which lose too much. How soon
a node fails depends on the entropy of its labels.
"""

from __future__ import annotations

import numpy as np

from gyges.search.lattice_boxes import Steps
from gyges.search.lattice_nodes import Lattice
from gyges.utility.loss import ancestors


def entropy_steps(lattice: Lattice) -> Steps:
    """For each column and level the negative entropy of people's labels; it grows with levels."""
    return _steps(lattice, covered=0.0)


def balanced_steps(lattice: Lattice) -> Steps:
    """The same plus the mean logarithm of how many values a person's label covers."""
    return _steps(lattice, covered=1.0)


def _steps(lattice: Lattice, *, covered: float) -> Steps:
    cells, steps = lattice.cells, []
    for column, domain in enumerate(cells.domains):
        people = np.bincount(cells.codes[:, column], weights=cells.people, minlength=len(domain))
        share, levels = people / max(cells.n_people, 1), []
        for label in ancestors(domain):
            held = np.bincount(label, weights=share)
            values = np.bincount(label)
            logs = np.log(np.where(held > 0, held, 1)) + covered * np.log(np.maximum(values, 1))
            levels.append(float(held @ logs))
        steps.append(tuple(levels))
    return tuple(steps)
