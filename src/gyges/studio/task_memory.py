"""What the process that computes keeps between tasks."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import gyges as gy
from gyges.auditing.audit import Audit
from gyges.data.source import Source
from gyges.errors import GygesError
from gyges.release.published import Published
from gyges.workflow.alternatives import Alternative
from gyges.workflow.opened_table import OpenedTable, opened_rows, opened_table
from gyges.workflow.progress import Progress
from gyges.workflow.project_file import ProjectFile, project_of
from gyges.workflow.project_lines import Place
from gyges.workflow.release_in_memory import release_in_memory
from gyges.workflow.source_facts import SourceFacts, source_facts
from gyges.workflow.source_files import stamp_of
from gyges.workflow.trial_release import NothingSafe, TrialRelease, try_rules

T = TypeVar("T")
Stated = dict[str, Any]
_MOST_KEPT = 40  # trials
_MOST_RELEASES = 2
EFFORT = ("effort", "time_limit")  # options that are spent when a release is made, not on trials


@dataclass
class Memory:
    """What the process keeps between tasks, each with the key that it was computed for."""

    facts: tuple[str, SourceFacts] | None = None
    source: tuple[str, Source] | None = None
    table: tuple[str, OpenedTable] | None = None
    trials: dict[str, TrialRelease | NothingSafe] = field(default_factory=dict)
    found: tuple[str, dict[str, Alternative]] = ("", {})
    counted: tuple[str, dict[str, Any]] = ("", {})  # figures of columns, of one source
    releases: dict[str, Published] = field(default_factory=dict)
    audits: dict[str, Audit] = field(default_factory=dict)

    def read(self, project: ProjectFile, progress: Progress) -> OpenedTable:
        """The table of a project, read again only if the project or its files changed."""
        key = _table_key(project)
        if self.table is None or self.table[0] != key:
            progress.stage(f"reading {Path(project.data.source).name}")
            self.table, self.releases, self.audits, self.trials = None, {}, {}, {}
            self.table = key, opened_table(project)
        return self.table[1]

    def look(self, project: ProjectFile) -> SourceFacts:
        """A source at first sight."""
        key, data = _source_key(project), project.data
        if self.facts is None or self.facts[0] != key:
            self.facts = key, source_facts(project.source, data.table, data.encoding)
        return self.facts[1]

    def rows(self, project: ProjectFile) -> Source:
        """The rows of a project's table, in their engine."""
        key = _source_key(project)
        if self.source is None or self.source[0] != key:
            self.source = key, opened_rows(project)
        return self.source[1]

    def once(self, project: ProjectFile, *of: object, compute: Callable[[], T]) -> T:
        """A figure of a project's rows, computed once for what it depends on besides them."""
        source, key = _source_key(project), _key(*of)
        if self.counted[0] != source:
            self.counted = source, {}
        if key not in self.counted[1]:
            self.counted[1][key] = compute()
        found: T = self.counted[1][key]
        return found

    def tried(self, project: ProjectFile, progress: Progress) -> TrialRelease | NothingSafe:
        """The trial of a project's rules and method."""
        opened = self.read(project, progress)
        section, key = project.publish, _release_key(project)
        if key not in self.trials:
            progress.stage("searching")
            while len(self.trials) >= _MOST_KEPT:
                self.trials.pop(next(iter(self.trials)))
            self.trials[key] = try_rules(
                opened.table,
                project.rules(),
                method=section.method,
                options={k: v for k, v in section.options().items() if k not in EFFORT},
                purpose=project.purpose_stated(),
            )
        return self.trials[key]

    def made(self, project: ProjectFile, progress: Progress) -> Published:
        """The release that the project would publish."""
        opened, key = self.read(project, progress), _release_key(project)
        if key not in self.releases:
            progress.stage("searching")
            _make_room(self.releases)
            self.releases[key] = release_in_memory(project, opened.table)
        return self.releases[key]

    def audited(self, project: ProjectFile, progress: Progress) -> Audit:
        """What every attacker learns from it; how useful it is, is shown elsewhere."""
        release, key = self.made(project, progress), _project_key(project)
        if key not in self.audits:
            progress.stage("asking the attackers")
            _make_room(self.audits)
            self.audits[key] = gy.audit(release, utility=False, progress=progress.step)
        return self.audits[key]

    def has_found(self, project: ProjectFile) -> bool:
        """Whether the alternatives of this project and its data are kept."""
        return self.found[0] == _project_key(project)

    def keep_found(self, project: ProjectFile, found: Sequence[Alternative]) -> None:
        """Keep the alternatives of a project, by their numbers."""
        self.found = _project_key(project), {str(i): one for i, one in enumerate(found)}

    def alternative(self, project: ProjectFile, number: str) -> Alternative:
        """One of them; refused if the project or its data are not those that were explored."""
        key, found = self.found
        if key != _project_key(project) or number not in found:
            raise GygesError("the alternatives are no longer those of this project: explore again")
        return found[number]


def _make_room(kept: dict[str, Any]) -> None:
    """Forget the oldest where as many are kept as are shown: with the effort, and without."""
    while len(kept) >= _MOST_RELEASES:
        kept.pop(next(iter(kept)))


def _project_key(project: ProjectFile) -> str:
    return _key(str(project.folder), _table_key(project), _release_key(project))


def _key(*parts: object) -> str:
    return json.dumps(parts, sort_keys=True, default=str)


def _release_key(project: ProjectFile) -> str:
    purpose = project.purpose
    return _key(
        project.publish.model_dump(), project.require, None if purpose is None else dict(purpose)
    )


def _source_key(project: ProjectFile) -> str:
    """What tells one version of a project's rows from another."""
    data = project.data
    return _key(project.source, data.table, data.encoding, stamp_of(project.source))


def _table_key(project: ProjectFile) -> str:
    named = project.hierarchies
    hierarchies = {name: one.model_dump() for name, one in named.items()}
    files = [stamp_of(str(project.folder / one.csv)) for one in named.values() if one.csv]
    values = project.values
    if values is not None and "://" not in project.source:
        files.append(stamp_of(values))
    stated = project.data.model_dump(), project.columns.model_dump()
    return _key(stated, hierarchies, files, _source_key(project))


def column_key(project: ProjectFile, name: str) -> str:
    """What the figures of one column by itself depend on, besides the rows."""
    columns, hierarchy = project.columns, project.hierarchies.get(name)
    csv = hierarchy.csv if hierarchy is not None else None
    stamp = stamp_of(str(project.folder / csv)) if csv else None
    described = None if hierarchy is None else hierarchy.model_dump()
    reading = columns.kinds.get(name), columns.formats.get(name), project.data.missing_marks
    return _key(name, *reading, described, stamp)


def project_at(stated: Stated, path: str) -> ProjectFile:
    """The project that a page shows."""
    return project_of(stated, Place(Path(path)))
