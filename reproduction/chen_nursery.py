"""[Chen2009, Figure 9]: what a decision tree learns from safe releases of Nursery."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa

import gyges as gy
from reproduction.arrays import IntArray
from reproduction.c45 import grow, predict
from reproduction.chen_adult import Point, point_at, safe_groups, training_rows
from reproduction.data import load
from reproduction.experiment import Curve, Experiment, Findings, Plot, RunOptions, Statement

SENSITIVE, CLASS = "has_nurs", "class"
FOLDS = 10
AMOUNTS: dict[str, tuple[int, ...]] = {
    "l": (0, 1, 2, 3, 4),
    "k": (0, 1, 2, 3, 4, 6, 8),
    "m": (0, 1, 2, 3, 4, 6, 8),
}
FAST_AMOUNTS: dict[str, tuple[int, ...]] = dict.fromkeys(AMOUNTS, (0, 2, 4))
BASES: tuple[Point, ...] = ((0, 0, 0), (1, 6, 2))
REMOVED: Point = (-1, -1, -1)  # stands for: without has_nurs
_NOISE = 0.005  # of an accuracy between two runs


def accuracy_on_nursery(options: RunOptions) -> Findings:
    """Ten folds: release nine tenths, learn the class, ask the last tenth."""
    folds = 2 if options.fast else FOLDS
    exact, without = _average(None, folds, options.seed), _average(REMOVED, folds, options.seed)
    plots, found = [], {}
    amounts = FAST_AMOUNTS if options.fast else AMOUNTS
    bases = BASES[:1] if options.fast else BASES
    for base in bases:
        found[base] = {
            axis: [_average(point_at(base, place, x), folds, options.seed) for x in xs]
            for place, (axis, xs) in enumerate(amounts.items())
        }
        plots.append(_plot(base, amounts, found[base], exact, without))
    statements = [_between(found, exact, without)]
    for base in bases:
        statements += _by_dimension(base, amounts["l"], found[base])
    statements.append(
        Statement(
            "has_nurs … is a good predictor of the class label",
            exact - without > 0.03,
            f"accuracy {exact:.3f} with it, {without:.3f} without",
            "Sect. 8.4",
        )
    )
    return Findings(statements, plots, notes=[*_NOTES, f"{folds} folds; confidence 0.9."])


_NOTES = (
    "Instead of J48 we use our own small C4.5 without subtree raising.",
    "Bucketized: all columns but has_nurs as they are, has_nurs shuffled within each group. Groups "
    "are cut by all other columns, the class among them, by information gain about has_nurs.",
    "The three kinds of knowledge are compared at the same x, up to the largest l. With m = 10 "
    "relatives even the whole table as one group is not safe, and m loses everything too.",
    "Where even the whole table as one group is not safe (l ≥ 4, as the paper's footnote 4 says), "
    "all values are shuffled in one group.",
)


@cache
def _average(point: Point | None, folds: int, seed: int) -> float:
    """The accuracy after a release that is safe at a point; None is the original."""
    x, y, own = _codes()
    scores = []
    for fold in range(folds):
        train = training_rows(len(y), fold, folds, seed)
        test = np.setdiff1d(np.arange(len(y)), train)
        seen = x[train].copy()
        if point == REMOVED:
            seen[:, own] = 0
        elif point is not None:
            group = safe_groups(_fold(fold, folds, seed), {"*": [(*point, "0.9")]})
            seen[:, own] = _shuffled(seen[:, own], group, np.random.default_rng([seed, fold]))
        scores.append(_accuracy(seen, y[train], x[test], y[test]))
    return float(np.mean(scores))


def _accuracy(x: IntArray, y: IntArray, test_x: IntArray, test_y: IntArray) -> float:
    return float((predict(grow(x, y), test_x) == test_y).mean())


@cache
def _codes() -> tuple[IntArray, IntArray, int]:
    """Every column but the class as codes, the class, and the place of the sensitive column."""
    rows = load("nursery")
    names = [name for name in rows.column_names if name != CLASS]
    coded = {name: _coded(rows.column(name)) for name in [*names, CLASS]}
    return np.stack([coded[name] for name in names], axis=1), coded[CLASS], names.index(SENSITIVE)


def _coded(column: pa.ChunkedArray) -> IntArray:
    return np.unique(column.to_numpy(), return_inverse=True)[1].astype(np.int64)


@cache
def _fold(fold: int, folds: int, seed: int) -> gy.Table:
    """The training rows of a fold."""
    rows = load("nursery")
    train = training_rows(rows.num_rows, fold, folds, seed)
    quasi = [name for name in rows.column_names if name != SENSITIVE]
    schema = gy.Schema(quasi_identifiers=quasi, sensitive=SENSITIVE)
    return gy.read(rows.take(pa.array(train)), schema)


def _shuffled(values: IntArray, group: IntArray, rng: np.random.Generator) -> IntArray:
    """The values dealt out anew within each group."""
    by_group = np.argsort(group, kind="stable")
    by_chance = np.lexsort((rng.random(len(values)), group))
    dealt = np.empty_like(values)
    dealt[by_group] = values[by_chance]
    return dealt


def _plot(
    base: Point,
    amounts: dict[str, tuple[int, ...]],
    found: dict[str, list[float]],
    exact: float,
    without: float,
) -> Plot:
    ends = (0, max(amounts["k"]))
    curves = [Curve(f"varying {axis}", amounts[axis], found[axis]) for axis in ("l", "k", "m")] + [
        Curve("original", ends, (exact, exact)),
        Curve("without has_nurs", ends, (without, without)),
    ]
    return Plot(f"Figure 9, from {base}", "x", "accuracy", curves)


def _between(found: dict[Point, dict[str, list[float]]], exact: float, without: float) -> Statement:
    every = [score for one in found.values() for scores in one.values() for score in scores]
    return Statement(
        "any bucketized release candidate should have classification accuracy at most as good as "
        "that of the original dataset and at least as good as that of the dataset with the "
        "sensitive attribute completely removed",
        max(every) <= exact + _NOISE and min(every) >= without - _NOISE,
        f"from {min(every):.3f} to {max(every):.3f}; original {exact:.3f}, removed {without:.3f}",
        "Sect. 8.4",
        ""
        if min(every) >= without - _NOISE
        else "“Ideally (when overfitting does not happen)”: a tree that splits by a shuffled "
        "column learns noise and falls below the tree without it.",
    )


def _by_dimension(
    base: Point, amounts: tuple[int, ...], found: dict[str, list[float]]
) -> list[Statement]:
    """Losses at the same x, where l can reach it too."""
    last = len(amounts) - 1
    loss = {axis: scores[0] - scores[last] for axis, scores in found.items()}
    shown = f"from {base}, x = 0 to {amounts[last]}, the accuracy falls by " + ", ".join(
        f"{value:.3f} with {axis}" for axis, value in loss.items()
    )
    return [
        Statement(
            "increasing k … does not affect accuracy much",
            loss["k"] <= min(loss["l"], loss["m"]) + _NOISE and loss["k"] < loss["l"] / 3,
            shown,
            "Sect. 8.4",
        ),
        Statement(
            "increasing l … incurs the largest amount of accuracy loss",
            loss["l"] == max(loss.values()),
            shown,
            "Sect. 8.4",
        ),
    ]


EXPERIMENTS = (
    Experiment(
        "chen-9",
        "Chen2009",
        "Figure 9",
        "what a decision tree learns from safe releases of Nursery",
        "increasing k (knowledge about other individual) does not affect accuracy much, while "
        "increasing l (knowledge about the target individual) incurs the largest amount of "
        "accuracy loss.",
        accuracy_on_nursery,
        ("nursery",),
    ),
)
