"""Noisy releases on disk: one file a view, the made-up people, and a certificate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gyges import __version__
from gyges.dp.certificate_model import FORM, FORMAT, StatedNoise, allowed_files
from gyges.dp.mechanisms import Guarantee, Noise, Price
from gyges.dp.noisy_marginals import COUNT, FITTED, SYNTHETIC, unused_name
from gyges.dp.release import NoisyRelease
from gyges.errors import GygesError, ReleaseError
from gyges.release.certificate import digests, stated_form, write_stated
from gyges.release.closed_directory import read_certificate_text, refuse_strange_files
from gyges.release.directory import Entry, refuse_target, write_whole
from gyges.release.strict_model import strictly
from gyges.release.strict_tables import read_strictly
from gyges.release.tables import write_table

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class PublishedStep:
    """A part of the price: for the noise on some views, or for their choice (none)."""

    price: Price
    views: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class PublishedView:
    """A view as it was published: its columns, its noise, and its table as text."""

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


@dataclass(frozen=True, slots=True, eq=False)
class PublishedNoise:
    """A noisy release as it was published: its tables and what is claimed of them."""

    guarantee: Guarantee  # with the rho that is stated
    columns: Mapping[str, tuple[str, ...]]  # the labels that each may show
    views: tuple[PublishedView, ...]
    steps: tuple[PublishedStep, ...]
    synthetic: pa.Table
    meaning: str  # as stated
    rows_are_people: bool  # as stated


def save_noisy(
    release: NoisyRelease,
    directory: str | Path,
    *,
    format: str = "csv",
    overwrite: bool = False,
    before: Entry | None = None,
) -> Path:
    """Write a noisy release; `before` sees the finished directory before it is put in place."""
    directory = Path(directory)
    refuse_target(directory, format, overwrite)
    return write_whole(directory, lambda beside: _write(release, beside, format), before)


def is_noisy(directory: Path) -> bool:
    """Whether a directory holds a noisy release."""
    return stated_form(directory) == FORM


def load_noisy(directory: str | Path) -> PublishedNoise:
    """Read a noisy release back; nothing but the directory is needed."""
    directory = Path(directory)
    return read_noise(directory, read_stated(directory))


def read_stated(directory: Path) -> StatedNoise:
    """The certificate by its strict model, and no file in the directory but those it lists."""
    stated = strictly(StatedNoise, read_certificate_text(directory), form=FORM, format=FORMAT)
    views = stated.guarantee.views
    allowed = allowed_files(len(views), stated.files)
    refuse_strange_files(directory, allowed, stated.files)
    if [stated.synthetic, *(view.file for view in views)] != allowed:
        raise ReleaseError("the certificate does not list its tables in order, one file each")
    return stated


def read_noise(directory: Path, stated: StatedNoise) -> PublishedNoise:
    """The tables and the promise; refused where names repeat or a view names unknown columns."""
    promise = stated.guarantee
    columns = {column.name: tuple(column.labels) for column in stated.columns}
    views = [tuple(view.columns) for view in promise.views]
    _refuse_strange_columns(stated, columns, views)
    try:
        guarantee = Guarantee(
            Fraction(promise.epsilon),
            Fraction(promise.delta),
            promise.neighbours,
            Fraction(promise.rho),
        )
    except GygesError as problem:
        raise ReleaseError(f"the certificate promises nothing: {problem}") from None
    spoken_of = {column for view in views for column in view}
    return PublishedNoise(
        guarantee=guarantee,
        columns=columns,
        views=tuple(
            PublishedView(
                tuple(view.columns),
                Noise(view.noise, view.scale),
                read_strictly(directory / view.file, table_columns(view.columns)),
            )
            for view in promise.views
        ),
        steps=tuple(
            PublishedStep(Price(step.measure, Fraction(step.amount)), tuple(map(tuple, step.views)))
            for step in promise.steps
        ),
        synthetic=read_strictly(
            directory / stated.synthetic, [name for name in columns if name in spoken_of]
        ),
        meaning=stated.meaning,
        rows_are_people=stated.rows_are_people,
    )


def table_columns(columns: list[str] | tuple[str, ...]) -> list[str]:
    """The columns of a view's file: its own, then the noisy and the fitted count."""
    count = unused_name(COUNT, columns)
    return [*columns, count, unused_name(FITTED, [*columns, count])]


def _refuse_strange_columns(
    stated: StatedNoise, columns: Mapping[str, tuple[str, ...]], views: list[tuple[str, ...]]
) -> None:
    if len(columns) < len(stated.columns):
        raise ReleaseError("the certificate describes a column twice")
    for name, labels in columns.items():
        if len(set(labels)) < len(labels):
            raise ReleaseError(f"the labels of column {name!r} repeat")
        if not any(name in view for view in views):
            raise ReleaseError(f"no view has the column {name!r} that the certificate describes")
    if len({frozenset(view) for view in views}) < len(views):
        raise ReleaseError("two views have the same columns")
    for view in views:
        if len(set(view)) < len(view) or not set(view) <= set(columns):
            raise ReleaseError("a view names a column twice, or one that is not described")


def _write(release: NoisyRelease, beside: Path, format: str) -> None:
    promise: dict[str, Any] = release.noisy.statement()
    tables = dict(release.tables)
    synthetic = f"{SYNTHETIC}.{format}"
    write_table(tables.pop(SYNTHETIC), beside / synthetic)
    for number, (view, rows) in enumerate(zip(promise["views"], tables.values(), strict=True), 1):
        view["file"] = f"view-{number}.{format}"
        write_table(rows, beside / view["file"])
    universe = release.noisy.universe
    stated = {
        "form": FORM,
        "format": FORMAT,
        "gyges": __version__,
        "rows_are_people": release.noisy.rows_are_people,
        "guarantee": promise,
        "meaning": str(release.meaning),
        "columns": [
            {"name": name, "labels": labels}
            for name, labels in zip(universe.columns, universe.labels, strict=True)
        ],
        "synthetic": synthetic,
        "files": digests(beside),
    }
    write_stated(stated, beside)
