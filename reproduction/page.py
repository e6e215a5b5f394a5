"""One self-contained page: our curve, the paper's statement, whether they agree."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby

import gyges
from reproduction.experiment import Experiment, Outcome, Sheet, Statement
from reproduction.pictures import plot_svg
from reproduction.text import as_sheet, facts, mark

TITLES = {
    "Martin2007": "Martin et al. 2007, Worst-Case Background Knowledge",
    "Chen2009": "Chen et al. 2009, Adversarial-Knowledge Dimensions",
    "Kifer2006": "Kifer and Gehrke 2006, Injecting Utility into Anonymized Datasets",
    "Ganta2008": "Ganta et al. 2008, Composition Attacks and Auxiliary Information",
    "Li2009": "Li et al. 2009, Modeling and Integrating Background Knowledge",
}
_CLASSES = {True: "yes", False: "no", None: "open"}
_STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.55 system-ui, sans-serif; color: #1d2939; margin: 0 auto; max-width: 62rem;
  padding: 1.5rem; overflow-wrap: anywhere; }
h1 { font-size: 1.9rem; line-height: 1.2; } h2 { margin-top: 3rem; font-size: 1.5rem; }
h3 { margin-top: 2.4rem; border-top: 1px solid #d0d5dd; padding-top: 1rem; font-size: 1.2rem; }
h4 { margin: 1.2rem 0 .3rem; font-size: 1rem; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .25rem .7rem .25rem 0;
  border-bottom: 1px solid #eaecf0; vertical-align: top; font-size: .93rem; }
.statements td:first-child, td.time { white-space: nowrap; } th { overflow-wrap: normal; }
blockquote { margin: .5rem 0; padding: .3rem 1rem; border-left: 3px solid #98a2b3; color: #344054; }
.yes { color: #067647; font-weight: 600; } .no { color: #b42318; font-weight: 600; }
.open { color: #b54708; font-weight: 600; } small { color: #667085; }
.plots { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); }
figure { margin: 0; max-width: 42rem; }
.wide { overflow-x: auto; } svg { width: 100%; height: auto; }
@media print { body { max-width: none; font-size: 10pt; } figure, tr { break-inside: avoid; } }
"""


def reproduction_page(
    outcomes: Sequence[Outcome], skipped: Sequence[tuple[Experiment, str]] = ()
) -> str:
    """The whole page as HTML; it loads nothing from anywhere."""
    by_paper = groupby(outcomes, key=lambda outcome: outcome.experiment.paper)
    sections = [
        f"<h2>{escape(TITLES.get(paper, paper))}</h2>" + "".join(_section(one) for one in group)
        for paper, group in by_paper
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>The papers, rerun</title><style>{_STYLE}</style></head><body>"
        f"<h1>The papers, rerun</h1>{_summary(outcomes)}{_skipped(skipped)}"
        f"{''.join(sections)}</body></html>\n"
    )


def _summary(outcomes: Sequence[Outcome]) -> str:
    statements = [one for outcome in outcomes for one in outcome.findings.statements]
    held = sum(one.held is True for one in statements)
    failed = sum(one.held is False for one in statements)
    rows = "".join(
        f'<tr><td><a href="#{escape(o.experiment.name)}">{escape(o.experiment.name)}</a></td>'
        f"<td>{escape(o.experiment.figure)}</td><td>{escape(o.experiment.title)}</td>"
        f'<td class="yes">{o.n_held or ""}</td><td class="no">{len(o.failed) or ""}</td>'
        f'<td class="time">{o.seconds:.1f} s</td></tr>'
        for o in outcomes
    )
    return (
        f"<p>Gyges {escape(gyges.__version__)} repeated {len(outcomes)} figures and tables and "
        f"checked {len(statements)} statements: {held} held, {failed} did not, "
        f"{len(statements) - held - failed} were measured only: the paper gives "
        "nothing to compare with, or they cannot fail. Each statement that did not hold has a note "
        "that says who is right.</p>"
        '<div class="wide"><table><tr><th>experiment</th><th></th><th></th><th>held</th>'
        f"<th>not</th><th>time</th></tr>{rows}</table></div>"
    )


def _skipped(skipped: Sequence[tuple[Experiment, str]]) -> str:
    if not skipped:
        return ""
    items = "".join(f"<li>{escape(one.name)}: {escape(why)}</li>" for one, why in skipped)
    return f"<h2>Not run</h2><ul>{items}</ul>"


def _section(outcome: Outcome) -> str:
    one, found = outcome.experiment, outcome.findings
    plots = "".join(
        f"<figure><h4>{escape(plot.title)}</h4>{plot_svg(plot)}"
        f"<details><summary>Numbers</summary>{_sheet(as_sheet(plot), titled=False)}</details>"
        "</figure>"
        for plot in found.plots
    )
    notes = "".join(f"<li>{escape(note)}</li>" for note in found.notes)
    return (
        f'<h3 id="{escape(one.name)}">{escape(one.figure)}: {escape(one.title)} '
        f"<small>{escape(one.name)}</small></h3><blockquote>{escape(one.says)}</blockquote>"
        f'<div class="plots">{plots}</div>{"".join(_sheet(sheet) for sheet in found.sheets)}'
        f"{_statements(found.statements)}{f'<ul>{notes}</ul>' * bool(notes)}"
        f"<p><small>{escape(facts(outcome))}</small></p>"
    )


def _statements(statements: Sequence[Statement]) -> str:
    rows = "".join(
        f'<tr><td class="{_CLASSES[one.held]}">{mark(one)}</td>'
        f"<td>“{escape(one.says)}” <small>{escape(one.where)}</small></td>"
        f"<td>{escape(one.measured)}<br><em>{escape(one.because)}</em></td></tr>"
        for one in statements
    )
    return (
        '<div class="wide"><table class="statements"><tr><th></th><th>the paper</th>'
        f"<th>we found</th></tr>{rows}</table></div>"
    )


def _sheet(sheet: Sheet, *, titled: bool = True) -> str:
    heads = "".join(f"<th>{escape(name)}</th>" for name in sheet.columns)
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in sheet.rows
    )
    title = f"<h4>{escape(sheet.title)}</h4>" if titled else ""
    return f'{title}<div class="wide"><table><tr>{heads}</tr>{rows}</table></div>'
