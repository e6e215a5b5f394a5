"""The web application: which address answers what. Pages are made on the server."""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from gyges.errors import GygesError
from gyges.report.figure import library_file
from gyges.studio.actions import ACTIONS, SeveralSheetsError
from gyges.studio.downloads import DOWNLOADS
from gyges.studio.gate import Gate, Keys, UploadTooLargeError
from gyges.studio.page_words import in_page_words
from gyges.studio.pages import PAGES, page
from gyges.studio.parts import cancel, job_state, opening, part, pulse, skyline_part, slider
from gyges.studio.session import Studio
from gyges.studio.uploads import upload
from gyges.studio.worker_process import place_of
from gyges.workflow.project_draft import StaleEditError

STATIC = Path(__file__).parent / "static"

Handler = Callable[[Studio, Request], Coroutine[Any, Any, Response]]


def application(studio: Studio, *, keys: Keys, port: int, most_uploaded: int) -> ASGIApp:
    """The pages of a studio behind their gate."""

    def route(path: str, handler: Handler, *methods: str) -> Route:
        return Route(path, partial(_answered, studio, handler), methods=methods or ["GET"])

    routes = [
        *(route(f"/{name}", partial(page, name)) for name in PAGES),
        route("/", partial(page, "open")),
        route("/part/{name}", part),
        route("/part/skyline/of", skyline_part, "POST"),
        route("/job/{number}", job_state),
        route("/job/{number}/cancel", cancel, "POST"),
        route("/opening", opening),
        route("/pulse", pulse),
        route("/slider", slider, "POST"),
        route("/upload", upload, "POST"),
        *(route(f"/do/{name}", handler, "POST") for name, handler in ACTIONS.items()),
        *(route(f"/download/{name}", handler) for name, handler in DOWNLOADS.items()),
        Route("/plotly.js", _plotly),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    return Gate(Starlette(routes=routes), keys=keys, port=port, most_uploaded=most_uploaded)


async def _answered(studio: Studio, handler: Handler, request: Request) -> Response:
    """An answer; a refusal is one sentence, and an edit of an older state is a conflict."""
    try:
        return await handler(studio, request)
    except UploadTooLargeError as problem:
        return problem.answer()
    except StaleEditError as problem:
        return JSONResponse({"error": str(problem)}, status_code=409)
    except SeveralSheetsError as problem:
        asked = {"error": str(problem), "path": problem.name, "sheets": [*problem.sheets]}
        return JSONResponse(asked, status_code=422)
    except GygesError as problem:
        return JSONResponse({"error": in_page_words(str(problem))}, status_code=422)
    except OSError as problem:
        said = f"{problem.filename}: {problem.strerror}" if problem.filename else problem.strerror
        return JSONResponse({"error": said}, status_code=422)
    except Exception as problem:
        print(f"gyges studio: {place_of(problem)}", file=sys.stderr)
        said = f"an error in Gyges itself ({place_of(problem)}): please report it"
        return JSONResponse({"error": said}, status_code=500)


async def _plotly(request: Request) -> Response:
    """plotly.js, from the package that is installed."""
    return FileResponse(
        library_file(), media_type="text/javascript", headers={"Cache-Control": "max-age=86400"}
    )
