"""Privacy budgets in the ledger: their limits, the payments from them, and what is left.

Amounts are exact fractions. A payment that exceeds what is left is refused as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gyges.errors import BudgetError
from gyges.exact import Number, fraction
from gyges.workflow.ledger_file import Content, now
from gyges.workflow.unpaid_noise import UnpaidRelease, unpaid_releases

_AMOUNTS = {"budget": "limits", "spend": "amounts"}  # the key of the amounts in each kind of entry


@dataclass(frozen=True, slots=True)
class Budget:
    """How much may be spent, in each unit (epsilon and delta, or rho), for which neighbours."""

    name: str
    at: str
    relation: str
    limits: Mapping[str, Fraction]
    spent: Mapping[str, Fraction]  # by payments, and by releases that left unpaid
    unpaid: Sequence[UnpaidRelease] = ()

    @property
    def left(self) -> dict[str, Fraction]:
        """What is left, in each unit."""
        return {unit: limit - self.spent[unit] for unit, limit in self.limits.items()}

    def refuse_other_limits(self, limits: Mapping[str, Fraction], relation: str) -> None:
        """Refuse to set the budget again, unless to the same limits."""
        if (dict(self.limits), self.relation) != (dict(limits), relation):
            raise BudgetError(
                f"the budget {self.name!r} already has other limits "
                f"({amounts_text(self.limits)}, {self.relation}): a budget is never changed"
            )

    def refuse_overspending(self, amounts: Mapping[str, Fraction], relation: str) -> None:
        """Refuse a payment in other units, for other neighbours, or beyond what is left."""
        if relation != self.relation:
            raise BudgetError(
                f"the budget {self.name!r} counts by {self.relation!r}, the release by "
                f"{relation!r}: their costs do not add up"
            )
        if set(amounts) != set(self.limits):
            raise BudgetError(
                f"the budget {self.name!r} limits {' and '.join(sorted(self.limits))}, and the "
                f"release costs {' and '.join(sorted(amounts))}: the two cannot be compared"
            )
        self._refuse_unknown()
        for unit, amount in amounts.items():
            if amount > self.left[unit]:
                raise BudgetError(
                    f"the release costs {unit} {_rounded(amount)}, and {_rounded(self.left[unit])} "
                    f"of {_rounded(self.limits[unit])} is left in the budget {self.name!r}"
                    f"{self._with_unpaid()}: nothing was released, nothing was spent"
                )

    def refuse_overdrawn(self) -> None:
        """Refuse a release that leaves unpaid and costs more than is left."""
        self._refuse_unknown()
        if any(left < 0 for left in self.left.values()):
            raise BudgetError(
                f"the budget {self.name!r} has too little left for this release, which was not "
                f"paid when its noise was drawn: publish it again, so that it is paid for"
            )

    def _refuse_unknown(self) -> None:
        for one in self.unpaid:
            if one.why_unknown:
                raise BudgetError(
                    f"release {one.number} ({one.place}) left without a payment, and what is left "
                    f"in the budget {self.name!r} is unknown: {one.why_unknown}"
                )

    def _with_unpaid(self) -> str:
        places = ", ".join(f"release {one.number}, {one.place}" for one in self.unpaid)
        return f" (it counts what left without a payment: {places})" if places else ""


@dataclass(frozen=True, slots=True)
class Spend:
    """One payment."""

    number: int
    at: str
    budget: str
    note: str
    amounts: Mapping[str, Fraction]


def amounts_entry(kind: str, amounts: Mapping[str, Fraction], **facts: str) -> Content:
    """The ledger's entry for the limits of a new budget, or for the amounts of a payment."""
    stated = {unit: str(amount) for unit, amount in amounts.items()}
    return {"kind": kind, "at": now(), **facts, _AMOUNTS[kind]: stated}


def budgets_in(entries: Sequence[Content]) -> dict[str, Budget]:
    """Every budget by its name, with the amounts that were spent."""
    spends = spends_in(entries)
    found = {}
    for entry in entries:
        if entry["kind"] == "budget":
            name, limits = entry["name"], _fractions(entry["limits"])
            paid = [spend.amounts for spend in spends if spend.budget == name]
            unpaid = unpaid_releases(entries, name, limits, entry["relation"])
            paid += [one.amounts for one in unpaid]
            spent = {
                unit: sum((one.get(unit, Fraction(0)) for one in paid), Fraction(0))
                for unit in limits
            }
            found[name] = Budget(name, entry["at"], entry["relation"], limits, spent, unpaid)
    return found


def spends_in(entries: Sequence[Content]) -> list[Spend]:
    """The payments, in order."""
    found = [entry for entry in entries if entry["kind"] == "spend"]
    return [
        Spend(i + 1, entry["at"], entry["budget"], entry["note"], _fractions(entry["amounts"]))
        for i, entry in enumerate(found)
    ]


def budget_named(entries: Sequence[Content], name: str) -> Budget:
    """The budget with this name."""
    budgets = budgets_in(entries)
    if name not in budgets:
        raise BudgetError(f"there is no budget {name!r}: open it first")
    return budgets[name]


def exact_amounts(amounts: Mapping[str, Number]) -> dict[str, Fraction]:
    """Amounts as fractions; at least one, and none below 0."""
    exact = {unit: fraction(amount, unit) for unit, amount in amounts.items()}
    if not exact or any(amount < 0 for amount in exact.values()):
        raise BudgetError("give at least one amount, and none below 0")
    return exact


def amounts_text(amounts: Mapping[str, Fraction]) -> str:
    """Amounts as text: `delta 0, epsilon 3/4`."""
    return ", ".join(f"{unit} {amount}" for unit, amount in sorted(amounts.items()))


def _fractions(stated: Mapping[str, str]) -> dict[str, Fraction]:
    return {unit: Fraction(amount) for unit, amount in stated.items()}


def _rounded(amount: Fraction) -> str:
    try:
        return f"{float(amount):.6g}"
    except OverflowError:
        return "more than 1e308"
