"""An audit in the words of a privacy office: GDPR, HIPAA, ISO/IEC 27559, NIST SP 800-188.

It sorts the findings, fills in the figures, and leaves every judgement to the office.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gyges.auditing.audit import Audit
from gyges.auditing.classical import Classical
from gyges.auditing.finding import Finding
from gyges.data.hipaa import OTHER, identifier_of, identifier_of_quasi, is_date_by_name
from gyges.exact import percent
from gyges.report.thresholds import OTHER_LIMITS, PRECEDENTS, UNCHECKED, precedents_met

TITLE = "# Audit for the privacy office"
# The criterion of [WP29] that each attacker tests.
_ATTACKERS = {
    "Singling out": (
        *("compares rows", "knows the value", "prosecutor", "marketer", "few columns"),
        *("tells people apart", "population estimate", "journalist", "presence", "singling out"),
        *("survey sample", "knows households", "downcoding", "whose rows", "three risks"),
        "distance linkage",
    ),
    "Linkability": ("linkability", "holds other releases"),
    "Inference": (
        *("inference", "knows the group", "implications", "negations", "gains probability"),
        *(
            "knowledge of three types",
            "prior beliefs",
            "prior beliefs and other releases",
            "minimality",
            "reads all views",
        ),
        *("any attacker", "reconstructs rows", "reconstructs counts"),
    ),
}
CRITERION = {name: criterion for criterion, names in _ATTACKERS.items() for name in names}
CRITERIA = {
    "Singling out": "Is it still possible to single out an individual?",
    "Linkability": "Is it still possible to link records relating to an individual?",
    "Inference": "Can information be inferred concerning an individual?",
}
SAFE_HARBOR = (
    "names", "places smaller than a state", "dates", "phone numbers", "fax numbers",
    "e-mail addresses", "social security numbers", "medical record numbers",
    "health plan beneficiary numbers", "account numbers", "certificate and license numbers",
    "vehicle identifiers", "device identifiers", "web addresses", "IP addresses",
    "biometric identifiers", "photographs", OTHER,
)  # fmt: skip
BLANKS = (
    "expert and qualification", "recipients and controls", "means considered",
    "threshold chosen, and why", "conclusion and its validity", "date, signature",
)  # fmt: skip
ISO_27559 = (
    ("6 Context assessment", "for the office: recipients, their motives, controls, harms"),
    ("7.2 Data features", "the columns and their roles, above"),
    ("7.3.2 Maximum or average risk", "prosecutor (maximum), marketer (average)"),
    ("7.3.3 Population or sample-based attack", "journalist, population estimate, k-map"),
    ("7.3.4 Data privacy models", "the rules that a release claims: `gyges verify`"),
    ("8.2.2 Quantifying identifiability", "the figures of expert determination, above"),
    ("8.2.3 Adversarial testing", "every finding under singling out, linkability, inference"),
    ("8.3 Mitigation", "`gyges publish`; `gyges compare` before and after"),
    ("9 De-identification governance", "the ledger of releases; the rest is for the office"),
)
NIST_800_188 = (
    ("3 Governance and management of data de-identification", "data-sharing model, review board: "
     "for the office; the ledger records what was released"),
    ("4 Technical steps: removing identifiers, transforming quasi-identifiers", "the columns that "
     "may identify people, and what rows show"),
    ("4 Technical steps: synthetic data", "the three risks by attack, with the original"),
    ("5 Software requirements, evaluation and validation", "this audit; `gyges verify` recomputes "
     "claims from the published files"),
)  # fmt: skip


def office_report(audit: Audit, columns: Mapping[str, bool]) -> str:
    """The findings sorted by what an office must answer, as Markdown.

    `columns`: those that are published, and whether each holds dates.
    """
    parts = [
        TITLE,
        f"{_plain(audit.subject)} This page sorts what was measured. It judges nothing: whether a "
        "risk is acceptable, and under which law, is for the office to decide.",
        *_first(audit),
        *_gdpr(audit),
        *_safe_harbor(columns),
        *_expert(audit),
        "## ISO/IEC 27559:2022, by clause of its table of contents",
        _table(("clause", "where it is answered"), ISO_27559),
        f"## NIST SP 800-188 (2023), by chapter (titles {UNCHECKED})",
        _table(("chapter", "where it is answered"), NIST_800_188),
        *_thresholds(),
        "## What was not checked",
        _bullets([*_open(audit), *map(_plain, audit.notes)]) or "Nothing was left unchecked.",
    ]
    return "\n\n".join(parts) + "\n"


def _first(audit: Audit) -> Iterator[str]:
    first = [finding for finding in audit.findings if finding.place == "first"]
    if first:
        yield "## Read this first"
        yield _bullets([_plain(finding.sentence) for finding in first])


def _gdpr(audit: Audit) -> Iterator[str]:
    """The findings by the criteria of Opinion 05/2014; none is lost."""
    yield "## GDPR: the three criteria of Opinion 05/2014 (WP216)"
    yield (
        "A table that fails a criterion needs an evaluation of its risks; recital 26 asks for all "
        "means reasonably likely to be used. An interval that reaches 0 proves nothing."
    )
    for criterion, question in CRITERIA.items():
        found = [one for one in audit.findings if CRITERION.get(one.attacker) == criterion]
        yield f"### {criterion}: {question}"
        yield _bullets(_sentences(found)) or "No attacker of this kind was asked."
    others = [one for one in audit.findings if one.attacker not in CRITERION]
    if others:
        yield "### Other findings"
        yield _bullets(_sentences(others))


def _sentences(findings: Sequence[Finding]) -> list[str]:
    return [_plain(one.sentence) for one in findings if one.place != "first"]


def _safe_harbor(columns: Mapping[str, bool]) -> Iterator[str]:
    """HIPAA's 18 identifiers, and the columns whose names suggest one."""
    held: dict[str, list[str]] = {}
    for name, is_date in columns.items():
        by_date = is_date or is_date_by_name(name)
        known = identifier_of_quasi(name, is_date=by_date) or identifier_of(name)
        if known != OTHER:
            held.setdefault(known, []).append(_plain(name))
    yield "## HIPAA: Safe Harbor, 45 CFR 164.514(b)(2)"
    yield (
        "Columns whose names suggest one of the 18 identifiers; ages count as dates where they are "
        "above 89. A name can mislead, and others are missed: look at the values too. Safe Harbor "
        "also asks that you know of no way to identify a person."
    )
    rows = [
        (f"{number}. {what}", ", ".join(held.get(what, [])) or "no column found by its name")
        for number, what in enumerate(SAFE_HARBOR, 1)
    ]
    yield _table(("identifier", "columns"), rows)


def _expert(audit: Audit) -> Iterator[str]:
    """A template for expert determination with the figures filled in."""
    yield "## HIPAA: expert determination, 45 CFR 164.514(b)(1): a template"
    classical = audit.measures.get("classical")
    rows = [("table", _plain(audit.subject))]
    if isinstance(classical, Classical):
        least = classical.prosecutor.denominator
        rows += [
            ("largest risk (prosecutor)", f"{classical.prosecutor}, of {classical.n_worst:,} rows"),
            ("average risk (marketer), at most", percent(classical.marketer)),
            ("rows that look like no other", f"{classical.n_alone:,} of {classical.n_people:,}"),
            ("k", f"{least}: fewer than {least:,} rows that look alike never occur"),
            (
                "thresholds met",
                "; ".join(dict.fromkeys(f"k = {p.k}" for p in precedents_met(least))) or "none",
            ),
        ]
        if classical.largest_share:
            rows.append(("largest probability of a value", percent(classical.largest_share)))
    for one in audit.findings:
        if one.attacker in ("journalist", "population estimate", "linkability"):
            rows.append((one.attacker, _plain(one.sentence)))
    rows += [(blank, "____") for blank in BLANKS]
    yield _table(("", "figure"), rows)
    yield (
        "k counts rows that look alike. It does not say what these rows have in common: where all "
        "share a sensitive value, that value is revealed whatever k is."
    )


def _thresholds() -> Iterator[str]:
    yield "## Thresholds in use"
    yield _table(
        ("k", "largest risk", "used for", "source"),
        [(str(p.k), f"1/{p.k} ({percent(p.risk)})", p.used_for, p.source) for p in PRECEDENTS],
    )
    yield _bullets([f"{what}: {source}" for what, source in OTHER_LIMITS.items()])
    yield (
        "A precedent is no proof of safety. These thresholds bound one attacker, who looks for a "
        "row; none of them bounds what is inferred from a group."
    )


def _open(audit: Audit) -> list[str]:
    return [_plain(one.sentence) for one in audit.findings if not one.is_checked]


def _bullets(texts: Sequence[str]) -> str:
    return "\n".join(f"- {text}" for text in texts)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _plain(text: str) -> str:
    """A text from data on one line, so that it cannot end a cell or begin markup."""
    for sign in "\\|<>[]*_`#":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())
