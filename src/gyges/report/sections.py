"""The sections of a report, in words that a lawyer reads; every value is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from html import escape

from gyges.auditing.audit import Audit, explain_row, skyline_ends, skyline_points
from gyges.auditing.claims import claim_needs_original
from gyges.data.consistency import ROWS_ARE_PEOPLE
from gyges.exact import percent, worst_case
from gyges.release.release import Release
from gyges.release.statements import Claim
from gyges.report.pictures import spread

KINDS_OF_KNOWLEDGE = ("values the target lacks", "other people", "relatives")
MOST_ROWS = 200  # of a table that a person may want to read
FORMS = {
    "generalized": "quasi-identifiers are generalized, in the same way for a whole group",
    "bucketized": "quasi-identifiers are published unchanged, sensitive values apart from people",
    "microaggregated": "quasi-identifiers are replaced by the average of a group",
}


def in_short(release: Release, audit: Audit) -> str:
    """Three sentences for who reads no further."""
    said = [f"This release is about {audit.classical.n_people:,} people.", *_looks(release, audit)]
    if audit.curves:
        curve = audit.curves["implications"]
        said.append(
            f"An attacker who knows who is in it, what group they are in and nothing else is at "
            f"most {percent(curve[0])} certain of anyone's {release.roles.sensitive}."
        )
        said.append(_needs(curve))
    return f'<p class="box">{escape(" ".join(said))}</p>'


def _looks(release: Release, audit: Audit) -> list[str]:
    """What the rows show, and what is hidden."""
    shown, hides = audit.shown, bool(release.roles.sensitive)
    said = []
    if shown is None or (shown.form != "bucketized" and shown.least > 1):
        least = audit.classical.k if shown is None else shown.least
        said.append(f"Every row looks the same as at least {least - 1:,} others.")
    if hides:
        to = "To someone who knows no other column, " if release.roles.published else ""
        said.append(_sentence(f"{to}nothing within a group says whose value is whose"))
    if shown is not None and (shown.form == "bucketized" or shown.n_unique_by_quasi):
        said.append(_sentence(shown.of_quasi_identifiers()))
    if shown is not None and shown.published:
        said.append(_sentence(shown.of_published()))
    return said


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _needs(curve: Sequence[Fraction]) -> str:
    certain = next((k for k, share in enumerate(curve) if share == 1), None)
    if certain == 0:
        return "It reveals at least one person's value to anyone who knows they are in it."
    if certain is None:
        return f"Even {len(curve) - 1} further facts of their choice make them certain of nobody."
    facts = "one further fact" if certain == 1 else f"{certain} further facts"
    return f"The worst attacker needs {facts} about the people to be certain of one of them."


def published(release: Release, audit: Audit) -> str:
    """What was published, and what its rows show."""
    sizes, roles = release.groups.sizes, release.roles
    shown = {"bucketized": "Published unchanged", "microaggregated": "Averaged"}
    facts = [
        ("People", f"{int(sizes.sum()):,}"),
        ("Suppressed", f"{release.n_left_out:,}"),
        ("Groups", f"{len(sizes):,}, of {int(sizes.min())} to {int(sizes.max())} people"),
        (shown.get(release.form, "Generalized"), ", ".join(roles.quasi_identifiers)),
        *([("Also published unchanged", ", ".join(roles.published))] if roles.published else []),
        ("Protected", roles.sensitive or "nothing but who is who"),
        ("Form", f"{release.form}: {FORMS.get(release.form, '')}"),
        ("Found by", release.method),
    ]
    if release.rows_are_people:
        facts.append(("Who is who", ROWS_ARE_PEOPLE))
    if audit.shown is not None:
        facts.append(("What a row shows", _sentence(str(audit.shown).replace("\n", "; "))))
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


def attackers(release: Release, audit: Audit) -> str:
    """Against whom it is safe, and how surely: one line an attacker."""
    found = audit.classical
    rows = [
        (
            "knows that someone is in the data, and looks for their row",
            f"picks the right one with probability {percent(found.prosecutor)} at most",
        ),
        (
            "tries to name everybody",
            f"is right for {percent(found.marketer)} of the people",
        ),
    ]
    if audit.curves:
        curve = audit.curves["implications"]
        certain = next((k for k, share in enumerate(curve) if share == 1), len(curve))
        rows += [
            (_knowing(k), _sure(share)) for k, share in enumerate(curve[: min(certain, 3) + 1])
        ]
    if audit.population is not None:
        rows.append(
            (
                "holds a list of the whole population, and wants to name one person",
                f"names the right one with probability {percent(audit.population.journalist)} at "
                f"most",
            )
        )
    for risk in audit.beliefs[:1]:
        exposed = f"{risk.n_exposed:,} of {risk.n_people:,}"
        rows.append(
            (
                "knows how the value goes with the rest, better than anybody",
                f"learns more than {risk.t} about {exposed} people",
            )
        )
    if audit.joined is not None:
        rows.append(
            (
                f"holds {audit.joined.n_releases - 1} other releases about the same people",
                f"is certain of the value of {percent(audit.joined.certain)} of the people",
            )
        )
    head = "<tr><th>an attacker who …</th><th>gains</th></tr>"
    return f"<h2>Against whom</h2><table>{head}{_rows(rows)}</table>"


def _sure(share: Fraction) -> str:
    if share == 1:
        return "can be certain of someone's value"
    return f"is at most {percent(share)} certain of anyone's value"


def _knowing(k: int) -> str:
    if k == 0:
        return "knows who is in which group, and nothing else"
    return f"also knows {'one fact' if k == 1 else f'{k} facts'} of their choice about the people"


def worst_attacker(audit: Audit, picture: str) -> str:
    """The disclosure curve and its worst cases."""
    if not audit.curves:
        return ""
    cases = "".join(f"<li>{escape(str(case.witness))}</li>" for case in audit.worst_cases)
    return (
        "<h2>What the worst attacker needs</h2>"
        "<p>They may know as many facts of the form “if one person has this, another has that” as "
        "the axis says, and they pick the worst ones.</p>"
        f"<figure>{picture}<figcaption>How certain the worst attacker is of someone’s value, by "
        f"the number of facts they know.</figcaption></figure><ul>{cases}</ul>"
    )


def skylines(audit: Audit, picture: str) -> str:
    """How much may be known before a value is no longer safe."""
    if not audit.skylines:
        return ""
    ends = [
        (value, *(skyline_ends(points) if points else ("not safe",) * 3))
        for value, points in audit.skylines.items()
    ]
    heads = "".join(f"<th>{name}</th>" for name in ("value", *KINDS_OF_KNOWLEDGE))
    drawn = (
        f"<figure>{picture}<figcaption>The value for which least need be known. Each dot is an "
        "amount of knowledge at which it is still safe: l values that the target lacks, k other "
        "people, m relatives. The red ones are the most.</figcaption></figure>"
        if picture
        else ""
    )
    points = skyline_points(audit)
    rows = [
        (value, explain_row(point, audit.values_per_person))
        for value, point in spread(points, MOST_ROWS)
    ]
    return (
        "<h2>How much an attacker may know</h2>"
        f"<p>An attacker stays below {percent(audit.confidence)} certainty as long as they know no "
        f"more than this, of one kind of knowledge:</p>{drawn}"
        f'<div class="wide"><table><tr>{heads}</tr>{_rows(ends)}</table></div>'
        f"<details><summary>{_how_many(len(points))}</summary>"
        f'<div class="wide">{_table(rows)}</div></details>'
    )


def _how_many(n_points: int) -> str:
    if n_points <= MOST_ROWS:
        return "All combinations"
    return f"{MOST_ROWS} of {n_points:,} combinations; gyges skyline lists those of a value"


def beliefs(audit: Audit) -> str:
    """Attackers with priors."""
    if not audit.beliefs:
        return ""
    cases = "".join(f"<li>{escape(str(risk))}</li>" for risk in audit.beliefs)
    return f"<h2>Attackers who know how values go with the rest</h2><ul>{cases}</ul>"


def population(audit: Audit) -> str:
    """Against a table of the population."""
    if audit.population is None:
        return ""
    told = escape(str(audit.population)).replace("\n", "<br>")
    return f'<h2>Within the population</h2><p class="box">{told}</p>'


def survives(audit: Audit, pictures: Mapping[str, str]) -> str:
    """What was lost, and risk against utility."""
    parts = []
    if "tradeoff" in pictures:
        parts.append(
            f"<figure>{pictures['tradeoff']}<figcaption>The same table with smaller and larger "
            "groups: what is lost, against how certain an attacker with one fact becomes."
            "</figcaption></figure>"
        )
    if "risk" in pictures:
        parts.append(
            f"<figure>{pictures['risk']}<figcaption>Risk against utility, group by group: the "
            "larger a group, the less it tells; the higher, the surer is the most frequent value."
            "</figcaption></figure>"
        )
    if audit.utility:
        rows = [(name.replace("_", " "), f"{x:,.4g}") for name, x in audit.utility.items()]
        parts.append(_table(rows))
    return f"<h2>What survives</h2>{''.join(parts)}" if parts else ""


def limits(audit: Audit) -> str:
    """What is not promised, beside the numbers."""
    numbers = escape(str(audit.classical)).replace("\n", "<br>")
    notes = "".join(f"<li>{escape(note)}</li>" for note in audit.notes)
    return (
        "<h2>What is not promised</h2><ul>"
        "<li>An attacker who knows other things than the ones described here may learn more.</li>"
        "<li>Another release about the same people can undo this one, unless both were made to "
        "survive that.</li>"
        "<li>That the published rows are real people’s is the publisher’s word.</li>"
        f'{notes}</ul><h2>Numbers</h2><p class="box">{numbers}</p>'
    )


def _table(rows: Iterable[Sequence[str]]) -> str:
    return f"<table>{_rows(rows)}</table>"


def _rows(rows: Iterable[Sequence[str]]) -> str:
    return "".join(
        f"<tr><th>{escape(first)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in rest)}</tr>"
        for first, *rest in rows
    )
