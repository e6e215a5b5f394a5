"""A proposed project as a commented file, to be read and corrected."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gyges.auditing.column_guess import ColumnGuess
from gyges.data.values import Kind
from gyges.workflow.harmless_values import RULES
from gyges.workflow.policies import POLICIES
from gyges.workflow.progress import Progress
from gyges.workflow.project_sections import NO_SENSITIVE
from gyges.workflow.proposal import Proposal
from gyges.workflow.proposed_shapes import OLDEST

_FOR_SETS = (  # rules that bound shares of people, not of values
    'If several values of a person are published (values_per_person = "set"), replace this rule by '
    'rule = "probabilistic diversity", l = 2: no value belongs to more than half of a group.'
)

_FOR_HOUSEHOLDS = 'To count households instead of people, write rule = "household anonymity".'

_READ = ("quasi-identifier", "sensitive", "weight")  # roles of columns whose values are read


def write_proposal(proposal: Proposal, out: Path, progress: Progress) -> None:
    """Write the project file."""
    out.parent.mkdir(parents=True, exist_ok=True)
    progress.outputs.announce_file(out)
    out.write_text(project_text(proposal), encoding="utf-8")


def project_text(proposal: Proposal) -> str:
    """The project file, with a comment for every guess."""
    parts = [
        "# What to publish, and how. Check every guess below and correct it.",
        "",
        *_data(proposal),
        "",
        *_columns(proposal),
        "",
        *_hierarchies(proposal.with_role("quasi-identifier")),
        "[publish]",
        'method = "partition"  # or lattice, suppression, buckets, microaggregation, marginals, dp',
        'out = "release"',
        "",
        *_policies(proposal.policy),
        *([] if proposal.with_role("sensitive") else _comment(f"warning: {NO_SENSITIVE}")),
        *(_rule(str(rule), proposal) for rule in proposal.rules),
    ]
    return "\n".join(parts)


def _data(proposal: Proposal) -> list[str]:
    lines = ["[data]", f"source = {json.dumps(proposal.source)}"]
    lines += [f"table = {_text(proposal.table)}"] if proposal.table else []
    lines += [line for note in proposal.file_notes for line in _comment(note)]
    lines += [f"encoding = {_text(proposal.encoding)}"] if proposal.encoding else []
    used = [*proposal.with_role("quasi-identifier"), *proposal.with_role("sensitive")]
    n_missing = sum(guess.n_missing for guess in used)
    if n_missing:
        lines.append(
            f'missing = "value"  # {n_missing:,} values are missing; or "drop", "any", "error"'
        )
    asked = f"Do these stand for missing values: {proposal.marks_in_words}?"
    if proposal.marks:
        lines.append(f"missing_marks = {_listed(proposal.marks)}  # stand for missing values")
        lines += _comment(f"{asked} Then add them to this list.") if proposal.doubtful_marks else []
    elif proposal.doubtful_marks:
        lines += [*_comment(asked), f"# missing_marks = {_listed(list(proposal.doubtful_marks))}"]
    return lines


def _columns(proposal: Proposal) -> list[str]:
    return [
        "[columns]",
        *_person(proposal),
        "# These name a person: never published.",
        f"identifiers = {_names(proposal.with_role('identifier'))}",
        "# What an attacker may know about a person: generalized.",
        f"quasi_identifiers = {_names(proposal.with_role('quasi-identifier'))}",
        *(f"#   {one}" for one in proposal.uniqueness_in_words),
        "# The sensitive column: its values are published, but not whose they are.",
        *_sensitive(proposal.with_role("sensitive")),
        *_also_sensitive(proposal.columns),
        *_several_values(proposal.separator),
        *_sample(proposal),
        f"dropped = {_names(proposal.with_role('dropped'))}",
        *_kinds([*proposal.with_role("quasi-identifier"), *proposal.with_role("sensitive")]),
        *_formats([guess for role in _READ for guess in proposal.with_role(role)]),
        *_shapes(proposal.top_codes),
    ]


def _person(proposal: Proposal) -> list[str]:
    named = proposal.with_role("person")
    asked = [*proposal.questions_about_rows, *proposal.doubts]
    if named and not named[0].repeats:
        asked.append("Identifies the person of each row: no value repeats.")
    asked += [
        f"{said}: remove the # before the keys of one of the choices below."
        for said in proposal.several_rows
    ]
    return [
        *(line for text in asked for line in _comment(text)),
        *(f"person = {_text(guess.name)}" for guess in named),
        *(_choices(proposal) if proposal.several_rows else []),
        *_pseudonyms(proposal),
    ]


def _several_values(separator: str | None) -> list[str]:
    """Several values in one cell: proposed, not chosen."""
    if separator is None:
        return []
    return ['# values_per_person = "set"', f"# separator = {_text(separator)}"]


def _sample(proposal: Proposal) -> list[str]:
    """Who stands for how many, and who lives together: used by the audit, never published."""
    known = [guess for guess in proposal.columns if guess.role in ("household", "weight")]
    why = ["# A weight of a survey, or the number of a household: used, never published."]
    return [*why, *(f"{one.role} = {_text(one.name)}" for one in known)] if known else []


def _choices(proposal: Proposal) -> list[str]:
    """What may be published of people with several rows: proposed, not chosen."""
    by = proposal.keep_row_by
    told = '"…"  # a column of numbers or dates' if by is None else _text(by)
    lines = ["#   one row of each person:", '# keep_row = "last"', f"# keep_row_by = {told}"]
    several = ['# values_per_person = "set"'] if proposal.with_role("sensitive") else []
    if proposal.may_have_several_values:
        lines += [
            "#   several sensitive values of each person, whose rows are else alike:",
            *several,
        ]
    else:
        lines += ["#   all rows of each person:", '# rows_per_person = "all"', *several]
    lines += _comment(
        "each row is another person after all (then remove the line with person):", "#   "
    )
    return [*lines, f"# do_not_identify = {_listed(proposal.doubtful)}"]


def _pseudonyms(proposal: Proposal) -> list[str]:
    """Pseudonyms of people: proposed, not chosen."""
    named = [guess.name for guess in proposal.with_role("person")]
    why = "# Keyed pseudonyms, where rows must be linkable; each release has another key:"
    return [why, f"# pseudonyms = [{_text(named[0])}]"] if len(named) == 1 else []


def _sensitive(guesses: Sequence[ColumnGuess]) -> list[str]:
    if guesses:
        return [f"sensitive = {_text(guesses[0].name)}"]
    return ['# sensitive = "…"  # no column looked sensitive: name it here']


def _also_sensitive(guesses: Sequence[ColumnGuess]) -> list[str]:
    """Other columns that may be sensitive: proposed, not chosen."""
    names = [guess.name for guess in guesses if guess.may_be_sensitive]
    if not names:
        return []
    why = "May be sensitive too. To protect them as well, list them here and nowhere else:"
    return [*_comment(why), f"# also_sensitive = {_listed(names)}"]


def _kinds(guesses: Sequence[ColumnGuess]) -> list[str]:
    stated = [f'{_text(one.name)} = "{one.stated_kind}"' for one in guesses if one.stated_kind]
    kinds = {guess.stated_kind for guess in guesses}
    why = ["# Of a date only the month is published."] if Kind.MONTH in kinds else []
    if Kind.CATEGORY in kinds:
        why.append("# Numbers that stand for categories (a sex coded 1 and 2) are not amounts.")
    return [*why, f"kinds = {{ {', '.join(stated)} }}"] if stated else []


def _formats(guesses: Sequence[ColumnGuess]) -> list[str]:
    """How dates and numbers are written, where that is not 2024-01-31 and 1234.5."""
    stated = [f'{_text(g.name)} = "{g.local_format}"' for g in guesses if g.local_format]
    how = "# How dates and numbers are written: correct this if days and months are exchanged."
    return [how, f"formats = {{ {', '.join(stated)} }}"] if stated else []


def _shapes(tops: Mapping[str, int]) -> list[str]:
    """Top coding of columns: proposed, not chosen."""
    if not tops:
        return []
    shapes = ", ".join(f"{_text(name)} = {{ top = {top} }}" for name, top in tops.items())
    ages = "; HIPAA asks that ages over 89 are one" if OLDEST in tops.values() else ""
    why = (
        f"Top coding: larger numbers are read as this one (few people have them{ages}). bottom, "
        f"round and period are written in the same way."
    )
    return [*_comment(why), f"# shapes = {{ {shapes} }}"]


def _hierarchies(quasi: Sequence[ColumnGuess]) -> list[str]:
    lines = []
    for guess in quasi:
        for rule, given in _hierarchy(guess).items():
            lines.append(f"{_text(guess.name)} = {{ {rule} = {json.dumps(given)} }}")
    start = ["[hierarchies]", "# How the values of a column are generalized."]
    return [*start, *lines, ""] if lines else []


def _hierarchy(guess: ColumnGuess) -> dict[str, Any]:
    """The hierarchy of a column as its section states it; empty if no rule describes it."""
    found = guess.hierarchy
    if found is None or found.rule is None:
        return {}
    return {found.rule: list(found.parameters) or True}


def proposed_reading(guess: ColumnGuess) -> dict[str, Any]:
    """What a project states of a column once it is published: its kind, format and hierarchy."""
    kind = None if guess.stated_kind is None else str(guess.stated_kind)
    return {"kind": kind, "format": guess.local_format, "hierarchy": _hierarchy(guess)}


def _policies(chosen: str) -> list[str]:
    """The chosen policy as text, then the others."""
    lines = [
        *_comment(f"The policy {chosen}. {POLICIES[chosen][0]}"),
        "# Other policies (gyges init --policy …):",
    ]
    for name, (text, _) in POLICIES.items():
        if name != chosen:
            lines += _comment(f"{name}: {text}", "#   ")
    return lines


def _rule(text: str, proposal: Proposal) -> str:
    """A rule, and what else it may say: proposed, not chosen."""
    lines = [text.rstrip("\n")]
    if proposal.with_role("household") and '"k-anonymity"' in text:
        lines += _comment(_FOR_HOUSEHOLDS)
    is_about_sets = "probabilistic diversity" in text or "k-anonymity" in text
    if proposal.several_rows and not is_about_sets:
        lines += _comment(_FOR_SETS)
    if proposal.harmless and any(f"rule = {_text(name)}" in text for name in RULES):
        lines += _comment(proposal.about_harmless)
        lines.append(f"# harmless = {_listed(proposal.harmless)}")
    return "\n".join([*lines, ""])


def _comment(text: str, start: str = "# ") -> list[str]:
    return textwrap.wrap(
        text, 95, initial_indent=start, subsequent_indent=start, break_on_hyphens=False
    )


def _names(guesses: Sequence[ColumnGuess]) -> str:
    return _listed([guess.name for guess in guesses])


def _listed(texts: Sequence[str]) -> str:
    return json.dumps(list(texts), ensure_ascii=False)


def _text(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)
