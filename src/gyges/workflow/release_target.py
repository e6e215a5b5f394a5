"""Where a release is written, and what happens just before it appears there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gyges.auditing.forms import load
from gyges.data.large_table import LargeTable
from gyges.data.table import Table
from gyges.release.certificate import sha256
from gyges.release.directory import CERTIFICATE, refuse_target
from gyges.release.published import Published
from gyges.release.release import Release
from gyges.release.signature import SigningKey, signing_key
from gyges.workflow.earlier_releases import Comparison
from gyges.workflow.inside_files import refuse_inside
from gyges.workflow.ledger_entry import NewEntry, new_entry
from gyges.workflow.ledger_file import folder_of
from gyges.workflow.progress import Progress
from gyges.workflow.recorded_people import (
    known_salts,
    people_file,
    people_of,
    people_of_views,
)
from gyges.workflow.run_options import RunOptions


@dataclass(frozen=True, slots=True)
class ReleaseTarget:
    """The directory of a release, how it is written, and its entry if a ledger is kept."""

    directory: Path
    format: str
    overwrite: bool
    entry: NewEntry | None
    progress: Progress
    key: SigningKey | None = None

    @property
    def state(self) -> str:
        """The state of the release in the ledger."""
        if self.entry is None:
            return "not recorded"
        return "confirmed" if self.entry.options.final else "trial"

    def compare(self, release: Published, table: Table | LargeTable) -> Comparison | None:
        """Compare a release with those that left the building, or warn why it is not compared.

        None where no comparison is needed: noise is limited by its own epsilon.
        """
        groups = release.as_groups()
        if groups and isinstance(table, Table):
            return Comparison() if self.entry is None else self.entry.compare(groups, table)
        if release.why_not_compared is None:
            return None
        if self.entry is None:
            return Comparison()
        return self.entry.compare_nothing(release.why_not_compared, has_groups=release.may_expose)

    def write(
        self,
        release: Published,
        comparison: Comparison | None,
        pages: Mapping[str, str] | None = None,
        facts: Mapping[str, object] | None = None,
        table: Table | LargeTable | None = None,
    ) -> None:
        """Write a release; announce it and enter it in the ledger just before it appears.

        `facts` are recorded besides what the release states; `table` is what it was made of.
        """
        self.progress.stage(f"writing {self.directory}")
        directory, entry, outputs = self.directory, self.entry, self.progress.outputs

        @contextmanager
        def before(made: Path) -> Iterator[Callable[[], object]]:
            digest = sha256(made / CERTIFICATE)
            outputs.announce(
                f"the release {directory}", lambda: sha256(directory / CERTIFICATE) == digest
            )
            if entry is None:
                yield lambda: None
            else:
                salts = known_salts(folder_of(entry.path))
                people = people_of(release, salts)
                if people is None and not isinstance(release, Release) and release.as_groups():
                    people = people_of_views(load(made).as_groups(), table, salts)
                if people is not None:
                    people.save(people_file(digest, entry.path))
                stated = {**release.recorded(), **(facts or {})}
                with entry.entering(made, directory, stated, comparison) as commit:
                    yield commit

        release.save(
            directory,
            format=self.format,
            overwrite=self.overwrite,
            pages=pages,
            before=before,
            sign=self.key,
        )

    def warn_if_unrecorded(self) -> None:
        """Warn if the release is not in a ledger."""
        if self.entry is None:
            self.progress.warn(
                "Not recorded: this release is not in a ledger, so later ones will not be compared "
                "with it (--ledger FILE enters it; in Python: ledger=FILE)"
            )


def release_target(
    options: RunOptions,
    directory: Path,
    format: str,
    *,
    source: str,
    table: str | None = None,
    ledger: Path | None,
    about: str,
    mapping: dict[str, Path | None],
    progress: Progress,
) -> ReleaseTarget:
    """The target of a run and its entry in the ledger; refused before any work is done.

    `mapping` is a mapping file with its name for errors; it must not lie in the release either.
    """
    refuse_target(directory, format, options.overwrite)
    data = None if "://" in source else Path(source)
    files = {"the ledger": ledger, "the data": data, "the key": options.sign}
    refuse_inside(directory, files, inside=options.inside)
    refuse_inside(directory, mapping)
    key = None if options.sign is None else signing_key(options.sign)
    entry = new_entry(options, ledger, about, source=source, table=table, progress=progress)
    return ReleaseTarget(directory, format, options.overwrite, entry, progress, key)
