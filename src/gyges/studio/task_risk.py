"""Tasks of the page "Risk": the report's findings about the release that would be published."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gyges.auditing.audit import Audit
from gyges.auditing.finding import Finding, Limits, Sheet, share_text
from gyges.auditing.knowledge_limits import limits_sheet
from gyges.auditing.notes import rows_count_as_people
from gyges.auditing.rendering import by_topic, curves_of
from gyges.data.people_words import as_counted
from gyges.errors import GygesError
from gyges.release.groups import Groups
from gyges.release.release import Release
from gyges.report.figure import Figure
from gyges.report.pictures import curve_picture, risk_picture, skyline_picture
from gyges.report.sections import NOT_PROMISED
from gyges.report.skyline_slices import slices_picture
from gyges.studio.shown import shown_people
from gyges.studio.task_memory import Memory, Stated, project_at
from gyges.workflow.progress import Progress
from gyges.workflow.release_in_memory import joined_with_earlier, riskiest_groups
from gyges.workflow.skyline_of_release import skyline_of_groups

SPENT = ("effort", "seconds")  # keys of [publish]


def risk(memory: Memory, progress: Progress, *, stated: Stated, path: str) -> Stated:
    """What every attacker learns from the release that the project would publish now."""
    project = project_at(stated, path)
    opened = memory.read(project, progress)
    release = memory.made(project, progress)
    shown = shown_audit(memory.audited(project, progress))
    shown["people"] = shown_people(opened)
    shown |= shown_groups(release) if isinstance(release, Release) else NO_GROUPS
    progress.stage("comparing with earlier releases")
    shown["joined"] = joined_with_earlier(project, release, opened.table)
    return shown


def limits(memory: Memory, progress: Progress, *, stated: Stated, path: str) -> Stated:
    """What a person must read before they publish: the worst that was found, and the limits of it.

    Noise is drawn once, when it is published: nothing can be said about it before. An effort is
    spent when the release is made: this page does not wait for it.
    """
    publish = stated.get("publish", {})
    at_once = {key: one for key, one in publish.items() if key not in SPENT}
    project = project_at({**stated, "publish": at_once}, path)
    if project.publish.spends_budget or (project.publish.has_groups and not project.require):
        return {"first": [], "summary": [], "notes": [], "has_effort": False}
    memory.read(project, progress)
    found = memory.audited(project, progress)
    return {**_in_short(found), "notes": found.notes, "has_effort": at_once != publish}


NO_GROUPS: Stated = {"values": [], "riskiest": []}


def shown_groups(release: Release) -> Stated:
    """The pictures and the riskiest groups of a release."""
    groups, by_rows = release.groups, rows_count_as_people(release)
    shown = dict(NO_GROUPS)
    if release.roles.sensitive and len(groups):
        shown["groups_picture"] = picture(risk_picture(groups, rows_are_people=by_rows))
        shown["values"] = [str(value) for value in groups.values]
        shown["riskiest"] = [
            {
                "number": one.number,
                "labels": one.labels,
                "people": one.people,
                "value": one.value,
                "share": f"{one.n_with_value:,} of {one.people:,}",
            }
            for one in riskiest_groups(release)
        ]
    return shown


def shown_audit(found: Audit) -> Stated:
    """An audit as a page shows it, topic by topic."""
    return {
        "subject": found.subject,
        **_in_short(found),
        "topics": [_topic(topic, about) for topic, about in by_topic(found.findings)],
        "notes": [*NOT_PROMISED, *found.notes],
        "is_complete": found.is_complete,
        "confidence": share_text(found.confidence),
    }


def _in_short(found: Audit) -> Stated:
    return {
        "first": [one.sentence for one in found.findings if one.place == "first"],
        "summary": [one.sentence for one in found.findings if one.place == "summary"],
    }


def _topic(topic: str, about: Sequence[Finding]) -> Stated:
    curves = curves_of(about)
    sheets = [_sheet(one.details) for one in about if isinstance(one.details, Sheet)]
    sheets += [
        _sheet(limits_sheet(one.details)) for one in about if isinstance(one.details, Limits)
    ]
    drawn = curve_picture({curve.name: curve.values for curve in curves}) if curves else None
    return {
        "topic": topic,
        "items": [
            {"sentence": one.sentence, "witness": None if one.witness is None else one.worst_case}
            for one in about
        ],
        "picture": None if drawn is None else picture(drawn),
        "sheets": sheets,
        "has_limits": any(isinstance(one.details, Limits) for one in about),
    }


def _sheet(sheet: Sheet) -> Stated:
    return {"heads": list(sheet.heads), "rows": [list(row) for row in sheet.rows]}


def picture(figure: Figure) -> dict[str, Any]:
    """A picture as plotly.js draws it."""
    return {"data": figure.data, "layout": figure.layout}


def skyline(
    memory: Memory, progress: Progress, *, stated: Stated, path: str, value: str, confidence: str
) -> Stated:
    """How much an attacker may know before a value is at risk: slices, and the whole region."""
    release = memory.made(project_at(stated, path), progress)
    if not isinstance(release, Release):
        raise GygesError("a release without groups has no skyline")
    return shown_skyline(release.groups, value, confidence, rows_count_as_people(release))


def shown_skyline(groups: Groups, value: str, confidence: str, by_rows: bool) -> Stated:
    """A skyline in words and pictures."""
    found = skyline_of_groups(groups, value, confidence)
    sentences = [as_counted(one, by_rows) for one in found.sentences()]
    if not found.points:
        return {"value": value, "confidence": confidence, "sentences": []}
    return {
        "value": value,
        "confidence": confidence,
        "sentences": sentences,
        "slices": picture(slices_picture(found.points, found.kinds)),
        "whole": picture(skyline_picture(found.points, value)),
    }
