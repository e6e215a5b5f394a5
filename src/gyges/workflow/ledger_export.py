"""A whole ledger as plain data, as a .json file or as a .csv file of its entries."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path

from gyges.errors import ReleaseError
from gyges.release.private_files import refuse_replacing, write_private
from gyges.release.tables import csv_text
from gyges.workflow.budgets import amounts_text
from gyges.workflow.ledger import Ledger

_COLUMNS = ["at", "entry", "number", "subject", "detail"]


def export_ledger(ledger: Ledger, target: str | Path) -> Path:
    """Write the whole ledger as .json, or its entries in order of time as .csv, for its owner."""
    target = Path(target)
    if target.suffix == ".json":
        refuse_replacing(target, "--export", '{\n  "releases": [')
        text = json.dumps(ledger_data(ledger), indent=2, ensure_ascii=False) + "\n"
        return write_private(target, text)
    if target.suffix == ".csv":
        refuse_replacing(target, "--export", csv_text(_COLUMNS, [[]] * len(_COLUMNS)))
        return write_private(target, _lines(ledger))
    raise ReleaseError(f"a ledger is exported as .json or .csv, not to {target.name!r}")


def ledger_data(ledger: Ledger) -> dict[str, list[dict[str, object]]]:
    """Releases, budgets and payments as JSON knows them."""
    return {
        "releases": [asdict(entry) for entry in ledger.releases()],
        "budgets": [
            {
                "name": budget.name,
                "at": budget.at,
                "relation": budget.relation,
                "limits": _numbers(budget.limits),
                "spent": _numbers(budget.spent),
                "left": _numbers(budget.left),
            }
            for budget in ledger.budgets()
        ],
        "spends": [
            {**asdict(spend), "amounts": _numbers(spend.amounts)} for spend in ledger.spends()
        ],
    }


def _numbers(amounts: Mapping[str, Fraction]) -> dict[str, object]:
    """Each amount exactly, as two whole numbers, and as a float (none beyond what one can hold)."""
    return {
        unit: {
            "numerator": amount.numerator,
            "denominator": amount.denominator,
            "value": _float(amount),
        }
        for unit, amount in amounts.items()
    }


def _float(amount: Fraction) -> float | None:
    try:
        return float(amount)
    except OverflowError:
        return None


def _lines(ledger: Ledger) -> str:
    lines: list[list[str]] = [
        [r.at, "release", str(r.number), r.about, f"{r.place} ({r.state})"]
        for r in ledger.releases()
    ]
    lines += [
        [b.at, "budget", "", b.name, f"{amounts_text(b.limits)}, {b.relation}"]
        for b in ledger.budgets()
    ]
    lines += [
        [s.at, "spend", str(s.number), s.budget, f"{amounts_text(s.amounts)} {s.note}".strip()]
        for s in ledger.spends()
    ]
    return csv_text(_COLUMNS, list(zip(*sorted(lines), strict=True)) or [[]] * len(_COLUMNS))
