"""What one run of `publish` is asked, and what it made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from gyges.workflow.release_target import ReleaseTarget

if TYPE_CHECKING:
    from gyges.criteria.base import Criterion
    from gyges.dp.noisy_release import NoisyRelease
    from gyges.marginals.published_views import PublishedMarginals
    from gyges.release.large_release import LargeRelease
    from gyges.release.release import Release
    from gyges.workflow.budget_account import Account


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What a run is asked beyond its project file; paths are relative to the working directory."""

    final: bool = False  # it leaves the building: no trial
    despite_exposure: bool = False  # even if earlier releases and this one expose people
    other_people: bool = False  # the data is about other people than the ledger says
    overwrite: bool = False
    out: Path | None = None  # instead of the file's
    ledger: Path | None = None
    about: str | None = None
    rules: tuple[Criterion[Any], ...] = ()  # besides the file's
    epsilon: str | float | int | None = None
    delta: str | float | int | None = None
    report: bool = True
    inside: Path | None = None  # a directory for what must stay inside
    mapping: Path | None = None
    to_table: str | None = None  # to create in the database of the source


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PublishedRun:
    """A release that was written, where it is, and the same as data (for JSON and pages)."""

    kind: Literal["groups", "parts", "views", "noise"]
    release: Release | LargeRelease | PublishedMarginals | NoisyRelease
    target: ReleaseTarget
    stated: dict[str, Any]
    account: Account | None = None  # the budget that paid for noise
