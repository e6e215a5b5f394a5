"""The options of one run of `publish` or `apply`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gyges.criteria.base import Criterion
    from gyges.utility.purpose import Purpose


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What a run is asked beyond its project file; paths are relative to the working directory."""

    final: bool = False  # the release leaves the building: it is not a trial
    despite_exposure: bool = False  # even if it exposes people together with earlier releases
    other_people: bool = False  # the data is about other people than the ledger says
    overwrite: bool = False
    sign: Path | None = None  # the private key that signs the release
    out: Path | None = None  # instead of the directory in the file
    ledger: Path | None = None
    about: str | None = None
    rules: tuple[Criterion[Any], ...] = ()  # in addition to those in the file
    purpose: Purpose | None = None  # instead of the one in the file
    epsilon: str | float | int | None = None
    delta: str | float | int | None = None
    error: str | float | int | None = None  # instead of epsilon: the error that it must have
    people: int | None = None  # for an error in percent: about how many there are
    report: bool = True
    describe: bool = False  # add a codebook, a data package and croissant.json
    inside: Path | None = None  # a directory for files that must stay inside
    mapping: Path | None = None
    to_table: str | None = None  # a table to create in the source's database
