"""What each published row shows about its person, and how many rows look alike.

An attacker who looks for a person compares what they know with what a row shows: the labels of a
generalized or microaggregated release, the exact quasi-identifiers of a bucketized one, every
column that is published unchanged, and every other column in the file. Rows that agree in all of
these look alike. The group number distinguishes nobody, because an attacker does not know it. So
the risks of re-identification follow from these classes of rows, not from the groups.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

import numpy as np

from gyges.arrays import IntArray, distinct_pairs
from gyges.auditing.finding import Audited, AuditKnowledge, Finding, Place, listed, people_text
from gyges.auditing.kinds_of_rows import kinds_of_rows
from gyges.data.encoding import dictionary
from gyges.release.group_forms import GROUP_FORMS, Form
from gyges.release.missing_labels import known_part
from gyges.release.refined_groups import refine
from gyges.release.release import Release
from gyges.release.statements import OTHER_SOFTWARE
from gyges.search.published_columns import as_seen_without_key

if TYPE_CHECKING:
    import pyarrow as pa

TOPIC = "What the rows show"
_ATTACKER = "compares rows"
# A label that stands for several values: 148**, {a, b}, a|b, [20, 30), 20-29, <30, 2024-01.
_GENERALIZED_LABEL = re.compile(
    r"\*|[{}|<>≤≥]|\d\.\.|^[\[(\]].*[\])\[]$|^-?[\d.]+\s*(?:[-–—]|\.\.|to)\s*-?[\d.]+$"
)

# In a column of texts, a range may be somebody's own value: 51-01301, [70-80).
_GENERALIZED_TEXT = re.compile(r"\*|^\{.*\}$")


@dataclass(frozen=True, slots=True)
class PublishedRows:
    """The columns by which a row can be recognised, and how many rows they distinguish."""

    form: Form
    quasi_identifiers: tuple[str, ...]
    published: tuple[str, ...]  # unchanged, in addition to the quasi-identifiers
    pseudonyms: tuple[str, ...]  # columns of keyed pseudonyms
    telling: tuple[str, ...]  # those of them that people share or lack, which shows without the key
    without_role: tuple[str, ...]  # in the file, but given no role
    generalized: tuple[str, ...]  # quasi-identifiers whose every label stands for several values
    partly: tuple[str, ...]  # quasi-identifiers with some labels that stand for several values
    exact: tuple[str, ...]  # those without; the text of the remaining ones does not decide
    n_people: int
    n_classes: int  # of rows that look alike in all of these columns
    least: int  # rows of the smallest class
    n_least: int  # people in classes of that size
    n_unique: int  # people whose row looks like no other
    n_unique_by_quasi: int  # the same by the quasi-identifiers alone
    n_value_shown: int  # people in classes whose rows all show one sensitive value
    n_unique_values: int  # people whose row shows a sensitive value that no other row shows
    sensitive: str | None  # the sensitive column, where a row shows it


class SinglingOut:
    """Compares what they know about a person with what each row shows."""

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """What the rows show, and how many people they single out."""
        if not isinstance(release, Release) or knowledge.rows is None:
            return []
        rows = knowledge.rows
        found = [*_made_elsewhere(release), *_without_role(rows), *_unprotected(release)]
        found.append(_by_quasi_identifiers(rows))
        if GROUP_FORMS[rows.form].is_averaged:
            found.append(_averages())
        if not GROUP_FORMS[rows.form].is_exact and rows.least > 1:
            found.append(_alike(rows))
        if rows.n_unique_values:
            found.append(_by_value(rows))
        if rows.published or rows.telling:
            found.append(_by_published(rows))
        if rows.pseudonyms:
            found.append(_by_pseudonyms(rows))
        if knowledge.whereabouts is not None and knowledge.original is not None:
            whose = "rows" if knowledge.original.rows_are_people else "people"
            said = f"Of the original's {whose}, {knowledge.whereabouts}."
            measures = {"located": knowledge.whereabouts}
            found.append(Finding(_ATTACKER, said, topic=TOPIC, measures=measures))
        return found


def _without_role(rows: PublishedRows) -> list[Finding]:
    """Columns that nobody judged: they count in re-identification, and in nothing else."""
    if not rows.without_role:
        return []
    has, it = ("It has", "it") if len(rows.without_role) == 1 else ("They have", "them")
    said = (
        f"Not checked: {listed(rows.without_role)}. {has} no role, but every row shows {it}. To "
        f"someone who knows {it}, {_are_unique(rows.n_unique, rows)}{_values_shown(rows)}. Except "
        f"for re-identification, the figures below do not take {it} into account."
    )
    share = Fraction(rows.n_unique, max(rows.n_people, 1))
    return [Finding(_ATTACKER, said, share, topic=TOPIC, place="first", is_checked=False)]


def _made_elsewhere(release: Release) -> list[Finding]:
    if release.method != OTHER_SOFTWARE:
        return []
    said = (
        "This audit treats each row of the table as the row of a real person. If a program made "
        "the rows up (synthetic data), statements about groups and re-identification do not apply: "
        "then only attacks that compare the table with the original mean anything."
    )
    return [Finding("whose rows", said, topic=TOPIC, place="first")]


def _unprotected(release: Release) -> list[Finding]:
    if release.roles.sensitive is not None:
        return []
    said = (
        "No column was declared sensitive, so no value is protected: where all rows of a group "
        "show the same value in a column, everyone in that group is known to have it. Only "
        "re-identification was examined."
    )
    return [Finding("knows the group", said, topic=TOPIC, place="first")]


def _averages() -> Finding:
    said = (
        "A row shows the average of its group, and in a text column the group's most frequent "
        "value. It need not be anyone's own row, even if it looks like a real person's."
    )
    return Finding(_ATTACKER, said, topic=TOPIC, place="summary")


def _by_quasi_identifiers(rows: PublishedRows) -> Finding:
    is_summary = GROUP_FORMS[rows.form].is_exact or rows.n_unique_by_quasi
    place: Place = "summary" if is_summary else "topic"
    share = Fraction(rows.n_unique_by_quasi, max(rows.n_people, 1))
    said = f"{_quasi_identifiers_shown(rows)}."
    return Finding(_ATTACKER, said, share, topic=TOPIC, place=place, measures={"shown": rows})


def _quasi_identifiers_shown(rows: PublishedRows) -> str:
    if not rows.quasi_identifiers:
        return "No quasi-identifier is published"
    unique = _are_unique(rows.n_unique_by_quasi, rows)
    if GROUP_FORMS[rows.form].is_exact:
        it = "it" if len(rows.quasi_identifiers) == 1 else "them"
        return (
            f"Each row shows {listed(rows.quasi_identifiers)} unchanged: anyone who knows {it} "
            f"can tell who is in the release. By {it} alone, {unique}. What is protected is the "
            f"link from a person to their sensitive value"
        )
    also = f"; it also shows {listed(rows.without_role)}" if rows.without_role else ""
    by_labels = f"; by these labels, {unique}" if rows.n_unique_by_quasi else ""
    return f"Each row shows {_labels(rows)}{also}{by_labels}"


def _labels(rows: PublishedRows) -> str:
    """The quasi-identifiers, by the kind of their labels."""
    if GROUP_FORMS[rows.form].is_averaged:
        return f"the average or most frequent {listed(rows.quasi_identifiers)} of a group"
    known = {*rows.generalized, *rows.partly, *rows.exact}
    rest = [name for name in rows.quasi_identifiers if name not in known]
    parts = [f"generalized {listed(rows.generalized)}"] if rows.generalized else []
    parts += [f"exact {listed(rows.exact)}"] if rows.exact else []
    parts += [f"{listed(rows.partly)} (generalized in some rows)"] if rows.partly else []
    if rest:
        parts.append(f"{listed(rest)} (possibly generalized)")
    return ", and ".join(parts)


def _alike(rows: PublishedRows) -> Finding:
    others = "one other" if rows.least == 2 else f"{rows.least - 1:,} others"
    said = f"every row looks the same as at least {others}."
    said = f"Apart from {rows.sensitive!r}, {said}" if rows.sensitive else said.capitalize()
    return Finding(_ATTACKER, said, rows.least, topic=TOPIC, place="summary")


def _by_value(rows: PublishedRows) -> Finding:
    """A sensitive value that one person has finds their row, and so their quasi-identifiers."""
    n, has = rows.n_unique_values, "has" if rows.n_unique_values == 1 else "have"
    said = (
        f"{people_text(n, rows.n_people)} {has} a value of {rows.sensitive!r} that no other row "
        f"shows: anyone who knows it finds their row."
    )
    share = Fraction(n, max(rows.n_people, 1))
    return Finding("knows the value", said, share, topic=TOPIC)


def _by_published(rows: PublishedRows) -> Finding:
    shown = [f"{listed(rows.published)} unchanged"] if rows.published else []
    if rows.telling:
        shown.append(f"who shares a pseudonym or has none ({listed(rows.telling)})")
    it = "it" if len(rows.published) + len(rows.telling) == 1 else "them"
    said = (
        f"Each row also shows {', and '.join(shown)}. To someone who knows {it} as "
        f"well, {_are_unique(rows.n_unique, rows)}{_values_shown(rows)}."
    )
    if rows.n_value_shown:
        said += " The other figures about sensitive values do not cover that attacker."
    share = Fraction(rows.n_unique, max(rows.n_people, 1))
    return Finding(_ATTACKER, said, share, topic=TOPIC, place="summary")


def _by_pseudonyms(rows: PublishedRows) -> Finding:
    said = (
        f"Each row also shows a keyed pseudonym ({listed(rows.pseudonyms)}). Anyone who has the "
        f"key finds a person's row by it; the other figures are about attackers without the key."
    )
    return Finding("has the key", said, topic=TOPIC, is_checked=False)


def _values_shown(rows: PublishedRows) -> str:
    if not rows.n_value_shown:
        return ""
    return f", and the sensitive value of {rows.n_value_shown:,} can be read off"


def _are_unique(n: int, rows: PublishedRows) -> str:
    return f"{people_text(n, rows.n_people)} {'has' if n == 1 else 'have'} a unique row"


def columns_without_role(release: Release) -> list[str]:
    """The columns of a published file that were given no role."""
    return _without_role_in(kinds_of_rows(release).rows, release)


def _without_role_in(rows: pa.Table, release: Release) -> list[str]:
    roles = release.roles
    known = {*roles.quasi_identifiers, *roles.published, roles.sensitive, roles.group_column}
    return [name for name in rows.column_names if name not in known]


def published_rows(release: Release) -> PublishedRows:
    """Count the rows of a release that look alike."""
    kinds, roles = kinds_of_rows(release), release.roles
    people = kinds.people
    rows, telling = as_seen_without_key(kinds.rows, roles)
    quasi = [name for name in roles.quasi_identifiers if name in rows.column_names]
    published = [name for name in roles.recognizable if name in rows.column_names]
    without_role = _without_role_in(rows, release)
    n_people = int(people.sum())
    by_quasi, _ = _classes(rows, people, quasi)
    sizes, class_of_row = _classes(rows, people, [*quasi, *published, *telling, *without_role])
    least = int(sizes.min(initial=n_people))
    labels = {name: _kind_of_labels(release, name) for name in quasi}
    return PublishedRows(
        form=release.form,
        quasi_identifiers=tuple(quasi),
        published=tuple(published),
        pseudonyms=roles.pseudonyms,
        telling=telling,
        without_role=tuple(without_role),
        generalized=tuple(name for name in quasi if labels[name] == "generalized"),
        partly=tuple(name for name in quasi if labels[name] == "partly"),
        exact=tuple(name for name in quasi if labels[name] == "exact"),
        n_people=n_people,
        n_classes=len(sizes),
        least=least,
        n_least=int(sizes[sizes == least].sum()),
        n_unique=int((sizes == 1).sum()),
        n_unique_by_quasi=int((by_quasi == 1).sum()),
        n_value_shown=_value_shown(rows, roles.sensitive, sizes, class_of_row)
        if published or telling or without_role
        else 0,
        n_unique_values=int((kinds.values == 1).sum()),
        sensitive=kinds.sensitive,
    )


def sizes_alike(release: Release) -> IntArray:
    """How many rows look alike, for each class of rows: by all that a person may be known by."""
    kinds, roles = kinds_of_rows(release), release.roles
    rows, telling = as_seen_without_key(kinds.rows, roles)
    silent = {*roles.pseudonyms} - {*telling}
    hidden = {roles.sensitive, roles.group_column, *silent}
    names = [name for name in rows.column_names if name not in hidden]
    return _classes(rows, kinds.people, names)[0]


def _kind_of_labels(
    release: Release, name: str
) -> Literal["generalized", "partly", "exact", "unknown"]:
    """Whether a column's labels stand for several values: all, some, none; or nobody can tell.

    With a hierarchy of words, or in a file that gyges did not write, a word may stand for others.
    Numbers with a missing value among them are categories, whose intervals are ranges too.
    """
    labels = set(release.labels.get(name, ()))
    stated = release.roles.hierarchies.get(name, {"rule": "intervals"})
    is_ordered = release.roles.kinds.get(name) in ("number", "date")
    has_ranges = name in release.roles.hierarchies and stated.get("rule") in ("intervals", "cuts")
    may_be_range = is_ordered or has_ranges or release.method == OTHER_SOFTWARE
    pattern = _GENERALIZED_LABEL if may_be_range else _GENERALIZED_TEXT
    general = {one for one in labels if pattern.search(one) or known_part(one) is not None}
    if general:
        return "generalized" if general == labels else "partly"
    has_words = stated.get("rule") not in ("intervals", "cuts", "prefixes")
    return "unknown" if has_words or release.method == OTHER_SOFTWARE else "exact"


def _classes(rows: pa.Table, people: IntArray, names: list[str]) -> tuple[IntArray, IntArray]:
    """How many people the classes of rows have that agree in some columns, and each row's class."""
    class_of_row = refine(np.zeros(len(people), dtype=np.int64), rows.select(names))[0]
    return np.bincount(class_of_row, weights=people).astype(np.int64), class_of_row


def _value_shown(
    rows: pa.Table, sensitive: str | None, sizes: IntArray, class_of_row: IntArray
) -> int:
    """How many people are in a class whose rows all have the same sensitive value."""
    if sensitive is None or sensitive not in rows.column_names:
        return 0
    _, places = dictionary(rows.column(sensitive))
    of_pair, _ = distinct_pairs(class_of_row, places)
    n_values = np.bincount(of_pair, minlength=len(sizes))
    return int(sizes[n_values == 1].sum())
