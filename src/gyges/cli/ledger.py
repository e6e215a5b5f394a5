"""`gyges ledger`: what was published about whom, and what privacy budget is left."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gyges.cli.show import AsJson, note, show

if TYPE_CHECKING:
    from gyges.release.ledger import Budget, Ledger


def ledger(
    file: Annotated[Path, typer.Argument(help="The ledger.")] = Path("ledger.sqlite"),
    export: Annotated[
        Path | None, typer.Option(help="Also write it all to this .json or .csv file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the releases of a project in the order of time, and its budgets."""
    from gyges.auditing.earlier_releases import state_of
    from gyges.errors import ReleaseError
    from gyges.release.ledger import Ledger

    if not file.is_file():
        raise ReleaseError(
            f"there is no ledger {str(file)!r}: `gyges publish gyges.toml` begins one beside the "
            f"project file"
        )
    kept = Ledger.at(file)
    states = [state_of(entry, file.parent) for entry in kept.releases()]
    if export is not None:
        note(f"written to {kept.export(export)}")
    found = {
        "releases": [
            {
                "number": entry.number,
                "at": entry.at,
                "about": entry.about,
                "place": entry.place,
                "state": state,
                "digest": entry.digest,
                "statement": entry.statement,
            }
            for entry, state in zip(kept.releases(), states, strict=True)
        ],
        "budgets": kept.budgets(),
        "spends": kept.spends(),
    }
    show(found, as_json, _text(kept, states))


def _text(kept: Ledger, states: list[str]) -> str:
    lines = []
    for entry, state in zip(kept.releases(), states, strict=True):
        said = str(entry.statement.get("text", ""))
        where = entry.place if state == "there" else f"{entry.place} ({state})"
        lines.append(f"{entry.number:>4}  {entry.at[:19]}  {entry.about}: {where}")
        lines += [f"      {line}" for line in said.splitlines()]
    lines += ["no release yet"] if not lines else []
    for budget in kept.budgets():
        relation = f"between tables that differ when you {budget.relation}"
        lines += ["", f"budget {budget.name}, {relation}"]
        lines += [f"  {line}" for line in _amounts(budget)]
        lines += [
            f"  {spend.at[:19]}  {_shown(spend.amounts)} {spend.note}".rstrip()
            for spend in kept.spends(budget.name)
        ]
    return "\n".join(lines)


def _amounts(budget: Budget) -> list[str]:
    return [
        f"{unit}: {float(budget.spent[unit]):.4g} of {float(limit):.4g} spent, "
        f"{float(budget.left[unit]):.4g} left"
        for unit, limit in sorted(budget.limits.items(), reverse=True)
        if limit
    ]


def _shown(amounts: object) -> str:
    assert isinstance(amounts, dict)
    parts = [f"{unit} {float(Fraction(amount)):.4g}" for unit, amount in amounts.items() if amount]
    return ", ".join(parts)
