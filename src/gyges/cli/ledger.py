"""`gyges ledger`: what was published about whom, what left the building, what budget is left."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperGroup

from gyges.cli.options import LEDGER, Command
from gyges.cli.output import AsJson, show, terminal

if TYPE_CHECKING:
    from typer._click.core import Context

    from gyges.workflow.budgets import Budget
    from gyges.workflow.ledger import Ledger
    from gyges.workflow.recorded_releases import RecordedRelease


class _FileOrVerb(TyperGroup):
    """`gyges ledger FILE` lists a ledger; `gyges ledger confirm …` is a verb."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        if args and not args[0].startswith("-") and args[0] not in self.commands:
            args = ["--ledger", *args]
        return super().parse_args(ctx, args)


ledger = typer.Typer(cls=_FileOrVerb, name="ledger")
LedgerFile = Annotated[Path, typer.Option("--ledger", help="The ledger.")]


@ledger.callback(invoke_without_command=True)
def listing(
    ctx: typer.Context,
    file: LedgerFile = LEDGER,
    export: Annotated[
        Path | None, typer.Option(help="Also write the whole ledger to this .json or .csv file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List releases and budgets, oldest first; confirm or withdraw a release."""
    from gyges.workflow.kept_releases import state_of
    from gyges.workflow.ledger_changes import open_existing
    from gyges.workflow.ledger_export import export_ledger, ledger_data

    if ctx.invoked_subcommand is not None:
        return
    kept = open_existing(file)
    states = [state_of(entry, file.parent) for entry in kept.releases()]
    found = ledger_data(kept)
    for entry, state in zip(found["releases"], states, strict=True):
        entry["files"] = state
    if export is not None:
        terminal.outputs.announce_file(export)
        terminal.note(f"written to {export_ledger(kept, export)}")
    show(found, as_json, _text(kept, states))


@ledger.command(cls=Command)
def confirm(
    release: Annotated[
        str, typer.Argument(help="The directory of the release that leaves, or its number.")
    ],
    already_left: Annotated[
        bool,
        typer.Option(help="It has already left, although it was not compared with all others."),
    ] = False,
    despite_exposure: Annotated[
        bool, typer.Option(help="Even if it exposes people together with earlier releases.")
    ] = False,
    file: LedgerFile = LEDGER,
    as_json: AsJson = False,
) -> None:
    """Record that a release leaves the building: later ones are compared with it.

    A copy is kept beside the ledger, so the release may be moved or deleted.
    """
    from gyges.workflow.ledger_changes import confirm_release, open_existing

    entry = confirm_release(
        open_existing(file),
        release,
        already_left=already_left,
        despite_exposure=despite_exposure,
        progress=terminal,
    )
    text = f"Release {entry.number} ({entry.place}) is confirmed; a copy is kept beside {file}."
    show(entry, as_json, text)


@ledger.command(cls=Command)
def withdraw(
    release: Annotated[str, typer.Argument(help="Its directory, or its number in the ledger.")],
    reason: Annotated[str, typer.Option(help="Why, for the record.")],
    file: LedgerFile = LEDGER,
    as_json: AsJson = False,
) -> None:
    """Record that nobody outside has a release: later ones are no longer compared with it.

    Do not withdraw a release that someone outside has: they can still join it with others. Budget
    that was spent on noise stays spent.
    """
    from gyges.workflow.ledger_changes import open_existing, withdraw_release

    entry = withdraw_release(open_existing(file), release, reason=reason)
    elsewhere = "" if file == LEDGER else f" --ledger {file}"
    text = (
        f"Release {entry.number} ({entry.place}) is withdrawn, on your word that nobody outside "
        f"has it: later releases are not compared with it. If a copy turns up, run: "
        f"gyges ledger confirm {entry.number} --already-left{elsewhere}"
    )
    show(entry, as_json, text)


def _text(kept: Ledger, states: list[str]) -> str:
    lines = []
    for entry, state in zip(kept.releases(), states, strict=True):
        lines.append(f"{entry.number:>4}  {entry.at[:19]}  {entry.about}: {_where(entry, state)}")
        said = str(entry.statement.get("text", ""))
        lines += [f"      {line}" for line in said.splitlines()]
    lines += ["no release yet"] if not lines else []
    for budget in kept.budgets():
        lines += ["", f"budget {budget.name} (neighbours: {budget.relation})"]
        lines += [f"  {line}" for line in _amounts(budget)]
        lines += [
            f"  {spend.at[:19]}  {_shown(spend.amounts)} {spend.note}".rstrip()
            for spend in kept.spends(budget.name)
        ]
        lines += [
            f"  {one.at[:19]}  {_shown(one.amounts) or 'an unknown cost'}: release {one.number} "
            f"({one.place}) left without a payment"
            for one in budget.unpaid
        ]
    return "\n".join(lines)


def _where(entry: RecordedRelease, state: str) -> str:
    where = entry.place if state == "there" else f"{entry.place} ({state})"
    if entry.state == "withdrawn":
        return f"{where}, withdrawn {entry.since[:19]}: {entry.reason}"
    return f"{where}, {entry.state}"


def _amounts(budget: Budget) -> list[str]:
    is_unknown = any(one.why_unknown for one in budget.unpaid)
    return [
        f"{unit}: {float(budget.spent[unit]):.4g} of {float(limit):.4g} spent, "
        f"{'an unknown amount' if is_unknown else f'{float(budget.left[unit]):.4g}'} left"
        for unit, limit in sorted(budget.limits.items(), reverse=True)
        if limit
    ]


def _shown(amounts: Mapping[str, Fraction]) -> str:
    return ", ".join(f"{unit} {float(amount):.4g}" for unit, amount in amounts.items() if amount)
