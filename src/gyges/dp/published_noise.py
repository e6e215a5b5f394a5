"""A noisy release as it is published: what its files state, and how they are read back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from gyges import __version__
from gyges.arguments import items
from gyges.arrays import IntArray
from gyges.dp.answers import (
    NoisyAnswer,
    cell_intervals,
    interval_of,
    read_confidence,
    read_wanted,
)
from gyges.dp.measurements import COUNT, FITTED, SYNTHETIC, Step, as_rows, unused_name
from gyges.dp.mechanisms import Guarantee, Noise, Price
from gyges.dp.noise_certificate import FORM, FORMAT, FORMATS, StatedNoise
from gyges.dp.noisy_marginals import stated_guarantee
from gyges.dp.public_labels import Coarser, Impossible, Universe
from gyges.errors import GygesError, ReleaseError
from gyges.exact import Number, counted
from gyges.release.closed_directory import certified_tables, read_certificate_text
from gyges.release.published import Ungrouped, file_named
from gyges.release.statements import Claim
from gyges.release.strict_model import parse_certificate
from gyges.release.strict_tables import read_strictly

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, eq=False)
class PublishedView:
    """A published view: its columns, its noise, and its table (as text, if it was read)."""

    columns: tuple[str, ...]
    noise: Noise
    rows: pa.Table  # its columns, then the noisy and the fitted count

    @property
    def counts(self) -> list[str]:
        """The noisy counts."""
        texts: list[str] = self.rows.column(len(self.columns)).to_pylist()
        return texts

    @property
    def fitted(self) -> list[str]:
        """The fitted counts."""
        texts: list[str] = self.rows.column(len(self.columns) + 1).to_pylist()
        return texts


class Noisy(Ungrouped):
    """A noisy release: with the exact counts behind its fit, or as a reader has it."""

    method: str = "dp"
    form: ClassVar[Literal["noisy"]] = FORM
    why_no_groups: ClassVar[str] = (
        "a noisy release publishes counts with noise and synthetic people, not groups of people, "
        "so this question does not apply to it: `gyges verify` checks what it promises against "
        "every attacker, and `gyges audit` shows it"
    )
    why_not_compared: ClassVar[str | None] = None  # its epsilon limits any attacker

    @property
    def published(self) -> PublishedNoise:
        """The release as a reader has it."""
        raise NotImplementedError

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The guarantee."""
        promise = self.published.guarantee
        terms = {"epsilon": str(promise.epsilon), "delta": str(promise.delta)}
        rule = {"name": "DifferentialPrivacy", **terms, "neighbours": promise.neighbours}
        return (Claim(rule, f"the release is {promise}", str(promise.epsilon)),)

    def answer(self, where: Mapping[str, object], confidence: Number = "0.95") -> NoisyAnswer:
        """How many people have some labels, with an interval from a view that was measured.

        Args:
            where: {column: label or labels}, of the columns of the table; {} asks for all people.
            confidence: the least probability that the interval covers the true number.
        """
        published = self.published
        wanted, sure = read_wanted(published.universe, where), read_confidence(confidence)
        views = ((view.columns, published.counts_of(view), view.noise) for view in published.views)
        found = interval_of(published.universe, views, wanted, sure)
        low, high = (None, None) if found is None else found
        return NoisyAnswer(published.made_up(wanted), low, high, sure, published.unit)

    def intervals(self, view: Sequence[str], confidence: Number = "0.95") -> pa.Table:
        """Every cell of some columns with the interval `low` to `high` for its true count.

        Each interval covers its count with at least the stated probability. All come from one view
        that was measured: the one with the narrowest. Without any, `low` and `high` are empty.
        """
        import pyarrow as pa

        published, sure = self.published, read_confidence(confidence)
        columns = published.universe.check([str(one) for one in items(view, "view", "columns")])
        labels = [published.universe.labels_of(column) for column in columns]
        views = ((one.columns, published.counts_of(one), one.noise) for one in published.views)
        found = cell_intervals(columns, views, sure)
        rows = as_rows(columns, labels, np.zeros([len(one) for one in labels]))
        rows = rows.select(list(columns))
        for name, ends in zip(("low", "high"), found or (None, None), strict=True):
            flat = [None] * rows.num_rows if ends is None else ends.ravel()
            rows = rows.append_column(unused_name(name, columns), pa.array(flat, pa.int64()))
        return rows

    @property
    def title(self) -> str:
        """How many noisy tables and synthetic people are published."""
        tables = counted(len(self.published.views), "noisy table")
        if not self.published.synthetic.num_columns:
            return tables
        made_up = counted(self.published.synthetic.num_rows, f"synthetic {self.published.unit}")
        return f"{tables} and {made_up}"

    def certificate(self, files: Mapping[str, str]) -> dict[str, object]:
        """What the certificate states, given the SHA-256 of each file."""
        return self.published.stated(files)


@dataclass(frozen=True, eq=False, repr=False)
class PublishedNoise(Noisy):
    """A noisy release as a reader has it: its tables and its claims."""

    guarantee: Guarantee  # with the rho that is stated
    universe: Universe  # the labels that each column may show
    views: tuple[PublishedView, ...]
    steps: tuple[Step, ...]
    synthetic: pa.Table
    meaning: str  # as stated
    rows_are_people: bool  # as stated
    engine: str  # that drew the noise, with its version
    format: int = FORMAT

    @property
    def unit(self) -> str:
        """What is counted: people, or up to so many rows of each."""
        return "row" if self.guarantee.rows > 1 else "person"

    @property
    def columns(self) -> Mapping[str, tuple[str, ...]]:
        """The labels of each column of the table."""
        return dict(zip(self.universe.columns, self.universe.labels, strict=True))

    @property
    def published(self) -> PublishedNoise:
        """The release as a reader has it: itself."""
        return self

    @property
    def tables(self) -> dict[str, pa.Table]:
        """The synthetic people, and a table for each view, numbered from 1."""
        views = {f"view-{n}": view.rows for n, view in enumerate(self.views, start=1)}
        return {SYNTHETIC: self.synthetic, **views} if self.synthetic.num_columns else views

    def counts_of(self, view: PublishedView) -> IntArray:
        """The noisy counts of a view, one axis a column."""
        shape = self.universe.shape(view.columns)
        return np.array([int(count) for count in view.counts], dtype=np.int64).reshape(shape)

    def made_up(self, wanted: Mapping[str, Sequence[int]]) -> float:
        """How many of the synthetic people have some labels; without any, the fitted number."""
        if not self.synthetic.num_columns:
            return float(self.views[0].fitted[0])
        has = np.ones(self.synthetic.num_rows, dtype=bool)
        for column, places in wanted.items():
            labels = [self.universe.labels_of(column)[place] for place in places]
            texts = np.array(self.synthetic.column(column).to_pylist(), dtype=object)
            has &= np.isin(texts, labels)
        return float(has.sum())

    def stated(self, files: Mapping[str, str]) -> dict[str, object]:
        """What the certificate states, given the SHA-256 of each file."""
        noises = [(view.columns, view.noise) for view in self.views]
        promise = stated_guarantee(self.guarantee, noises, self.steps, self.engine)
        for number, view in enumerate(promise["views"], start=1):
            view["file"] = file_named(f"view-{number}", files)
        return {
            "form": FORM,
            "format": FORMAT,
            "gyges": __version__,
            "rows_are_people": self.rows_are_people,
            "guarantee": promise,
            "meaning": self.meaning,
            "columns": [{"name": name, "labels": labels} for name, labels in self.columns.items()],
            "coarser": [
                {"name": one.name, "of": one.of, "labels": one.labels, "part_of": one.part_of}
                for one in self.universe.coarser
            ],
            "impossible": [
                {"columns": one.columns, "places": one.places} for one in self.universe.impossible
            ],
            "synthetic": file_named(SYNTHETIC, files) if self.synthetic.num_columns else None,
            "files": dict(files),
        }

    def __str__(self) -> str:
        return f"{len(self.views)} noisy tables, together {self.guarantee}"

    def __repr__(self) -> str:
        return f"<PublishedNoise: {self}>"


def load_noise(directory: Path) -> PublishedNoise:
    """Read a noisy release back; nothing but the directory is needed."""
    return read_noise(directory, read_stated(directory))


def read_stated(directory: Path) -> StatedNoise:
    """The certificate by its strict model, and no file in the directory but those it lists."""
    text = read_certificate_text(directory)
    stated_format = text.get("format")
    format = stated_format if type(stated_format) is int and stated_format in FORMATS else FORMAT
    stated = parse_certificate(StatedNoise, text, [FORM], format)
    views = stated.guarantee.views
    has_people = any(view.columns for view in views)
    if has_people != (stated.synthetic is not None):
        raise ReleaseError("synthetic people are published exactly where a view has columns")
    people = [SYNTHETIC] if has_people else []
    names = [*people, *(f"view-{number}" for number in range(1, len(views) + 1))]
    files = certified_tables(directory, names, stated.files)
    made_up = [] if stated.synthetic is None else [stated.synthetic]
    if [*made_up, *(view.file for view in views)] != list(files.values()):
        raise ReleaseError("the certificate does not list its tables in order, one file each")
    return stated


def read_noise(directory: Path, stated: StatedNoise) -> PublishedNoise:
    """The tables and the promise; refused where names repeat or a view names unknown columns."""
    promise = stated.guarantee
    views = [tuple(view.columns) for view in promise.views]
    universe = _read_universe(stated)
    _refuse_strange_views(universe, views)
    try:
        guarantee = Guarantee(
            Fraction(promise.epsilon),
            Fraction(promise.delta),
            promise.neighbours,
            Fraction(promise.rho),
            promise.rows,
        )
    except GygesError as problem:
        raise ReleaseError(f"the certificate promises nothing: {problem}") from None
    viewed = {universe.base(column) for view in views for column in view}
    return PublishedNoise(
        guarantee=guarantee,
        universe=universe,
        views=tuple(
            PublishedView(
                tuple(view.columns),
                Noise(view.noise, view.scale),
                read_strictly(directory / view.file, table_columns(view.columns)),
            )
            for view in promise.views
        ),
        steps=tuple(
            Step(Price(step.measure, Fraction(step.amount)), tuple(map(tuple, step.views)))
            for step in promise.steps
        ),
        synthetic=_read_people(directory, stated, [c for c in universe.columns if c in viewed]),
        meaning=stated.meaning,
        rows_are_people=stated.rows_are_people,
        engine=promise.engine,
        format=stated.format,
    )


def _read_people(directory: Path, stated: StatedNoise, columns: list[str]) -> pa.Table:
    """The synthetic people; a table without columns where only people were counted."""
    import pyarrow as pa

    if stated.synthetic is None:
        return pa.table({})
    return read_strictly(directory / stated.synthetic, columns)


def table_columns(columns: list[str] | tuple[str, ...]) -> list[str]:
    """The columns of a view's file: its own, then the noisy and the fitted count."""
    count = unused_name(COUNT, columns)
    return [*columns, count, unused_name(FITTED, [*columns, count])]


def _read_universe(stated: StatedNoise) -> Universe:
    """The columns, their labels, the coarser columns and what is impossible, if they fit."""
    columns = {column.name: tuple(column.labels) for column in stated.columns}
    known = dict(columns)
    for one in stated.coarser:
        is_new = one.name not in known and one.of in known
        if not is_new or any(one.of == other.of for other in stated.coarser if other is not one):
            raise ReleaseError("a coarser column shows none of the columns, or one shown already")
        if len(one.part_of) != len(known[one.of]) or max(one.part_of) >= len(one.labels):
            raise ReleaseError(f"the labels of {one.of!r} do not fit those of its coarser column")
        known[one.name] = tuple(one.labels)
    if len(known) < len(stated.columns) + len(stated.coarser):
        raise ReleaseError("the certificate describes a column twice")
    for name, labels in known.items():
        if len(set(labels)) < len(labels):
            raise ReleaseError(f"the labels of column {name!r} repeat")
    for zero in stated.impossible:
        is_fit = len(zero.places) == len(zero.columns) == len(set(zero.columns)) and all(
            column in columns and places and max(places) < len(columns[column])
            for column, places in zip(zero.columns, zero.places, strict=False)
        )
        if not is_fit:
            raise ReleaseError("an impossible combination names columns or labels that are not")
    return Universe(
        tuple(columns),
        tuple(columns.values()),
        tuple(
            Coarser(one.name, one.of, tuple(one.labels), tuple(one.part_of))
            for one in stated.coarser
        ),
        tuple(
            Impossible(tuple(zero.columns), tuple(map(tuple, zero.places)))
            for zero in stated.impossible
        ),
    )


def _refuse_strange_views(universe: Universe, views: list[tuple[str, ...]]) -> None:
    known = {*universe.columns, *(one.name for one in universe.coarser)}
    for view in views:
        if len(set(view)) < len(view) or not set(view) <= known:
            raise ReleaseError("a view names a column twice, or one that is not described")
        if len({*map(universe.base, view)}) < len(view):
            raise ReleaseError("a view shows a column beside a coarser one of the same")
    used = universe.described(views)
    for name in known:
        if name not in used:
            raise ReleaseError(f"no view has the column {name!r} that the certificate describes")
