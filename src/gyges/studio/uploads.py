"""Files that a person drops on a page: written to the working folder, or to a folder for checks."""

from __future__ import annotations

import filecmp
import secrets
import zipfile
from pathlib import Path

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gyges.errors import GygesError
from gyges.studio.actions import SeveralSheetsError, begin_project
from gyges.studio.session import Studio, bare_name, is_name

_MOST_UNPACKED = 2 * 2**30  # bytes of a release in a zip file
_MOST_FILES = 50


async def upload(studio: Studio, request: Request) -> Response:
    """Receive one file; `purpose` says what for: data, hierarchy or check."""
    name = request.query_params.get("name", "")
    purpose = request.query_params.get("purpose", "data")
    if purpose not in ("data", "hierarchy", "check"):
        raise GygesError("a file is sent as data, as a hierarchy, or for a check")
    if purpose == "check":
        return await _for_check(studio, request, name)
    received = studio.new_file(name)
    await _receive(request, received)
    older = studio.folder / bare_name(name)
    path = await anyio.to_thread.run_sync(_kept_once, received, older)
    is_new = path == received
    if purpose == "hierarchy":
        return JSONResponse({"path": path.name})
    if path.suffix == ".toml":
        received.unlink(missing_ok=True)
        raise GygesError(
            "a project names its data by a path: put it into the working folder, and open it there"
        )
    policy = request.query_params.get("policy", "researchers")
    try:
        return await begin_project(studio, path.name, None, policy)
    except SeveralSheetsError:  # it can be read, once a sheet is chosen
        raise
    except GygesError:
        if is_new:
            path.unlink(missing_ok=True)  # nothing is left of a file that cannot be read
        raise


def _kept_once(path: Path, older: Path) -> Path:
    """The file that was received, or the same one that was there already: it is not kept twice."""
    if older == path or older.is_symlink() or not older.is_file():
        return path
    if not filecmp.cmp(older, path, shallow=False):
        return path
    path.unlink()
    return older


async def _receive(request: Request, path: Path) -> None:
    """Write the body of a request to a new file, or nothing at all."""
    try:
        file = path.open("xb")
    except FileExistsError:  # it is another one's, and stays
        raise GygesError(f"there is a file {path.name!r} already: rename yours") from None
    try:
        with file:
            async for chunk in request.stream():
                await anyio.to_thread.run_sync(file.write, chunk)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


async def _for_check(studio: Studio, request: Request, name: str) -> Response:
    """A release as a zip or file by file, or a published table."""
    bare = name.replace("\\", "/").rpartition("/")[2].strip(". ")
    into = request.query_params.get("into") or secrets.token_hex(8)
    if not is_name(bare) or not into.isalnum():
        raise GygesError("the file has no name")
    folder = studio.checked / into
    folder.mkdir(mode=0o700, exist_ok=True)
    if len(list(folder.iterdir())) >= _MOST_FILES:
        raise GygesError("these are too many files for one release")
    path = folder / bare
    await _receive(request, path)
    if bare.lower().endswith(".zip"):
        await anyio.to_thread.run_sync(_unpack, path, folder)
        return JSONResponse({"into": into, "dropped": into})
    is_release = (folder / "certificate.json").exists()
    return JSONResponse({"into": into, "dropped": into if is_release else f"{into}/{bare}"})


def _unpack(packed: Path, folder: Path) -> None:
    """Unpack the files of a release, which lie side by side; names with folders lose them."""
    try:
        with zipfile.ZipFile(packed) as archive:
            members = [one for one in archive.infolist() if not one.is_dir()]
            if len(members) > _MOST_FILES or sum(m.file_size for m in members) > _MOST_UNPACKED:
                raise GygesError("the zip file is too large for a release")
            for member in members:
                bare = member.filename.replace("\\", "/").rpartition("/")[2].strip(". ")
                if bare:
                    _unpack_one(archive, member, folder / bare)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError):
        raise GygesError("the zip file cannot be read") from None
    finally:
        packed.unlink(missing_ok=True)


def _unpack_one(archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path) -> None:
    left = member.file_size
    with archive.open(member) as source, target.open("xb") as file:
        while chunk := source.read(2**20):
            left -= len(chunk)
            if left < 0:
                raise GygesError("the zip file is too large for a release")
            file.write(chunk)
