"""What a person takes away: the project file, the release as a zip, and what stays inside."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response

from gyges.errors import GygesError
from gyges.studio.actions import draft_of
from gyges.studio.session import Studio

# A report has scripts of its own: it is shown as a page of no origin, which cannot ask this server.
_SANDBOX = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:"
)


async def project(studio: Studio, request: Request) -> Response:
    """The project file."""
    draft = draft_of(studio)
    return PlainTextResponse(draft.text, headers=_attached(draft.path.name))


async def release(studio: Studio, request: Request) -> Response:
    """The release that was published last, as a zip: only what may leave the building."""
    return _zipped(_published(studio, "directory"))


async def inside(studio: Studio, request: Request) -> Response:
    """The files that must stay inside, as a zip of their own whose name says so."""
    return _zipped(_published(studio, "inside"), "inside-do-not-publish")


async def report(studio: Studio, request: Request) -> Response:
    """The report of the release that was published last."""
    path = _published(studio, "directory") / "report.html"
    if not path.is_file():
        raise GygesError("this release has no report")
    return FileResponse(path, headers={"Content-Security-Policy": _SANDBOX})


def _published(studio: Studio, key: str) -> Path:
    job = studio.published
    found = None if job is None else job.result.get(key)
    if found is None or not Path(found).is_dir():
        raise GygesError("nothing was published yet")
    return Path(found)


def _zipped(folder: Path, name: str | None = None) -> Response:
    """The files of a folder as a zip."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.iterdir()):
            if path.is_file():
                archive.write(path, f"{name or folder.name}/{path.name}")
    headers = _attached(f"{name or folder.name}.zip")
    return Response(held.getvalue(), media_type="application/zip", headers=headers)


def _attached(name: str) -> dict[str, str]:
    bare = "".join(
        one if one.isascii() and (one.isalnum() or one in "._-") else "_" for one in name
    )
    return {"Content-Disposition": f'attachment; filename="{bare}"'}


DOWNLOADS: dict[str, Callable[[Studio, Request], Coroutine[Any, Any, Response]]] = {
    "project": project,
    "release": release,
    "inside": inside,
    "report": report,
}
