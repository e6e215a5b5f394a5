"""Noisy releases: what differential privacy means for any attacker [Ganta2008]."""

from __future__ import annotations

from gyges.auditing.finding import Audited, AuditKnowledge, Finding
from gyges.auditing.noise_price import check_price
from gyges.dp.published_noise import Noisy, PublishedNoise
from gyges.dp.semantics import meaning_of_noise
from gyges.errors import ReleaseError
from gyges.exact import counted, readable_number

TOPIC = "What the noise promises"


class NoisePromise:
    """Any attacker, whatever they know."""

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """The guarantee and what it means."""
        if not isinstance(release, Noisy):
            return []
        published = release.published
        meaning = meaning_of_promise(published)
        promise = published.guarantee
        n_views = len(published.views)
        views = counted(n_views, "noisy view")
        measures = {
            "epsilon": promise.epsilon,
            "delta": promise.delta,
            "neighbours": str(promise.neighbours),
            "rows": promise.rows,
            "n_views": n_views,
            "meaning": meaning,
        }
        said = (
            f"The release promises differential privacy with ε = "
            f"{readable_number(promise.epsilon)} and δ = {readable_number(promise.delta)} for "
            f"{views} together (neighbouring tables: {promise.neighbours})."
        )
        return [
            Finding("any attacker", said, promise.epsilon, topic=TOPIC, measures=measures),
            Finding("any attacker", meaning, topic=TOPIC, place="summary"),
            Finding(
                "any attacker",
                "The tables cannot show that the noise was drawn as stated: for that, you have to "
                "trust the publisher.",
                topic=TOPIC,
            ),
        ]


def meaning_of_promise(published: PublishedNoise) -> str:
    """What the guarantee means, recomputed; a promise that the steps do not keep is refused."""
    _refuse_broken_promise(published)
    promise, by_rows = published.guarantee, published.rows_are_people
    return meaning_of_noise(promise.epsilon, promise.delta, promise.rho, rows_are_people=by_rows)


def _refuse_broken_promise(release: PublishedNoise) -> None:
    for check in check_price(release):
        if check.holds is False:
            raise ReleaseError(
                f"the release promises more privacy than its steps provide ({check}), so its "
                f"promise means nothing; run `gyges verify` for all checks"
            )
