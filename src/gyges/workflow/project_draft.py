"""A project while it is edited: every step is checked, saved in its file, and can be undone."""

from __future__ import annotations

import copy
import os
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from gyges.errors import GygesError
from gyges.workflow.project_file import ProjectFile, project_of
from gyges.workflow.project_lines import Place, key_lines
from gyges.workflow.project_text import project_toml

try:
    import fcntl

    _CAN_LOCK = True
except ImportError:  # not on this system: two programs are not kept apart
    _CAN_LOCK = False


class StaleEditError(GygesError):
    """The project changed since the page was shown."""


_REVISIONS = count()  # never repeated, so that no page takes one project for another


@dataclass(frozen=True, slots=True)
class DraftStep:
    """A state of the project, and the change that led to it."""

    stated: dict[str, Any]
    text: str  # of the file
    label: str


@dataclass(slots=True)
class ProjectDraft:
    """A project file that a page edits; `revision` counts every change, undo and redo."""

    path: Path
    steps: list[DraftStep]
    place: int = 0
    revision: int = field(default_factory=lambda: next(_REVISIONS))
    _lock: int = field(default=-1, repr=False)

    @classmethod
    def open(cls, path: Path) -> ProjectDraft:
        """Open a project file, which no other program may edit until `close`."""
        lock = _hold(path)
        try:
            text = path.read_text(encoding="utf-8")
            draft = cls(path, [DraftStep(tomllib.loads(text), text, "opened")], _lock=lock)
            draft.project()
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
            _free(lock, path)
            raise GygesError(f"the project file {str(path)!r} cannot be read: {problem}") from None
        except GygesError:
            _free(lock, path)
            raise
        return draft

    def close(self) -> None:
        """Let other programs edit the file."""
        _free(self._lock, self.path)
        self._lock = -1

    @property
    def stated(self) -> dict[str, Any]:
        """What the project states, as data: change a copy of it."""
        return copy.deepcopy(self.steps[self.place].stated)

    @property
    def text(self) -> str:
        """The project as its file has it."""
        return self.steps[self.place].text

    def project(self) -> ProjectFile:
        """The project as it is now."""
        return _checked(self.stated, self.path, self.text)

    def change(self, stated: Mapping[str, Any], label: str, revision: int | None = None) -> None:
        """Make a change the current state, if it is valid, and save it.

        `revision` is the one that the change was made on; a change of an older one is refused.
        """
        self._refuse_stale(revision)
        text = project_toml(stated, self.text)
        if text == self.text:
            return
        _checked(stated, self.path, text)
        self._save(text)
        step = DraftStep(copy.deepcopy(dict(stated)), text, label)
        self.steps = [*self.steps[: self.place + 1], step]
        self.place += 1
        self.revision = next(_REVISIONS)

    def undo(self, revision: int | None = None) -> None:
        """Return to the state before the last change."""
        self._go(self.place - 1, revision)

    def redo(self, revision: int | None = None) -> None:
        """Make the last change again that was undone."""
        self._go(self.place + 1, revision)

    @property
    def undo_label(self) -> str | None:
        """The change that `undo` takes back."""
        return self.steps[self.place].label if self.place else None

    @property
    def redo_label(self) -> str | None:
        """The change that `redo` makes again."""
        later = self.steps[self.place + 1 :]
        return later[0].label if later else None

    def _go(self, place: int, revision: int | None) -> None:
        self._refuse_stale(revision)
        if not 0 <= place < len(self.steps):
            return
        self._save(self.steps[place].text)
        self.place = place
        self.revision = next(_REVISIONS)

    def _refuse_stale(self, revision: int | None) -> None:
        if revision is not None and revision != self.revision:
            raise StaleEditError(
                "the project was changed in another window: this page shows it as it is now; make "
                "your change again"
            )

    def refuse_changed(self) -> None:
        """Refuse a file that is no longer the one that was read or written last."""
        try:
            is_ours = self.path.read_text(encoding="utf-8") == self.text
        except (OSError, UnicodeDecodeError):
            is_ours = False
        if not is_ours:
            raise GygesError(
                f"{str(self.path)!r} was changed by another program: open it again to go on"
            )

    def _save(self, text: str) -> None:
        """Replace the file as a whole, if it is still the one that was read or written last."""
        self.refuse_changed()
        write_whole(self.path, text)


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a reader finds the old content or the new one, never a part."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    made = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        made.chmod(0o644 & ~_umask())
        made.replace(path)
    except OSError:
        made.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _checked(stated: Mapping[str, Any], path: Path, text: str) -> ProjectFile:
    """The project, if its roles, hierarchies and rules are valid."""
    project = project_of(copy.deepcopy(dict(stated)), Place(path, key_lines(text)))
    project.schema_of_columns()
    project.rules()
    project.purpose_stated()
    project.publish.options()
    return project


def _lock_file(path: Path) -> Path:
    """The file that locks a project, wherever a link to it lies."""
    place = path.resolve()
    return place.parent / f".{place.name}.studio"


def _hold(path: Path) -> int:
    """Lock a project for this process; the lock ends with it, however it ends."""
    if not _CAN_LOCK:
        return -1
    handle = _opened(path)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        owner = os.read(handle, 20).decode("ascii", "replace").strip()
        os.close(handle)
        raise GygesError(
            f"{str(path)!r} is open in another studio (process {owner or 'unknown'}): go on there, "
            f"or close it first"
        ) from None
    if not _is_current(handle, path):  # its owner removed it meanwhile: another may hold a new one
        os.close(handle)
        return _hold(path)
    os.truncate(handle, 0)
    os.write(handle, f"{os.getpid()}\n".encode())
    return handle


def _opened(path: Path) -> int:
    try:
        return os.open(_lock_file(path), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as problem:
        raise GygesError(f"{path.parent} cannot be written to: {problem.strerror}") from None


def _is_current(handle: int, path: Path) -> bool:
    """Whether a lock is the one that others find."""
    try:
        return os.path.samestat(os.fstat(handle), _lock_file(path).stat())
    except FileNotFoundError:
        return False


def _free(handle: int, path: Path) -> None:
    if handle >= 0:
        _lock_file(path).unlink(missing_ok=True)
        os.close(handle)
