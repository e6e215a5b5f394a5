"""The `gyges` command."""

from __future__ import annotations

import sys
import warnings

import typer

from gyges.cli.show import note, show
from gyges.errors import GygesError, GygesWarning, NothingSafeError

app = typer.Typer(
    name="gyges",
    help="Publish a table about people so that the worst attacker learns little, "
    "and say exactly how much.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _register() -> None:
    from gyges.cli.apply import apply
    from gyges.cli.ask import ask
    from gyges.cli.attack import attack
    from gyges.cli.audit import audit
    from gyges.cli.demo import demo
    from gyges.cli.init import init
    from gyges.cli.ledger import ledger
    from gyges.cli.marginals import marginals
    from gyges.cli.publish import publish
    from gyges.cli.reproduce import reproduce
    from gyges.cli.skyline import skyline
    from gyges.cli.verify import verify

    for verb in (
        demo,
        init,
        publish,
        marginals,
        audit,
        skyline,
        ask,
        attack,
        verify,
        ledger,
        apply,
        reproduce,
    ):
        app.command()(verb)


@app.callback(invoke_without_command=True)
def _version(
    version: bool = typer.Option(False, "--version", help="Show the version and exit."),
) -> None:
    if version:
        from gyges import __version__

        typer.echo(f"gyges {__version__}")
        raise typer.Exit


def run() -> None:
    """Run the command; a user's mistake is one sentence on standard error and exit code 2.

    Rules that nothing satisfies are no mistake: exit code 1, like everything that does not hold.
    """
    _register()
    warnings.showwarning = _show_warning  # type: ignore[assignment]  # the rest is not shown
    warnings.simplefilter("always", GygesWarning)
    try:
        app()
    except NothingSafeError as problem:
        note(f"gyges: {problem}")
        passing = [
            {"rule": str(one.rule), "reached": one.reached, "would_pass": one.words}
            for one in problem.nearest
        ]
        _as_json({"safe": False, "error": str(problem), "nearest": passing})
        sys.exit(1)
    except GygesError as problem:
        note(f"gyges: {problem}")
        _as_json({"error": str(problem)})
        sys.exit(2)
    except KeyboardInterrupt:
        note("gyges: stopped; nothing was written")
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(0)
    except OSError as problem:
        said = problem.strerror or str(problem)
        note(f"gyges: {problem.filename or 'a file'}: {said}")
        _as_json({"error": said})
        sys.exit(2)


def _as_json(result: dict[str, object]) -> None:
    """Print what went wrong as JSON too, where JSON was asked for."""
    if "--json" in sys.argv:
        show(result, as_json=True)


def _show_warning(message: Warning | str, *_: object) -> None:
    note(f"note: {message}")
