"""Releases with noise: what their promise means for any attacker [Ganta2008]."""

from __future__ import annotations

from gyges.auditing.finding import Audited, Finding, Knowledge
from gyges.auditing.noise_price import check_price
from gyges.dp.published_noise import PublishedNoise
from gyges.dp.semantics import semantic_privacy
from gyges.errors import ReleaseError
from gyges.exact import show
from gyges.release.groups import Groups

TOPIC = "What the noise promises"


class NoisePromise:
    """Any attacker, whatever they know, before a release with noise."""

    def findings(self, release: Audited, knowledge: Knowledge) -> list[Finding]:
        """The promise and what it means, for as many people as the release makes up."""
        if isinstance(release, Groups) or release.form != "noisy":
            return []
        published = release.published
        _refuse_unpaid(published)
        promise = published.guarantee
        n_views = len(published.views)
        people = max(published.synthetic.num_rows, 1)
        meaning = str(semantic_privacy(promise.epsilon, promise.delta, people=people))
        measures = {
            "epsilon": promise.epsilon,
            "delta": promise.delta,
            "neighbours": str(promise.neighbours),
            "n_views": n_views,
            "meaning": meaning,
        }
        said = (
            f"The release promises differential privacy with ε = {show(promise.epsilon)} and δ = "
            f"{show(promise.delta)} (neighbouring tables: {promise.neighbours}), over {n_views:,} "
            f"noisy {'view' if n_views == 1 else 'views'}."
        )
        return [
            Finding("any attacker", said, promise.epsilon, topic=TOPIC, measures=measures),
            Finding("any attacker", meaning, topic=TOPIC, place="summary"),
            Finding(
                "any attacker",
                "A guarantee about noise cannot be seen in the tables: that the noise was drawn as "
                "stated is the publisher's word.",
                topic=TOPIC,
            ),
        ]


def _refuse_unpaid(release: PublishedNoise) -> None:
    for check in check_price(release):
        if check.holds is False:
            raise ReleaseError(
                f"the release promises what its own steps do not pay for ({check}): nothing "
                f"follows from such a promise. See `gyges verify`"
            )
