"""An account: a budget in the ledger that pays for noisy releases before noise is drawn.

It is kept in one of two ways. "sums": every release costs its epsilon and delta, which add up
[Ganta2008, Lemma 12]. "concentrated": the limit (ε, δ) is converted once into the largest ρ that
implies it, and every release costs its ρ; many releases then cost far less. Both remain valid when
later releases depend on the results of earlier ones, because the limit is fixed beforehand
([Rogers2016] for sums, [Whitehouse2023] for ρ).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from gyges.dp.accounting import largest_rho, parameters
from gyges.dp.mechanisms import Guarantee, Neighbours
from gyges.errors import BudgetError
from gyges.exact import Number
from gyges.workflow.budgets import Spend
from gyges.workflow.ledger import Ledger
from gyges.workflow.ledger_entry import NewEntry
from gyges.workflow.project_sections import BudgetSection
from gyges.workflow.unpaid_noise import cost_in

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
        """Set the budget; opening it again with the same limits changes nothing."""
        exact_e, exact_d = parameters(epsilon, delta)
        Guarantee(exact_e, exact_d, neighbours)  # refuses limits that no release could guarantee
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
        """The amounts that are left: epsilon and delta, or rho."""
        return self.ledger.budget(self.name).left

    def pay(self, guarantee: Guarantee, note: str = "") -> Spend:
        """Spend the cost of a release, or raise BudgetError and spend nothing."""
        units = self.ledger.budget(self.name).limits
        amounts = cost_in(units, guarantee.epsilon, guarantee.delta, guarantee.rho)
        return self.ledger.spend(self.name, amounts, relation=guarantee.neighbours, note=note)


@dataclass(frozen=True, slots=True)
class BudgetPayer:
    """Pays for a release of a project; the first payment sets the budget, which never changes.

    A project that states no budget pays from the one that the ledger has for the same people.
    """

    neighbours: Neighbours
    limits: BudgetSection | None
    entry: NewEntry

    def pay(self, guarantee: Guarantee, note: str) -> object:
        """Spend the cost of the guarantee, or raise BudgetError.

        Other processes may pay from the same budget: only a payment made here is announced.
        """
        paid: list[object] = []
        what = f"a payment from the budget {self.entry.about!r}"
        self.entry.progress.outputs.announce(what, lambda: bool(paid))
        paid.append(self.open_account().pay(guarantee, note))
        return paid[0]

    def open_account(self) -> Account:
        """Open the account in the ledger, and begin the ledger if there is none."""
        if self.limits is None:
            return Account(self.entry.open_ledger(), self.entry.about)
        return Account.open(
            self.entry.open_ledger(),
            self.entry.about,
            epsilon=self.limits.epsilon,
            delta=self.limits.delta,
            neighbours=self.neighbours,
            accounting=self.limits.accounting,
        )
