"""How well a classifier trained on a release predicts originals that it has not seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.data.cells import Cells
from gyges.data.encoding import dictionary
from gyges.data.table import Table, locate
from gyges.errors import EngineError, RuleError
from gyges.ragged import Ragged
from gyges.release.partition_of_cells import LEFT_OUT, Partition
from gyges.utility.grouping import Grouping
from gyges.utility.regions import region, share

_BINS = 20  # an ordered column with more values is divided into this many bins of equal weight


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The share of held-out people whose class is predicted, averaged over the folds."""

    decision_tree: float
    naive_bayes: float
    original_decision_tree: float  # trained on the original rows of the same folds
    original_naive_bayes: float
    majority: float  # always the most frequent class
    folds: int


def classifier_accuracy(
    table: Table,
    search: Callable[[Cells], Partition],
    *,
    class_column: str | None = None,
    folds: int = 10,
    rng: np.random.Generator,
) -> Accuracy:
    """Train on the release of nine tenths, test on the originals of the last tenth, ten times.

    `search` makes a partition of the training people, as [LeFevre2006W] and [Chen2009, Sect. 8.4]
    do. The class is the sensitive value unless another column is named. A label counts as an
    even spread over the values that it covers.
    """
    label = _classes(table, class_column)
    fold_of_row = rng.permutation(np.arange(table.n_rows) % folds)
    scores = [
        _fold(table, search, label, np.flatnonzero(fold_of_row == fold), fold_of_row != fold)
        for fold in range(folds)
    ]
    tree, bayes, tree_exact, bayes_exact, majority = np.mean(scores, axis=0).tolist()
    return Accuracy(tree, bayes, tree_exact, bayes_exact, majority, folds)


def _classes(table: Table, class_column: str | None) -> IntArray:
    if table.schema.values_per_person != "one":
        raise RuleError("classifiers are measured for one sensitive value per person")
    if class_column is None or class_column == table.schema.sensitive:
        return table.value_of_row.astype(np.int64)
    _, codes = dictionary(table.fetch([class_column]).column(class_column))
    return codes.astype(np.int64)


def _fold(
    table: Table,
    search: Callable[[Cells], Partition],
    label: IntArray,
    test: IntArray,
    is_training: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> list[float]:
    """Accuracies of one fold, in the order of `Accuracy`."""
    train = np.flatnonzero(is_training)
    cells = _cells_of(table, train)
    grouping = Grouping.of_partition(search(cells))
    group_of_cell = np.full(len(cells), LEFT_OUT)
    group_of_cell[grouping.cell] = grouping.group
    codes = table.cells.codes[table.cell_of_row]
    group = group_of_cell[locate(codes[train], cells)]
    kept = group != LEFT_OUT
    features = [_features(table, column) for column in range(codes.shape[1])]
    regions = [region(grouping, column) for column in range(codes.shape[1])]
    released = np.hstack(
        [_spread(r, v)[group[kept]] for r, v in zip(regions, features, strict=True)]
    )
    exact = np.hstack([view[codes[:, column]] for column, view in enumerate(features)])
    tree, bayes = _scores(released, label[train][kept], exact[test], label[test])
    tree_exact, bayes_exact = _scores(exact[train], label[train], exact[test], label[test])
    majority = np.bincount(label[train]).argmax()
    return [tree, bayes, tree_exact, bayes_exact, float((label[test] == majority).mean())]


def _cells_of(table: Table, rows: IntArray) -> Cells:
    """The cells of some of the table's rows."""
    codes = table.cells.codes[table.cell_of_row[rows]]
    ones = np.ones(len(rows), dtype=np.int64)
    return Cells.from_entries(
        domains=table.cells.domains,
        codes=codes,
        people=ones,
        sensitive=table.cells.sensitive,
        entry_codes=codes,
        value_codes=table.value_of_row[rows],
        value_counts=ones,
        values_per_person="one",
    )


def _features(table: Table, column: int) -> FloatArray:
    """The features of each code: one column per value, or per bin of an ordered column."""
    domain = table.cells.domains[column]
    n = len(domain)
    if not domain.is_ordered or n <= _BINS:
        return np.eye(n)
    people = np.bincount(table.cells.codes[:, column], weights=table.cells.people, minlength=n)
    bins = np.minimum((np.cumsum(people) - people / 2) / people.sum() * _BINS, _BINS - 1)
    return np.asarray(np.eye(_BINS)[bins.astype(np.int64)], dtype=np.float64)


def _spread(where: Ragged, view: FloatArray) -> FloatArray:
    """The average features over the codes that each group's label covers."""
    return np.stack([share(where, view[:, i]) for i in range(view.shape[1])], axis=1)


def _scores(
    x: FloatArray, y: IntArray, test_x: FloatArray, test_y: IntArray
) -> tuple[float, float]:
    try:
        from sklearn.naive_bayes import MultinomialNB
        from sklearn.tree import DecisionTreeClassifier
    except ImportError:
        raise EngineError("classifiers need scikit-learn: pip install 'gyges[learn]'") from None

    tree = DecisionTreeClassifier(min_samples_leaf=2, max_depth=20, random_state=0).fit(x, y)
    bayes = MultinomialNB().fit(x, y)
    return float(tree.score(test_x, test_y)), float(bayes.score(test_x, test_y))
