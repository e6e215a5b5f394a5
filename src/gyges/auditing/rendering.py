"""Findings as text for a terminal, and as HTML for a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, zip_longest

from gyges.auditing.finding import CertaintyCurve, Finding, Limits, Sheet, share_text
from gyges.auditing.knowledge_limits import limits_sheet
from gyges.exact import amount_text
from gyges.notebook import card, lines, steps, table
from gyges.utility.known_measures import in_words


def audit_text(
    subject: str,
    findings: Sequence[Finding],
    utility: Mapping[str, float],
    notes: Sequence[str],
    compared: Mapping[str, Sheet] | None = None,
) -> str:
    """The whole audit as text: what must be read first, then topic by topic."""
    parts = [subject]
    first = [finding for finding in findings if finding.place == "first"]
    if first:
        parts.append("\n".join(["Read this first", *(f"  {one.sentence}" for one in first)]))
    for topic, about in by_topic(findings):
        parts.append("\n".join([topic, *_topic_lines(about)]))
    if utility:
        kept = [f"  {name}: {amount_text(x)} ({in_words(name)})" for name, x in utility.items()]
        parts.append("\n".join(["Utility", *kept]))
    for title, sheet in (compared or {}).items():
        parts.append("\n".join([title, *_sheet_lines(sheet)]))
    return "\n\n".join([*parts, *notes])


def by_topic(findings: Sequence[Finding]) -> Iterator[tuple[str, list[Finding]]]:
    """The findings of each topic, except those printed before everything else."""
    rest = (finding for finding in findings if finding.place != "first")
    for topic, about in groupby(rest, key=lambda one: one.topic or one.attacker):
        yield topic, list(about)


def _topic_lines(findings: Sequence[Finding]) -> Iterator[str]:
    for finding in findings:
        yield f"  {finding.sentence}"
        if finding.witness is not None:
            yield f"    Worst case: {finding.worst_case}"
    for sheet in sheets_of(findings):
        yield from _sheet_lines(sheet)


def sheets_of(findings: Sequence[Finding]) -> Iterator[Sheet]:
    """The tables of some findings; all their curves are one table."""
    curves = curves_of(findings)
    if curves:
        yield _curves_sheet(curves)
    for finding in findings:
        if isinstance(finding.details, Limits):
            yield limits_sheet(finding.details)
        elif isinstance(finding.details, Sheet):
            yield finding.details


def curves_of(findings: Sequence[Finding]) -> list[CertaintyCurve]:
    """The curves of some findings."""
    return [finding.details for finding in findings if isinstance(finding.details, CertaintyCurve)]


def _curves_sheet(curves: Sequence[CertaintyCurve]) -> Sheet:
    rows = []
    for k, shares in enumerate(zip_longest(*(curve.values for curve in curves))):
        rows.append((str(k), *("" if share is None else share_text(share) for share in shares)))
        if all(share == 1 for share in shares):
            break
    return Sheet(tuple(rows), ("facts", *(curve.name for curve in curves)))


def _sheet_lines(sheet: Sheet) -> Iterator[str]:
    """A table as lines, its columns aligned."""
    rows = [sheet.heads, *sheet.rows] if sheet.heads else [*sheet.rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield f"    {'   '.join(cells)}".rstrip()


def audit_notebook(
    subject: str,
    findings: Sequence[Finding],
    utility: Mapping[str, float],
    notes: Sequence[str],
    compared: Mapping[str, Sheet] | None = None,
) -> str:
    """The whole audit as HTML, in the order of the text."""
    first = "\n".join(finding.sentence for finding in findings if finding.place == "first")
    parts = [lines(subject), lines(first) if first else ""]
    for topic, about in by_topic(findings):
        parts.append(card(topic, *_topic_parts(about)))
    kept = [(name.replace("_", " "), amount_text(x)) for name, x in utility.items()]
    return card(
        "What each attacker learns",
        *parts,
        card("Utility", table(kept)) if kept else "",
        *(card(title, table(one.rows, one.heads)) for title, one in (compared or {}).items()),
        lines("\n".join(notes)),
    )


def _topic_parts(findings: Sequence[Finding]) -> Iterator[str]:
    for finding in findings:
        yield lines(finding.sentence)
        if finding.witness is not None:
            yield lines(f"Worst case: {finding.worst_case}")
    curves = curves_of(findings)
    if curves:
        yield steps({curve.name: curve.values for curve in curves}, "facts that the attacker knows")
    for sheet in sheets_of(findings):
        yield table(sheet.rows, sheet.heads)
