"""What a person does on a page: open, change, undo, publish, check. Each is one request."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gyges.errors import GygesError
from gyges.studio.changes import CHANGES
from gyges.studio.pages import command_of, shell_word, state_of
from gyges.studio.parts import asked_of, begin, project_arguments, watched
from gyges.studio.session import Studio, draft_of, is_name
from gyges.workflow.project_draft import ProjectDraft, StaleEditError
from gyges.workflow.source_files import refuse_foreign_view, sheets_of

Stated = dict[str, Any]


async def open_source(studio: Studio, request: Request) -> Response:
    """Open a project, or propose one for a table; answer with the page to go to."""
    asked = await asked_of(request)
    given, table = str(asked.get("path", "")).strip(), str(asked.get("table") or "") or None
    if given.endswith(".toml"):
        studio.open(studio.inside_folder(given))
        return JSONResponse({"go": "/open"})
    return await begin_project(studio, given, table, str(asked.get("policy") or "researchers"))


class SeveralSheetsError(GygesError):
    """A workbook has several sheets, and none was named."""

    def __init__(self, name: str, sheets: Sequence[str]) -> None:
        super().__init__(f"{name} has several sheets: choose one. It is in the working folder.")
        self.name = name
        self.sheets = sheets


async def begin_project(studio: Studio, given: str, table: str | None, policy: str) -> Response:
    """Propose a project for a table of the working folder or of a database, and open it."""
    data = studio.source_inside(given, table)
    stem = table or Path(urlsplit(data).path).name.partition(".")[0] or "table"
    out = studio.folder / "gyges.toml"
    if out.exists():
        out = studio.new_file(f"{stem}.toml")
    arguments = {"data": data, "table": table, "policy": policy, "out": str(out)}
    job = begin(studio, "Looking at the table", "start", arguments, is_slow=False)
    await anyio.to_thread.run_sync(job.finished.wait, abandon_on_cancel=True)
    if job.state == "refused" and table is None:
        sheets = await anyio.to_thread.run_sync(sheets_of, Path(data))
        if len(sheets) > 1:
            raise SeveralSheetsError(Path(data).name, sheets)
    found = job.answer()
    studio.open(out)
    studio.said = found
    return JSONResponse({"go": "/open", "job": job.number})


async def again(studio: Studio, request: Request) -> Response:
    """Read the data again: a server does not announce that its table changed."""
    jobs = [
        begin(studio, "Forgetting what was read", "forget", {}, is_slow=slow)
        for slow in (False, True)
    ]
    for job in jobs:
        await anyio.to_thread.run_sync(job.finished.wait, abandon_on_cancel=True)
        job.answer()
    return JSONResponse({"revision": draft_of(studio).revision})


async def change(studio: Studio, request: Request) -> Response:
    """Change the project by one step, and save it."""
    asked = await asked_of(request)
    draft = draft_of(studio)
    kind = str(asked.get("kind"))
    if kind not in CHANGES:
        raise GygesError(f"there is no change {kind!r}")
    try:
        stated, label = CHANGES[kind](studio, draft.stated, asked)
    except (KeyError, TypeError, ValueError) as problem:
        if isinstance(problem, GygesError):
            raise
        raise GygesError("the change is incomplete, or a number in it is not one") from None
    draft.change(stated, label, _revision(asked))
    return _changed(draft)


def _revision(asked: Stated) -> int | None:
    given = asked.get("revision")
    return given if isinstance(given, int) else None


def _changed(draft: ProjectDraft) -> Response:
    return JSONResponse({"revision": draft.revision})


async def undo(studio: Studio, request: Request) -> Response:
    """Take the last change back."""
    asked, draft = await asked_of(request), draft_of(studio)
    draft.undo(_revision(asked))
    return _changed(draft)


async def redo(studio: Studio, request: Request) -> Response:
    """Make the change again that was taken back."""
    asked, draft = await asked_of(request), draft_of(studio)
    draft.redo(_revision(asked))
    return _changed(draft)


async def use(studio: Studio, request: Request) -> Response:
    """Make an alternative of the page "Explore" the project's own."""
    asked, draft = await asked_of(request), draft_of(studio)
    revision = _revision(asked)
    if revision != draft.revision:
        raise StaleEditError("the project changed since it was explored: explore again")
    arguments = {**project_arguments(studio), "number": str(asked.get("number"))}
    job = begin(studio, "Changing the project", "changes", arguments, is_slow=True)
    await anyio.to_thread.run_sync(job.finished.wait, abandon_on_cancel=True)
    found = job.answer()
    if studio.draft is not draft:
        raise StaleEditError("another project was opened meanwhile: nothing was changed")
    draft.change(found["stated"], f"use {found['title']}", revision)
    return _changed(draft)


async def publish(studio: Studio, request: Request) -> Response:
    """Publish the project: as a trial, or as a release that leaves the building."""
    asked = await asked_of(request)
    draft = draft_of(studio)
    if _revision(asked) != draft.revision:
        raise GygesError("the project changed since you read this summary: read it again")
    final = bool(asked.get("final"))
    if final and not asked.get("confirmed"):
        raise GygesError("confirm that you have read the summary")
    project = draft.project()
    refuse_foreign_view(project.source, project.data.table)
    draft.refuse_changed()  # the command that the page shows reads the file
    inside = str(asked.get("inside") or "")
    arguments = {
        **project_arguments(studio),
        "final": final,
        "inside": str(studio.inside_folder(inside)) if inside else None,
        "overwrite": bool(asked.get("overwrite")),
        "despite_exposure": bool(asked.get("despite_exposure")),
    }
    title = "Publishing" if final else "Writing a trial release"
    arguments["command"] = _command(studio, arguments, inside)
    job = begin(
        studio, title, "publish", arguments, is_slow=True, project=draft.path,
        state=state_of(draft),
    )  # fmt: skip
    return await watched(studio, job, 0.4)


def _command(studio: Studio, options: Stated, inside: str) -> str:
    """The command that publishes the project with the same options."""
    named = ("final", "overwrite", "despite_exposure")
    flags = {f"--{name.replace('_', '-')}": options[name] for name in named}
    words = [command_of(studio), *(flag for flag, is_set in flags.items() if is_set)]
    return " ".join([*words, *(["--inside", shell_word(inside)] if inside else [])])


async def check(studio: Studio, request: Request) -> Response:
    """Verify and audit a release in the working folder, or what was dropped on the page."""
    asked = await asked_of(request)
    given = str(asked.get("path") or "")
    dropped = str(asked.get("dropped") or "")
    path = _dropped(studio, dropped) if dropped else studio.inside_folder(given)
    if path.is_dir():
        arguments: Stated = {"release": str(path)}
        job = begin(studio, "Checking the release", "check", arguments, is_slow=True)
        return await watched(studio, job, 0.4)
    quasi = asked.get("quasi")
    arguments = {
        "file": str(path),
        "quasi": None if quasi is None else [str(one) for one in quasi],
        "sensitive": str(asked.get("sensitive") or "") or None,
    }
    job = begin(
        studio, "Attacking the table", "check_file", arguments, is_slow=True, given=given,
        dropped=dropped,
    )  # fmt: skip
    return await watched(studio, job, 0.4)


def _dropped(studio: Studio, name: str) -> Path:
    """A file or folder that was dropped on the page."""
    if not is_name(name):
        raise GygesError("drop the file again: it is no longer there")
    path = (studio.checked / name).resolve()
    if not path.is_relative_to(studio.checked.resolve()) or not path.exists():
        raise GygesError("drop the file again: it is no longer there")
    return path


ACTIONS: dict[str, Callable[[Studio, Request], Coroutine[Any, Any, Response]]] = {
    "open": open_source,
    "change": change,
    "undo": undo,
    "redo": redo,
    "again": again,
    "use": use,
    "publish": publish,
    "check": check,
}
