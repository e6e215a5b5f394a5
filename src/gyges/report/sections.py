"""The sections of a report, in words for stewards, lawyers and auditors."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from html import escape

from gyges.adversaries.skyline_frontier import kinds_of_knowledge
from gyges.auditing.audit import Audit
from gyges.auditing.before_after_sheets import SPREAD, sheets_of
from gyges.auditing.claims import claim_needs_original
from gyges.auditing.finding import Finding, Limits, Sheet
from gyges.auditing.knowledge_limits import combinations, explained, limits_sheet
from gyges.auditing.notes import SEEDED, rows_count_as_people
from gyges.auditing.rendering import by_topic, curves_of
from gyges.auditing.tradeoff import Tradeoff
from gyges.data.consistency import ROWS_ARE_PEOPLE
from gyges.data.hierarchy_rules import TOP
from gyges.data.people_words import as_counted
from gyges.exact import amount_text, counted, percent, worst_case
from gyges.release.release import Release
from gyges.release.statements import SIMULATABLE, Claim
from gyges.report.html_page import bullets, paragraph, picture, table
from gyges.report.pictures import (
    curve_picture,
    risk_picture,
    skyline_picture,
    spread,
    tradeoff_picture,
)
from gyges.search.methods import method_of_groups
from gyges.utility.known_measures import in_words

NOT_SHOWN = "the published files alone do not show it"
MOST_ROWS = 200  # of a table that a person may want to read
NOT_PROMISED = (
    "An attacker with background knowledge other than that described here may learn more.",
    "Another release about the same people may undo this protection, unless both were designed to "
    "be published together.",
    "Nothing here proves that the published rows describe real people: for that, you have to trust "
    "the publisher.",
)


def summary(audit: Audit) -> str:
    """What must be read first, and the most important findings."""
    first = [finding.sentence for finding in audit.findings if finding.place == "first"]
    main = [finding.sentence for finding in audit.findings if finding.place == "summary"]
    warning = paragraph(" ".join(first), "box warn") if first else ""
    return f"{warning}{bullets([audit.subject, *main], 'box')}"


def _hidden_cells(release: Release) -> str:
    """How many cells show `*`, out of how many."""
    sizes, names = release.groups.sizes, release.roles.quasi_identifiers
    hidden = sum(
        int(sizes[[label == TOP for label in release.labels[name]]].sum()) for name in names
    )
    cells = int(sizes.sum()) * len(names)
    return f"{hidden:,} of {cells:,} ({percent(Fraction(hidden, max(cells, 1)))})"


def published(release: Release) -> str:
    """What was published."""
    roles, by_rows = release.roles, rows_count_as_people(release)
    method = method_of_groups(release.method)
    hides_cells = method is not None and method.hides_cells and release.group_form.has_true_labels
    unchanged = (
        ("Also published unchanged", roles.recognizable),
        ("Keyed pseudonyms", roles.pseudonyms),
    )
    facts = [
        ("Rows, each counted as one person" if by_rows else "People", f"{release.n_people:,}"),
        (f"Suppressed {'rows' if by_rows else 'people'}", f"{release.n_left_out:,}"),
        *([("Suppressed cells", _hidden_cells(release))] if hides_cells else []),
        ("Groups", as_counted(_groups(release), by_rows)),
        (release.group_form.heading, ", ".join(roles.quasi_identifiers)),
        *((what, ", ".join(names)) for what, names in unchanged if names),
        ("Sensitive column", roles.sensitive or "none: only people's identity is protected"),
        ("Form", release.group_form.text),
        ("Method", release.method),
        *([("People and rows", ROWS_ARE_PEOPLE)] if by_rows else []),
    ]
    seeded = paragraph(SEEDED, "box warn") if release.is_seeded else ""
    return f"<h2>What was published</h2>{table(facts)}{seeded}"


def _groups(release: Release) -> str:
    sizes = release.groups.sizes
    least, most = int(sizes.min()), int(sizes.max())
    people = (
        f"{counted(least, 'person')} each" if least == most else f"{least:,} to {most:,} people"
    )
    return f"{len(sizes):,}, of {people}"


def promises(release: Release) -> str:
    """What the certificate claims."""
    if not release.claims:
        return "<h2>What is promised</h2><p>The publisher claims nothing about this release.</p>"
    rows = [(claim.text[:1].upper() + claim.text[1:], _state(claim)) for claim in release.claims]
    if release.is_simulatable:
        rows.append((SIMULATABLE[:1].upper() + SIMULATABLE[1:], NOT_SHOWN))
    groups = (
        "<p>These promises are about groups: they limit what an attacker learns about sensitive "
        "values. They do not hide who is in the table, because quasi-identifiers are published "
        "unchanged.</p>"
        if release.group_form.is_exact
        else ""
    )
    return (
        f"<h2>What is promised</h2>{table(rows)}{groups}<p><small>Anyone with this directory can "
        "check it: <code>gyges verify</code>.</small></p>"
    )


def _state(claim: Claim) -> str:
    """What is claimed, and whether the published files can show it; `verify` judges it."""
    if claim_needs_original(claim):
        return f"{worst_case(claim.risk)}; {NOT_SHOWN}"
    return worst_case(claim.risk)


def attackers(audit: Audit) -> str:
    """What each attacker learns, topic by topic."""
    topics = (
        f"<h3>{escape(topic)}</h3>{_sentences(about)}{_curves(about)}"
        f"{''.join(map(_details, about))}"
        for topic, about in by_topic(audit.findings)
    )
    return f"<h2>What attackers can learn</h2>{''.join(topics)}"


def _sentences(findings: Sequence[Finding]) -> str:
    return f"<ul>{''.join(map(_sentence, findings))}</ul>"


def _sentence(finding: Finding) -> str:
    case = f"<br><small>Worst case: {escape(finding.worst_case)}</small>"
    return f"<li>{escape(finding.sentence)}{case if finding.witness else ''}</li>"


def _curves(findings: Sequence[Finding]) -> str:
    curves = curves_of(findings)
    if not curves:
        return ""
    return picture(
        curve_picture({curve.name: curve.values for curve in curves}),
        "How certain an attacker can be of someone’s value, by the number of facts they know, if "
        "they know the worst possible facts.",
    )


def _details(finding: Finding) -> str:
    if isinstance(finding.details, Limits):
        return _limits(finding.details)
    return _sheet(finding.details) if isinstance(finding.details, Sheet) else ""


def _sheet(sheet: Sheet) -> str:
    return table(sheet.rows, sheet.heads)


def _limits(limits: Limits) -> str:
    """The limit for each type of knowledge, all combinations, and the riskiest value's picture."""
    points = combinations(limits)
    of = limits.values_per_person
    shown = [(value, explained(point, of)) for value, point in spread(points, MOST_ROWS)]
    n_points = f"{len(points):,} combinations"
    which = (
        f"{'Both' if len(points) == 2 else 'All'} {n_points.removeprefix('2 ')}"
        if len(points) <= MOST_ROWS
        else f"{MOST_ROWS} of {n_points} (gyges skyline lists all of a value)"
    )
    return (
        f"{_sheet(limits_sheet(limits))}<details><summary>{which} of the three types"
        f"</summary>{table(shown)}</details>{_skyline(limits)}"
    )


def _skyline(limits: Limits) -> str:
    finite = {value: points for value, points in limits.skylines.items() if points}
    if not finite:
        return ""
    value = min(finite, key=lambda name: sum(map(max, zip(*finite[name], strict=True))))
    l, k, m = kinds_of_knowledge(limits.values_per_person)
    return picture(
        skyline_picture(finite[value], value),
        "Of the values that the release alone does not disclose, the one for which an attacker "
        "needs the least knowledge. Each dot is a combination of knowledge with which it is still "
        f"safe: l {l}, k {k}, m {m}. Red dots are the limits.",
    )


def utility(release: Release, audit: Audit, tradeoff: Sequence[Tradeoff]) -> str:
    """Risk against utility, and what was lost."""
    parts = []
    if len(tradeoff) > 1:
        parts.append(
            picture(
                tradeoff_picture(tradeoff),
                "The same table published with k-anonymity alone, for several k: how much detail "
                "is lost, and how certain an attacker with one fact can be. The other rules of "
                "this release are not applied here.",
            )
        )
    if release.roles.sensitive and len(release.groups):
        parts.append(
            picture(
                risk_picture(release.groups, rows_are_people=rows_count_as_people(release)),
                "Each dot stands for the groups of one size in which the most frequent value has "
                "the same share. The higher the dot, the more certain an attacker is of that "
                "value; the further to the right, the larger the groups.",
            )
        )
    if audit.utility:
        rows = [(name, amount_text(x), in_words(name)) for name, x in audit.utility.items()]
        parts.append(table(rows, ("measure", "value", "meaning")))
    return f"<h2>Risk and utility</h2>{''.join(parts)}" if parts else ""


def before_after(audit: Audit) -> str:
    """Statistics of the original beside those of the release; for the report that stays inside."""
    sheets = sheets_of(audit.before_after)
    if not sheets:
        return ""
    shown = (f"<h3>{escape(title)}</h3>{_sheet(sheet)}" for title, sheet in sheets.items())
    return f"<h2>Before and after</h2>{paragraph(SPREAD, 'box')}{''.join(shown)}"


def limits(audit: Audit) -> str:
    """What is not promised."""
    return f"<h2>What is not promised</h2>{bullets([*NOT_PROMISED, *audit.notes])}"
