"""The pages: one for each step of the job, each a frame whose parts are computed later."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from gyges import __version__
from gyges.errors import GygesError
from gyges.exact import percent
from gyges.report.sections import NOT_PROMISED
from gyges.studio.session import Studio
from gyges.workflow.policies import POLICIES

PAGES = {
    "open": "Open",
    "columns": "Columns",
    "rules": "Attackers and rules",
    "explore": "Explore",
    "risk": "Risk",
    "publish": "Publish",
    "check": "Check",
}
_WITHOUT_PROJECT = ("open", "check")
DATA_ENDINGS = (".csv", ".tsv", ".txt", ".gz", ".parquet", ".pq")
_MOST_FILES = 40

_environment = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.filters["thousands"] = lambda number: f"{number:,}"
_environment.filters["percent"] = percent


def render(template: str, **context: Any) -> str:
    """A template as text; every value in it is escaped."""
    return _environment.get_template(template).render(version=__version__, **context)


async def page(name: str, studio: Studio, request: Request) -> Response:
    """One page of the studio."""
    if studio.draft is None and name not in _WITHOUT_PROJECT:
        name = "open"
    context = {"name": name, "pages": PAGES, "studio": studio, **project_context(studio)}
    if name == "open":
        context |= {"projects": _projects(studio), "files": _files(studio), "policies": POLICIES}
    if name == "publish" and studio.draft is not None:
        promised = [str(rule) for rule in studio.draft.project().rules()]
        context |= {"rules_in_words": promised, "not_promised": NOT_PROMISED}
    return HTMLResponse(render(f"{name}.html", **context))


def project_context(studio: Studio) -> dict[str, Any]:
    """What every page shows of the project: its file, the command, and what can be undone."""
    draft = studio.draft
    if draft is None:
        return {"draft": None, "revision": -1}
    stated = draft.stated
    return {
        "draft": draft,
        "within": f"{studio.folder}/",
        "revision": draft.revision,
        "project_name": draft.path.name,
        "stated": stated,
        "command": command_of(studio),
        "published": studio.published,
    }


def command_of(studio: Studio) -> str:
    """The command that makes the same release, from the working folder."""
    if studio.draft is None:
        raise GygesError("open a table or a project first")
    path = studio.draft.path
    shown = path.relative_to(studio.folder) if path.is_relative_to(studio.folder) else path
    return f"gyges publish {shell_word(str(shown))}"


def shell_word(text: str) -> str:
    """A text as a word of a command."""
    return shlex.quote(text)


def _projects(studio: Studio) -> list[str]:
    found = sorted(one.name for one in studio.folder.glob("*.toml") if one.is_file())
    return [name for name in found if name != "pyproject.toml"][:_MOST_FILES]


def _files(studio: Studio) -> list[str]:
    files = (one for one in studio.folder.iterdir() if one.is_file())
    names = sorted(one.name for one in files if not one.name.startswith("."))
    return [name for name in names if name.lower().endswith(DATA_ENDINGS)][:_MOST_FILES]
