"""`gy.verify`: recompute every claim of a release from its own files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from gyges.auditing.against_original import check_original
from gyges.auditing.checks import Check
from gyges.auditing.noise import check_noisy
from gyges.auditing.views import check_views
from gyges.criteria.describe import from_data
from gyges.criteria.verdict import judge
from gyges.data.table import Table
from gyges.dp.files import is_noisy
from gyges.errors import GygesError, ReleaseError
from gyges.marginals.files import is_marginals
from gyges.notebook import card, mark, table
from gyges.release.certificate import NAME, Certificate, read_certificate, sha256
from gyges.release.files import load
from gyges.release.groups import Groups
from gyges.release.groups_from_tables import groups_of_certified, read_tables
from gyges.release.mapping import load_mapping
from gyges.release.release import Claim


@dataclass(frozen=True, slots=True)
class Finding:
    """What `verify` found; `holds` is the overall answer."""

    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        """No claim is false, no file altered."""
        return all(check.holds is not False for check in self.checks)

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        answer = (
            "every claim that can be checked is true" if self.holds else "the release is refuted"
        )
        return "\n".join([answer, *(f"  {check}" for check in self.checks)])

    def _repr_html_(self) -> str:
        rows = [(c.claim, mark(c.holds, "true", "FALSE"), c.found) for c in self.checks]
        return card(str(self).splitlines()[0], table(rows, ("claim", "", "found")))


def verify(
    directory: str | Path,
    *,
    original: Table | str | Path | None = None,
    mapping: str | Path | None = None,
) -> Finding:
    """Check the hashes of a release's files, and judge every claim on the groups they hold.

    With the original table (or its path) the claims that need it are judged too, and whether every
    group holds the people that it says. The mapping, if one was kept, says who went where: it is
    needed where people fit the labels of several groups.
    """
    directory = Path(directory)
    if original is not None and (is_marginals(directory) or is_noisy(directory)):
        raise ReleaseError("views and noisy tables are verified from their files: no original")
    if is_marginals(directory):
        return Finding(tuple(check_views(directory)))
    if is_noisy(directory):
        return Finding(tuple(check_noisy(directory)))
    certificate = read_certificate(directory)
    checks = [*_check_files(directory, certificate.files)]
    try:
        groups, _ = groups_of_certified(read_tables(directory, certificate), certificate)
    except GygesError as problem:
        return Finding((*checks, Check("the files can be read", "yes", str(problem), False)))
    checks += _check_counts(groups, certificate)
    checks += [_check_claim(claim, groups) for claim in certificate.claims]
    if original is not None:
        known = None if mapping is None else load_mapping(mapping)
        decided = [check for check in checks if check.holds is not None]
        checks = [*decided, *check_original(load(directory), original, known)]
    return Finding(tuple(checks))


def _check_files(directory: Path, files: Mapping[str, str]) -> Iterable[Check]:
    for name, stated in sorted(files.items()):
        if Path(name).name != name:
            raise ReleaseError(f"the certificate names the file {name!r} outside its directory")
        path = directory / name
        found = sha256(path) if path.is_file() else "missing"
        what = f"{name} is the file that was certified"
        yield Check(what, stated[:12], found[:12], found == stated)
    present = {path.name for path in directory.iterdir()} - {NAME}
    for name in sorted(present - set(files)):
        yield Check("there is no file beside the certified ones", "none", name, False)


def _check_counts(groups: Groups, certificate: Certificate) -> Iterable[Check]:
    for what, stated, found in [
        ("people are published", certificate.n_people, int(groups.sizes.sum())),
        ("groups are published", certificate.n_groups, len(groups)),
    ]:
        yield Check(f"{stated:,} {what}", f"{stated:,}", f"{found:,}", stated == found)


def _check_claim(claim: Claim, groups: Groups) -> Check:
    if claim.needs_original:
        return Check(claim.text, claim.risk, "needs the original table", None)
    try:
        rule = from_data(claim.rule)
        verdict = judge(rule, groups)
    except GygesError as problem:
        return Check(claim.text, claim.risk, str(problem), False)
    found = str(verdict.risks[str(rule)])
    same = str(rule) == claim.text and found == claim.risk
    return Check(claim.text, claim.risk, found, verdict.safe and same)
