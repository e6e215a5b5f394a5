"""Maxent diversity of views that do not decompose: proven within the error of the fit."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.criteria.base import Rule
from gyges.criteria.diversity_measure import Measure
from gyges.criteria.verdict import Verdict
from gyges.errors import RuleError
from gyges.marginals.certified_fit import CertifiedFit, certified_fit
from gyges.marginals.diversity import evenly_spread
from gyges.marginals.induced import Resolution
from gyges.marginals.joint import combination_labels
from gyges.marginals.judging import measure_of
from gyges.marginals.store import CountStore
from gyges.marginals.view_rules import MaxentDiversity, broken, passed

_DIGITS = 6  # of a fitted risk, rounded to the worse side


def judge_fitted_diversity(store: CountStore, views: Sequence[Resolution], rule: Rule) -> Verdict:
    """Judge every combination that can occur; a pass is true whatever the error of the fit.

    A combination too close to the threshold for that error fails, and so does a fit without a
    proven error.
    """
    asked, measure = MaxentDiversity(rule), measure_of(rule)
    even = evenly_spread(store)
    if not any(store.is_sensitive(view) for view in views):
        risk = measure.risk(even)
        return broken(asked, risk, {}) if measure.fails(even) else passed(asked, risk)
    fitted = certified_fit(store.attributes, [store.counts(view) for view in views])
    combinations, vectors = _vectors(store, fitted)
    values = measure.values(vectors)
    worst = int(np.argmax(values))
    found, witness = float(values[worst]), combinations[worst].tolist()
    labels = combination_labels(store, fitted.finest, witness)
    if fitted.error is None:
        detail = "undecided: the error of the fit could not be bounded; drop a view"
        return broken(asked, measure.shown(found), labels, detail=detail)
    most = measure.worst_within(found, fitted.error, vectors.shape[1])
    risk = _rounded(measure, found, most)
    if measure.surely_passes(most):
        return passed(asked, risk)
    detail = f"fitted with an error of {fitted.error:.1g} at most: the views do not decompose"
    return broken(asked, risk, labels, detail=detail)


def _vectors(store: CountStore, fitted: CertifiedFit) -> tuple[IntArray, FloatArray]:
    """The combinations that can occur without the sensitive column, and the people by its values.

    Each vector is divided by its largest entry, however small that is.
    """
    if store.sensitive is None:
        raise RuleError("the table has no sensitive column: its diversity cannot be judged")
    rest = np.delete(fitted.cells, store.sensitive, axis=1)
    combinations, row = np.unique(rest, axis=0, return_inverse=True)
    n_values = len(store.attributes[store.sensitive].values)
    vectors = np.zeros((len(combinations), n_values))
    vectors[row.ravel(), fitted.cells[:, store.sensitive]] = fitted.people
    return combinations, vectors / vectors.max(axis=1, keepdims=True)


def _rounded(measure: Measure, found: float, most: float) -> float:
    """The worst possible risk, in few digits: the same on every machine."""
    is_upward = measure.shown(most) >= measure.shown(found)
    context = Context(prec=_DIGITS, rounding=ROUND_CEILING if is_upward else ROUND_FLOOR)
    return float(context.create_decimal_from_float(measure.shown(most)))
