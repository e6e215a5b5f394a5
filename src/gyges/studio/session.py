"""The state of one running studio: its folder, the open project, and the work in progress."""

from __future__ import annotations

import re
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gyges.errors import GygesError
from gyges.studio.workers import Job, Worker
from gyges.workflow.project_draft import ProjectDraft

_MOST_JOBS = 50
_BARE_NAME = re.compile(r"[^\w.+() -]", re.ASCII)


class Studio:
    """One person's session: every page and both windows show the same project."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.draft: ProjectDraft | None = None
        self.quick, self.slow = Worker(), Worker()
        self.jobs: dict[str, Job] = {}
        self.checked = Path(tempfile.mkdtemp(prefix="gyges-studio-check-"))
        self.messages: list[str] = []  # about the last project that was opened
        self._latest: dict[str, Job] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        """End all work, and let others open the project."""
        self.quick.close()
        self.slow.close()
        if self.draft is not None:
            self.draft.close()

    def open(self, path: Path) -> None:
        """Open a project in place of the one that was open."""
        with self._lock:
            if self.draft is not None and self.draft.path == path:
                self.draft.close()
                self.draft = None
            opened = ProjectDraft.open(path)
            if self.draft is not None:
                self.draft.close()
            self.draft = opened

    @property
    def published(self) -> dict[str, Any] | None:
        """What was published last from the open project."""
        path = None if self.draft is None else self.draft.path
        for job in reversed(self.jobs.values()):
            if job.task == "publish" and job.state == "done" and job.context["project"] == path:
                found: dict[str, Any] = job.result
                return found
        return None

    def inside_folder(self, given: str) -> Path:
        """A path that a page names; refused outside the working folder."""
        if not given.strip() or "\x00" in given:
            raise GygesError("name a file in the working folder")
        path = (self.folder / Path(given).expanduser()).resolve()
        if not path.is_relative_to(self.folder):
            raise GygesError(
                f"{given!r} lies outside the working folder {str(self.folder)!r}: start the studio "
                f"there, or copy the file here"
            )
        return path

    def new_file(self, name: str) -> Path:
        """A place in the working folder for a file that a page sends; nothing is overwritten."""
        bare = _BARE_NAME.sub("_", name.replace("\\", "/").rpartition("/")[2]).strip(". ")
        if not bare:
            raise GygesError("the file has no name")
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
            if channel:
                before = self._latest.get(channel)
                if before is not None and before.state == "waiting":
                    before.state = "cancelled"
                self._latest[channel] = job
        threading.Thread(target=worker.run, args=(job, arguments), daemon=True).start()
        return job

    def cancel(self, number: str) -> None:
        """Cancel a job."""
        job = self.jobs.get(number)
        if job is not None and job.state in ("waiting", "running"):
            for worker in (self.quick, self.slow):
                worker.cancel(job)

    def _forget(self) -> None:
        """Forget the oldest job that is over, else the oldest."""
        over = (number for number, job in self.jobs.items() if job.finished.is_set())
        self.jobs.pop(next(over, next(iter(self.jobs))))
