"""What `verify` found: each claim of a release, and whether the files confirm it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gyges.exact import counted, worst_case
from gyges.notebook import card, mark, table
from gyges.release.certificate import sha256
from gyges.release.signature import Status
from gyges.release.strict_model import one_line

_SIGNATURES: Mapping[Status, str] = {
    "unsigned": "Not signed: nothing shows who published these files. Nothing else was checked.",
    "other key": "Signed, but not with this key. Nothing else was checked.",
    "altered": "Altered after it was signed. Nothing else was checked.",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One claim, and what was found."""

    claim: str
    stated: str = field(metadata={"may_be_number": True})
    found: str = field(metadata={"may_be_number": True})
    holds: bool | None  # None: not checked, for the reason in `found`
    is_risk: bool = False  # `found` is the risk under a rule: the worst case over all groups

    def __str__(self) -> str:
        claim, stated, found = map(one_line, (self.claim, self.stated, self.found))
        if self.holds is None:
            return f"not checked: {claim} ({found})"
        if self.holds:
            return f"holds: {claim} ({one_line(worst_case(self.found)) if self.is_risk else found})"
        return f"fails: {claim} (stated: {stated}, found: {found})"


@dataclass(frozen=True, slots=True)
class Verification:
    """The answer of `verify`.

    `holds` is true only if every claim was checked and holds. `unchecked` lists the claims that
    could not be checked, `refuted` the false ones. `statements` lists what else the publisher says:
    no file can show it, and no claim depends on it.
    """

    checks: tuple[Check, ...]
    statements: tuple[str, ...] = ()
    signature: Status | None = None  # None: no key was given
    n_claims: int = 1  # that the certificate makes; without any, the files agree, and that is all

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
        """Whether every claim was checked and is true."""
        return not self.refuted and not self.unchecked

    def __bool__(self) -> bool:
        return self.holds

    @property
    def answer(self) -> str:
        """The overall answer in one sentence."""
        if (signature := _SIGNATURES.get(self.signature or "valid")) is not None:
            return signature
        total = counted(len(self.checks), "check")
        if self.refuted:
            return f"Refuted: {len(self.refuted):,} of {total} failed."
        if self.unchecked:
            were = "was" if len(self.unchecked) == 1 else "were"
            left = f"{len(self.unchecked):,} of {len(self.checks):,} claims {were}"
            return f"Nothing was refuted, but {left} not confirmed."
        if not self.n_claims:
            return f"The release makes no claim about privacy. Its files agree: {total} passed."
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
