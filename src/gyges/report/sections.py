"""The sections of a report, in words that a lawyer reads; every value is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from gyges.adversaries.skyline_frontier import kinds_of_knowledge
from gyges.auditing.audit import Audit
from gyges.auditing.claims import claim_needs_original
from gyges.auditing.finding import Finding, Limits, Sheet
from gyges.auditing.knowledge_limits import limits_in_words, limits_sheet
from gyges.auditing.notes import rows_count_as_people
from gyges.auditing.rendering import by_topic, curves_of
from gyges.auditing.tradeoff import Tradeoff
from gyges.data.consistency import ROWS_ARE_PEOPLE
from gyges.exact import worst_case
from gyges.release.release import Release
from gyges.release.statements import Claim
from gyges.report.pictures import (
    curve_picture,
    risk_picture,
    skyline_picture,
    spread,
    tradeoff_picture,
)

MOST_ROWS = 200  # of a table that a person may want to read
FORMS = {
    "generalized": "quasi-identifiers are generalized, in the same way for a whole group",
    "bucketized": "quasi-identifiers are published unchanged, sensitive values apart from people",
    "microaggregated": "quasi-identifiers are replaced by the average of a group",
}


def in_short(audit: Audit) -> str:
    """What must be read first, and a few sentences for who reads no further."""
    first = [finding.sentence for finding in audit.findings if finding.place == "first"]
    warning = f'<p class="box warn">{escape(" ".join(first))}</p>' if first else ""
    said = [finding.sentence for finding in audit.findings if finding.place == "summary"]
    return f'{warning}<p class="box">{escape(" ".join([audit.subject, *said]))}</p>'


def published(release: Release) -> str:
    """What was published."""
    sizes, roles = release.groups.sizes, release.roles
    shown = {"bucketized": "Published unchanged", "microaggregated": "Averaged"}
    facts = [
        ("People", f"{int(sizes.sum()):,}"),
        ("Suppressed", f"{release.n_left_out:,}"),
        ("Groups", f"{len(sizes):,}, of {int(sizes.min()):,} to {int(sizes.max()):,} people"),
        (shown.get(release.form, "Generalized where needed"), ", ".join(roles.quasi_identifiers)),
        *([("Also published unchanged", ", ".join(roles.published))] if roles.published else []),
        ("Protected", roles.sensitive or "nothing but who is who"),
        ("Form", f"{release.form}: {FORMS.get(release.form, '')}"),
        ("Found by", release.method),
    ]
    if rows_count_as_people(release):
        facts.append(("Who is who", ROWS_ARE_PEOPLE))
    seeded = (
        '<p class="box warn">The order of the rows comes from a seed: anyone who knows it can undo '
        "it.</p>"
        if release.is_seeded
        else ""
    )
    return f"<h2>What was published</h2>{_table(facts)}{seeded}"


def promises(release: Release) -> str:
    """What the certificate claims."""
    if not release.claims:
        return "<h2>What is promised</h2><p>Nothing is claimed of this release.</p>"
    rows = [(claim.text, _number(claim)) for claim in release.claims]
    groups = (
        "<p>These are promises about groups: they bound what is learnt about sensitive values. "
        "They do not hide who is in the table: quasi-identifiers are published unchanged.</p>"
        if release.form == "bucketized"
        else ""
    )
    return (
        f"<h2>What is promised</h2>{_table(rows)}{groups}"
        "<p><small>Anybody who holds this directory can check it: <code>gyges verify</code>."
        "</small></p>"
    )


def _number(claim: Claim) -> str:
    original = "; only the original table can show it" * claim_needs_original(claim)
    return f"holds ({worst_case(claim.risk)}{original})"


def attackers(audit: Audit) -> str:
    """What each attacker learns, topic by topic."""
    topics = (
        f"<h3>{escape(topic)}</h3>{_sentences(about)}{_curves(about)}"
        f"{''.join(map(_details, about))}"
        for topic, about in by_topic(audit.findings)
    )
    return f"<h2>Against whom</h2>{''.join(topics)}"


def _sentences(findings: Sequence[Finding]) -> str:
    said = (
        f"<li>{escape(finding.sentence)}"
        + (
            f"<br><small>Worst case: {escape(str(finding.witness))}</small>"
            if finding.witness
            else ""
        )
        + "</li>"
        for finding in findings
    )
    return f"<ul>{''.join(said)}</ul>"


def _curves(findings: Sequence[Finding]) -> str:
    curves = curves_of(findings)
    if not curves:
        return ""
    picture = curve_picture({curve.name: curve.values for curve in curves}).html()
    return (
        f"<figure>{picture}<figcaption>How certain the worst attacker is of someone’s value, by "
        "the number of facts they know; they pick the worst facts.</figcaption></figure>"
    )


def _details(finding: Finding) -> str:
    if isinstance(finding.details, Limits):
        return _limits(finding.details)
    return _sheet(finding.details) if isinstance(finding.details, Sheet) else ""


def _sheet(sheet: Sheet) -> str:
    heads = "".join(f"<th>{escape(name)}</th>" for name in sheet.heads)
    head = f"<tr>{heads}</tr>" if heads else ""
    return f'<div class="wide"><table>{head}{_rows(sheet.rows)}</table></div>'


def _limits(limits: Limits) -> str:
    """A picture of the value at most risk, the most of each kind, and all combinations."""
    points = limits_in_words(limits)
    return (
        f"{_skyline(limits)}{_sheet(limits_sheet(limits))}"
        f"<details><summary>{_how_many(len(points))}</summary>"
        f'<div class="wide">{_table(spread(points, MOST_ROWS))}</div></details>'
    )


def _skyline(limits: Limits) -> str:
    finite = {value: points for value, points in limits.skylines.items() if points}
    if not finite:
        return ""
    value = min(finite, key=lambda name: sum(map(max, zip(*finite[name], strict=True))))
    l, k, m = kinds_of_knowledge(limits.values_per_person)
    return (
        f"<figure>{skyline_picture(finite[value], value).html()}<figcaption>The value for which "
        f"an attacker needs to know least. Each dot is an amount of knowledge at which it is still "
        f"safe: l {l}, k {k}, m {m}. The red ones are the most.</figcaption></figure>"
    )


def _how_many(n_points: int) -> str:
    if n_points <= MOST_ROWS:
        return "All combinations"
    return f"{MOST_ROWS} of {n_points:,} combinations; gyges skyline lists those of a value"


def survives(release: Release, audit: Audit, tradeoff: Sequence[Tradeoff]) -> str:
    """What was lost, and risk against utility."""
    parts = []
    if len(tradeoff) > 1:
        parts.append(
            f"<figure>{tradeoff_picture(tradeoff).html()}<figcaption>The same table with smaller "
            "and larger groups: what is lost, against how certain an attacker with one fact "
            "becomes.</figcaption></figure>"
        )
    if release.roles.sensitive and len(release.groups):
        parts.append(
            f"<figure>{risk_picture(release.groups).html()}<figcaption>Risk against utility, group "
            "by group: the larger a group, the less it reveals; the higher, the more certain is "
            "the most frequent value.</figcaption></figure>"
        )
    if audit.utility:
        rows = [(name.replace("_", " "), f"{x:,.4g}") for name, x in audit.utility.items()]
        parts.append(_table(rows))
    return f"<h2>What survives</h2>{''.join(parts)}" if parts else ""


def limits(audit: Audit) -> str:
    """What is not promised."""
    notes = "".join(f"<li>{escape(note)}</li>" for note in audit.notes)
    return (
        "<h2>What is not promised</h2><ul>"
        "<li>An attacker who knows other things than the ones described here may learn more.</li>"
        "<li>Another release about the same people can undo this one, unless both were made to "
        "survive that.</li>"
        "<li>That the published rows are real people’s is the publisher’s word.</li>"
        f"{notes}</ul>"
    )


def _table(rows: Iterable[Sequence[str]]) -> str:
    return f"<table>{_rows(rows)}</table>"


def _rows(rows: Iterable[Sequence[str]]) -> str:
    return "".join(
        f"<tr><th>{escape(first)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in rest)}</tr>"
        for first, *rest in rows
    )
