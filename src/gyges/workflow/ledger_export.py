"""A ledger as a .json file, or its entries as a .csv file."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from gyges.errors import ReleaseError
from gyges.release.private_files import refuse_replacing, write_private
from gyges.release.tables import csv_text
from gyges.report.to_json import json_value
from gyges.workflow.budgets import amounts_text
from gyges.workflow.ledger import Ledger

_COLUMNS = ["at", "entry", "number", "subject", "detail"]


def export_ledger(ledger: Ledger, target: str | Path) -> Path:
    """Write the whole ledger as .json, or its entries in time order as .csv, for its owner only."""
    target = Path(target)
    if target.suffix == ".json":
        refuse_replacing(target, "--export", '{\n  "releases": [')
        text = json.dumps(ledger_data(ledger), indent=2, ensure_ascii=False) + "\n"
        return write_private(target, text)
    if target.suffix == ".csv":
        refuse_replacing(target, "--export", csv_text(_COLUMNS, [[]] * len(_COLUMNS)))
        return write_private(target, _lines(ledger))
    raise ReleaseError(f"a ledger is exported as .json or .csv, not to {target.name!r}")


def ledger_data(ledger: Ledger) -> dict[str, list[dict[str, Any]]]:
    """Releases, budgets and payments as JSON; amounts are exact."""
    stated = {
        "releases": ledger.releases(),
        "budgets": [{**asdict(budget), "left": budget.left} for budget in ledger.budgets()],
        "spends": ledger.spends(),
    }
    return cast("dict[str, list[dict[str, Any]]]", json_value(stated))


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
