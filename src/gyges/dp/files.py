"""Noisy releases on disk: one file a view, the made-up people, and a certificate."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gyges import __version__
from gyges.dp.mechanisms import Guarantee, Noise, Price
from gyges.dp.release import SYNTHETIC, NoisyRelease
from gyges.errors import ReleaseError
from gyges.release.certificate import NAME, digests, stated_form, write_stated
from gyges.release.directory import Step, refuse_target, write_whole
from gyges.release.tables import read_table, write_table

if TYPE_CHECKING:
    import pyarrow as pa

FORM = "noisy"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class PublishedStep:
    """A part of the price: for the noise on some views (by number), or for their choice (none)."""

    price: Price
    views: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class PublishedNoise:
    """A noisy release as it was published: its tables and what is claimed of them."""

    guarantee: Guarantee
    columns: Mapping[str, tuple[str, ...]]  # the labels that each may show
    views: tuple[tuple[tuple[str, ...], Noise, pa.Table], ...]
    steps: tuple[PublishedStep, ...]
    synthetic: pa.Table
    files: Mapping[str, str]  # SHA-256 of each file


def save_noisy(
    release: NoisyRelease,
    directory: str | Path,
    *,
    format: str = "csv",
    overwrite: bool = False,
    before: Step | None = None,
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
    try:
        stated = json.loads((directory / NAME).read_text(encoding="utf-8"))
        return _published(stated, directory)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError) as problem:
        if isinstance(problem, ReleaseError):
            raise
        raise ReleaseError(f"{str(directory)!r} holds no whole noisy release: {problem}") from None


def _published(stated: dict[str, Any], directory: Path) -> PublishedNoise:
    promise = stated["guarantee"]
    views = [
        (
            tuple(map(str, view["columns"])),
            Noise(view["noise"], float(view["scale"])),
            read_table(_inside(directory, view["file"])),
        )
        for view in promise["views"]
    ]
    place = {frozenset(columns): number for number, (columns, _, _) in enumerate(views)}
    steps = [
        PublishedStep(
            Price(step["measure"], Fraction(step["amount"])),
            tuple(place[frozenset(view)] for view in step["views"]),
        )
        for step in promise["steps"]
    ]
    return PublishedNoise(
        guarantee=Guarantee(
            Fraction(promise["epsilon"]), Fraction(promise["delta"]), promise["neighbours"]
        ),
        columns={column["name"]: tuple(column["labels"]) for column in stated["columns"]},
        views=tuple(views),
        steps=tuple(steps),
        synthetic=read_table(_inside(directory, stated["synthetic"])),
        files={str(name): str(digest) for name, digest in stated["files"].items()},
    )


def _inside(directory: Path, name: str) -> Path:
    if Path(name).name != name:
        raise ReleaseError(f"the certificate names the file {name!r} outside its directory")
    return directory / name


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
