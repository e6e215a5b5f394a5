"""An attack on several releases about the same people: who is exposed, and what is certain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np

from gyges.adversaries.joint_attack import IF_ALL_PRESENT, JointAttack
from gyges.adversaries.other_releases import intersection_attack
from gyges.arrays import BoolArray
from gyges.auditing.finding import listed
from gyges.auditing.published_rows import columns_without_role
from gyges.data.counting import Missing
from gyges.data.people_words import as_counted
from gyges.data.table import Table
from gyges.engines.read import open_source
from gyges.errors import GygesError, suggestion
from gyges.exact import counted, percent
from gyges.release.locating import NOWHERE, SEVERAL
from gyges.report.exposure_page import exposure_rows
from gyges.workflow.attack_options import people_in_releases, said_of_similar
from gyges.workflow.people_table import people_table
from gyges.workflow.releases_together import (
    OpenedRelease,
    common_roles,
    not_joined,
    numbering,
    opened_release,
    partly_joined,
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JoinedAttack:
    """The result of the joint attack at a confidence.

    Only what is certain about possible values decides; estimates are shown.
    """

    found: JointAttack
    confidence: str
    guessed: tuple[int, ...]  # numbers of the releases in which people are assigned by centroid
    present: BoolArray  # people × releases; false where a person is known not to be in a release
    rows_are_people: bool  # no column of the table of people identifies them
    # By the number of a release: columns that it shows, and that no rule or attack looked at.
    shown: Mapping[int, Sequence[str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # how releases were joined, and why some were not
    n_not_joined: int = 0
    n_counterfeits: tuple[int, ...] = ()  # of each release: values of nobody

    @property
    def tells_more(self) -> bool:
        """Whether the releases together expose people, or make certain, whom none does alone."""
        return (
            self.n_exposed_by_joining > 0 or self.n_made_certain > 0 or self.n_proven_by_shares > 0
        )

    @property
    def n_exposed_by_joining(self) -> int:
        """The number of people whom the releases together expose, and none of them alone."""
        return int(self.found.is_exposed_by_joining(self.confidence).sum())

    @property
    def n_made_certain(self) -> int:
        """The number of people of whose value the releases make certain, and none of them alone."""
        return int(self.found.is_exposed_by_joining(1).sum())

    @property
    def n_proven_by_shares(self) -> int:
        """The number of people whom the share of joint worlds exposes, and no share of a release.

        Only shares that are exact, or bounds of them.
        """
        shares = self.found.bayesian
        is_new = shares.is_proven(self.confidence) & ~shares.is_exposed_before(self.confidence)
        return int((is_new & ~self.found.contradicted).sum())

    @property
    def n_open_by_shares(self) -> int:
        """The number of other people whose share of joint worlds was not settled."""
        shares = self.found.bayesian
        is_open = shares.may_be_exposed(self.confidence) & ~self.found.contradicted
        return int((is_open & ~shares.is_exposed_before(self.confidence)).sum())

    @property
    def is_doubtful(self) -> bool:
        """Whether groups were guessed or divided further, or the releases contradict each other."""
        return bool(self.guessed or self.shown) or bool(self.found.contradicted.any())

    @property
    def n_undecided(self) -> int:
        """The number of other people whose exposure was neither proven nor excluded."""
        is_open = self.found.is_undecided(1) & ~self.found.already_disclosed
        return int((is_open | self.found.is_undecided(self.confidence)).sum())

    @property
    def n_lost(self) -> int:
        """The number of people who fit no group of at least one release."""
        return int(((self.found.located.found == NOWHERE) & ~self.absent).any(axis=1).sum())

    @property
    def n_ambiguous(self) -> int:
        """The number of people who fit several groups of some release: their union was used."""
        several = (self.found.located.found == SEVERAL) & ~self.absent
        return int(several.any(axis=1).sum())

    @property
    def n_not_listed(self) -> int:
        """How many people the releases hold, at least, about whom nothing was examined."""
        held = zip(self.found.located.n_unlisted, self.n_counterfeits, strict=True)
        return sum(max(n - counterfeits, 0) for n, counterfeits in held)

    @property
    def absent(self) -> BoolArray:
        """People × releases: who is known not to be in a release."""
        return ~self.present

    @property
    def is_safe(self) -> bool | None:
        """Whether joining exposes nobody; None if not everything could be checked.

        A guessed group decides nothing. Other doubts do not help those who were found exposed.
        """
        if self.tells_more and not self.guessed:
            return False
        is_open = self.is_doubtful or self.n_lost or self.n_undecided or self.n_ambiguous
        is_open = is_open or self.n_open_by_shares or self.n_not_joined or self.n_not_listed
        is_open = is_open or any(self.found.counts.n_unplaced)
        return None if is_open else True

    def verdict(self) -> str:
        """What the attacker learns, as text."""
        n_contradicted = int(self.found.contradicted.sum())
        lines = [*self.notes, *self._by_certainty(), self._by_possible_values(), self._by_shares()]
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
        lines += [
            f"Release {j} also shows {listed(names)}, which divides its groups further: what an "
            f"attacker who knows these values learns was not examined."
            for j, names in self.shown.items()
        ]
        if self.n_lost:
            lines.append(
                f"{self.n_lost:,} of the {len(self.found.posterior):,} people fit no group of at "
                f"least one release: that release was not used against them."
            )
        lines += [
            f"{counted(n, 'person fits', 'people fit')} groups of release {j} that hold fewer "
            f"people: some of them are not in it, and it is unknown who. An attacker who knows who "
            f"came or left may be certain of a value. Say who is in which release with --present."
            for j, n in enumerate(self.found.counts.n_unplaced, start=1)
            if n
        ]
        return as_counted("\n".join([*lines, str(self.found)]), self.rows_are_people)

    def _by_certainty(self) -> list[str]:
        """Whom joining makes certain, where less than certainty counts as exposed."""
        if not self.n_made_certain or self.n_made_certain == self.n_exposed_by_joining:
            return []
        opening = "Estimated: joined" if self.guessed else "Joined"
        condition = "" if self.found.is_presence_known else f", {IF_ALL_PRESENT}"
        return [
            f"{opening}, the releases make an attacker certain of the value of "
            f"{counted(self.n_made_certain, 'person')}, about whom no release alone makes them "
            f"certain{condition}."
        ]

    def _by_possible_values(self) -> str:
        found, n_people = self.found, len(self.found.posterior)
        joined, alone = (percent(share) for share in self._shares())
        if self.n_exposed_by_joining:
            at_least = "at least " if self.n_undecided else ""
            opening = "Estimated: joined" if self.guessed else "Joined"
            condition = "" if found.is_presence_known else f", {IF_ALL_PRESENT}"
            return (
                f"{opening}, the releases expose people whom none of them exposes alone"
                f"{condition}: {at_least}{self.n_exposed_by_joining:,} of "
                f"{counted(n_people, 'person')}. By the values that remain possible, an attacker "
                f"is at least {self.confidence} certain of their values, but not by one release "
                f"alone ({joined} of the people are exposed by all releases, {alone} by one "
                f"release alone)."
            )
        if self.n_undecided:
            return (
                f"Nobody was found whom joining the releases exposes at confidence "
                f"{self.confidence} and none of them exposes alone, but that is not excluded for "
                f"{self.n_undecided:,} of the {len(found.posterior):,} people ({joined} of the "
                f"people are exposed either way)."
            )
        if self.n_lost:
            return (
                f"By the values that remain possible, joining the releases exposes none of the "
                f"people located in every release "
                f"({counted(len(found.posterior) - self.n_lost, 'person')}) at confidence "
                f"{self.confidence}, unless one release alone exposes them; "
                f"{counted(self.n_lost, 'person')} could not be located ({joined} of all people "
                f"are exposed either way)."
            )
        return self._of_nobody(joined)

    def _of_nobody(self, joined: str) -> str:
        """What holds where nobody was found and everyone was located."""
        condition = (
            f"That holds {IF_ALL_PRESENT} (--present says who is), and if"
            if not self.found.is_presence_known
            else "That holds if"  # an attacker knows more: the columns that are shown
            if self.shown
            else "That is proven, if"
        )
        if self.n_ambiguous:
            return (
                f"Nobody was found whom joining the releases exposes at confidence "
                f"{self.confidence} and none of them exposes alone ({joined} of the people either "
                f"way). That is not proven: "
                f"{counted(self.n_ambiguous, 'person fits', 'people fit')} several groups of a "
                f"release, and an attacker who knows who is in which group may learn more."
            )
        knows = "who is in which group"
        nobody = "nobody"
        if self.n_not_listed:
            nobody = "none of these people"
            knows = "in which groups these people are, and nothing of the others in the releases"
        return (
            f"By the values that remain possible, joining the releases exposes {nobody} at "
            f"confidence {self.confidence} whom none of them exposes alone ({joined} of the "
            f"people either way). {condition} the attacker knows no more than {knows}."
        )

    def _shares(self) -> tuple[Fraction, Fraction]:
        """The shares of people exposed: by all releases, and by one release alone."""
        return self.found.exposed(self.confidence), self.found.exposed_before(self.confidence)

    def _by_shares(self) -> str:
        """What the share of joint worlds tells: what is exact first, then what is estimated."""
        shares, n_people = self.found.bayesian, len(self.found.posterior)
        by = "proven" if self.found.is_presence_known else IF_ALL_PRESENT
        by = "estimated" if self.guessed else by
        said = (
            f"By the share of the worlds that agree with all releases, an attacker is at least "
            f"{self.confidence} certain of the value of {self.n_proven_by_shares:,} of "
            f"{n_people:,} people about whom no release alone makes them so ({by})."
        )
        if not self.n_open_by_shares:
            return said
        return (
            f"{said} For {self.n_open_by_shares:,} more there are too many worlds to count, or it "
            f"is not known in which group they are: their shares are estimated"
            f"{self._how_estimated(int(shares.is_sampled_for.sum()))}, and decide nothing "
            f"({percent(shares.exposed(self.confidence))} of all people are exposed by their share "
            f"if the estimates are right, {percent(shares.exposed_before(self.confidence))} by one "
            f"release alone)."
        )

    def _how_estimated(self, n_sampled: int) -> str:
        if not n_sampled:
            return " without a known error"
        return (
            f", for {counted(n_sampled, 'person')} from {self.found.bayesian.n_worlds:,} sampled "
            f"worlds"
        )

    def stated(self) -> dict[str, object]:
        """The result as data."""
        found, confidence = self.found, self.confidence
        return {
            "people": len(found.posterior),
            "rows_are_people": self.rows_are_people,
            "presence": "known" if found.is_presence_known else "assumed",
            "exposed": found.exposed(confidence),
            "exposed_by_one_release": found.exposed_before(confidence),
            "exposed_by_share_of_worlds": self.n_proven_by_shares,
            "share_of_worlds_not_settled": self.n_open_by_shares,
            "sampled_worlds": found.bayesian.n_worlds,
            "bayesian_exposed": found.bayesian.exposed(confidence),
            "bayesian_exposed_by_one_release": found.bayesian.exposed_before(confidence),
            "certain": int(found.certain.sum()),
            "made_certain_by_joining": self.n_made_certain,
            "undecided": self.n_undecided,
            "vulnerable": int(found.vulnerable.sum()),
            "average_drop": found.average_drop,
            "contradicted": int(found.contradicted.sum()),
            "located": found.located.counts,
            "not_listed": found.located.n_unlisted,
            "not_joined": self.n_not_joined,
            "notes": self.notes,
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
    present: Sequence[str] | None = None,
    missing: Missing | None = None,
    missing_marks: Sequence[str] | None = None,
    similar: Mapping[str, Sequence[str]] | None = None,
) -> JoinedAttack:
    """Attack releases (directories or published files) about the people of a table.

    Args:
        present: a column of that table for each release, which says who is in it.
        similar: {name: values} that may change into each other from release to release.
    """
    if len(releases) < 2:
        raise GygesError("name at least two releases: `gyges audit` judges a single one")
    opened = [opened_release(path, quasi, sensitive) for path in releases]
    _refuse_unknown_columns(people, present or ())
    if sum(len(one.parts) for one in opened) < 2:
        raise GygesError("\n".join(["fewer than two releases can be joined", *not_joined(opened)]))
    looked_up = people_table(
        people,
        common_roles(opened, people, project),
        project,
        hierarchy_files,
        with_sensitive=False,
        with_columns=present or (),
        missing=missing,
        missing_marks=missing_marks,
    )
    assert looked_up is not None
    is_in = people_in_releases(looked_up, present, len(opened))
    known = is_in if present is not None else None
    return _attacked(opened, looked_up, confidence, known, similar)


def _attacked(
    opened: Sequence[OpenedRelease],
    people: Table,
    confidence: str,
    present: BoolArray | None,
    similar: Mapping[str, Sequence[str]] | None,
) -> JoinedAttack:
    """Attack all releases that can be joined, and list the others with the reason."""
    parts = [part for one in opened for part in one.parts]
    of_part = [j for j, one in enumerate(opened) for _ in one.parts]
    known = None if present is None else present[:, of_part]
    found = intersection_attack(parts, people, joint=True, present=known, similar=similar)
    more = {
        j: [*one.roles.published, *columns_without_role(one)]
        for j, one in enumerate(parts, 1)
        if one.tables  # a view has no rows of people
    }
    return JoinedAttack(
        found,
        confidence,
        guessed=tuple(j for j, one in enumerate(parts, 1) if one.group_form.is_averaged),
        present=np.ones((len(people), len(parts)), dtype=bool) if known is None else known,
        rows_are_people=people.rows_are_people,
        shown={j: names for j, names in more.items() if names},
        notes=(
            *not_joined(opened),
            *numbering(opened),
            *partly_joined(parts, people),
            *said_of_similar(parts, similar or {}),
        ),
        n_not_joined=sum(not one.parts for one in opened),
        n_counterfeits=tuple(sum(n for _, n in one.counterfeits) for one in parts),
    )


def _refuse_unknown_columns(people: str, present: Sequence[str]) -> None:
    there = open_source(people)[0].columns
    strange = [name for name in present if name not in there]
    if strange:
        raise GygesError(
            f"--present: the people have no column {strange[0]!r}{suggestion(strange[0], there)}"
        )
