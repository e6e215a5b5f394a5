"""The report of a release, as one self-contained page and as JSON."""

from __future__ import annotations

import json

from gyges import __version__
from gyges.arguments import instance
from gyges.auditing.audit import Audit, audit
from gyges.auditing.notes import rows_count_as_people
from gyges.auditing.tradeoff import Tradeoff
from gyges.errors import ReleaseError
from gyges.release.grouped_files import as_published
from gyges.release.release import Release
from gyges.report import sections
from gyges.report.html_page import html_page
from gyges.report.to_json import json_value


def report_page(release: Release, audit: Audit, tradeoff: list[Tradeoff] | None = None) -> str:
    """The whole report as HTML; it loads nothing from elsewhere."""
    parts = [
        sections.summary(audit),
        sections.published(release),
        sections.promises(release),
        sections.attackers(audit),
        sections.utility(release, audit, tradeoff or ()),
        sections.before_after(audit),
        sections.limits(audit),
    ]
    return html_page("What this release reveals, and to whom", "".join(parts))


def report_json(release: Release, audit: Audit) -> str:
    """The same for programs: every number exact, one entry per line."""
    stated = {
        "gyges": __version__,
        "form": release.form,
        "method": release.method,
        "people": int(release.groups.sizes.sum()),
        "rows_are_people": rows_count_as_people(release),
        "groups": len(release.groups),
        "left_out": release.n_left_out,
        "quasi_identifiers": release.roles.quasi_identifiers,
        "published": release.roles.published,
        "sensitive": release.roles.sensitive,
        "claims": release.claims,
        "audit": audit,
    }
    entries = [
        f" {json.dumps(name)}: {json.dumps(json_value(one), ensure_ascii=False, sort_keys=True)}"
        for name, one in sorted(stated.items())
    ]
    return "{\n" + ",\n".join(entries) + "\n}\n"


def report_pages(release: Release) -> dict[str, str]:
    """The reports that may leave the building: they state only what the published files show."""
    how = "give a release that gy.publish made or gy.load read"
    instance(release, Release, "release", how, ReleaseError)
    outside = as_published(release)
    found = audit(outside)
    return {
        "report.html": report_page(outside, found),
        "report.json": report_json(outside, found),
    }
