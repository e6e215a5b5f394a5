"""An account: a budget in the ledger from which noisy releases are paid, before noise is drawn.

Two ways to keep it. By sums: every release costs its epsilon and delta, which add up [Ganta2008,
Lemma 12]. Concentrated: the limit (ε, δ) is turned once into the largest ρ that means no more, and
every release costs its ρ; many releases then cost far less. Both stay true when later releases
depend on what earlier ones showed, because the limit is fixed beforehand ([Rogers2016] for sums,
[Whitehouse2023] for ρ).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from gyges.dp.accounting import largest_rho, parameters, rho_of_epsilon
from gyges.dp.mechanisms import Guarantee, Neighbours
from gyges.errors import BudgetError
from gyges.exact import Number
from gyges.release.ledger import Ledger, Spend

Accounting: TypeAlias = Literal["sums", "concentrated"]


@dataclass(frozen=True, slots=True)
class Account:
    """One budget of a ledger."""

    ledger: Ledger
    name: str

    @classmethod
    def open(
        cls,
        ledger: Ledger,
        name: str,
        *,
        epsilon: Number,
        delta: Number = 0,
        neighbours: Neighbours = "add or remove one person",
        accounting: Accounting = "sums",
    ) -> Account:
        """Set the budget; opening it again with the same limits finds it as it is."""
        exact_e, exact_d = parameters(epsilon, delta)
        Guarantee(exact_e, exact_d, neighbours)  # refuses what no release could promise
        if accounting == "sums":
            limits = {"epsilon": exact_e, "delta": exact_d}
        elif accounting == "concentrated":
            limits = {"rho": largest_rho(exact_e, exact_d)}
        else:
            raise BudgetError(f"accounting is {accounting!r}: choose 'sums' or 'concentrated'")
        ledger.open_budget(name, limits, relation=neighbours)
        return cls(ledger, name)

    @property
    def left(self) -> dict[str, Fraction]:
        """What may still be spent: epsilon and delta, or rho."""
        return self.ledger.budget(self.name).left

    def pay(self, guarantee: Guarantee, note: str = "") -> Spend:
        """Spend what a release costs; BudgetError, and nothing spent, if too little is left."""
        units = self.ledger.budget(self.name).limits
        if "rho" in units:
            amounts = {"rho": _rho(guarantee)}
        else:
            amounts = {"epsilon": guarantee.epsilon, "delta": guarantee.delta}
        return self.ledger.spend(self.name, amounts, relation=guarantee.neighbours, note=note)


def _rho(guarantee: Guarantee) -> Fraction:
    if guarantee.rho is not None:
        return guarantee.rho
    if guarantee.delta == 0:
        return rho_of_epsilon(guarantee.epsilon)
    raise BudgetError(
        "this release states epsilon and delta but no rho: it cannot be paid from a budget that is "
        "kept in rho"
    )
