"""What a person takes away: the project file, the release as a zip, and what stays inside."""

from __future__ import annotations

import hashlib
import io
import os
import secrets
import stat
import zipfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

import anyio.to_thread
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response

from gyges.errors import GygesError
from gyges.studio.pages import command_of, is_current, shell_word
from gyges.studio.session import Studio, draft_of

# A report has scripts of its own: it is shown as a page of no origin, which cannot ask this server.
_SANDBOX = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:"
)


async def project(studio: Studio, request: Request) -> Response:
    """The project file."""
    draft = draft_of(studio)
    return PlainTextResponse(draft.text, headers=_attached(draft.path.name))


async def command(studio: Studio, request: Request) -> Response:
    """The command that makes the same release, with its options if it was published as it is."""
    place = f"cd {shell_word(str(studio.folder))}"
    job = studio.published
    is_made = job is not None and is_current(studio, job)
    line = job.result["command"] if job is not None and is_made else command_of(studio)
    text = f"{place}\n{line}\n"
    return PlainTextResponse(text, headers=_attached("command.txt"))


async def release(studio: Studio, request: Request) -> Response:
    """The release that was published last, as a zip: only what may leave the building."""
    folder, digests = _published(studio, "directory", "digests")
    return await _zipped(studio, folder, digests, folder.name)


async def inside(studio: Studio, request: Request) -> Response:
    """The files that must stay inside, as a zip of their own whose name says so."""
    folder, digests = _published(studio, "inside", "inside_digests")
    return await _zipped(studio, folder, digests, "inside-do-not-publish")


async def report(studio: Studio, request: Request) -> Response:
    """The report of the release that was published last."""
    folder, digests = _published(studio, "directory", "digests")
    if "report.html" not in digests:
        raise GygesError("this release has no report")
    held = io.BytesIO()
    await anyio.to_thread.run_sync(_copy, folder / "report.html", digests["report.html"], held)
    return HTMLResponse(held.getvalue(), headers={"Content-Security-Policy": _SANDBOX})


def _published(studio: Studio, place: str, listed: str) -> tuple[Path, dict[str, str]]:
    """The folder of what was published last, and the SHA-256 of each file written there."""
    job = studio.published
    found = None if job is None else job.result.get(place)
    if job is None or found is None or not Path(found).is_dir():
        raise GygesError("nothing was published yet")
    return Path(found), dict(job.result[listed])


async def _zipped(studio: Studio, folder: Path, digests: dict[str, str], name: str) -> Response:
    """The files of a release as a zip; whatever else lies in its folder stays there."""
    path = studio.private / f"{secrets.token_hex(8)}.zip"
    try:
        await anyio.to_thread.run_sync(_pack, path, folder, digests, name)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    forget = BackgroundTask(path.unlink, missing_ok=True)
    headers = _attached(f"{name}.zip")
    return FileResponse(path, media_type="application/zip", headers=headers, background=forget)


def _pack(path: Path, folder: Path, digests: dict[str, str], name: str) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, digest in sorted(digests.items()):
            with archive.open(f"{name}/{file}", "w", force_zip64=True) as packed:
                _copy(folder / file, digest, packed)


def _copy(path: Path, digest: str, target: IO[bytes]) -> None:
    """Copy a file as it was published; refuse a link, and a file that was changed since."""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        raise _changed(path) from None
    seen = hashlib.sha256()
    with os.fdopen(opened, "rb") as source:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise _changed(path)
        while chunk := source.read(2**20):
            seen.update(chunk)
            target.write(chunk)
    if seen.hexdigest() != digest:
        raise _changed(path)


def _changed(path: Path) -> GygesError:
    return GygesError(
        f"{path.name!r} in {str(path.parent)!r} is no longer the file that was published: publish "
        f"again"
    )


def _attached(name: str) -> dict[str, str]:
    bare = "".join(
        one if one.isascii() and (one.isalnum() or one in "._-") else "_" for one in name
    )
    exact = quote(name, safe="")
    return {"Content-Disposition": f"attachment; filename=\"{bare}\"; filename*=UTF-8''{exact}"}


DOWNLOADS: dict[str, Callable[[Studio, Request], Coroutine[Any, Any, Response]]] = {
    "project": project,
    "command": command,
    "release": release,
    "inside": inside,
    "report": report,
}
