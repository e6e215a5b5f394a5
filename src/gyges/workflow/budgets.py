"""Privacy budgets in the ledger: their limits, what was paid from them, what is left.

Amounts are exact fractions. A payment that a budget cannot bear is refused whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gyges.errors import BudgetError
from gyges.exact import Number, fraction
from gyges.workflow.ledger_file import Content, now


@dataclass(frozen=True, slots=True)
class Budget:
    """How much may be spent, in each unit (epsilon and delta, or rho), and on which neighbours."""

    name: str
    at: str
    relation: str
    limits: Mapping[str, Fraction]
    spent: Mapping[str, Fraction]

    @property
    def left(self) -> dict[str, Fraction]:
        """What may still be spent, in each unit."""
        return {unit: limit - self.spent[unit] for unit, limit in self.limits.items()}


@dataclass(frozen=True, slots=True)
class Spend:
    """One payment."""

    number: int
    at: str
    budget: str
    note: str
    amounts: Mapping[str, Fraction]


def budget_entry(name: str, limits: Mapping[str, Fraction], relation: str) -> Content:
    """What is written into the ledger when a budget is set."""
    stated = {unit: str(amount) for unit, amount in limits.items()}
    return {"kind": "budget", "at": now(), "name": name, "relation": relation, "limits": stated}


def spend_entry(budget: str, amounts: Mapping[str, Fraction], note: str) -> Content:
    """What is written into the ledger for a payment."""
    stated = {unit: str(amount) for unit, amount in amounts.items()}
    return {"kind": "spend", "at": now(), "budget": budget, "note": note, "amounts": stated}


def budgets_in(entries: Sequence[Content]) -> dict[str, Budget]:
    """Every budget by its name, with what the entries spent of it."""
    found = {}
    for entry in entries:
        if entry["kind"] == "budget":
            limits = _fractions(entry["limits"])
            spent = {unit: Fraction(0) for unit in limits}
            found[entry["name"]] = (entry, limits, spent)
    for spend in spends_in(entries):
        for unit, amount in spend.amounts.items():
            found[spend.budget][2][unit] += amount
    return {
        name: Budget(name, entry["at"], entry["relation"], limits, spent)
        for name, (entry, limits, spent) in found.items()
    }


def spends_in(entries: Sequence[Content]) -> list[Spend]:
    """The payments in the order in which they were made."""
    found = [entry for entry in entries if entry["kind"] == "spend"]
    return [
        Spend(i + 1, entry["at"], entry["budget"], entry["note"], _fractions(entry["amounts"]))
        for i, entry in enumerate(found)
    ]


def budget_named(budgets: Mapping[str, Budget], name: str) -> Budget:
    """The budget of a name."""
    if name not in budgets:
        raise BudgetError(f"there is no budget {name!r}: open it first")
    return budgets[name]


def exact_amounts(amounts: Mapping[str, Number]) -> dict[str, Fraction]:
    """Amounts as fractions; at least one, and none below 0."""
    exact = {unit: fraction(amount, unit) for unit, amount in amounts.items()}
    if not exact or any(amount < 0 for amount in exact.values()):
        raise BudgetError("give at least one amount, and none below 0")
    return exact


def refuse_other_limits(known: Budget, limits: Mapping[str, Fraction], relation: str) -> None:
    """Refuse to set a budget that is set already, unless it is set to the same."""
    if (dict(known.limits), known.relation) != (dict(limits), relation):
        raise BudgetError(
            f"the budget {known.name!r} was set before, to other limits "
            f"({amounts_text(known.limits)}, {known.relation}): a budget is never changed"
        )


def refuse_overspending(budget: Budget, amounts: Mapping[str, Fraction], relation: str) -> None:
    """Refuse a payment in other units, for other neighbours, or of more than is left."""
    if relation != budget.relation:
        raise BudgetError(
            f"the budget {budget.name!r} is for neighbours that {budget.relation}, the release is "
            f"private for neighbours that {relation}: the two do not add up"
        )
    if set(amounts) != set(budget.limits):
        raise BudgetError(
            f"the budget {budget.name!r} is kept in {' and '.join(sorted(budget.limits))}, the "
            f"price is in {' and '.join(sorted(amounts))}"
        )
    for unit, amount in amounts.items():
        if amount > budget.left[unit]:
            raise BudgetError(
                f"the release costs {unit} {_rounded(amount)}, and {_rounded(budget.left[unit])} "
                f"of {_rounded(budget.limits[unit])} is left in the budget {budget.name!r}: "
                f"nothing was released, nothing was spent"
            )


def amounts_text(amounts: Mapping[str, Fraction]) -> str:
    """Amounts as people read them: `delta 0, epsilon 3/4`."""
    return ", ".join(f"{unit} {amount}" for unit, amount in sorted(amounts.items()))


def _fractions(stated: Mapping[str, str]) -> dict[str, Fraction]:
    return {unit: Fraction(amount) for unit, amount in stated.items()}


def _rounded(amount: Fraction) -> str:
    try:
        return f"{float(amount):.6g}"
    except OverflowError:
        return "more than 1e308"
