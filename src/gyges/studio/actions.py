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
from gyges.exact import fraction
from gyges.studio.pages import command_of, shell_word, state_of
from gyges.studio.parts import asked_of, begin, project_arguments, watched
from gyges.studio.rule_cards import edited
from gyges.studio.session import Studio, is_name
from gyges.workflow import project_edits as edits
from gyges.workflow.project_draft import ProjectDraft, StaleEditError
from gyges.workflow.source_files import refuse_foreign_view, sheets_of

Stated = dict[str, Any]
_PUBLISH_KEYS = ("method", "form", "format", "out", "effort", "suppression", "seconds", "labels")
_NUMBER_KEYS = ("seconds",)


def draft_of(studio: Studio) -> ProjectDraft:
    """The open project."""
    if studio.draft is None:
        raise GygesError("open a table or a project first")
    return studio.draft


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
    studio.messages = found["messages"]
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
    if kind not in _CHANGES:
        raise GygesError(f"there is no change {kind!r}")
    try:
        stated, label = _CHANGES[kind](studio, draft.stated, asked)
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


def _role(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    column, role = str(asked["column"]), str(asked["role"])
    return edits.set_role(stated, column, role), f"{column}: {role}"


def _roles(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    columns, role = asked["columns"], str(asked["role"])
    if not isinstance(columns, list) or not columns:
        raise GygesError("choose at least one column")
    for column in map(str, columns):
        stated = edits.set_role(stated, column, role)
    return stated, f"{len(columns)} columns: {role}"


def _identifies(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    column, identifies = str(asked["column"]), bool(asked["identifies"])
    what = "identifies people" if identifies else "does not identify people"
    return edits.set_identifies(stated, column, identifies), f"{column} {what}"


def _rows(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    how = str(asked["to"])
    return edits.set_rows(stated, how, str(asked.get("by") or "") or None), f"rows used: {how}"


def _totals(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    are_people = bool(asked["are_people"])
    what = "people" if are_people else "no people"
    made = edits.set_key(stated, "data", "totals_are_people", are_people or None)
    return made, f"lines of totals are {what}"


def _spelling(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    is_exact = bool(asked["is_exact"])
    what = "different people's" if is_exact else "perhaps one person's"
    made = edits.set_key(stated, "columns", "exact_spelling", is_exact or None)
    return made, f"other spellings are {what}"


def _kind(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    column, kind = str(asked["column"]), str(asked["to"])
    return edits.set_kind(stated, column, kind or None), f"{column}: {kind or 'guessed kind'}"


def _hierarchy(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    column, how = str(asked["column"]), str(asked["how"])
    label = f"hierarchy of {column}"
    if how == "coding":
        bottom, top = (_maybe_number(asked.get(key)) for key in ("bottom", "top"))
        values = [str(one) for one in asked["values"]]
        width = float(asked["width"])
        made = edits.set_coding(stated, column, values, width=width, bottom=bottom, top=top)
        return made, f"top and bottom coding of {column}"
    sections: dict[str, Callable[[], Stated | None]] = {
        "none": lambda: None,
        "intervals": lambda: {
            "intervals": [_plain(one) for one in str(asked["widths"]).split(",")]
        },
        "prefixes": lambda: {"prefixes": True},
        "calendar": lambda: {"calendar": [str(one) for one in asked["units"]]},
        "groups": lambda: {"tree": _tree(asked["groups"])},
        "csv": lambda: {"csv": _relative(studio, str(asked["path"]))},
    }
    return edits.set_hierarchy(stated, column, sections[how]()), label


def _tree(groups: object) -> Stated:
    """Groups of values, or of groups; those that hold nothing are left out."""
    if not isinstance(groups, dict) or not groups:
        raise GygesError("make at least one group")
    made: Stated = {}
    for name, held in groups.items():
        if held:
            made[str(name)] = _tree(held) if isinstance(held, dict) else [str(one) for one in held]
    return made


def _relative(studio: Studio, given: str) -> str:
    """A path of the working folder, as the project file names it."""
    path, folder = studio.inside_folder(given), draft_of(studio).path.parent
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)


def _plain(text: str) -> int | float:
    number = float(text)
    return int(number) if number.is_integer() else number


def _maybe_number(given: object) -> float | None:
    return None if given in (None, "") else float(str(given))


def _rule(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    is_new, what = asked.get("number") is None, "limit of the skyline" if asked.get("point") else ""
    done = "removed" if asked.get("remove") else "added" if is_new else "changed"
    return edited(stated, asked)[0], f"{what or asked['rule']} {done}"


def _policy(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    return edits.set_policy(stated, str(asked["policy"])), f"policy {asked['policy']}"


def _publish_key(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    key, value = str(asked["key"]), asked.get("to")
    if key not in _PUBLISH_KEYS:
        raise GygesError(f"{key!r} cannot be changed here")
    if key == "out":
        value = _relative(studio, str(value))
    if key in _NUMBER_KEYS and value not in (None, ""):
        value = float(str(value))
    if key == "method":  # options belong to the method that they were chosen for
        kept = {k: v for k, v in stated.get("publish", {}).items() if k in ("out", "format")}
        stated = {**stated, "publish": kept}
        stated = edits.for_method(stated, str(value))
    return edits.set_key(stated, "publish", key, value), f"{key}: {value or 'default'}"


def _noise(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    key, text = str(asked["key"]), str(asked.get("to") or "").strip()
    if key not in ("epsilon", "delta", "budget"):
        raise GygesError(f"{key!r} cannot be changed here")
    if text:
        fraction(text, key)
    if key == "budget":
        budget = {**stated.get("dp", {}).get("budget", {}), "epsilon": text}
        return edits.set_key(stated, "dp", key, budget if text else None), f"budget: {text}"
    return edits.set_key(stated, "dp", key, text), f"{key}: {text or 'default'}"


def _use_noise(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    changed = _publish_key(studio, stated, {"key": "method", "to": "dp"})[0]
    return _noise(studio, changed, {"key": "epsilon", "to": asked["to"]})[0], "publish noise"


def _domain(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    column, ends = str(asked["column"]), None
    if asked.get("first") is not None:
        ends = [str(asked["first"]).strip(), str(asked["last"]).strip()]
    values = [one.strip() for one in str(asked.get("values") or "").split(",") if one.strip()]
    return edits.set_domain(stated, column, ends, values), f"public values of {column}"


def _missing(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    value = str(asked["to"])
    return edits.set_key(stated, "data", "missing", value), f"missing values: {value}"


def _marks(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    marks = [one.strip() for one in str(asked["to"]).split(",") if one.strip()]
    return edits.set_key(stated, "data", "missing_marks", marks), "marks of missing values"


_CHANGES: dict[str, Callable[[Studio, Stated, Stated], tuple[Stated, str]]] = {
    "role": _role,
    "roles": _roles,
    "identifies": _identifies,
    "rows": _rows,
    "totals": _totals,
    "spelling": _spelling,
    "kind": _kind,
    "hierarchy": _hierarchy,
    "rule": _rule,
    "policy": _policy,
    "publish": _publish_key,
    "noise": _noise,
    "use noise": _use_noise,
    "domain": _domain,
    "missing": _missing,
    "marks": _marks,
}


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
