"""What an audit says besides its figures."""

from __future__ import annotations

from gyges.data.consistency import ROWS_ARE_PEOPLE
from gyges.release.groups import Groups
from gyges.release.release import Release
from gyges.release.statements import OTHER_SOFTWARE

# Not a figure, because it depends on how the search chooses: docs/weaknesses.md has an example.
MINIMALITY = (
    "An attacker who knows that the search publishes the finest release it finds safe can learn "
    "from how coarse this one is: every table for which something finer would have been safe is "
    "ruled out. The figures do not cover that."
)


def about_rows(rows_are_people: bool) -> tuple[str, ...]:
    """What the counts of people rest on where each row was taken to be one person."""
    return (ROWS_ARE_PEOPLE,) if rows_are_people else ()


def rows_count_as_people(release: Release) -> bool:
    """Whether nothing says which rows are the same person's, so that each row counts as one."""
    return release.rows_are_people or release.method == OTHER_SOFTWARE


def groups_in_words(groups: Groups, counted: str = "people") -> str:
    """How many people are in how many groups; `counted` says what is counted as a person."""
    n = int(groups.sizes.sum())
    least = int(groups.sizes.min(initial=n))
    return f"{n:,} {counted} in {len(groups):,} groups of at least {least:,}."
