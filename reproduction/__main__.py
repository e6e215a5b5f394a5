"""The command `python -m reproduction`: list the experiments, run some or all of them."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gyges as gy
from reproduction import registry
from reproduction.experiment import Experiment, Outcome, RunOptions
from reproduction.page import reproduction_page
from reproduction.text import as_data, listing, readable, summary_line

PAGE = Path("reproduction.html")


def main(words: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    1: a statement did not hold and no reason is known; 2: the command was refused.
    """
    chosen = _parser().parse_args(words)
    try:
        if chosen.command == "list":
            _print(listing(registry.EXPERIMENTS))
            return 0
        return _run(chosen)
    except gy.GygesError as problem:
        print(f"refused: {problem}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m reproduction",
        description="Rerun the figures and tables of the five papers that gyges implements.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="list the experiments")
    run = commands.add_parser("run", help="run experiments and compare them with the papers")
    run.add_argument("names", nargs="*", metavar="NAME", help="such as martin-5")
    run.add_argument("--all", action="store_true", help="run all and write a page")
    run.add_argument("--fast", action="store_true", help="small samples, for a quick look")
    run.add_argument("--seed", type=_seed, default=0, help="seed of all random choices (0)")
    run.add_argument("--out", type=Path, help=f"the HTML page to write (with --all: {PAGE})")
    run.add_argument("--json", action="store_true", help="print the outcomes as JSON")
    return parser


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)


def _run(chosen: argparse.Namespace) -> int:
    if bool(chosen.names) == chosen.all:
        raise gy.GygesError("name one or more experiments, or give --all")
    wanted = [registry.experiment(name) for name in chosen.names] or registry.EXPERIMENTS
    options = RunOptions(seed=chosen.seed, fast=chosen.fast)
    outcomes, skipped = _outcomes(wanted, options, may_skip=chosen.all)
    if chosen.all or chosen.out:
        _write(chosen.out or PAGE, reproduction_page(outcomes, skipped))
    if chosen.json:
        _print(json.dumps([as_data(one) for one in outcomes], default=_plain, indent=1))
    elif chosen.all:
        _print("\n".join(summary_line(one) for one in outcomes))
    else:
        _print("\n\n".join(readable(one) for one in outcomes))
    return int(any(one.unexplained for one in outcomes))


def _outcomes(
    wanted: Sequence[Experiment], options: RunOptions, may_skip: bool
) -> tuple[list[Outcome], list[tuple[Experiment, str]]]:
    """Run one experiment after another; with `may_skip`, go on without those that are refused."""
    outcomes: list[Outcome] = []
    skipped: list[tuple[Experiment, str]] = []
    for number, one in enumerate(wanted, 1):
        if len(wanted) > 1:
            print(f"running {one.name} ({number} of {len(wanted)})", file=sys.stderr)
        try:
            outcomes.append(registry.rerun(one, options))
        except (gy.GygesError, ImportError) as problem:
            if not may_skip:
                raise
            skipped.append((one, str(problem)))
            print(f"not run: {one.name}: {problem}", file=sys.stderr)
    return outcomes, skipped


def _write(page: Path, text: str) -> None:
    try:
        page.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise gy.GygesError(f"the page {page} cannot be written: {problem.strerror}") from None
    print(f"wrote {page}", file=sys.stderr)


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")


def _plain(value: Any) -> Any:
    """Whatever an outcome holds, as JSON can hold it."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return value.item() if hasattr(value, "item") else list(value)


if __name__ == "__main__":
    sys.exit(main())
