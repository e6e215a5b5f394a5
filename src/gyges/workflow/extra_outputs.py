"""What is written besides a release's own tables: reports, files that stay inside, database tables.

Files that stay inside are written beside their place before the release appears, so that an error
leaves nothing behind, and are moved into place after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from gyges.data.changed_source import opened_source
from gyges.data.held_folders import held_folder
from gyges.data.large_table import LargeTable
from gyges.data.table import Table
from gyges.engines.write_back import names_to_create, write_back
from gyges.errors import GygesError
from gyges.release.directory import hidden_prefix, recover_folder
from gyges.release.private_files import make_private_folder, refuse_replacing
from gyges.release.published import Published
from gyges.release.release import Release
from gyges.report.descriptions import description_pages
from gyges.utility.purpose import Purpose
from gyges.workflow.progress import Progress
from gyges.workflow.run_options import RunOptions


@dataclass(frozen=True, slots=True)
class ExtraOutputs:
    """What is wanted besides the release's own tables."""

    options: RunOptions
    progress: Progress
    inside_draft: Path | None  # folders in which the files are written first
    mapping_draft: Path | None

    def pages(self, release: Published, format: str) -> dict[str, str] | None:
        """The report and the descriptions, if they are wanted and the groups are in memory."""
        if not isinstance(release, Release):
            return None
        described = description_pages(release, format) if self.options.describe else {}
        if not self.options.report:
            return described
        from gyges.report.page import report_pages

        self.progress.stage("writing the report")
        return {**report_pages(release), **described}

    def prepare(
        self, release: Published, table: Table | LargeTable, purpose: Purpose | None = None
    ) -> None:
        """Do everything that can fail before the release appears."""
        if not isinstance(release, Release):
            return  # what is written besides needs groups, and was refused without them
        if self.options.to_table is not None:
            names_to_create(
                opened_source(table.source), release.saved_tables, self.options.to_table
            )
        if self.inside_draft is not None:
            from gyges.workflow.inside_report import write_inside

            write_inside(release, self.inside_draft, self.progress, purpose)
        if self.mapping_draft is not None and self.options.mapping is not None:
            from gyges.release.mapping import save_mapping

            save_mapping(release, self.mapping_draft / self.options.mapping.name)
        for draft, place in self._drafts():
            for path in draft.iterdir():
                self.progress.outputs.announce_file(place / path.name)

    def finish(self, release: Published, table: Table | LargeTable) -> None:
        """Move what stays inside into place, and create the table in the database."""
        for draft, place in self._drafts():
            make_private_folder(place)
            for path in draft.iterdir():
                path.replace(place / path.name)
        options, note = self.options, self.progress.note
        if options.inside is not None:
            note(f"the files that must stay inside the building are in {options.inside}")
        if options.mapping is not None:
            note(f"the mapping is in {options.mapping}; it must stay inside the building")
        if options.to_table is not None:
            created: list[str] = []
            what = f"the table {options.to_table} in the database"
            self.progress.outputs.announce(what, lambda: bool(created))
            created += write_back(
                opened_source(table.source), release.saved_tables, options.to_table
            )
            note(f"created in the database: {', '.join(created)}")

    def _drafts(self) -> list[tuple[Path, Path]]:
        """Folders of drafts, each with the folder in which its files belong."""
        found = []
        if self.inside_draft is not None and self.options.inside is not None:
            found.append((self.inside_draft, self.options.inside))
        if self.mapping_draft is not None and self.options.mapping is not None:
            found.append((self.mapping_draft, self.options.mapping.parent))
        return found


@contextmanager
def extra_outputs(options: RunOptions, progress: Progress) -> Iterator[ExtraOutputs]:
    """Check the places that were asked for, and make folders for drafts beside them."""
    mapping = options.mapping
    if mapping is not None:
        if mapping.is_dir():
            raise GygesError(f"--mapping {mapping} is a directory: name a file")
        if not mapping.absolute().parent.is_dir():
            raise GygesError(f"--mapping {mapping}: there is no folder {str(mapping.parent)!r}")
        from gyges.release.mapping import BEGINS

        refuse_replacing(mapping, "--mapping", *BEGINS)
    with ExitStack() as folders:
        drafts = [
            None if place is None else folders.enter_context(_draft_folder(place))
            for place in (options.inside, mapping)
        ]
        yield ExtraOutputs(options, progress, *drafts)


@contextmanager
def _draft_folder(place: Path) -> Iterator[Path]:
    """A folder near a place; what killed runs left there is removed."""
    parent = next(above for above in place.absolute().parents if above.exists())
    recover_folder(parent)
    try:
        with held_folder(parent, hidden_prefix(place)) as made:
            yield made
    except OSError as problem:
        what = problem.strerror or str(problem)
        raise GygesError(f"{str(place)!r} cannot be written: {what}") from None
