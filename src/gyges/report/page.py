"""One self-contained page: what was published, against whom it is safe, what was lost."""

from __future__ import annotations

import json

from gyges import __version__
from gyges.arguments import instance
from gyges.auditing.audit import Audit, audit
from gyges.auditing.tradeoff import Tradeoff
from gyges.errors import ReleaseError
from gyges.release.grouped_files import as_published
from gyges.release.release import Release
from gyges.report import sections
from gyges.report.figure import library
from gyges.report.to_json import plain

_STYLE = """
:root { color-scheme: light; }
body { font: 17px/1.55 system-ui, sans-serif; color: #1d2939; background: #fff; margin: 0 auto;
  max-width: 54rem; padding: 1.5rem; overflow-wrap: break-word; }
h1 { font-size: 1.9rem; line-height: 1.2; }
h3 { margin: 1.6rem 0 .4rem; font-size: 1.1rem; }
h2 { margin-top: 2.2rem; border-top: 1px solid #d0d5dd; padding-top: 1.2rem; font-size: 1.35rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid #eaecf0;
  vertical-align: top; }
td.number { white-space: nowrap; }
.box { background: #f2f4f7; border-radius: .5rem; padding: .8rem 1.1rem; }
.warn { background: #fef3f2; border-left: 4px solid #b42318; }
.wide { overflow-x: auto; } small, figcaption { color: #475467; } figure { margin: 1rem 0; }
figcaption { font-size: .9rem; }
@media (max-width: 40rem) { body { padding: 1rem; font-size: 16px; } h1 { font-size: 1.6rem; }
  th, td { padding: .3rem .35rem; } }
@media print { body { max-width: none; font-size: 10.5pt; padding: 0; }
  h2 { break-after: avoid; } figure, tr, li, .box { break-inside: avoid; } }
"""


def report_page(release: Release, audit: Audit, tradeoff: list[Tradeoff] | None = None) -> str:
    """The whole report as HTML; it loads nothing from anywhere."""
    parts = [
        sections.in_short(audit),
        sections.published(release),
        sections.promises(release),
        sections.attackers(audit),
        sections.survives(release, audit, tradeoff or ()),
        sections.limits(audit),
    ]
    script = library() if any('class="plotly' in part for part in parts) else ""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>What this release reveals</title><style>{_STYLE}</style>{script}</head><body>"
        "<h1>What this release reveals, and to whom</h1>"
        f"{''.join(parts)}<p><small>Made by gyges {__version__}. Nothing on this page is loaded "
        "from elsewhere.</small></p></body></html>\n"
    )


def report_json(release: Release, audit: Audit) -> str:
    """The same for machines: every number exact, a line for each entry."""
    stated = {
        "gyges": __version__,
        "form": release.form,
        "method": release.method,
        "people": int(release.groups.sizes.sum()),
        "groups": len(release.groups),
        "left_out": release.n_left_out,
        "quasi_identifiers": release.roles.quasi_identifiers,
        "published": release.roles.published,
        "sensitive": release.roles.sensitive,
        "claims": release.claims,
        "audit": audit,
    }
    entries = [
        f" {json.dumps(name)}: {json.dumps(plain(said), ensure_ascii=False, sort_keys=True)}"
        for name, said in sorted(stated.items())
    ]
    return "{\n" + ",\n".join(entries) + "\n}\n"


def report_pages(release: Release) -> dict[str, str]:
    """The reports that may leave the building: they say only what the published files say."""
    how = "give a release that gy.publish made or gy.load read"
    instance(release, Release, "release", how, ReleaseError)
    outside = as_published(release)
    found = audit(outside)
    return {
        "report.html": report_page(outside, found),
        "report.json": report_json(outside, found),
    }
