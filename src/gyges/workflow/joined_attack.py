"""An attack on several releases about the same people: who is exposed, and what is certain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gyges.adversaries.other_releases import IntersectionAttack, intersection_attack
from gyges.adversaries.people_lookup import NOWHERE
from gyges.auditing.forms import load_groups
from gyges.data.schema import Schema
from gyges.errors import GygesError
from gyges.exact import counted, percent
from gyges.report.exposure_page import exposure_rows
from gyges.workflow.people_table import people_table


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JoinedAttack:
    """The result of the intersection attack [Ganta2008] at a confidence.

    Only the values that remain possible decide; estimates are shown.
    """

    found: IntersectionAttack
    confidence: str
    guessed: tuple[int, ...]  # numbers of the releases in which people are assigned by centroid

    @property
    def tells_more(self) -> bool:
        """Whether the releases together expose people whom none exposes alone."""
        return self.found.exposed(self.confidence) > self.found.exposed_before(self.confidence)

    @property
    def is_doubtful(self) -> bool:
        """Whether groups were guessed, or the releases contradict each other."""
        return bool(self.guessed) or bool(self.found.contradicted.any())

    @property
    def n_lost(self) -> int:
        """The number of people who fit no group of at least one release."""
        return int((self.found.located.found == NOWHERE).any(axis=1).sum())

    @property
    def is_safe(self) -> bool | None:
        """Whether joining exposes nobody; None if not everything could be checked."""
        if self.is_doubtful:
            return None
        if self.tells_more:
            return False
        return None if self.n_lost else True

    def verdict(self) -> str:
        """What the attacker learns, as text."""
        n_contradicted = int(self.found.contradicted.sum())
        lines = [self._by_possible_values(), self._by_shares()]
        if n_contradicted:
            lines.append(
                f"The releases contradict each other on {counted(n_contradicted, 'person')}: a "
                f"value is "
                f"spelled differently or has changed, or a person was looked up in the wrong "
                f"group. What the releases reveal about these people together is unknown."
            )
        lines += [
            f"Release {j} is microaggregated: people are assigned to the nearest centroid, so the "
            f"results are estimates."
            for j in self.guessed
        ]
        if self.n_lost:
            lines.append(
                f"{self.n_lost:,} of the {len(self.found.posterior):,} people fit no group of at "
                f"least one release: that release reveals nothing about them."
            )
        return "\n".join([*lines, str(self.found)])

    def _by_possible_values(self) -> str:
        joined = percent(self.found.exposed(self.confidence))
        alone = percent(self.found.exposed_before(self.confidence))
        if self.tells_more:
            return (
                f"Joined, the releases expose more people than any of them alone. By the values "
                f"that remain possible, an attacker is at least {self.confidence} certain of the "
                f"value of {joined} of the people ({alone} by one release alone)."
            )
        if self.n_lost:
            return (
                f"By the values that remain possible, joining the releases exposes none of the "
                f"people located in every release "
                f"({counted(len(self.found.posterior) - self.n_lost, 'person')}) at confidence "
                f"{self.confidence}, unless one release alone exposes them; "
                f"{counted(self.n_lost, 'person')} could not be located ({joined} of all people "
                f"are exposed either way)."
            )
        return (
            f"By the values that remain possible, joining the releases exposes nobody at "
            f"confidence {self.confidence} whom none of them exposes alone ({joined} of the "
            f"people either way)."
        )

    def _by_shares(self) -> str:
        shares = self.found.bayesian
        return (
            f"Estimated by combining the groups' shares: "
            f"{percent(shares.exposed(self.confidence))} "
            f"({percent(shares.exposed_before(self.confidence))} alone). Such an estimate can be "
            f"wrong, and a copy of a release strengthens it without adding information."
        )

    def stated(self) -> dict[str, object]:
        """The result as data."""
        found, confidence = self.found, self.confidence
        return {
            "people": len(found.posterior),
            "exposed": found.exposed(confidence),
            "exposed_by_one_release": found.exposed_before(confidence),
            "bayesian_exposed": found.bayesian.exposed(confidence),
            "bayesian_exposed_by_one_release": found.bayesian.exposed_before(confidence),
            "vulnerable": int(found.vulnerable.sum()),
            "average_drop": found.average_drop,
            "contradicted": int(found.contradicted.sum()),
            "located": found.located.counts,
            "by_confidence": exposure_rows(found),
        }


def attack_together(
    releases: Sequence[Path],
    people: str,
    confidence: str,
    *,
    quasi: Sequence[str] | None = None,
    sensitive: str | None = None,
    project: Path | None = None,
    hierarchy_files: list[str] | None = None,
) -> JoinedAttack:
    """Attack releases (directories or published files) about the people of a table."""
    if len(releases) < 2:
        raise GygesError("name at least two releases: `gyges audit` judges a single one")
    named = None if sensitive is None else quasi  # of a file, both must be named
    loaded = [load_groups(path, schema_of_file(path, named, sensitive)) for path in releases]
    # Only a certificate says how to read labels such as 148**.
    certified = [one for one, path in zip(loaded, releases, strict=True) if path.is_dir()]
    known = (certified or loaded)[0]
    looked_up = people_table(people, known, project, hierarchy_files, with_sensitive=False)
    assert looked_up is not None
    found = intersection_attack(loaded, looked_up)
    guessed = [j for j, one in enumerate(loaded, start=1) if one.form == "microaggregated"]
    return JoinedAttack(found, confidence, tuple(guessed))


def schema_of_file(path: Path, quasi: Sequence[str] | None, sensitive: str | None) -> Schema | None:
    """The roles of a published file's columns; None for a directory, whose certificate has them."""
    if not path.is_file():
        return None
    if quasi is None:
        raise GygesError(f"{str(path)!r} is a file: name its columns with --quasi and --sensitive")
    return Schema(quasi_identifiers=list(quasi), sensitive=sensitive)
