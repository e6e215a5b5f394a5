"""What each published row shows of its person, and how many rows look alike in it.

Whoever looks for a person compares what they know with what is shown: the labels of a generalized
or microaggregated release, the exact quasi-identifiers of a bucketized one, and every column that
is published unchanged. Rows that agree in all of these look alike; the number of a group tells
nobody apart, because an attacker does not know it. So the risks of re-identification come from
these classes of rows, not from the groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import IntArray
from gyges.data.encoding import dictionary
from gyges.exact import percent
from gyges.release.refined_groups import alike
from gyges.release.release import Release
from gyges.release.statements import Form

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Shown:
    """The columns by which a person's row can be recognised, and how many rows they tell apart."""

    form: Form
    quasi_identifiers: tuple[str, ...]
    published: tuple[str, ...]  # unchanged, beside the quasi-identifiers
    n_people: int
    n_classes: int  # of rows that look alike in all of these columns
    least: int  # rows of the smallest class
    n_least: int  # people in classes of that size
    n_unique: int  # people whose row looks like no other
    n_unique_by_quasi: int  # the same by the quasi-identifiers alone
    n_value_shown: int  # people in classes whose rows all show one sensitive value

    def __str__(self) -> str:
        lines = [self.of_quasi_identifiers()]
        if self.published:
            lines.append(self.of_published())
        return "\n".join(lines)

    def of_quasi_identifiers(self) -> str:
        """What the quasi-identifiers show, in a sentence."""
        if not self.quasi_identifiers:
            return "no quasi-identifier is published"
        named = _listed(self.quasi_identifiers)
        if self.form == "bucketized":
            return (
                f"{named} are published unchanged: anyone who knows them sees who is in the table, "
                f"and {_people(self.n_unique_by_quasi, self.n_people)} the only one with their "
                f"values; what is protected is the link from a person to their sensitive value"
            )
        how = "group averages of" if self.form == "microaggregated" else "generalized"
        unique = self.n_unique_by_quasi
        alone = f"; {_people(unique, self.n_people)} alone with their labels" if unique else ""
        return f"each row shows {how} {named}{alone}"

    def of_published(self) -> str:
        """What the unchanged columns add, in a sentence."""
        said = (
            f"{_listed(self.published)} {'is' if len(self.published) == 1 else 'are'} published "
            f"unchanged with each row: to someone who knows them as well, "
            f"{_people(self.n_unique, self.n_people)} the only one whose row looks as it does"
        )
        if self.n_value_shown:
            said += (
                f", and the sensitive value of {self.n_value_shown:,} can be read off; the other "
                f"figures about sensitive values do not cover that attacker"
            )
        return said


def shown_by(release: Release) -> Shown:
    """Count the rows of a release that look alike."""
    rows = release.tables.get("data", release.tables.get("people"))
    assert rows is not None
    quasi = [name for name in release.roles.quasi_identifiers if name in rows.column_names]
    published = [name for name in release.roles.published if name in rows.column_names]
    by_quasi, _ = _classes(rows, quasi)
    sizes, class_of_row = _classes(rows, [*quasi, *published])
    least = int(sizes.min(initial=rows.num_rows))
    return Shown(
        form=release.form,
        quasi_identifiers=tuple(quasi),
        published=tuple(published),
        n_people=rows.num_rows,
        n_classes=len(sizes),
        least=least,
        n_least=int(sizes[sizes == least].sum()),
        n_unique=int((sizes == 1).sum()),
        n_unique_by_quasi=int((by_quasi == 1).sum()),
        n_value_shown=_value_shown(rows, release.roles.sensitive, sizes, class_of_row)
        if published
        else 0,
    )


def columns_without_role(release: Release) -> list[str]:
    """The columns of a published file that nobody gave a role: what they show is not judged."""
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
    """How many people are in a class whose rows all have the same sensitive value beside them."""
    if sensitive is None or sensitive not in rows.column_names:
        return 0
    raw, places = dictionary(rows.column(sensitive))
    pairs = np.unique(class_of_row * (len(raw) + 1) + places)
    n_values = np.bincount(pairs // (len(raw) + 1), minlength=len(sizes))
    return int(sizes[n_values == 1].sum())


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _people(some: int, everybody: int) -> str:
    share = percent(Fraction(some, max(everybody, 1)))
    return f"{some:,} of {everybody:,} people ({share}) {'is' if some == 1 else 'are each'}"
