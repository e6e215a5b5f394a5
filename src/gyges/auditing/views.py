"""Checking published views against their certificate."""

from __future__ import annotations

from pathlib import Path

from gyges.auditing.checks import Check
from gyges.errors import GygesError
from gyges.marginals.files import claim_holds, load_marginals


def check_views(directory: Path) -> list[Check]:
    """Every claim about views, recomputed from the views."""
    published = load_marginals(directory)
    people = published.marginals.n_people
    stated = f"{published.n_people:,}"
    same = people == published.n_people
    checks = [Check(f"the views are about {stated} people", stated, f"{people:,}", same)]
    for claim in published.claims:
        try:
            holds, found = claim_holds(published.marginals, claim)
        except GygesError as problem:
            holds, found = False, str(problem)
        checks.append(Check(claim.text, claim.risk, found, holds))
    return checks
