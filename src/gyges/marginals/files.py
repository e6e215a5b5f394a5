"""Marginals on disk: one file a view and a certificate, checked from the files alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gyges import __version__
from gyges.criteria.describe import from_data, to_data
from gyges.data.values import Value
from gyges.errors import ReleaseError
from gyges.marginals.judging import SetRule
from gyges.marginals.model import Marginals
from gyges.marginals.published import describe_columns, read_columns
from gyges.release.certificate import NAME, digests, stated_form, write_stated
from gyges.release.directory import Step, refuse_target, write_whole
from gyges.release.release import Claim
from gyges.release.tables import read_table, write_table

FORM = "marginals"
FORMAT = 1
SCOPE = (
    "the attackers of safety and of skylines are defined for one table of groups; what they gain "
    "from several views together is outside this certificate"
)


@dataclass(frozen=True, slots=True, eq=False)
class PublishedMarginals:
    """Views as they were published, and what is claimed of them."""

    marginals: Marginals
    claims: tuple[Claim, ...]
    files: Mapping[str, str]  # SHA-256 of each file
    n_people: int  # as stated


def save_marginals(
    marginals: Marginals,
    criteria: SetRule | Iterable[SetRule],
    directory: str | Path,
    *,
    format: str = "csv",
    overwrite: bool = False,
    before: Step | None = None,
) -> Path:
    """Write the views and a certificate that they satisfy the criteria together.

    `before` sees the finished directory before it is put in place.
    """
    directory = Path(directory)
    refuse_target(directory, format, overwrite)
    rules = [criteria] if not isinstance(criteria, Iterable) else list(criteria)
    claims = [_claim(marginals, rule) for rule in rules]
    return write_whole(directory, lambda beside: _write(marginals, claims, beside, format), before)


def load_marginals(directory: str | Path) -> PublishedMarginals:
    """Read published views back; nothing but the directory is needed."""
    directory = Path(directory)
    try:
        stated = json.loads((directory / NAME).read_text(encoding="utf-8"))
        attributes = read_columns(stated["columns"])
        views = [
            (view["levels"], _frame(directory / str(view["file"]))) for view in stated["views"]
        ]
        claims = tuple(Claim(**claim) for claim in stated["claims"])
        files = {str(name): str(digest) for name, digest in stated["files"].items()}
        n_people = int(stated["n_people"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        if isinstance(problem, ReleaseError):
            raise
        raise ReleaseError(f"{str(directory)!r} holds no whole set of views: {problem}") from None
    return PublishedMarginals(Marginals.from_frames(attributes, views), claims, files, n_people)


def is_marginals(directory: Path) -> bool:
    """Whether a directory holds published views rather than one release of groups."""
    return stated_form(directory) == FORM


def claim_holds(marginals: Marginals, claim: Claim) -> tuple[bool, str]:
    """Judge one claim on published views: whether it holds as stated, and the risk found."""
    rule: Any = from_data(claim.rule)
    verdict = marginals.judge(rule)
    found = _risk(verdict.risks)
    return verdict.safe and found == claim.risk and str(rule) == claim.text, found


def _claim(marginals: Marginals, rule: SetRule) -> Claim:
    verdict = marginals.judge(rule)
    if not verdict.safe:
        raise ReleaseError(f"the views do not satisfy what is to be claimed of them\n{verdict}")
    return Claim(rule=to_data(rule), text=str(rule), risk=_risk(verdict.risks))


def _risk(risks: Mapping[str, object]) -> str:
    return "; ".join(f"{rule}: {risk}" for rule, risk in risks.items())


def _write(marginals: Marginals, claims: list[Claim], beside: Path, format: str) -> None:
    import pyarrow as pa

    views = []
    for number, view in enumerate(marginals.views, start=1):
        name = f"view-{number}.{format}"
        write_table(pa.table(view.frame()), beside / name)
        views.append({"file": name, "levels": view.levels})
    stated = {
        "form": FORM,
        "format": FORMAT,
        "gyges": __version__,
        "n_people": marginals.n_people,
        "columns": describe_columns(marginals.attributes, marginals.views),
        "views": views,
        "claims": [_stated(claim) for claim in claims],
        "files": digests(beside),
        "scope": SCOPE,
    }
    write_stated(stated, beside)


def _stated(claim: Claim) -> dict[str, object]:
    return {"rule": claim.rule, "text": claim.text, "risk": claim.risk}


def _frame(path: Path) -> dict[str, list[Value]]:
    rows = read_table(path)
    return {name: rows.column(name).to_pylist() for name in rows.column_names}
