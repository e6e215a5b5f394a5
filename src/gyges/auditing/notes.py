"""Sentences that audits, reports and verification share."""

from __future__ import annotations

from gyges.data.consistency import ROWS_ARE_PEOPLE
from gyges.data.people_words import counted_people
from gyges.exact import counted
from gyges.release.groups import Groups
from gyges.release.release import Release
from gyges.release.statements import OTHER_SOFTWARE, SIMULATABLE

MINIMALITY = (
    "An attacker who knows that the search publishes the finest release it finds safe can also "
    "learn from how coarse this one is: it rules out every table for which a finer release would "
    "have been safe. Where this was computed, it is under “What the choice of the groups reveals”; "
    "all other figures do not cover it."
)
STATED_SIMULATABLE = (
    f"The certificate states that {SIMULATABLE}: the search cut a group only where no division of "
    f"its values could break a rule, or by quasi-identifiers alone. `verify` with the original "
    f"checks this."
)
ALL_ROWS = (
    "Each published row is one person, described by all of their rows in the original: knowing "
    "several of these rows does not separate a person from their group."
)
TRUST = "you have to trust the publisher"  # where no file can show that a claim is true
SEEDED = "The row order was shuffled with a seed: anyone who knows the seed can undo the shuffle."

NEEDS_ORIGINAL = (
    "Attackers with prior beliefs were not considered, and utility was not measured: both need the "
    "original table."
)
AVERAGES = (
    "Attackers with prior beliefs were not considered, and utility was not measured: rows show "
    "averages, which do not show who is in which group. Publishing with --inside computes both."
)
NOBODY_PLACED = (
    "Attackers with prior beliefs were not considered, and utility was not measured: no group of "
    "the release has the same people and values in the given original."
)
ROWS_OF_OTHERS = (
    "Utility was not measured, because it is not known which row of the table was made from which "
    "row of the original, if any. Prior beliefs are about people whose group is certain."
)
LABELS_OF_OTHERS = (
    "Utility was not measured by groups, because the labels are none that Gyges makes. `gyges "
    "compare` states how well pairs of columns are kept."
)
AS_IF_GENERALIZED = (
    "Utility is measured as if every group were generalized to one label, although this form of "
    "release does not generalize."
)

STAND_INS = (
    "Utility and all figures before and after count a missing value as the value that stood in for "
    "it when groups were sought."
)


def about_rows(rows_are_people: bool) -> tuple[str, ...]:
    """The assumption behind the counts of people, where each row was taken to be one person."""
    return (ROWS_ARE_PEOPLE,) if rows_are_people else ()


def rows_count_as_people(release: Release) -> bool:
    """Whether each row counts as one person, because no column identifies people."""
    return release.rows_are_people or release.method == OTHER_SOFTWARE


def groups_in_words(groups: Groups, rows_are_people: bool = False) -> str:
    """How many people are in how many groups."""
    people = counted_people(int(groups.sizes.sum()), rows_are_people)
    if len(groups) == 1:
        return f"{people} in one group."
    least = int(groups.sizes.min(initial=int(groups.sizes.sum())))
    return f"{people} in {counted(len(groups), 'group')} of at least {least:,}."
