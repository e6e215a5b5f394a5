"""Reconstructs rows from published views, the most confident first [Dick2023]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gyges.auditing.finding import Audited, AuditKnowledge, Finding
from gyges.auditing.views_together import TOPIC
from gyges.errors import GygesError
from gyges.exact import counted
from gyges.release.groups import Groups

_SEED = 2023  # in which directions tables are made is no secret, and an audit can be repeated


@dataclass(frozen=True, slots=True)
class ReconstructedRows:
    """How many combinations the views prove, and how many are in every table that was made."""

    n_certain: int
    n_in_all: int
    n_tables: int
    is_complete: bool  # whether `n_certain` is all of them


class ReconstructsRows:
    """Has the views alone, and makes tables with all of their counts."""

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """The combinations that are rows of the original for certain, and the likely ones."""
        if isinstance(release, Groups) or not release.why_no_groups:
            return []
        from gyges.marginals.published_views import PublishedMarginals

        if not isinstance(release, PublishedMarginals) or not release.marginals.views:
            return []
        views = release.marginals
        try:
            found = views.reconstruct(np.random.default_rng(_SEED))
        except GygesError as problem:
            said = f"Not computed: which rows the views prove ({problem})."
            return [Finding("reconstructs rows", said, topic=TOPIC, is_checked=False)]
        n_certain = int(found.is_certain.sum())
        n_in_all = int((found.times == found.n_tables).sum())
        first = found.labels(0) if n_certain else None
        return [
            Finding(
                "reconstructs rows",
                _said(n_certain, n_in_all, found.n_tables, found.is_complete),
                number=n_certain,
                witness=first,
                topic=TOPIC,
                is_checked=found.is_complete,
                measures={
                    "reconstruction": ReconstructedRows(
                        n_certain, n_in_all, found.n_tables, found.is_complete
                    )
                },
            )
        ]


def _said(n_certain: int, n_in_all: int, n_tables: int, is_complete: bool) -> str:
    rows = counted(n_certain, "combination") if n_certain else "no combination"
    least = "" if is_complete else "at least "
    rest = "" if is_complete else " (not all combinations were decided)"
    return (
        f"Read together, the views prove that {least}{rows} of all published columns "
        f"{'is' if n_certain < 2 else 'are'} in the original{rest}. An attacker who makes "
        f"{n_tables} tables with the same counts, each at random, finds "
        f"{counted(n_in_all, 'combination')} in all of them: those are their best guesses."
    )
