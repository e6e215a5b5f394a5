"""What an audit says besides its figures."""

from __future__ import annotations

from gyges.data.consistency import ROWS_ARE_PEOPLE

# Not a figure, because it depends on how the search chooses: docs/weaknesses.md has an example.
MINIMALITY = (
    "An attacker who knows that the search publishes the finest release it finds safe can learn "
    "from how coarse this one is: every table for which something finer would have been safe is "
    "ruled out. The figures do not cover that."
)


def about_rows(rows_are_people: bool) -> tuple[str, ...]:
    """What the counts of people rest on where each row was taken to be one person."""
    return (ROWS_ARE_PEOPLE,) if rows_are_people else ()
