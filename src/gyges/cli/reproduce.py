"""`gyges reproduce`: the figures and tables of the papers, rerun."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gyges.cli.output import AsJson, show, terminal
from gyges.errors import GygesError, SourceError
from gyges.workflow.progress import note_first_use

if TYPE_CHECKING:
    from gyges.papers.experiment import Asked, Experiment, Outcome

PAGE = Path("reproduction.html")


def reproduce(
    names: Annotated[
        list[str] | None, typer.Argument(help="Experiments such as martin-5; none lists them.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Run all; write a page.")] = False,
    fast: Annotated[bool, typer.Option(help="Small samples: a quick look.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Where chance comes in, it starts here.")] = 0,
    out: Annotated[Path | None, typer.Option(help="The HTML page to write.")] = None,
    as_json: AsJson = False,
) -> None:
    """Rerun figures and tables of the papers and say which of their statements hold.

    Exits with 1 if a statement did not hold and no reason is known.
    """
    from gyges.papers.experiment import Asked
    from gyges.papers.registry import experiment, experiments
    from gyges.papers.text import listing

    if not names and not everything:
        found = list(experiments())
        shown = [{"name": one.name, "figure": one.figure, "title": one.title} for one in found]
        show(shown, as_json, listing(found))
        return
    wanted = [experiment(name) for name in names] if names else list(experiments())
    note_first_use(terminal)
    outcomes, skipped = _run(wanted, Asked(seed=seed, fast=fast), may_skip=everything)
    if everything or out:
        _write(out or PAGE, outcomes, skipped)
    _print(outcomes, as_json, short=everything)
    raise typer.Exit(1 if any(outcome.unexplained for outcome in outcomes) else 0)


def _run(
    wanted: Sequence[Experiment], asked: Asked, may_skip: bool
) -> tuple[list[Outcome], list[tuple[Experiment, str]]]:
    from gyges.papers.registry import rerun

    outcomes: list[Outcome] = []
    skipped: list[tuple[Experiment, str]] = []
    with _bar(len(wanted)) as step:
        for one in wanted:
            step(one.name)
            try:
                outcomes.append(rerun(one, asked))
            except GygesError as problem:
                if not may_skip:
                    raise
                skipped.append((one, str(problem)))
    for one, why in skipped:
        terminal.note(f"not run: {one.name}: {why}")
    return outcomes, skipped


def _write(
    page: Path, outcomes: Sequence[Outcome], skipped: Sequence[tuple[Experiment, str]]
) -> None:
    from gyges.papers.page import reproduction_page

    terminal.outputs.announce_file(page)
    try:
        page.write_text(reproduction_page(outcomes, skipped), encoding="utf-8")
    except OSError as problem:
        raise SourceError(f"the page {page} cannot be written: {problem.strerror}") from None
    terminal.note(f"wrote {page}")


def _print(outcomes: Sequence[Outcome], as_json: bool, short: bool) -> None:
    from gyges.papers.text import as_data, readable

    texts = [_line(outcome) if short else readable(outcome) for outcome in outcomes]
    show(
        [as_data(outcome) for outcome in outcomes], as_json, ("\n" if short else "\n\n").join(texts)
    )


def _line(outcome: Outcome) -> str:
    n_measured = sum(one.held is None for one in outcome.findings.statements)
    counts = {"held": outcome.n_held, "did not": len(outcome.failed), "only measured": n_measured}
    told = ", ".join(f"{n} {what}" for what, n in counts.items() if n)
    unexplained = f", {len(outcome.unexplained)} UNEXPLAINED" if outcome.unexplained else ""
    return f"{outcome.experiment.name:<18}{told}{unexplained}   {outcome.seconds:.1f} s"


@contextmanager
def _bar(total: int) -> Iterator[Callable[[str], None]]:
    """A bar of experiments done; without somebody watching, a line each when there are several."""
    if not sys.stderr.isatty():
        yield (lambda name: terminal.note(f"running {name}")) if total > 1 else (lambda name: None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True
    ) as bar:
        task = bar.add_task("starting", total=total)
        started = [0]

        def step(name: str) -> None:
            bar.update(task, description=name, completed=started[0])
            started[0] += 1

        yield step
