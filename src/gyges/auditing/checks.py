"""One claim of a release, and what was found of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """One claim, and what the files say of it."""

    claim: str
    stated: str
    found: str
    holds: bool | None  # None: cannot be decided without the original

    def __str__(self) -> str:
        if self.holds is None:
            return f"not checked: {self.claim} ({self.found})"
        if self.holds:
            return f"true:  {self.claim} (it is {self.found})"
        return f"FALSE: {self.claim} (stated {self.stated}, found {self.found})"
