"""What each published row shows of its person, and how many rows look alike in it.

An attacker who looks for a person compares what they know with what a row shows: the labels of a
generalized or microaggregated release, the exact quasi-identifiers of a bucketized one, every
column that is published unchanged, and every other column that is in the file. Rows that agree in
all of these look alike; the number of a group tells nobody apart, because an attacker does not know
it. So the risks of re-identification come from these classes of rows, not from the groups.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import IntArray
from gyges.auditing.finding import Audited, Finding, Knowledge, Place, listed, people_text
from gyges.data.encoding import dictionary
from gyges.release.refined_groups import alike
from gyges.release.release import Release
from gyges.release.statements import OTHER_SOFTWARE, Form

if TYPE_CHECKING:
    import pyarrow as pa

TOPIC = "What the rows show"
# A label that stands for several values: 148**, {a, b}, a|b, [20, 30), 20-29, <30, 2024-01.
_COARSE = re.compile(
    r"\*|[{}|<>≤≥]|\d\.\.|^[\[(\]].*[\])\[]$|^-?[\d.]+\s*(?:[-–—]|\.\.|to)\s*-?[\d.]+$"
)


@dataclass(frozen=True, slots=True)
class Shown:
    """The columns by which a person's row can be recognised, and how many rows they tell apart."""

    form: Form
    quasi_identifiers: tuple[str, ...]
    published: tuple[str, ...]  # unchanged, in addition to the quasi-identifiers
    without_role: tuple[str, ...]  # in the file, but nobody said what they are
    generalized: tuple[str, ...]  # quasi-identifiers with labels that stand for several values
    exact: tuple[str, ...]  # those without; of the rest the text of the labels cannot tell
    n_people: int
    n_classes: int  # of rows that look alike in all of these columns
    least: int  # rows of the smallest class
    n_least: int  # people in classes of that size
    n_unique: int  # people whose row looks like no other
    n_unique_by_quasi: int  # the same by the quasi-identifiers alone
    n_value_shown: int  # people in classes whose rows all show one sensitive value


class RowsShown:
    """Compares what they know of a person with what each row shows (singling out)."""

    def findings(self, release: Audited, knowledge: Knowledge) -> list[Finding]:
        """What the rows show, and how many people are alone with it."""
        if not isinstance(release, Release) or knowledge.shown is None:
            return []
        shown = knowledge.shown
        found = [*_without_role(shown), *_unprotected(release), _by_quasi_identifiers(shown)]
        if shown.form == "microaggregated":
            found.append(_averages())
        if shown.form != "bucketized" and shown.least > 1:
            said = f"Every row looks the same as at least {_others(shown.least - 1)}."
            found.append(Finding("compares rows", said, shown.least, topic=TOPIC, place="summary"))
        if shown.published:
            found.append(_by_published(shown))
        if knowledge.located is not None:
            said = f"Of the original's rows, {knowledge.located}."
            measures = {"located": knowledge.located}
            found.append(Finding("compares rows", said, topic=TOPIC, measures=measures))
        return found


def _without_role(shown: Shown) -> list[Finding]:
    """Columns that nobody judged: they count in what singles people out, and in nothing else."""
    if not shown.without_role:
        return []
    was, them = ("It was", "it") if len(shown.without_role) == 1 else ("They were", "them")
    said = (
        f"Not checked: {listed(shown.without_role)}. {was} given no role, but every row shows "
        f"{them}. To someone who knows {them}, {_are_alone(shown.n_unique, shown.n_people)} the "
        f"only one whose row looks as it does{_read_off(shown)}. Except for re-identification, the "
        f"figures below leave {them} out."
    )
    share = Fraction(shown.n_unique, max(shown.n_people, 1))
    return [Finding("compares rows", said, share, topic=TOPIC, place="first", is_checked=False)]


def _unprotected(release: Release) -> list[Finding]:
    if release.roles.sensitive is not None:
        return []
    said = (
        "No column was named as sensitive, so no value is protected: where all rows of a group "
        "show the same value in a column, everyone in that group is shown to have it. Only who is "
        "who was examined."
    )
    return [Finding("knows the group", said, topic=TOPIC, place="first")]


def _averages() -> Finding:
    said = (
        "A row shows the average of its group, and in a column of text the group's most frequent "
        "value. It is nobody's own row, even where it looks like a real person's."
    )
    return Finding("compares rows", said, topic=TOPIC, place="summary")


def _by_quasi_identifiers(shown: Shown) -> Finding:
    """What the quasi-identifiers show, in a sentence."""
    place: Place = "summary" if shown.form == "bucketized" or shown.n_unique_by_quasi else "topic"
    share = Fraction(shown.n_unique_by_quasi, max(shown.n_people, 1))
    said = _what_is_shown(shown)
    return Finding(
        "compares rows", f"{said}.", share, topic=TOPIC, place=place, measures={"shown": shown}
    )


def _what_is_shown(shown: Shown) -> str:
    if not shown.quasi_identifiers:
        return "No quasi-identifier is published"
    alone = _are_alone(shown.n_unique_by_quasi, shown.n_people)
    if shown.form == "bucketized":
        are = "is" if len(shown.quasi_identifiers) == 1 else "are"
        return (
            f"{listed(shown.quasi_identifiers)} {are} published unchanged: anyone who knows them "
            f"sees who is in the release, and {alone} the only one with their values. What is "
            f"protected is the link from a person to their sensitive value"
        )
    also = f"; it also shows {listed(shown.without_role)}" if shown.without_role else ""
    return f"Each row shows {_labels(shown)}{also}" + (
        f"; {alone} the only one with their labels" if shown.n_unique_by_quasi else ""
    )


def _labels(shown: Shown) -> str:
    """The quasi-identifiers, by what their labels are."""
    if shown.form == "microaggregated":
        return f"group averages of {listed(shown.quasi_identifiers)}"
    known = {*shown.generalized, *shown.exact}
    rest = [name for name in shown.quasi_identifiers if name not in known]
    parts = [f"generalized {listed(shown.generalized)}"] if shown.generalized else []
    parts += [f"exact {listed(shown.exact)}"] if shown.exact else []
    if rest:
        parts.append(f"{listed(rest)} (possibly generalized)")
    return ", and ".join(parts)


def _by_published(shown: Shown) -> Finding:
    """What the unchanged columns add, in a sentence."""
    said = (
        f"{listed(shown.published)} {'is' if len(shown.published) == 1 else 'are'} published "
        f"unchanged with each row: to someone who knows them as well, "
        f"{_are_alone(shown.n_unique, shown.n_people)} the only one whose row looks as it does"
        f"{_read_off(shown)}."
    )
    if shown.n_value_shown:
        said += " The other figures about sensitive values do not cover that attacker."
    share = Fraction(shown.n_unique, max(shown.n_people, 1))
    return Finding("compares rows", said, share, topic=TOPIC, place="summary")


def _read_off(shown: Shown) -> str:
    if not shown.n_value_shown:
        return ""
    return f", and the sensitive value of {shown.n_value_shown:,} can be read off"


def _others(n: int) -> str:
    return "one other" if n == 1 else f"{n:,} others"


def _are_alone(some: int, everybody: int) -> str:
    return f"{people_text(some, everybody)} {'is' if some == 1 else 'are each'}"


def shown_by(release: Release) -> Shown:
    """Count the rows of a release that look alike."""
    rows = release.tables.get("data", release.tables.get("people"))
    assert rows is not None
    quasi = [name for name in release.roles.quasi_identifiers if name in rows.column_names]
    published = [name for name in release.roles.published if name in rows.column_names]
    without_role = columns_without_role(release)
    by_quasi, _ = _classes(rows, quasi)
    sizes, class_of_row = _classes(rows, [*quasi, *published, *without_role])
    least = int(sizes.min(initial=rows.num_rows))
    is_generalized = {name: _is_generalized(release, name) for name in quasi}
    return Shown(
        form=release.form,
        quasi_identifiers=tuple(quasi),
        published=tuple(published),
        without_role=tuple(without_role),
        generalized=tuple(name for name in quasi if is_generalized[name]),
        exact=tuple(name for name in quasi if is_generalized[name] is False),
        n_people=rows.num_rows,
        n_classes=len(sizes),
        least=least,
        n_least=int(sizes[sizes == least].sum()),
        n_unique=int((sizes == 1).sum()),
        n_unique_by_quasi=int((by_quasi == 1).sum()),
        n_value_shown=_value_shown(rows, release.roles.sensitive, sizes, class_of_row)
        if published or without_role
        else 0,
    )


def _is_generalized(release: Release, name: str) -> bool | None:
    """Whether some label of a column stands for several values; None where its text cannot tell.

    Where the column has a hierarchy of words, or the file is not ours, a word may stand for others.
    """
    if any(map(_COARSE.search, set(release.labels.get(name, ())))):
        return True
    stated = release.roles.hierarchies.get(name, {"rule": "intervals"})
    has_words = stated.get("rule") not in ("intervals", "prefixes")
    return None if has_words or release.method == OTHER_SOFTWARE else False


def columns_without_role(release: Release) -> list[str]:
    """The columns of a published file that nobody gave a role."""
    roles = release.roles
    known = {*roles.quasi_identifiers, *roles.published, roles.sensitive, roles.group_column}
    rows = release.tables.get("data", release.tables.get("people"))
    return [] if rows is None else [name for name in rows.column_names if name not in known]


def _classes(rows: pa.Table, names: list[str]) -> tuple[IntArray, IntArray]:
    """The sizes of the classes of rows that agree in some columns, and the class of each row."""
    class_of_row = alike(rows, names)
    return np.bincount(class_of_row).astype(np.int64), class_of_row


def _value_shown(
    rows: pa.Table, sensitive: str | None, sizes: IntArray, class_of_row: IntArray
) -> int:
    """How many people are in a class whose rows all have the same sensitive value."""
    if sensitive is None or sensitive not in rows.column_names:
        return 0
    raw, places = dictionary(rows.column(sensitive))
    pairs = np.unique(class_of_row * (len(raw) + 1) + places)
    n_values = np.bincount(pairs // (len(raw) + 1), minlength=len(sizes))
    return int(sizes[n_values == 1].sum())
