"""Parts of pages that are computed: begun, watched while they run, and shown when they are done."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from gyges.data.local_formats import FORMATS
from gyges.errors import GygesError
from gyges.studio.pages import is_current, project_context, render
from gyges.studio.rule_cards import ALL_VALUES, card_of, edited, shown_cards
from gyges.studio.session import Studio
from gyges.studio.workers import Job, Worker
from gyges.workflow.project_edits import ROLES, role_of

_PATIENCE = 0.4  # seconds that a part may take before its progress is shown
_POLL = 0.5
_ORDERED = ("number", "date", "month")  # kinds of values that lie on a line

ENCODINGS = {
    "utf-8": "UTF-8", "cp1252": "Western Europe (Windows)", "latin-1": "Western Europe (ISO)",
    "cp1250": "Central Europe (Windows)", "iso8859_2": "Central Europe (ISO)",
    "cp850": "Western Europe (DOS)", "mac_roman": "Western Europe (Mac)",
    "cp1251": "Cyrillic (Windows)", "cp1253": "Greek (Windows)", "cp1254": "Turkish (Windows)",
    "shift_jis": "Japanese", "gb18030": "Chinese", "euc_kr": "Korean", "utf-16": "UTF-16",
}  # fmt: skip
CANCELLED = (
    "Cancelled. If a release was being written, it is there whole or not at all: look at its "
    "directory and at the ledger."
)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a page: the task that computes it, and the template that shows it."""

    task: str
    title: str
    is_slow: bool = False

    @property
    def template(self) -> str:
        """The template of its name."""
        return f"part_{self.task}.html"


PARTS = {
    one.task: one
    for one in (
        Part("look", "Looking at the table"),
        Part("columns", "Counting each column"),
        Part("state", "Reading the table"),
        Part("values", "Reading the table"),
        Part("explore", "Trying alternatives", is_slow=True),
        Part("compare", "Comparing", is_slow=True),
        Part("risk", "Asking every attacker", is_slow=True),
        Part("limits", "Asking every attacker", is_slow=True),
    )
}


async def asked_of(request: Request) -> dict[str, Any]:
    """The JSON object that a page sends."""
    try:
        asked = await request.json()
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
        raise GygesError("the request is not JSON") from None
    if not isinstance(asked, dict):
        raise GygesError("the request is not an object")
    return asked


def project_arguments(studio: Studio) -> dict[str, Any]:
    """The project, as tasks take it."""
    if studio.draft is None:
        raise GygesError("open a table or a project first")
    studio.refuse_outside(studio.draft.project())  # a link may have been put there meanwhile
    return {"stated": studio.draft.stated, "path": str(studio.draft.path)}


async def part(studio: Studio, request: Request) -> Response:
    """Begin to compute a part of a page."""
    known = PARTS.get(request.path_params["name"])
    if known is None:
        raise GygesError("this page has no such part")
    arguments = project_arguments(studio)
    if known.task == "compare":
        arguments["numbers"] = request.query_params.getlist("pin")[:4]
    channel = "" if known.is_slow else known.task
    job = begin(studio, known.title, known.task, arguments, is_slow=known.is_slow, channel=channel)
    return await watched(studio, job, _PATIENCE)


def begin(
    studio: Studio,
    title: str,
    task: str,
    arguments: dict[str, Any],
    *,
    is_slow: bool,
    channel: str = "",
    **context: Any,
) -> Job:
    """Begin a job whose result is shown by the template of its task."""
    worker: Worker = studio.slow if is_slow else studio.quick
    return studio.submit(worker, title, task, arguments, channel, context)


async def watched(studio: Studio, job: Job, seconds: float) -> Response:
    """What a job has to show after at most some seconds: its result, or how far it is."""
    await anyio.to_thread.run_sync(job.finished.wait, seconds, abandon_on_cancel=True)
    headers = {"X-Job": job.number, "X-State": job.state}
    if job.state == "done":
        text = render(f"part_{job.task}.html", **_context(studio, job))
    elif job.state == "refused":
        error = studio.without_private(job.error)
        text = render("refused.html", error=error, notes=job.notes)
    elif job.state == "cancelled":
        text = render("refused.html", error=CANCELLED, notes=[])
    else:
        text = render("progress.html", job=job)
    return HTMLResponse(text, headers=headers)


async def job_state(studio: Studio, request: Request) -> Response:
    """How far a job is, or what came of it."""
    job = studio.job(request.path_params["number"])
    if job is None:
        raise GygesError("this work is no longer known: reload the page")
    return await watched(studio, job, _POLL)


async def opening(studio: Studio, request: Request) -> Response:
    """How far the table is that is being opened; nothing if none is."""
    job = studio.opening()
    if job is None:
        return Response(status_code=204)
    await anyio.to_thread.run_sync(job.finished.wait, _POLL, abandon_on_cancel=True)
    return HTMLResponse(render("progress.html", job=job))


async def cancel(studio: Studio, request: Request) -> Response:
    """Cancel a job; it takes effect within a second."""
    number = request.path_params["number"]
    await anyio.to_thread.run_sync(studio.cancel, number)
    return JSONResponse({"cancelled": number})


async def pulse(studio: Studio, request: Request) -> Response:
    """The revision of the project, so that a window notices what another one changed."""
    revision = -1 if studio.draft is None else studio.draft.revision
    path = None if studio.draft is None else studio.draft.path.name
    return JSONResponse({"revision": revision, "project": path})


async def slider(studio: Studio, request: Request) -> Response:
    """What a rule would do with the numbers that its sliders show now; nothing is saved."""
    asked = await asked_of(request)
    arguments = project_arguments(studio)
    stated, place = edited(arguments["stated"], asked)
    arguments |= {"stated": stated, "number": place, "point": _moved(stated, place, asked)}
    job = begin(
        studio, "Searching", "answer", arguments, is_slow=False, channel="slider",
        card=card_of(str(asked["rule"])), is_added=asked.get("number") is not None,
    )  # fmt: skip
    return await watched(studio, job, 2.0)


def _moved(stated: dict[str, Any], place: int, asked: dict[str, Any]) -> list[Any] | None:
    """Where the limit of a skyline is that a card shows: at its value, or last at another one."""
    points = stated["require"][place].get("points")
    if points is None:
        return None
    value, point = str(asked.get("value") or ALL_VALUES), asked.get("point")
    return point if point and str(point[0]) == value else [value, len(points[value]) - 1]


async def skyline_part(studio: Studio, request: Request) -> Response:
    """How much an attacker may know before a value is at risk."""
    asked = await asked_of(request)
    arguments = project_arguments(studio)
    arguments |= {"value": str(asked.get("value")), "confidence": str(asked.get("confidence"))}
    job = begin(studio, "Finding the limits", "skyline", arguments, is_slow=True)
    return await watched(studio, job, 2.0)


def _context(studio: Studio, job: Job) -> dict[str, Any]:
    """What the template of a finished job shows."""
    context = {"found": job.result, "notes": job.notes, "job": job, **job.context}
    context |= project_context(studio)
    if job.task == "publish":
        context["is_current"] = is_current(studio, job)
    if job.task == "columns":
        stated = context["stated"]
        roles = {one["name"]: role_of(stated, one["name"]) for one in job.result["columns"]}
        columns = job.result["columns"]
        context |= {"roles": ROLES, "role_of": roles, "formats": FORMATS, **_groups(stated, roles)}
        context |= {"orders": _orders(stated, columns), "questions": _questions(stated, job.result)}
    if job.task == "look":
        source = context["stated"]["data"]["source"].lower().removesuffix(".gz")
        context |= {"encodings": ENCODINGS, "is_csv": source.endswith((".csv", ".tsv", ".txt"))}
    if job.task == "values":
        context |= {"cards": shown_cards(context["stated"], job.result)}
    return context


def _orders(stated: dict[str, Any], columns: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The columns that can order the rows of a person: dates first, then the most telling ones.

    A number that each row has for itself, such as a visit's, is one of them.
    """
    named, kinds = stated["columns"], stated["columns"].get("kinds", {})
    chosen, person = named.get("keep_row_by"), named.get("person")
    found = [
        one
        for one in columns
        if one["name"] == chosen
        or (
            one["name"] != person
            and (one["numbers_rows"] or kinds.get(one["name"], one["guess"]["kind"]) in _ORDERED)
        )
    ]
    return sorted(
        found,
        key=lambda one: (one["guess"]["kind"] not in ("date", "month"), -one["n_distinct"]),
    )


def _questions(stated: dict[str, Any], found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What publishing is refused for until a person decides it, and where on the page they do."""
    columns, settled = stated["columns"], _settled(stated["columns"])
    asked = []
    if found["totals"] and not stated["data"].get("totals_are_people"):
        asked.append(("totals", "Are lines of totals people?"))
    if found["respelled"] and not columns.get("exact_spelling"):
        asked.append(("spelling", "Are identifiers in two spellings one person's?"))
    is_open = not columns.get("keep_row") and columns.get("rows_per_person", "one") == "one"
    if columns.get("person") and found["has_repeated"] and is_open:
        asked.append(("rows", "Some people have several rows: what is published of them?"))
    if columns.get("person") or columns.get("person_columns"):
        return asked
    places = enumerate(found["columns"], start=1)
    doubtful = ((f"c{place}-role", one["name"]) for place, one in places if one["asks"])
    return asked + [
        (place, f"Does {name} identify people who have several rows?")
        for place, name in doubtful
        if name not in settled
    ]


def _settled(columns: Mapping[str, Any]) -> set[str]:
    """The columns of which the project says whether they identify people."""
    return {*columns.get("do_not_identify", ()), *columns.get("identifiers", ())}


def _groups(stated: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The groups that a person made of each column, and groups of them; and all their values."""
    trees = {name: stated.get("hierarchies", {}).get(name, {}).get("tree", {}) for name in names}
    groups = {name: tree for name, tree in trees.items() if isinstance(tree, dict)}
    return {"groups": groups, "placed": {name: set(_leaves(tree)) for name, tree in groups.items()}}


def _leaves(tree: object) -> Iterator[str]:
    """The values of a tree, as texts."""
    if isinstance(tree, dict):
        for below in tree.values():
            yield from _leaves(below)
    elif isinstance(tree, list):
        yield from map(str, tree)
