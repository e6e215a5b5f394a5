"""Several releases about the same people, joined: who is exposed, and how far that is certain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gyges.adversaries.other_releases import IntersectionAttack, intersection_attack
from gyges.adversaries.people_lookup import NOWHERE
from gyges.auditing.forms import load_groups
from gyges.data.schema import Schema
from gyges.errors import GygesError
from gyges.exact import percent
from gyges.release.release import Release
from gyges.report.exposure import exposure_rows
from gyges.workflow.people_table import people_table


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JoinedAttack:
    """The intersecting attacker [Ganta2008] at a confidence, and what their finding rests on.

    Only the values that remain possible decide; estimates are shown.
    """

    found: IntersectionAttack
    confidence: str
    guessed: tuple[int, ...]  # releases, from 1, whose groups are assigned by the nearest centroid

    @property
    def tells_more(self) -> bool:
        """Whether joining exposes people whom no release exposes alone."""
        return self.found.exposed(self.confidence) > self.found.exposed_before(self.confidence)

    @property
    def is_doubtful(self) -> bool:
        """Whether groups were guessed, or the releases contradict each other."""
        return bool(self.guessed) or bool(self.found.contradicted.any())

    @property
    def n_lost(self) -> int:
        """How many people fit no group of some release."""
        return int((self.found.located.found == NOWHERE).any(axis=1).sum())

    @property
    def is_safe(self) -> bool | None:
        """Whether joining exposes nobody; None where not everything could be checked."""
        if self.is_doubtful:
            return None
        if self.tells_more:
            return False
        return None if self.n_lost else True

    def verdict(self) -> str:
        """What the attacker learns, in sentences."""
        n_contradicted = int(self.found.contradicted.sum())
        lines = [self._by_possible_values(), self._by_shares()]
        if n_contradicted:
            lines.append(
                f"The releases contradict each other on {n_contradicted:,} people: values that are "
                f"spelled differently, that changed, or people who were looked up in the wrong "
                f"group. What the releases say of them together is not known."
            )
        lines += [
            f"Release {j} is microaggregated: people are assigned to the nearest centroid, which "
            f"is a guess. What follows from it is an estimate."
            for j in self.guessed
        ]
        if self.n_lost:
            lines.append(
                f"{self.n_lost:,} of the {len(self.found.posterior):,} people fit no group of some "
                f"release: nothing was learnt of them there."
            )
        return "\n".join([*lines, str(self.found)])

    def _by_possible_values(self) -> str:
        joined = percent(self.found.exposed(self.confidence))
        alone = percent(self.found.exposed_before(self.confidence))
        if self.tells_more:
            return (
                f"Joined, the releases expose more people than any of them alone. By the values "
                f"that remain possible, an attacker is {self.confidence} certain or more of the "
                f"value of {joined} of the people ({alone} by one release alone)."
            )
        if self.n_lost:
            return (
                f"By the values that remain possible, joining the releases exposes none of the "
                f"{len(self.found.posterior) - self.n_lost:,} people located in every release at "
                f"confidence {self.confidence}, unless one release alone exposes them; "
                f"{self.n_lost:,} people could not be located ({joined} of all people are exposed "
                f"either way)."
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
            f"({percent(shares.exposed_before(self.confidence))} alone). Such a belief can be "
            f"wrong, and a copy of a release strengthens it without telling anything new."
        )

    def stated(self) -> dict[str, object]:
        """The same as data."""
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
    """Join releases, by their directories or as published files, about the people of a table."""
    if len(releases) < 2:
        raise GygesError("name two releases or more: one alone is judged by `gyges audit`")
    loaded = [_load(path, quasi, sensitive) for path in releases]
    # Only a certificate tells how labels such as 148** are to be read.
    certified = [one for one, path in zip(loaded, releases, strict=True) if path.is_dir()]
    known = (certified or loaded)[0]
    looked_up = people_table(people, known, project, hierarchy_files, with_sensitive=False)
    assert looked_up is not None
    found = intersection_attack(loaded, looked_up)
    guessed = [j for j, one in enumerate(loaded, start=1) if one.form == "microaggregated"]
    return JoinedAttack(found, confidence, tuple(guessed))


def _load(path: Path, quasi: Sequence[str] | None, sensitive: str | None) -> Release:
    if not path.is_file():
        return load_groups(path)
    if quasi is None or sensitive is None:
        raise GygesError(
            f"{str(path)!r} is a file: say which columns are what, with --quasi and --sensitive"
        )
    return load_groups(path, Schema(quasi_identifiers=list(quasi), sensitive=sensitive))
