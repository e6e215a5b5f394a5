"""One self-contained page: what was published, against whom it is safe, what was lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from gyges.auditing.audit import Audit, skyline_ends, skyline_rows
from gyges.criteria.verdict import show
from gyges.release.release import Release
from gyges.report.pictures import curve_picture, skyline_picture

if TYPE_CHECKING:
    import plotly.graph_objects as go

KINDS_OF_KNOWLEDGE = ("values the target lacks", "other people", "relatives")

_STYLE = """
:root { color-scheme: light; }
body { font: 17px/1.55 system-ui, sans-serif; color: #1d2939; margin: 0 auto; max-width: 54rem;
  padding: 1.5rem; overflow-wrap: anywhere; }
h1 { font-size: 1.9rem; line-height: 1.2; } h2 { margin-top: 2.2rem; border-top: 1px solid #d0d5dd;
  padding-top: 1.2rem; font-size: 1.35rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .35rem .6rem;
  border-bottom: 1px solid #eaecf0; vertical-align: top; }
.yes { color: #067647; font-weight: 600; } .no { color: #b42318; font-weight: 600; }
.box { background: #f2f4f7; border-radius: .5rem; padding: .8rem 1.1rem; }
.wide { overflow-x: auto; } small { color: #667085; }
@media print { body { max-width: none; font-size: 11pt; } .picture { break-inside: avoid; } }
"""


def report_page(release: Release, audit: Audit) -> str:
    """The whole report as HTML; it loads nothing from anywhere."""
    pictures = _pictures(audit)
    sections = [
        _published(release),
        _promises(release),
        _worst_attacker(audit, pictures),
        _skylines(audit, pictures),
        _beliefs(audit),
        _lost(audit),
        _limits(audit),
    ]
    script = _plotly() if pictures else ""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>What this release tells</title><style>{_STYLE}</style>{script}</head><body>"
        "<h1>What this release tells, and to whom</h1>"
        f"{''.join(sections)}</body></html>\n"
    )


def _pictures(audit: Audit) -> dict[str, str]:
    drawn = {"curve": _drawn(curve_picture(audit.curves))} if audit.curves else {}
    finite = {value: points for value, points in audit.skylines.items() if points}
    if finite:
        value = min(finite, key=lambda name: max(sum(min(x, 99) for x in p) for p in finite[name]))
        drawn["skyline"] = _drawn(skyline_picture(finite[value], value))
    return drawn


def _published(release: Release) -> str:
    sizes = release.groups.sizes
    roles = release.roles
    facts = [
        ("People", f"{int(sizes.sum()):,}"),
        ("Left out", f"{release.n_left_out:,}"),
        ("Groups", f"{len(sizes):,}, of {int(sizes.min())} to {int(sizes.max())} people"),
        ("Shown coarsely", ", ".join(roles.quasi_identifiers)),
        ("Protected", roles.sensitive or "nothing but who is who"),
        ("Form", f"{release.form}, found by {release.method}"),
    ]
    seeded = (
        '<p class="box">The order of the rows comes from a seed: whoever knows it can undo it.</p>'
        if release.is_seeded
        else ""
    )
    return f"<h2>What was published</h2>{_table(facts)}{seeded}"


def _promises(release: Release) -> str:
    if not release.claims:
        return "<h2>What is promised</h2><p>Nothing is claimed of this release.</p>"
    rows = [
        (claim.text, f"it is {claim.risk}" + (" (needs the original)" * claim.needs_original))
        for claim in release.claims
    ]
    return (
        f"<h2>What is promised</h2>{_table(rows)}"
        "<p><small>Anybody who holds this directory can check it: <code>gyges verify</code>."
        "</small></p>"
    )


def _worst_attacker(audit: Audit, pictures: dict[str, str]) -> str:
    if not audit.curves:
        return ""
    cases = "".join(f"<li>{escape(str(case.witness))}</li>" for case in audit.worst_cases)
    return (
        "<h2>The attacker who knows any facts of his choice</h2>"
        "<p>He may know as many facts of the form “if one person has this, another has that” as "
        "the axis says, and he picks the worst ones.</p>"
        f'<div class="picture">{pictures["curve"]}</div><ul>{cases}</ul>'
    )


def _skylines(audit: Audit, pictures: dict[str, str]) -> str:
    picture = f'<div class="picture">{pictures["skyline"]}</div>' if "skyline" in pictures else ""
    ends = "".join(_ends_row(value, points) for value, points in audit.skylines.items())
    heads = "".join(f"<th>{name}</th>" for name in ("value", *KINDS_OF_KNOWLEDGE))
    return (
        "<h2>How much an attacker may know</h2>"
        f"<p>Nobody is {escape(show(audit.confidence))} sure or more of a value as long as he "
        f"knows, of one kind, at most what stands beside it.</p>{picture}"
        f"<table><tr>{heads}</tr>{ends}</table><details><summary>All combinations</summary>"
        f'<div class="wide">{_table(skyline_rows(audit))}</div></details>'
    )


def _ends_row(value: str, points: list[tuple[float, float, float]]) -> str:
    cells = skyline_ends(points) if points else ("not safe", "not safe", "not safe")
    return f"<tr><th>{escape(value)}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _beliefs(audit: Audit) -> str:
    if not audit.beliefs:
        return ""
    cases = "".join(f"<li>{escape(str(risk))}</li>" for risk in audit.beliefs)
    return f"<h2>Attackers who know how values go with the rest</h2><ul>{cases}</ul>"


def _lost(audit: Audit) -> str:
    if not audit.utility:
        return ""
    rows = [(name.replace("_", " "), f"{value:,.4g}") for name, value in audit.utility.items()]
    return f"<h2>What survives</h2>{_table(rows)}"


def _limits(audit: Audit) -> str:
    classical = escape(str(audit.classical)).replace("\n", "<br>")
    notes = "".join(f"<li>{escape(note)}</li>" for note in audit.notes)
    return (
        f'<h2>Numbers</h2><p class="box">{classical}</p><h2>What is not promised</h2><ul>'
        "<li>An attacker who knows other things than the ones described here may learn more.</li>"
        "<li>Another release about the same people can undo this one, unless both were made to "
        f"survive that.</li>{notes}</ul>"
    )


def _table(rows: Iterable[Sequence[str]]) -> str:
    lines = "".join(
        f"<tr><th>{escape(first)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in rest)}</tr>"
        for first, *rest in rows
    )
    return f"<table>{lines}</table>"


def _drawn(figure: go.Figure) -> str:
    import plotly.io

    return str(
        plotly.io.to_html(
            figure,
            include_plotlyjs=False,
            full_html=False,
            config={"responsive": True, "displayModeBar": False},
        )
    )


def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    return f"<script>{get_plotlyjs()}</script>"
