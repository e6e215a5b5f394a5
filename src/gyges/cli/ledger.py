"""`gyges ledger`: what was published about whom, what left the building, what budget is left."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperGroup

from gyges.cli.outputs import announce_file
from gyges.cli.recording import LEDGER
from gyges.cli.show import AsJson, note, show

if TYPE_CHECKING:
    from typer._click.core import Context

    from gyges.release.ledger import Budget, Ledger, Published


class _FileOrVerb(TyperGroup):
    """`gyges ledger FILE` lists a file; `gyges ledger confirm …` is a verb."""

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
        Path | None, typer.Option(help="Also write it all to this .json or .csv file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List releases in the order of time, and budgets; confirm or withdraw a release."""
    from gyges.auditing.earlier_releases import state_of
    from gyges.release.ledger_export import export_ledger, ledger_data

    if ctx.invoked_subcommand is not None:
        return
    kept = _open(file)
    states = [state_of(entry, file.parent) for entry in kept.releases()]
    found = ledger_data(kept)
    for entry, state in zip(found["releases"], states, strict=True):
        entry["files"] = state
    if export is not None:
        announce_file(export)
        note(f"written to {export_ledger(kept, export)}")
    show(found, as_json, _text(kept, states))


@ledger.command()
def confirm(
    release: Annotated[
        str, typer.Argument(help="The directory of the release that leaves, or its number.")
    ],
    already_left: Annotated[
        bool,
        typer.Option(help="It is outside already, though it was not compared with all others."),
    ] = False,
    despite_exposure: Annotated[
        bool, typer.Option(help="Even if it exposes people together with earlier releases.")
    ] = False,
    file: LedgerFile = LEDGER,
    as_json: AsJson = False,
) -> None:
    """Enter that a release leaves the building: from now on all later ones are compared with it.

    A copy is kept beside the ledger, so the release may be moved or deleted.
    """
    from gyges.errors import ExposureError, ReleaseError
    from gyges.release.certificate import NAME, sha256

    kept = _open(file)
    directory = _files(kept, int(release)) if _is_number(release) else Path(release)
    if not (directory / NAME).is_file():
        raise ReleaseError(f"{str(directory)!r} holds no release")
    digest = sha256(directory / NAME)
    exposed = kept.exposed_by(digest)
    if exposed and not (despite_exposure or already_left):
        raise ExposureError(
            f"not confirmed: with the releases that left before, it makes the value of {exposed:,} "
            f"people certain. Publish another one, or say --despite-exposure"
        )
    unresolved = kept.unresolved_by(digest)
    if unresolved and not (despite_exposure or already_left):
        named = ", ".join(f"{other.number} ({other.place})" for other in unresolved)
        raise ExposureError(
            f"not confirmed: it could not be compared with release {named}, which left before, so "
            f"nobody knows what they give away together. Publish another one, or say "
            f"--despite-exposure"
        )
    entry = kept.confirm(directory, digest, already_left=already_left)
    if exposed:
        note(f"warning: with earlier releases it makes the value of {exposed:,} people certain")
    for other, why in kept.uncompared(entry.number):
        note(f"warning: not compared with release {other.number} ({other.place}): {why}")
    told = f"Release {entry.number} ({entry.place}) is confirmed; a copy is kept beside {file}."
    show(entry, as_json, told)


@ledger.command()
def withdraw(
    release: Annotated[str, typer.Argument(help="Its directory, or its number in the ledger.")],
    reason: Annotated[str, typer.Option(help="Why, for the record.")],
    file: LedgerFile = LEDGER,
    as_json: AsJson = False,
) -> None:
    """Enter that nobody outside has a release: later ones are no longer compared with it.

    A release that somebody has cannot be withdrawn: they can still join it with others. Budget
    that was spent on noise stays spent.
    """
    kept = _open(file)
    entry = kept.withdraw(_number(kept, release, file), reason=reason)
    told = (
        f"Release {entry.number} ({entry.place}) is withdrawn, on your word that nobody outside "
        f"has it: later releases are not compared with it. If somebody has a copy after all, "
        f"confirm it again."
    )
    show(entry, as_json, told)


def _open(file: Path) -> Ledger:
    from gyges.errors import LedgerError
    from gyges.release.ledger import Ledger
    from gyges.release.ledger_file import folder_of

    if not file.is_file() and not folder_of(file).exists():
        raise LedgerError(
            f"there is no ledger {str(file)!r}: `gyges publish gyges.toml` begins one beside the "
            f"project file"
        )
    return Ledger.at(file)


def _number(kept: Ledger, release: str, file: Path) -> int:
    """The entry that a number or a directory means."""
    from gyges.cli.recording import place_in
    from gyges.errors import LedgerError

    if _is_number(release):
        return int(release)
    place = place_in(file.parent, Path(release))
    found = [entry.number for entry in kept.releases() if entry.place == place]
    if not found:
        raise LedgerError(f"no release in the ledger is at {release!r}: give its number")
    if len(found) > 1:
        numbers = ", ".join(map(str, found))
        raise LedgerError(f"several releases were at {release!r}: give a number of {numbers}")
    return found[0]


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10


def _files(kept: Ledger, number: int) -> Path:
    """Where the files of an entry are: the copy that is kept, or the release itself."""
    from gyges.errors import LedgerError
    from gyges.release.ledger_file import folder_of

    known = kept.releases()
    if not 1 <= number <= len(known):
        raise LedgerError(f"the ledger has no release {number}: it has {len(known)}")
    entry = known[number - 1]
    copy = folder_of(kept.path) / entry.digest
    return copy if copy.is_dir() else kept.path.parent / entry.place


def _text(kept: Ledger, states: list[str]) -> str:
    lines = []
    for entry, state in zip(kept.releases(), states, strict=True):
        lines.append(f"{entry.number:>4}  {entry.at[:19]}  {entry.about}: {_told(entry, state)}")
        said = str(entry.statement.get("text", ""))
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


def _told(entry: Published, state: str) -> str:
    where = entry.place if state == "there" else f"{entry.place} ({state})"
    if entry.state == "withdrawn":
        return f"{where}, withdrawn {entry.since[:19]}: {entry.reason}"
    return f"{where}, {entry.state}"


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
