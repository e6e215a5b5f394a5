"""What `verify` found: each claim of a release, and whether the files bear it out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gyges.exact import worst_case
from gyges.notebook import card, mark, table
from gyges.release.certificate import sha256

_LONGEST = 400  # characters of one part of a line


@dataclass(frozen=True, slots=True)
class Check:
    """One claim, and what was found of it."""

    claim: str
    stated: str = field(metadata={"may_be_number": True})
    found: str = field(metadata={"may_be_number": True})
    holds: bool | None  # None: not checked, `found` says why
    is_risk: bool = False  # `found` is the risk under a rule, the worst of all groups

    def __str__(self) -> str:
        claim, stated, found = map(one_line, (self.claim, self.stated, self.found))
        if self.holds is None:
            return f"not checked: {claim} ({found})"
        if self.holds:
            return f"holds: {claim} ({worst_case(found) if self.is_risk else found})"
        return f"fails: {claim} (stated: {stated}, found: {found})"


@dataclass(frozen=True, slots=True)
class Verification:
    """The answer of `verify`.

    `holds` is true only if every claim was checked and holds. A claim that could not be checked
    is in `unchecked`, a false one in `refuted`. `statements` are what the publisher says besides,
    which no file can show and no claim rests on.
    """

    checks: tuple[Check, ...]
    statements: tuple[str, ...] = ()

    @property
    def refuted(self) -> list[Check]:
        """The claims that are false."""
        return [check for check in self.checks if check.holds is False]

    @property
    def unchecked(self) -> list[Check]:
        """The claims that could not be checked."""
        return [check for check in self.checks if check.holds is None]

    @property
    def holds(self) -> bool:
        """Every claim was checked, and is true."""
        return not self.refuted and not self.unchecked

    def __bool__(self) -> bool:
        return self.holds

    @property
    def answer(self) -> str:
        """The overall answer in one sentence."""
        total = f"{len(self.checks):,} checks"
        if self.refuted:
            return f"Refuted: {len(self.refuted):,} of {total} failed."
        if self.unchecked:
            left = f"{len(self.unchecked):,} of {total}"
            return f"Nothing was refuted, but {left} could not be made or are not promised."
        return f"All {total} passed."

    def __str__(self) -> str:
        lines = [self.answer, *(f"  {check}" for check in self.checks)]
        if self.statements:
            lines.append("Stated by the publisher:")
            lines += [f"  {one_line(statement)}" for statement in self.statements]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = [(c.claim, mark(c.holds, "holds", "fails"), c.found) for c in self.checks]
        return card(self.answer, table(rows, ("claim", "", "found")))


def check_hashes(directory: Path, files: Mapping[str, str]) -> list[Check]:
    """Whether each certified file is the one that was certified."""
    checks = []
    for name, stated in sorted(files.items()):
        found = sha256(directory / name)
        what = f"{name} is the file that was certified"
        begun, made = (f"SHA-256 {digest[:12]}…" for digest in (stated, found))
        checks.append(Check(what, begun, made, found == stated))
    return checks


def one_line(text: str) -> str:
    """A text that may come from a file, on one line: what does not print is shown as its code.

    >>> one_line("k = 5\\n  holds: everything")
    'k = 5\\\\n  holds: everything'
    """
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return shown if len(shown) <= _LONGEST else shown[:_LONGEST] + " …"
