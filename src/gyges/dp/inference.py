"""From noisy marginals to one table that they describe: consistent, without negative counts.

The distribution of greatest likelihood among those that the marginals' graph can express, found
by mbi [McKenna2019]. It depends on noisy counts only, so it has the same guarantee.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gyges.arrays import FloatArray
from gyges.dp.noisy_marginals import NoisyMarginals, as_rows
from gyges.dp.universe import Universe
from gyges.errors import EngineError, ReleaseError, RuleError
from gyges.exact import counted, whole

if TYPE_CHECKING:
    import pyarrow as pa

MOST_MEGABYTES = 1000.0  # of the model's tables; views that share columns in a cycle make it grow
_TOLERANCE = 1e-5  # stop once fifty steps improve the fit by no more than this share
MOST_ROWS = 20_000_000  # synthetic people


@dataclass(frozen=True, eq=False, repr=False)
class Fitted:
    """A table's distribution, fitted to noisy marginals."""

    noisy: NoisyMarginals
    columns: tuple[str, ...]  # those of any marginal
    total: float  # the number of people, known or estimated
    model: Any  # mbi's

    def counts(self, view: Sequence[str]) -> FloatArray:
        """The fitted counts of any columns, one axis per column; all views agree."""
        named = self.noisy.universe.check(view)
        missing = [column for column in named if column not in self.columns]
        if missing:
            raise RuleError(f"no noisy marginal has the column {missing[0]!r}")
        if not named:
            return np.array(self.total)
        with _inference():
            fitted = np.asarray(self.model.project(named).datavector(flatten=False))
        return fitted.astype(np.float64)

    @property
    def tables(self) -> dict[str, pa.Table]:
        """The fitted marginals as tables, by the names of the noisy ones."""
        return {
            name: as_rows(m.columns, m.labels, self.counts(m.columns))
            for name, m in zip(self.noisy.tables, self.noisy.marginals, strict=True)
        }

    def synthetic(self, rows: int | None = None, *, rng: np.random.Generator) -> pa.Table:
        """Made-up people: as many as were counted, distributed as fitted.

        `rng` does not affect privacy: the noise was added before.
        """
        import pyarrow as pa

        n = max(1, round(self.total)) if rows is None else whole(rows, "rows", 1, MOST_ROWS)
        refuse_too_many(n)
        with _inference(), _seeded_globally(rng):
            drawn = self.model.synthetic_data(rows=n).to_dict()
        labels = dict(zip(self.noisy.universe.columns, self.noisy.universe.labels, strict=True))
        return pa.table(
            {
                name: pa.array(np.array(labels[name], dtype=object)[drawn[name]], type=pa.string())
                for name in self.columns
            }
        )


def refuse_too_many(n_rows: int) -> None:
    """Refuse to make up more people than a table of a release may have."""
    if n_rows > MOST_ROWS:
        raise ReleaseError(
            f"{counted(n_rows, 'person')} would be made up, more than {MOST_ROWS:,}: give "
            f"`rows`, how many "
            f"to make up"
        )


def fit(noisy: NoisyMarginals, *, iterations: int = 1000) -> Fitted:
    """Fit one distribution to all marginals; those with less noise weigh more."""
    refuse_unfittable(noisy.universe, [m.columns for m in noisy.marginals])
    used = [m for m in noisy.marginals if m.columns]
    named = {column for m in used for column in m.columns}
    columns = tuple(column for column in noisy.universe.columns if column in named)
    total = _total(noisy)
    with _inference() as mbi:
        domain = mbi.Domain(columns, noisy.universe.shape(columns))
        measured = [
            mbi.LinearMeasurement(
                m.counts.astype(np.float64).ravel(), m.columns, stddev=m.noise.deviation
            )
            for m in used
        ]
        model = mbi.estimation.MirrorDescent().estimate(
            domain,
            measured,
            known_total=total,
            iters=whole(iterations, "iterations", least=1),
            tol=_TOLERANCE,
        )
    return Fitted(noisy, columns, total, model)


def _total(noisy: NoisyMarginals) -> float:
    """The number of people: public, or the sums of the marginals weighted by their precision."""
    if noisy.n_people is not None:
        return float(noisy.n_people)
    sums = [float(m.counts.sum()) for m in noisy.marginals]
    weights = [1 / (m.counts.size * m.noise.deviation**2) for m in noisy.marginals]
    return max(1.0, float(np.average(sums, weights=weights)))


def refuse_unfittable(universe: Universe, views: Sequence[tuple[str, ...]] | None) -> None:
    """Refuse views that cannot be fitted, before noise is drawn. None means a tree of pairs."""
    if views is None:
        with _inference():
            return
    if not any(views):
        raise RuleError("views: a fitted table needs a view of at least one column")
    size = model_megabytes(universe, views)
    if size > MOST_MEGABYTES:
        raise RuleError(
            f"the views together need a model of {size:,.0f} MB, more than {MOST_MEGABYTES:,.0f}: "
            f"choose fewer views, or views whose columns form no cycle"
        )


def model_megabytes(universe: Universe, views: Sequence[tuple[str, ...]]) -> float:
    """The size of the model that is fitted to these views."""
    with _inference() as mbi:
        domain = mbi.Domain(universe.columns, universe.shape(universe.columns))
        used = [view for view in views if view]
        return float(mbi.junction_tree.hypothetical_model_size(domain, used))


@contextmanager
def _inference() -> Iterator[Any]:
    """The package mbi, with JAX in 64 bits as long as it computes for us."""
    try:
        with warnings.catch_warnings():  # it warns about 32 bits before 64 can be chosen
            warnings.simplefilter("ignore")
            import jax
            import mbi
    except ModuleNotFoundError:
        raise EngineError(
            "a fitted or synthetic table needs mbi: pip install 'gyges[dp]'"
        ) from None
    with jax.enable_x64(True):
        yield mbi


@contextmanager
def _seeded_globally(rng: np.random.Generator) -> Iterator[None]:
    """Seed NumPy's global generator, from which mbi draws, and restore it afterwards."""
    before = np.random.get_state()  # noqa: NPY002
    np.random.seed(rng.integers(0, 2**32, 4, dtype=np.uint32))  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002
