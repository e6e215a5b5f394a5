"""`gy.Project`: from Python what the command `gyges publish gyges.toml` does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gyges.arguments import flag, instance
from gyges.arguments import path as checked_path
from gyges.criteria.base import listed
from gyges.errors import GygesError, LedgerError
from gyges.workflow.ledger import Ledger
from gyges.workflow.progress import Progress
from gyges.workflow.project_file import ProjectFile, read_project
from gyges.workflow.publishing import publish_project
from gyges.workflow.recorded_releases import RecordedRelease
from gyges.workflow.run_options import RunOptions

if TYPE_CHECKING:
    from gyges.criteria.base import Criterion
    from gyges.data.schema import Schema
    from gyges.data.table import Table
    from gyges.release.published import Published
    from gyges.utility.purpose import Purpose


@dataclass(frozen=True, slots=True)
class Project:
    """A project file such as gyges.toml, its data, its rules and its ledger.

    >>> project = Project("gyges.toml")  # doctest: +SKIP
    >>> project.publish(trial=True)  # doctest: +SKIP
    """

    path: Path
    file: ProjectFile = field(init=False, repr=False)

    def __post_init__(self) -> None:
        path = checked_path(self.path, "path", GygesError)
        object.__setattr__(self, "path", path)
        object.__setattr__(self, "file", read_project(path))

    @property
    def schema(self) -> Schema:
        """The roles of the columns, and their hierarchies."""
        return self.file.schema_of_columns()

    @property
    def rules(self) -> list[Criterion[Any]]:
        """The rules that a release must satisfy."""
        return self.file.rules()

    @property
    def ledger(self) -> Ledger | None:
        """The ledger, which the first release creates; None if the project keeps none."""
        return None if self.file.ledger_file is None else Ledger(self.file.ledger_file)

    @property
    def releases(self) -> list[RecordedRelease]:
        """The releases about these people in the ledger, oldest first."""
        ledger = self.ledger
        if ledger is None:
            raise LedgerError("the project keeps no ledger: set keep = true in [ledger]")
        return Ledger.at(ledger.path).releases(self.file.about) if ledger.is_begun else []

    def read(self) -> Table:
        """The table that the file describes."""
        return self.file.read()

    def publish(
        self,
        *,
        trial: bool = False,
        rules: Criterion[Any] | Iterable[Criterion[Any]] = (),
        purpose: Purpose | None = None,
        out: str | Path | None = None,
        overwrite: bool = False,
        sign: str | Path | None = None,
        despite_exposure: bool = False,
        other_people: bool = False,
        ledger: str | Path | None = None,
        about: str | None = None,
        report: bool = True,
        inside: str | Path | None = None,
        mapping: str | Path | None = None,
        to_table: str | None = None,
        epsilon: str | float | int | None = None,
        delta: str | float | int | None = None,
        error: str | float | int | None = None,
        people: int | None = None,
        progress: Progress | None = None,
        **settings: object,
    ) -> Published:
        """Find a release that satisfies every rule, write it, enter it in the ledger; return it.

        Refusals, files and ledger entry are those of `gyges publish gyges.toml --final`; with
        `trial`, those without --final. If the release makes people's values certain together with
        releases that left the building before, it is refused with an `ExposureError` unless it is a
        trial.

        Args:
            trial: the release stays in the building, so later ones are not compared with it.
            rules: rules in addition to those in the file.
            purpose: what must stay accurate, instead of the purpose in the file.
            out: the directory to write, instead of the one in the file.
            sign: the file of a private Ed25519 key that signs the release.
            despite_exposure: publish even if this and earlier releases expose people.
            other_people: the data is about other people than the ledger says.
            ledger, about: instead of those in the file.
            epsilon, delta, error, people: of a release with noise, instead of those in [dp].
            inside, mapping, to_table: what else to write; see `gyges publish --help`.
            progress: receives what happens during the run; by default only warnings are shown.
            settings: instead of those in [publish]: method, form, format, seconds, seed, ….
        """
        options = RunOptions(
            final=not flag(trial, "trial"),
            despite_exposure=flag(despite_exposure, "despite_exposure"),
            other_people=flag(other_people, "other_people"),
            overwrite=flag(overwrite, "overwrite"),
            sign=_path(sign, "sign"),
            out=_path(out, "out"),
            ledger=_path(ledger, "ledger"),
            about=_text(about, "about"),
            rules=tuple(listed(rules)),
            purpose=purpose,
            epsilon=epsilon,
            delta=delta,
            error=error,
            people=people,
            report=flag(report, "report"),
            inside=_path(inside, "inside"),
            mapping=_path(mapping, "mapping"),
            to_table=_text(to_table, "to_table"),
        )
        watcher = Progress() if progress is None else progress
        instance(watcher, Progress, "progress", "subclass workflow.progress.Progress", GygesError)
        section = self.file.publish.changed(settings)
        return publish_project(self.file, section, options, watcher).release


def _text(given: str | None, name: str) -> str | None:
    return None if given is None else instance(given, str, name, "give a text", GygesError)


def _path(given: str | Path | None, name: str) -> Path | None:
    return None if given is None else checked_path(given, name, GygesError)
