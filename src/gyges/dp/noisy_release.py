"""A noisy release: noisy tables, the consistent table fitted to them, and synthetic people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gyges.arguments import generator
from gyges.arrays import FloatArray
from gyges.data.rows_of_people import RowsOfPeople
from gyges.data.table import FrameKind, Table, check_table
from gyges.data.values import Value
from gyges.dp.error_curve import ErrorCurve, error_curve
from gyges.dp.inference import MOST_ROWS, Fitted, fit, refuse_too_many, refuse_unfittable
from gyges.dp.measurements import FITTED, SYNTHETIC, unused_name
from gyges.dp.mechanisms import Neighbours
from gyges.dp.noisy_marginals import NoisyMarginals, Payer, noisy_marginals, public_number
from gyges.dp.plans import Views
from gyges.dp.published_noise import Noisy, PublishedNoise, PublishedView
from gyges.dp.semantics import meaning_of_noise
from gyges.errors import RuleError
from gyges.exact import Number, counted, whole
from gyges.notebook import NotebookCard

if TYPE_CHECKING:
    import pyarrow as pa

_DECIMALS = 4  # of fitted counts


@dataclass(frozen=True, eq=False, repr=False)
class NoisyRelease(Noisy, NotebookCard):
    """What `method="dp"` publishes; everything in it was computed from noisy counts alone."""

    noisy: NoisyMarginals
    fitted: Fitted
    synthetic: pa.Table
    frame_kind: FrameKind = "arrow"
    notices: tuple[str, ...] = ()

    @cached_property
    def tables(self) -> dict[str, pa.Table]:
        """The synthetic people, and each view with its noisy counts and the consistent ones.

        A count of all people alone describes nobody, so nobody is made up.
        """
        import pyarrow as pa

        views = {}
        for (name, noisy), marginal in zip(
            self.noisy.tables.items(), self.noisy.marginals, strict=True
        ):
            fitted = rounded(self.fitted.counts(marginal.columns))
            views[name] = noisy.append_column(
                unused_name(FITTED, noisy.column_names), pa.array(fitted)
            )
        return {SYNTHETIC: self.synthetic, **views} if self.synthetic.num_columns else views

    @property
    def rows_are_people(self) -> bool:
        """Whether rows were counted, because no column identifies people."""
        return self.noisy.rows_are_people

    @property
    def meaning(self) -> str:
        """What the guarantee means."""
        promise = self.noisy.guarantee
        by_rows = self.rows_are_people
        return meaning_of_noise(
            promise.epsilon, promise.delta, promise.rho, rows_are_people=by_rows
        )

    @cached_property
    def published(self) -> PublishedNoise:
        """The release as a reader will have it."""
        tables = [rows for name, rows in self.tables.items() if name != SYNTHETIC]
        views = zip(self.noisy.marginals, tables, strict=True)
        return PublishedNoise(
            guarantee=self.noisy.guarantee,
            universe=self.noisy.universe,
            views=tuple(PublishedView(one.columns, one.noise, rows) for one, rows in views),
            steps=self.noisy.steps,
            synthetic=self.synthetic,
            meaning=self.meaning,
            rows_are_people=self.noisy.rows_are_people,
            engine=self.noisy.engine,
        )

    def facts(self) -> dict[str, Any]:
        """What a surface shows of it, as data."""
        made_up, meaning = self.synthetic.num_rows, self.meaning
        promise = {"guarantee": self.noisy.statement(), "meaning": meaning}
        return {**super().facts(), **promise, "synthetic_people": made_up}

    def lines(self, facts: Mapping[str, Any]) -> list[str]:
        """The noise, what it means, and notices."""
        return [f"  {self.noisy}", f"  {self.meaning}", *self.notices]

    def recorded(self) -> dict[str, object]:
        """What a ledger records of it."""
        guarantee = self.noisy.statement()
        return {"text": str(self.noisy), "method": self.method, "guarantee": guarantee}

    @property
    def saved_tables(self) -> dict[str, pa.Table]:
        """The synthetic people, and the views under numbers."""
        return self.published.tables

    def __str__(self) -> str:
        made_up = counted(self.synthetic.num_rows, f"synthetic {self.published.unit}")
        return f"{self.noisy}\n{made_up}\n{self.meaning}"

    def _card_title(self) -> str:
        return "A release with noise"


def rounded(counts: FloatArray) -> FloatArray:
    """Fitted counts as they are published: a flat list of few decimals."""
    return np.asarray(np.round(counts.ravel(), _DECIMALS) + 0.0)


def publish_noisy(
    table: Table | RowsOfPeople,
    *,
    epsilon: Number | None = None,
    error: Number | None = None,
    people: int | None = None,
    delta: Number = 0,
    views: Views = "aim",
    neighbours: Neighbours = "add or remove one person",
    domains: Mapping[str, Sequence[Value]] | None = None,
    levels: Mapping[str, int] | None = None,
    impossible: Sequence[Mapping[str, object]] = (),
    workload: int | Sequence[Sequence[str]] = 2,
    payer: Payer | None = None,
    rows: int | None = None,
    rng: np.random.Generator | None = None,
) -> NoisyRelease:
    """Noisy marginals of a table, made consistent, and as many synthetic people as they count.

    Args:
        error: instead of ε, the largest error that is acceptable: the share of people whom the
            noise moves to another cell ("5%"), or how far a count may be from the true one with a
            probability of 95 % (20). Its ε is found from public information only: `error_curve`.
        people: for a share: about how many people there are, from public knowledge.
        rows: how many people to make up, if not as many as were counted with noise.
        rng: for the synthetic people; it does not affect privacy.

    The other arguments are those of `noisy_marginals`.
    """
    if rows is not None:
        whole(rows, "rows", least=1, most=MOST_ROWS)
    else:
        held = table.counted if isinstance(table, RowsOfPeople) else check_table(table)
        refuse_too_many(held.n_people)
    if rng is not None:
        generator(rng)
    found: tuple[str, ...] = ()
    _refuse_two_amounts(epsilon, error, people)
    if error is not None:
        people = public_number(table, neighbours) if people is None else people
        curve = _curve(table, delta, views, neighbours, domains, levels, workload, people)
        epsilon = curve.epsilon_for(error)
        found = (" ".join([curve.found(epsilon, error), *curve.unknown]),)
    assert epsilon is not None  # one of the two was given
    noisy = noisy_marginals(
        table,
        views,
        epsilon=epsilon,
        delta=delta,
        neighbours=neighbours,
        domains=domains,
        levels=levels,
        impossible=impossible,
        workload=workload,
        payer=payer,
        before_paying=refuse_unfittable,
    )
    fitted = fit(noisy)
    drawn = fitted.synthetic(rows, rng=rng or np.random.default_rng())
    kind = (table.counted if isinstance(table, RowsOfPeople) else table).frame_kind
    return NoisyRelease(noisy, fitted, drawn, kind, found)


def _refuse_two_amounts(epsilon: object, error: object, people: object) -> None:
    if (epsilon is None) == (error is None):
        raise RuleError("a release with noise needs epsilon or error, and only one of them")
    if error is None and people is not None:
        raise RuleError("people is for an error in percent: omit it, or give error, not epsilon")


def _curve(
    table: Table | RowsOfPeople,
    delta: Number,
    views: Views,
    neighbours: Neighbours,
    domains: Mapping[str, Sequence[Value]] | None,
    levels: Mapping[str, int] | None,
    workload: int | Sequence[Sequence[str]],
    people: int | None,
) -> ErrorCurve:
    """The error of the release against ε, by its public options."""
    return error_curve(
        table,
        delta=delta,
        views=views,
        neighbours=neighbours,
        domains=domains,
        levels=levels,
        workload=workload,
        people=people,
        rows_per_person=table.most if isinstance(table, RowsOfPeople) else 1,
        epsilons=(),
    )
