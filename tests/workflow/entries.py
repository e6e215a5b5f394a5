"""Releases entered in a ledger, as the tests need them."""

from __future__ import annotations

from gyges.workflow.recorded_releases import RecordedRelease


def record(ledger, *, place, trial=False, files=None, compared_with=None, **known):
    """Enter a release, and return its entry."""
    new = RecordedRelease(
        place=str(place),
        state="trial" if trial else "confirmed",
        compared_with=None if compared_with is None else tuple(compared_with),
        **known,
    )
    with ledger.entering(new, files=files) as commit:
        commit()
    return ledger.releases()[-1]
