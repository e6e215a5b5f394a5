"""The state of one running studio: its folder, the open project, and the work in progress."""

from __future__ import annotations

import re
import shutil
import tempfile
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from glob import has_magic
from pathlib import Path
from typing import Any
from unicodedata import normalize
from urllib.parse import urlsplit

from gyges.data.held_folders import abandoned, held_folder
from gyges.errors import GygesError, SourceError
from gyges.studio.new_project import SaidAtFirst
from gyges.studio.workers import Job, Worker
from gyges.workflow.project_draft import ProjectDraft
from gyges.workflow.project_file import ProjectFile, read_project
from gyges.workflow.source_files import (
    files_of,
    is_server,
    refuse_foreign_view,
    without_passwords,
)

_MOST_JOBS = 50
_LONGEST_NAME = 200  # bytes; a number may be added to it
_PRIVATE = "gyges-studio-"  # the beginning of the name of a folder
_BARE_NAME = re.compile(r"[^\w.+() -]")


def is_name(given: str) -> bool:
    """Whether a text can be the name of a file at all."""
    try:
        given.encode()
    except UnicodeEncodeError:
        return False
    return bool(given.strip()) and "\x00" not in given


class Studio:
    """One person's session: every page and both windows show the same project."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.draft: ProjectDraft | None = None
        self.quick, self.slow = Worker(), Worker()
        self.jobs: dict[str, Job] = {}
        for left in abandoned(Path(tempfile.gettempdir()), re.escape(_PRIVATE)):
            shutil.rmtree(left, ignore_errors=True)  # what a killed studio left
        self._held = ExitStack()
        made = held_folder(Path(tempfile.gettempdir()), _PRIVATE)
        self.private = self._held.enter_context(made)  # for this user alone
        self.checked = self.private / "check"  # what was dropped on the page "Check"
        self.checked.mkdir(mode=0o700)
        self.said = SaidAtFirst()  # about the project that was proposed last
        self._latest: dict[str, Job] = {}
        self._publishing: list[Job] = []
        self._lock = threading.Lock()

    def close(self) -> None:
        """End all work, and let others open the project."""
        self.quick.close()
        self.slow.close()
        if self.draft is not None:
            self.draft.close()
        self._held.close()

    def open(self, path: Path) -> None:
        """Open a project in place of the one that was open; refused if its files lie outside."""
        with self._lock:
            project = read_project(path)
            self.refuse_outside(project)
            refuse_foreign_view(project.source, project.data.table)
            if self.draft is not None and self.draft.path == path:
                self.draft.close()
                self.draft = None
            opened = ProjectDraft.open(path)
            if self.draft is not None:
                self.draft.close()
            self.draft = opened

    @property
    def published(self) -> Job | None:
        """What was published last from the open project."""
        done = (job for job in reversed(self._publishing) if job.state == "done")
        return next((job for job in done if self._is_ours(job)), None)

    def publishing(self) -> Job | None:
        """What is being published from the open project: a page that is opened again shows it."""
        own = (job for job in self._publishing if job.state in ("waiting", "running"))
        return next((job for job in own if self._is_ours(job)), None)

    def opening(self) -> Job | None:
        """The table that is being looked at before it is opened."""
        begun = (job for job in list(self.jobs.values()) if job.task == "start")
        return next((job for job in begun if job.state in ("waiting", "running")), None)

    def _is_ours(self, job: Job) -> bool:
        return self.draft is not None and bool(job.context["project"] == self.draft.path)

    def job(self, number: str) -> Job | None:
        """A job by its number; those that publish are never forgotten."""
        kept = {job.number: job for job in self._publishing}
        return self.jobs.get(number) or kept.get(number)

    def inside_folder(self, given: str) -> Path:
        """A path that a page names; refused outside the working folder."""
        if not is_name(given):
            raise GygesError("name a file in the working folder")
        try:
            path = (self.folder / Path(given).expanduser()).resolve()
        except RuntimeError:  # ~ with a user that this machine does not have
            raise GygesError(f"there is no folder {given!r}: name a file without ~") from None
        return self._inside(path, given)

    def source_inside(self, given: str, table: str | None = None) -> str:
        """A path, a glob or the URL of a database, as it is opened; every file must be inside."""
        if "://" in given:
            found = self._database_inside(given)
            refuse_foreign_view(found, table)
            return found
        path = self.inside_folder(given)
        if has_magic(str(path)) and not path.exists():
            for one in files_of(str(path)):  # a link may lead elsewhere
                self._inside(one.resolve(), given)
        return str(path)

    def _database_inside(self, url: str) -> str:
        if without_passwords(url) != url:
            raise GygesError(
                "the address has a password, and the project file would keep it: leave it out, and "
                "set the environment variable PGPASSWORD (or write a file ~/.pgpass) before you "
                "start the studio"
            )
        parts = urlsplit(url)
        if is_server(url):
            return url
        written = f"{parts.netloc}{parts.path}"
        near = [self.inside_folder(written.lstrip("/"))] if written.lstrip("/") else []
        path = next((one for one in near if one.is_file()), None) or self.inside_folder(written)
        if "?" in str(path) or "#" in str(path) or not path.is_file():
            raise GygesError(f"there is no database {url!r} in the working folder")
        return f"{parts.scheme}://{path}"

    def refuse_outside(self, project: ProjectFile) -> None:
        """Refuse a project whose data, hierarchies, ledger or release lie outside."""
        self._refuse_source(project.source)
        if project.values is not None and "://" not in project.source:
            self._refuse_source(project.values)
        named = [one.csv for one in project.hierarchies.values() if one.csv]
        for path in (*named, project.publish.out, project.ledger.file):
            self._inside((project.folder / path).resolve(), path)

    def _refuse_source(self, source: str) -> None:
        """Refuse a source that opens a file outside, found as the engine finds it."""
        try:
            found = files_of(source)
        except SourceError:  # it opens nothing: the page says what is wrong when it reads
            found = [Path(source).expanduser()]
        for one in found:
            self._inside(one.resolve(), source)

    def without_private(self, said: str) -> str:
        """A sentence about a dropped file or folder, without the place where it was put."""
        return re.sub(rf"'?{re.escape(str(self.checked))}[\w/.-]*'?", "what was dropped", said)

    def _inside(self, path: Path, given: str) -> Path:
        if not path.is_relative_to(self.folder):
            raise GygesError(
                f"{without_passwords(given)!r} lies outside the working folder "
                f"{str(self.folder)!r}: start the studio in a folder that holds it "
                f"(gyges studio FOLDER), or copy it here"
            )
        if str(path.relative_to(self.folder)).startswith("~"):
            raise GygesError(
                f"{given!r}: in a project, a name with ~ in front means another folder"
            )
        return path

    def new_file(self, name: str) -> Path:
        """A place in the working folder for a file that a page sends; nothing is overwritten."""
        bare = bare_name(name)
        first, dot, endings = bare.partition(".")
        path, number = self.folder / bare, 2
        while path.exists():
            path, number = self.folder / f"{first}-{number}{dot}{endings}", number + 1
        return path

    def submit(
        self,
        worker: Worker,
        title: str,
        task: str,
        arguments: Mapping[str, Any],
        channel: str = "",
        context: Mapping[str, Any] | None = None,
    ) -> Job:
        """Begin a job in a thread of its own; on a channel only the latest one is worth doing."""
        job = Job(title, task, context=context or {})
        with self._lock:
            while len(self.jobs) >= _MOST_JOBS:
                self._forget()
            self.jobs[job.number] = job
            if task == "publish":
                self._publishing.append(job)
            if channel:
                before = self._latest.get(channel)
                if before is not None and before.state == "waiting":
                    before.state = "cancelled"
                self._latest[channel] = job
        threading.Thread(target=worker.run, args=(job, arguments), daemon=True).start()
        return job

    def cancel(self, number: str) -> None:
        """Cancel a job."""
        job = self.job(number)
        if job is not None and job.state in ("waiting", "running"):
            for worker in (self.quick, self.slow):
                worker.cancel(job)

    def _forget(self) -> None:
        """Forget the oldest job that is over, else the oldest."""
        over = (number for number, job in self.jobs.items() if job.finished.is_set())
        self.jobs.pop(next(over, next(iter(self.jobs))))


def bare_name(name: str) -> str:
    """The name of a file without folders, and without signs that mean something to a program."""
    last = normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    bare = _BARE_NAME.sub("_", last).strip(". ")
    if not bare:
        raise GygesError("the file has no name")
    if len(bare.encode()) > _LONGEST_NAME:
        raise GygesError("the name of the file is too long: give it a shorter one")
    return bare


def draft_of(studio: Studio) -> ProjectDraft:
    """The open project."""
    if studio.draft is None:
        raise GygesError("open a table or a project first")
    return studio.draft
