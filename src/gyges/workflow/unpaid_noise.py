"""Noisy releases that left the building unpaid: they still count against the budget.

A budget says what all noisy releases about the same people may cost together [Ganta2008, Lemma 12].
A release that left before the budget was set, or without one, was paid from nothing; its cost is in
its entry in the ledger, and counts as spent.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gyges.dp.accounting import rho_of_epsilon
from gyges.errors import BudgetError
from gyges.workflow.ledger_file import Content
from gyges.workflow.recorded_releases import RecordedRelease, releases_in

PAID = "paid_from_a_budget"  # in the statement of a noisy release


@dataclass(frozen=True, slots=True)
class UnpaidRelease:
    """A noisy release that left without a payment, and what it cost in the units of a budget."""

    number: int
    at: str
    place: str
    amounts: Mapping[str, Fraction]
    why_unknown: str = ""  # why its cost cannot be stated in these units


def unpaid_releases(
    entries: Sequence[Content], about: str, units: Collection[str], relation: str
) -> list[UnpaidRelease]:
    """The noisy releases about some people that left and were not paid from a budget."""
    left = _that_left(entries)
    return [
        _unpaid(one, units, relation)
        for one in releases_in(entries)
        if one.about == about and one.number in left and _is_unpaid(one)
    ]


def _that_left(entries: Sequence[Content]) -> set[int]:
    """The numbers of the releases that ever left: a withdrawal gives no budget back."""
    made = [one for one in entries if one["kind"] == "release"]
    left = {number for number, one in enumerate(made, start=1) if one["state"] == "confirmed"}
    changes = [one for one in entries if one["kind"] == "change"]
    return left | {one["release"] for one in changes if one["state"] == "confirmed"}


def cost_in(
    units: Collection[str], epsilon: Fraction, delta: Fraction, rho: Fraction | None
) -> dict[str, Fraction]:
    """The cost of a guarantee in the units of a budget: epsilon and delta, or rho."""
    if "rho" not in units:
        return {"epsilon": epsilon, "delta": delta}
    if rho is None and delta:
        raise BudgetError(
            "this release has epsilon and delta but no rho: a budget kept in rho cannot pay for it"
        )
    return {"rho": rho_of_epsilon(epsilon) if rho is None else rho}


def _is_unpaid(release: RecordedRelease) -> bool:
    return "guarantee" in release.statement and release.statement.get(PAID) is not True


def _unpaid(release: RecordedRelease, units: Collection[str], relation: str) -> UnpaidRelease:
    stated = release.statement["guarantee"]
    assert isinstance(stated, Mapping)
    rho = None if stated["rho"] is None else Fraction(stated["rho"])
    amounts: Mapping[str, Fraction] = {}
    why = ""
    if stated["neighbours"] != relation:
        why = f"it is for the neighbours {stated['neighbours']!r}, the budget for {relation!r}"
    else:
        try:
            amounts = cost_in(units, Fraction(stated["epsilon"]), Fraction(stated["delta"]), rho)
        except BudgetError as problem:
            why = str(problem)
    return UnpaidRelease(release.number, release.at, release.place, amounts, why)
