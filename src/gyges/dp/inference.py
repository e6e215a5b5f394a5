"""From noisy marginals to one table that they describe: consistent, without negative counts.

The distribution is fitted by `fit_views`. It depends on noisy counts only, so it has the same
guarantee.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import FloatArray
from gyges.dp.elimination_tree import BYTES, elimination_tree, model_cells
from gyges.dp.graphical_model import GraphicalModel
from gyges.dp.measurements import as_rows, total_of
from gyges.dp.noisy_marginals import NoisyMarginals
from gyges.dp.public_labels import Universe
from gyges.dp.view_fit import fit_views
from gyges.errors import ReleaseError, RuleError
from gyges.exact import counted, whole

if TYPE_CHECKING:
    import pyarrow as pa

MOST_MEGABYTES = 500.0  # of the model's tables; the fit holds three such sets
MOST_ROWS = 20_000_000  # synthetic people


@dataclass(frozen=True, eq=False, repr=False)
class Fitted:
    """A table's distribution, fitted to noisy marginals."""

    noisy: NoisyMarginals
    columns: tuple[str, ...]  # of the table: those of any marginal
    total: float  # the number of people, known or estimated
    model: GraphicalModel

    def counts(self, view: Sequence[str]) -> FloatArray:
        """The fitted counts of any columns, one axis per column; all views agree."""
        known = [*self.columns, *(one.name for one in self.noisy.universe.coarser)]
        missing = [column for column in view if column not in known]
        if missing:
            raise RuleError(f"no noisy marginal has the column {missing[0]!r}")
        return np.asarray(self.model.marginal(tuple(view)) * self.total)

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
        drawn = self.model.rows(n, rng)
        labels = self.noisy.universe.labels_of
        return pa.table(
            {
                name: pa.array(np.array(labels(name), dtype=object)[drawn[name]], type=pa.string())
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


def fit(noisy: NoisyMarginals, *, sweeps: int = 300) -> Fitted:
    """Fit one distribution to all marginals; those with less noise weigh more."""
    universe = noisy.universe
    refuse_unfittable(universe, [m.columns for m in noisy.marginals])
    total = total_of(noisy.marginals, noisy.n_people)
    columns = universe.described([m.columns for m in noisy.marginals])
    found = fit_views(
        universe.sizes(columns),
        [m.to_fit for m in noisy.marginals if m.columns],
        total,
        masks=universe.masks(columns),
        sweeps=whole(sweeps, "sweeps", least=1),
    )
    of_table = tuple(column for column in universe.columns if column in columns)
    return Fitted(noisy, of_table, total, found.model)


def refuse_unfittable(universe: Universe, views: Sequence[tuple[str, ...]] | None) -> None:
    """Refuse views that cannot be fitted, before noise is drawn. None means chosen views."""
    if views is None:
        return
    size = model_megabytes(universe, views)
    if size > MOST_MEGABYTES:
        raise RuleError(
            f"the views together need a model of {size:,.0f} MB, more than {MOST_MEGABYTES:,.0f}, "
            f"because their columns form a cycle: {_way_round(universe, views)}"
        )


def _way_round(universe: Universe, views: Sequence[tuple[str, ...]]) -> str:
    """What would make the model small enough."""
    sizes = universe.sizes(universe.described(views))
    tree = elimination_tree(sizes, views)
    widest = max(tree.order, key=lambda c: len(tree.axes(c)) and np.prod(tree.shape(tree.axes(c))))
    columns = tree.axes(widest)
    inside = [view for view in views if len(set(view) & set(columns)) > 1]
    without = {view: model_megabytes(universe, [v for v in views if v != view]) for view in inside}
    best = min(without, key=lambda view: without[view])
    coarse = max(columns, key=lambda column: sizes[column])
    text = (
        f"generalize {coarse!r} with `levels`, or remove the view of {', '.join(best)} (then it "
        f"needs {without[best]:,.0f} MB)"
    )
    return f'{text}, or give views = "aim", which chooses views that fit'


def model_megabytes(universe: Universe, views: Sequence[tuple[str, ...]]) -> float:
    """The size of the model that is fitted to these views."""
    columns = universe.described(views)
    together = [*views, *(names for names, _ in universe.masks(columns))]
    return BYTES * model_cells(universe.sizes(columns), together) / 2**20
