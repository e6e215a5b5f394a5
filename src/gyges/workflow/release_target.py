"""Where a release is written to, and what happens just before it appears there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gyges.release.certificate import sha256
from gyges.release.directory import CERTIFICATE
from gyges.workflow.ledger_entry import Comparison, NewEntry
from gyges.workflow.outputs import Outputs
from gyges.workflow.progress import Progress

if TYPE_CHECKING:
    from gyges.data.table import Table
    from gyges.release.release import Release


@dataclass(frozen=True, slots=True)
class ReleaseTarget:
    """Where a release goes, how it is written, and its entry in the ledger, if one is kept."""

    directory: Path
    format: str
    overwrite: bool
    entry: NewEntry | None
    progress: Progress

    @property
    def state(self) -> str:
        """What the release is to the ledger."""
        if self.entry is None:
            return "not recorded"
        return "confirmed" if self.entry.final else "trial"

    def compare(self, release: Release, table: Table) -> Comparison:
        """Compare a release with what the ledger knows to be outside; nothing without a ledger."""
        if self.entry is None:
            return Comparison()
        return self.entry.compare(release, table, self.progress)

    def compare_nothing(self, why: str, *, has_groups: bool = False) -> Comparison:
        """Say why a release is compared with nothing, where something is outside."""
        if self.entry is None:
            return Comparison()
        return self.entry.compare_nothing(why, self.progress, has_groups=has_groups)

    def entering(
        self, statement: dict[str, object], comparison: Comparison | None
    ) -> Callable[[Path], AbstractContextManager[Callable[[], object]]]:
        """What to do with the finished release just before it appears: announce it and enter it.

        The comparison is None where none is needed: noise is bounded by its own epsilon.
        """
        self.progress.stage(f"writing {self.directory}")
        announced = announcing_release(self.directory, self.progress.outputs)
        entry = self.entry
        if entry is None:
            return announced

        @contextmanager
        def enter(made: Path) -> Iterator[Callable[[], object]]:
            line = entry.entering(made, self.directory, statement, comparison, self.progress)
            with announced(made), line as commit:
                yield commit

        return enter

    def warn_if_unrecorded(self) -> None:
        """Warn where no ledger knows the release that was written."""
        if self.entry is None:
            self.progress.warn(
                "Not recorded: no ledger knows this release, so later ones will not be compared "
                "with it (--ledger FILE enters it; in Python: ledger=FILE)"
            )


def announcing_release(
    directory: Path, outputs: Outputs
) -> Callable[[Path], AbstractContextManager[Callable[[], object]]]:
    """What to do with a finished release that no ledger knows: announce it."""

    @contextmanager
    def announced(made: Path) -> Iterator[Callable[[], object]]:
        digest = sha256(made / CERTIFICATE)
        outputs.announce(
            f"the release {directory}", lambda: sha256(directory / CERTIFICATE) == digest
        )
        yield lambda: None

    return announced
