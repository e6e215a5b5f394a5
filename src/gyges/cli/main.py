"""The `gyges` command."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable

import typer

from gyges import __version__
from gyges.cli.apply import apply
from gyges.cli.ask import ask
from gyges.cli.attack import attack
from gyges.cli.audit import audit
from gyges.cli.compare import compare
from gyges.cli.demo import demo
from gyges.cli.init import init
from gyges.cli.interrupt import answer_interrupts, ignore_interrupts, wait_if_stopping
from gyges.cli.ledger import ledger
from gyges.cli.marginals import marginals
from gyges.cli.noise import noise
from gyges.cli.options import Command
from gyges.cli.output import put, show, terminal
from gyges.cli.publish import PublishCommand, publish
from gyges.cli.reproduce import reproduce
from gyges.cli.show_group import show_group
from gyges.cli.skyline import skyline
from gyges.cli.studio import studio
from gyges.cli.verify import verify
from gyges.data.held_folders import remove_abandoned_spills
from gyges.errors import BudgetError, ExposureError, GygesError, GygesWarning, NothingSafeError
from gyges.workflow.outputs import Outputs
from gyges.workflow.rule_names import RULE_NAMES

UNFINISHED = 4  # the exit code if an error came after something was written

app = typer.Typer(
    name="gyges",
    help="Publish a table about people so that the worst attacker learns little, "
    "and say exactly how much.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


_VERBS = (
    demo,
    init,
    publish,
    marginals,
    noise,
    audit,
    compare,
    skyline,
    ask,
    attack,
    verify,
    apply,
    reproduce,
    studio,
)
_RULES = f"Rules of a project file: {', '.join(RULE_NAMES)}."
for verb in _VERBS:
    if verb is publish:
        app.command(epilog=_RULES, cls=PublishCommand)(verb)
    else:
        app.command(cls=Command)(verb)
app.command("show", cls=Command)(show_group)
app.add_typer(ledger)


@app.callback(invoke_without_command=True)
def _version(
    version: bool = typer.Option(False, "--version", help="Show the version and exit."),
) -> None:
    if version:
        put(f"gyges {__version__}", sys.stdout)
        raise typer.Exit
    remove_abandoned_spills()


def run() -> None:
    """Run the command; bad input is one sentence on standard error and exit code 2.

    Rules that no release satisfies, and a budget that is used up, are not bad input: exit code 1.
    If something was written before an error, it is named and the exit code is 4. Ctrl-C is 130.
    """
    answer_interrupts(_say_stopped)
    warnings.showwarning = _show_warning  # type: ignore[assignment]  # the rest is not shown
    warnings.simplefilter("always", GygesWarning)
    terminal.begin(f"gyges {' '.join(sys.argv[1:2])}")
    try:
        code = _run(app)
    finally:
        terminal.end()
        ignore_interrupts()
    sys.exit(code)


def _run(command: Callable[[], object]) -> int:
    terminal.outputs = Outputs()  # forgets those of an earlier command in this process
    try:
        command()
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else 1 if done.code else 0
    except NothingSafeError as problem:
        passing = [
            {"rule": str(one.rule), "reached": one.reached, "would_pass": one.words}
            for one in problem.nearest
        ]
        return _failed(1, str(problem), {"safe": False, "nearest": passing})
    except (BudgetError, ExposureError) as problem:
        return _failed(1, str(problem), {"refused": True})
    except GygesError as problem:
        return _failed(2, str(problem))
    except MemoryError:
        return _failed(
            2,
            "there is not enough memory for this table: name fewer columns, use a machine with "
            "more memory, or give publish a limit with --memory",
        )
    except OSError as problem:
        said = problem.strerror or str(problem)
        return _failed(2, f"{problem.filename or 'a file'}: {said}")
    return 0


def _failed(code: int, said: str, more: dict[str, object] | None = None) -> int:
    """Print an error and what was written before it; return the exit code."""
    wait_if_stopping()
    terminal.end()
    terminal.note(f"gyges: {said}")
    there = terminal.outputs.written()
    if there:
        lacking = terminal.outputs.missing()
        rest = f"; not written: {', '.join(lacking)}" if lacking else ""
        terminal.note(f"written before that: {', '.join(there)}{rest}")
        more = {**(more or {}), "written": there, "not_written": lacking}
    _as_json({"error": said, **(more or {})})
    return UNFINISHED if there else code


def _as_json(result: dict[str, object]) -> None:
    """Print an error as JSON too, if --json is given."""
    if "--json" in sys.argv:
        show(result, as_json=True)


def _say_stopped(text: str, found: dict[str, object]) -> None:
    terminal.end()
    terminal.note(f"gyges: {text}")
    _as_json(found)


def _show_warning(message: Warning | str, *_: object) -> None:
    terminal.note(f"note: {message}")
