"""What a release reveals together with others about the same people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from gyges.adversaries.located_people import Whereabouts
from gyges.adversaries.other_releases import intersection_attack
from gyges.auditing.finding import Audited, AuditKnowledge, Finding, Sheet, people_text
from gyges.data.table import Table
from gyges.exact import counted, decimal_text
from gyges.release.release import Release

TOPIC = "Together with other releases"


@dataclass(frozen=True, slots=True)
class JoinedRisk:
    """How many people's values become known when several releases are combined."""

    n_releases: int
    n_people: int
    certain: Fraction  # the share of people whose value is certain
    n_undecided: int  # other people of whom that was neither proven nor excluded
    certain_before: Fraction  # the same by one release alone
    narrowed: int  # people for whom fewer values remain possible than by the best release alone
    average_drop: Fraction  # how many fewer, on average over everyone
    n_contradicted: int  # people about whom the releases contradict each other
    located: tuple[Whereabouts, ...]  # of the people, in each release; this one is the first
    n_unlisted: tuple[int, ...]  # how many more people each release holds


class OtherReleases:
    """Holds other releases about the same people, and looks up everyone in all of them."""

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """How many values become certain; needs the other releases and people to look up."""
        if not isinstance(release, Release) or not knowledge.others or knowledge.people is None:
            return []
        together = [release, *knowledge.others]
        risk = joined_risk(together, knowledge.people)
        is_guessed = any(one.group_form.is_averaged for one in together)
        found = [_certain(risk, is_guessed), _narrowed(risk)]
        if risk.n_undecided:
            found.append(_undecided(risk))
        found += [
            _shows_more(number) for number, one in enumerate(together, 1) if one.roles.published
        ]
        found += [_unlisted(number, n) for number, n in enumerate(risk.n_unlisted, 1) if n]
        return [*found, _contradicted(risk)] if risk.n_contradicted else found


def _certain(risk: JoinedRisk, is_guessed: bool) -> Finding:
    """How many values become certain, if everyone is in the groups that they fit.

    Someone who was not in another release may fit a group of it. Where a release shows averages,
    the group is a guess: the one with the nearest averages.
    """
    guess = (
        " Not checked: a release shows averages, and people were looked up in the group with the "
        "nearest ones, which may be another."
    )
    n_others = risk.n_releases - 1
    others = "another release" if n_others == 1 else f"{n_others} other releases"
    return Finding(
        "holds other releases",
        f"Together with {others}, this one makes the value of "
        f"{'at least ' if risk.n_undecided else ''}{_people_of(risk, risk.certain)} "
        f"certain, if everyone is in the groups that they fit; one release alone does so for "
        f"{_people_of(risk, risk.certain_before)}.{guess if is_guessed else ''}",
        number=risk.certain,
        topic=TOPIC,
        place="summary",
        is_checked=not is_guessed,
        details=Sheet(
            tuple((f"release {number}", str(where)) for number, where in enumerate(risk.located, 1))
        ),
        measures={"joined": risk},
    )


def _people_of(risk: JoinedRisk, share: Fraction) -> str:
    return people_text(int(share * risk.n_people), risk.n_people)


def _narrowed(risk: JoinedRisk) -> Finding:
    return Finding(
        "holds other releases",
        f"For {people_text(risk.narrowed, risk.n_people)}, fewer values remain possible with all "
        f"releases than with the best single one; on average over everyone, "
        f"{decimal_text(risk.average_drop)} fewer.",
        number=risk.narrowed,
        topic=TOPIC,
    )


def _undecided(risk: JoinedRisk) -> Finding:
    return Finding(
        "holds other releases",
        f"For {people_text(risk.n_undecided, risk.n_people)} more, it was neither proven nor "
        f"excluded that the releases together make their value certain: they may not be in every "
        f"release, they fit several groups, or there are too many worlds to decide.",
        number=risk.n_undecided,
        topic=TOPIC,
        is_checked=False,
    )


def _shows_more(number: int) -> Finding:
    shows = "This release" if number == 1 else f"Release {number}"
    return Finding(
        "holds other releases",
        f"{shows} publishes columns unchanged, which divides its groups further. Not checked: what "
        f"an attacker who knows these values learns from the releases together.",
        topic=TOPIC,
        is_checked=False,
    )


def _unlisted(number: int, n: int) -> Finding:
    holds = "This release" if number == 1 else f"Release {number}"
    return Finding(
        "holds other releases",
        f"{holds} holds {counted(n, 'more person', 'more people')} than were looked up. Not "
        f"checked: what the releases together reveal about those who are not in the table that "
        f"was given.",
        number=n,
        topic=TOPIC,
        is_checked=False,
    )


def _contradicted(risk: JoinedRisk) -> Finding:
    return Finding(
        "holds other releases",
        f"The releases contradict each other about "
        f"{people_text(risk.n_contradicted, risk.n_people)}. Not checked: what they reveal about "
        f"these people together.",
        number=risk.n_contradicted,
        topic=TOPIC,
        is_checked=False,
    )


def joined_risk(releases: Sequence[Release], people: Table) -> JoinedRisk:
    """Run the joint attack on several releases."""
    attack = intersection_attack(releases, people, joint=True)
    return JoinedRisk(
        n_releases=len(releases),
        n_people=len(attack.posterior),
        certain=Fraction(int(attack.certain.sum()), len(attack.posterior)),
        n_undecided=int(attack.is_undecided(1).sum()),
        certain_before=attack.exposed_before(1),
        narrowed=int(attack.vulnerable.sum()),
        average_drop=attack.average_drop,
        n_contradicted=int(attack.contradicted.sum()),
        located=attack.located.counts,
        n_unlisted=attack.located.n_unlisted,
    )
