"""The pages: one for each step of the job, each a frame whose parts are computed later."""

from __future__ import annotations

import math
import shlex
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from gyges import __version__
from gyges.data.people_words import as_counted
from gyges.errors import GygesError
from gyges.exact import fraction, percent
from gyges.release.group_forms import GROUP_FORMS
from gyges.report.sections import NOT_PROMISED
from gyges.studio.page_words import in_page_words
from gyges.studio.rule_cards import names_in_short, rounded_up
from gyges.studio.session import Studio
from gyges.studio.workers import Job
from gyges.workflow.alternatives import form_of
from gyges.workflow.noise_options import declared_columns
from gyges.workflow.policies import POLICIES
from gyges.workflow.project_draft import ProjectDraft
from gyges.workflow.project_file import ProjectFile
from gyges.workflow.project_sections import METHOD_NAMES, WholeNumbers
from gyges.workflow.source_files import DATA_ENDINGS, is_server, stamp_of, without_passwords

PAGES = {
    "open": "Open",
    "columns": "Columns",
    "rules": "Attackers and rules",
    "explore": "Explore",
    "risk": "Risk",
    "publish": "Publish",
    "check": "Check",
}
_METHODS_IN_WORDS = {
    "partition": "partition: local groups, little loss",
    "lattice": "lattice: every column at one level",
    "suppression": "suppression: single cells become *",
    "buckets": "buckets: values published apart",
    "microaggregation": "microaggregation: averages",
    "marginals": "marginals: many small tables",
    "dp": "dp: counts with noise (differential privacy)",
}
FORMATS = {
    "csv": "CSV", "parquet": "Parquet", "xlsx": "Excel", "dta": "Stata", "sav": "SPSS",
    "xpt": "SAS",
}  # fmt: skip
_WITHOUT_PROJECT = ("open", "check")
_MOST_FILES = 40


def noise_factor(epsilon: object) -> str:
    """By what factor one person changes the probability of a result, at most: e to the epsilon.

    >>> noise_factor("1/2"), noise_factor("a")
    ('1.65', '')
    """
    try:
        return rounded_up(math.exp(float(fraction(str(epsilon), "epsilon"))))
    except (GygesError, OverflowError):
        return ""


_environment = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.filters["thousands"] = lambda number: f"{number:,}"
_environment.filters["percent"] = percent
_environment.filters["factor"] = noise_factor
_environment.filters["names_in_short"] = names_in_short
_environment.filters["on_page"] = in_page_words


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
        context["endings"] = [*dict.fromkeys(Path(f"x{one}").suffix for one in DATA_ENDINGS)]
    if name == "publish" and studio.draft is not None:
        context |= _publishing(studio, studio.draft.project())
    return HTMLResponse(render(f"{name}.html", **context))


def _publishing(studio: Studio, project: ProjectFile) -> dict[str, Any]:
    """What the page "Publish" shows: who is covered, what is promised, and what can be chosen."""
    by_rows = not project.schema_of_columns().identifies_people
    job = studio.publishing()
    return {
        "covered": covered_words(project),
        "rules_in_words": [as_counted(str(rule), by_rows) for rule in project.rules()],
        "not_promised": NOT_PROMISED,
        "section": project.publish,
        "noise": project.dp,
        "methods": {name: _METHODS_IN_WORDS.get(name, name) for name in METHOD_NAMES},
        "group_form": form_of(project.publish.model_dump()) if project.publish.has_groups else None,
        "forms": {name: form.text for name, form in GROUP_FORMS.items()},
        "formats": FORMATS,
        "domains": _domains(project) if project.publish.spends_budget else [],
        "running": job.number if job is not None else None,
        "is_current": studio.published is not None and is_current(studio, studio.published),
    }


def _domains(project: ProjectFile) -> list[dict[str, Any]]:
    """The columns whose public values noise needs, and what the project declares of them."""
    stated = {} if project.dp is None else project.dp.domains
    found = []
    for name, is_range in declared_columns(project).items():
        held = stated.get(name)
        ends = (held.first, held.last) if isinstance(held, WholeNumbers) else ("", "")
        listed = held if isinstance(held, list) else []
        found.append(
            {
                "name": name,
                "is_range": is_range and not listed,
                "ends": ends,
                "values": ", ".join(map(str, listed)),
            }
        )
    return found


def is_current(studio: Studio, job: Job) -> bool:
    """Whether the open project and its data are still as they were when a job published them."""
    return studio.draft is not None and bool(job.context["state"] == state_of(studio.draft))


def state_of(draft: ProjectDraft) -> tuple[str, object]:
    """What tells one state of a project and its data from another."""
    return draft.text, stamp_of(draft.project().source)


def covered_words(project: ProjectFile) -> list[str]:
    """Who is in the release, and who is not, in sentences."""
    columns = project.columns
    who = ", ".join(columns.who)
    table = f", table {project.data.table}" if project.data.table else ""
    place = f"{without_passwords(project.data.source)}{table}"
    said = [
        f"The people of {place}, identified by {who}."
        if who
        else f"The rows of {place}. No column identifies people, so each row is counted as one "
        f"person, and someone with several rows is less protected than is promised."
    ]
    if columns.keep_row:
        by = f" by {columns.keep_row_by}" if columns.keep_row_by else ""
        said.append(f"Of each person, the {columns.keep_row} row{by} is used.")
    if project.data.missing == "drop":
        said.append(
            "People with a missing value in a column that is used are dropped: they are not in the "
            "release, and no figure counts them."
        )
    if not project.publish.has_groups:
        return [*said, "The release consists of counts; it has no row for a person."]
    rest = "else " if project.data.missing == "drop" else ""
    return [
        *said,
        f"Everyone {rest}is published, or suppressed where the method suppresses people.",
    ]


def project_context(studio: Studio) -> dict[str, Any]:
    """What every page shows of the project: its file, the command, and what can be undone."""
    draft = studio.draft
    if draft is None:
        return {"draft": None, "revision": -1}
    stated = draft.stated
    return {
        "draft": draft,
        "project_text": without_passwords(draft.text),
        "within": f"{studio.folder}/",
        "revision": draft.revision,
        "project_name": draft.path.name,
        "stated": stated,
        "command": command_of(studio),
        "reads_server": is_server(str(stated.get("data", {}).get("source", ""))),
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
