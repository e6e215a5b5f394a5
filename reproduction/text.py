"""An outcome as people read it in a terminal, and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from reproduction.experiment import Experiment, Outcome, Plot, Sheet, Statement

_MARKS = {True: "held", False: "DID NOT HOLD", None: "measured"}
_WIDTH, _INDENT = 100, 14
_SHOWN = 14  # points of a curve in the terminal


def listing(found: Iterable[Experiment]) -> str:
    """One line an experiment."""
    lines = [
        f"{one.name:<18}{one.figure:<14}{one.title}" + f" [{', '.join(one.data)}]" * bool(one.data)
        for one in found
    ]
    return "\n".join([*lines, "", "run one: python -m reproduction run NAME    all: make papers"])


def readable(outcome: Outcome) -> str:
    """The whole outcome as text."""
    one, found = outcome.experiment, outcome.findings
    parts = [
        f"{one.name}: {one.figure} of [{one.paper}], {one.title}",
        f"the paper: {one.says}",
        *(_sheet_text(sheet) for sheet in found.sheets),
        *(_sheet_text(as_sheet(plot)) for plot in found.plots),
        "\n".join(_statement_text(statement) for statement in found.statements),
        "\n".join(f"note: {note}" for note in found.notes),
        facts(outcome),
    ]
    return "\n\n".join(part for part in parts if part)


def facts(outcome: Outcome) -> str:
    """Seed, data and time of a run."""
    data = ", ".join(f"{name} sha256 {digest[:16]}…" for name, digest in outcome.data.items())
    return (
        f"seed {outcome.options.seed} · {data or 'no data but the paper’s own'} · "
        f"{outcome.seconds:.1f} s" + " · fast run, not the paper’s size" * outcome.options.fast
    )


def summary_line(outcome: Outcome) -> str:
    """How many statements held, did not hold or were only measured, in one line."""
    statements = outcome.findings.statements
    counts = {mark: sum(_MARKS[one.held] == mark for one in statements) for mark in _MARKS.values()}
    counted = ", ".join(f"{n} {mark}" for mark, n in counts.items() if n)
    unexplained = f", {len(outcome.unexplained)} UNEXPLAINED" if outcome.unexplained else ""
    return f"{outcome.experiment.name:<18}{counted}{unexplained}   {outcome.seconds:.1f} s"


def mark(statement: Statement) -> str:
    """Whether it held, in words."""
    return _MARKS[statement.held]


def as_sheet(plot: Plot) -> Sheet:
    """The points of a plot as a table with one column a curve."""
    xs = sorted({x for curve in plot.curves for x in curve.x})
    known = [dict(zip(curve.x, curve.y, strict=True)) for curve in plot.curves]
    rows = [
        (
            plot.labels[int(x)] if plot.labels else f"{x:.6g}",
            *(f"{points[x]:.4g}" if x in points else "" for points in known),
        )
        for x in xs
    ]
    if len(rows) > _SHOWN:
        step = -(-len(rows) // _SHOWN)
        rows = [*rows[::step], *([rows[-1]] if (len(rows) - 1) % step else [])]
    return Sheet(f"{plot.title} ({plot.y})", (plot.x, *(c.name for c in plot.curves)), rows)


def as_data(outcome: Outcome) -> dict[str, object]:
    """Everything of an outcome but the function that was run."""
    one = outcome.experiment
    return {
        "name": one.name,
        "paper": one.paper,
        "figure": one.figure,
        "title": one.title,
        "says": one.says,
        "seed": outcome.options.seed,
        "fast": outcome.options.fast,
        "seconds": round(outcome.seconds, 3),
        "data": outcome.data,
        "statements": outcome.findings.statements,
        "plots": outcome.findings.plots,
        "sheets": outcome.findings.sheets,
        "notes": outcome.findings.notes,
    }


def _statement_text(statement: Statement) -> str:
    where = f" ({statement.where})" if statement.where else ""
    first = [f"{mark(statement):>12}  “{statement.says}”{where}", statement.measured]
    lines = [*first, *([statement.because] if statement.because else [])]
    return "\n".join(_wrapped(line, is_first=i == 0) for i, line in enumerate(lines))


def _wrapped(line: str, is_first: bool) -> str:
    indent = " " * _INDENT
    return textwrap.fill(
        line, _WIDTH, initial_indent=indent * (not is_first), subsequent_indent=indent
    )


def _sheet_text(sheet: Sheet) -> str:
    lines = [list(sheet.columns), *(list(row) for row in sheet.rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(sheet.columns))]
    return "\n".join([sheet.title, *(_line(line, widths) for line in lines)])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  " + "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
