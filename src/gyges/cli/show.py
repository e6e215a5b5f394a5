"""Printing: results to standard output, notes to standard error, everything also as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from gyges.report.plain import plain as plain

if TYPE_CHECKING:
    from gyges.marginals.selection import Progress as SelectionProgress

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def note(text: str) -> None:
    """Say something that is not the result."""
    print(text, file=sys.stderr, flush=True)


def note_first_use() -> None:
    """Load what compiles the kernels, and say why the first run is slow."""
    from gyges.cli.spared_imports import spare_linear_algebra
    from gyges.kernels.compiled import is_first_use

    spare_linear_algebra()
    if is_first_use():
        note("compiling the kernels, once on this machine: about half a minute …")


def show(result: object, as_json: bool, text: str | None = None) -> None:
    """Print a result: as JSON, or as the text that people read."""
    if as_json:
        print(json.dumps(plain(result), indent=2, ensure_ascii=False))
    else:
        print(str(result) if text is None else text)


@contextmanager
def nodes_progress(wanted: bool) -> Iterator[Callable[[int, int, int], None] | None]:
    """A bar of nodes checked, pruned and left, drawn where somebody is watching."""
    if not wanted or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("searching", total=None)

        def draw(checked: int, pruned: int, left: int) -> None:
            total = checked + pruned + left
            told = f"{checked:,} nodes checked, {pruned:,} pruned, {left:,} left"
            bar.update(task, description=told, total=total, completed=checked + pruned)

        yield draw


@contextmanager
def views_progress() -> Iterator[Callable[[SelectionProgress], None] | None]:
    """A bar of the time that a selection of views has used, drawn where somebody is watching."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("choosing views", total=1.0)

        def draw(now: SelectionProgress) -> None:
            told = f"{now.n_tried:,} sets tried, the best loses {now.kl_divergence:.4g}"
            bar.update(task, description=told, completed=min(now.share, 1.0))

        yield draw
