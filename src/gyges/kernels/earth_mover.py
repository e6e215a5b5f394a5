"""Earth mover's distance: on a line in closed form, under any ground distance as a program.

Not compiled: a line takes one cumulative sum in NumPy, and SciPy solves the program.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from gyges.arrays import FloatArray, IntArray

Differences = TypeVar("Differences", IntArray, FloatArray)


def ordered_flow(differences: Differences) -> Differences:
    """Σ_i |Σ_{j<=i} d_j| of each row: what flows over each gap of a line [LiLiV2007].

    Divided by m - 1 (the steps from end to end) it is the ordered distance.
    """
    return np.abs(np.cumsum(differences, axis=1)[:, :-1]).sum(axis=1)


def transport(p: FloatArray, q: FloatArray, ground: FloatArray) -> float:
    """min Σ f_ij d_ij with Σ_j f_ij = p_i, Σ_i f_ij = q_j, f >= 0: the definition itself."""
    from scipy.optimize import linprog
    from scipy.sparse import identity, kron, vstack

    m = len(p)
    ones = np.ones((1, m))
    rows = vstack([kron(identity(m), ones), kron(ones, identity(m))], format="csr")
    solved = linprog(ground.ravel(), A_eq=rows, b_eq=np.concatenate([p, q]), bounds=(0, None))
    return float(solved.fun)
