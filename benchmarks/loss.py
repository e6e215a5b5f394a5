"""How much releases lose, and how long the search takes, against quoted figures.

`python -m benchmarks loss` prints every line; `python -m benchmarks.loss docs/loss_and_time.svg`
draws loss against time on Adult. The quoted figures are for the train part of Adult (30,162
people, nine quasi-identifiers, ARX's hierarchies): ARX's iterative local recoding (4 to 25 s), the
published results of the same method (RGR), and the trial that peels the lattice. CUP is made up: as
many rows and columns as KDD Cup 1998 in the literature, with skewed values. Seconds are of
processor time, without the loading of kernels.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

import gyges as gy
from benchmarks.fars import fars, with_hierarchies
from benchmarks.lattice import train
from benchmarks.ratio import real_data

NINE = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"]
NINE += ["occupation", "salary-class"]
SIZES = (2, 5, 10, 25, 50, 100)
ARX = {5: 0.0589, 10: 0.0820, 25: 0.1200, 50: 0.1535, 100: 0.1972}
RGR = {5: 0.0541, 10: 0.0774, 25: 0.1150, 50: 0.1473}
PEELED = {5: 0.0523, 10: 0.0764, 25: 0.1140, 50: 0.1497, 100: 0.1928}
TASSA = {5: 0.0620, 10: 0.0980, 25: 0.1614, 50: 0.2214}
QUOTED = {
    "ARX, iterative local recoding, 4 to 25 s": ARX,
    "published results of the same method (RGR)": RGR,
    "clustering (Tassa)": TASSA,
    "peeling the lattice once, 2 s of NumPy": PEELED,
}


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found on one table."""

    name: str
    loss: float
    bound: float
    seconds: float  # of processor time
    goal: float | None = None

    def __str__(self) -> str:
        text = (
            f"{self.name:<58} loss {self.loss:.4f}, bound {self.bound:.4f}, {self.seconds:6.1f} s"
        )
        if self.goal is None:
            return text
        return f"{text}, goal {self.goal:.4f}: {'met' if self.loss <= self.goal else 'missed'}"


def rows() -> Iterator[Found | str]:
    """Adult with every kind of label, then other rules, then FARS and CUP."""
    folder = real_data()
    _load_kernels(cup(600))
    if folder is not None:
        people = adult_nine(folder)
        for name, quoted in QUOTED.items():
            yield f"quoted for nodes, {name}: {quoted}"
        for labels in ("nodes", "sets", "usual"):
            for effort in (None, "quick", "normal"):
                yield from _by_size("Adult", people, SIZES, effort, labels)
        yield from _other_rules(folder)
        yield from _by_size("FARS", fars(folder), SIZES, "normal")
        yield from _by_size("FARS", fars(folder), SIZES, "normal", "nodes")
    yield from _by_size("CUP", cup(), SIZES, "normal")
    if folder is not None:
        yield from _by_size("Adult", people, (5, 50), "thorough", "nodes")
        yield from _by_size("Adult", people, (5, 50), "thorough", "sets")
        yield from _by_size("Adult", people, (5, 10, 25), "thorough")


def _load_kernels(table: gy.Table) -> None:
    for labels in ("nodes", "sets", "usual"):
        for effort in (None, "quick", "normal"):
            measured("", table, [gy.KAnonymity(5)], effort, labels)


def _by_size(
    name: str, table: gy.Table, sizes: Iterable[int], effort: str | None, labels: str = "usual"
) -> Iterator[Found]:
    for k in sizes:
        goal = _goal(k, labels) if name == "Adult" and effort else None
        told = f"{name}, labels {labels}, k = {k}, {effort or 'Mondrian'}"
        yield measured(told, table, [gy.KAnonymity(k)], effort, labels, goal)


def _goal(k: int, labels: str) -> float | None:
    """The least quoted figure for nodes; four fifths of RGR's for labels as published."""
    if labels != "nodes":
        return 0.8 * RGR[k] if k in RGR else None
    quoted = [found[k] for found in (ARX, RGR, PEELED) if k in found]
    return min(quoted) if quoted else None


def measured(
    name: str,
    table: gy.Table,
    rules: list[object],
    effort: str | None,
    labels: str = "usual",
    goal: float | None = None,
) -> Found:
    """Publish once, and measure."""
    start = time.process_time()
    asked = {} if effort is None else {"effort": effort}
    release = gy.publish(table, rules, labels=labels, **asked)
    return Found(name, release.loss, release.bound, time.process_time() - start, goal)


def _other_rules(folder: Path) -> Iterator[Found]:
    """Eight columns of Adult, occupation sensitive."""
    columns = [name for name in NINE if name != "occupation"]
    table = adult_nine(folder, columns, "occupation")
    few = adult_nine(folder, columns, "occupation", most=500)
    for rule in (
        gy.DistinctDiversity(4),
        gy.EntropyDiversity(3),
        gy.TCloseness("0.4"),
        gy.Safety("0.8", 2),
        gy.Skyline({"*": [(0, 1, 1, "0.8")]}),
    ):
        measured("", few, [gy.KAnonymity(2), rule], "normal")  # kernels are loaded
        for k in SIZES:
            for effort in (None, "normal"):
                told = f"Adult, {type(rule).__name__}, k = {k}, {effort or 'Mondrian'}"
                yield measured(told, table, [gy.KAnonymity(k), rule], effort)


def adult_nine(
    folder: Path,
    columns: list[str] = NINE,
    sensitive: str | None = None,
    most: int | None = None,
) -> gy.Table:
    """The train part of Adult, or so many of its rows, with ARX's hierarchies."""
    paths = {name: folder / f"hierarchies/adult/adult_hierarchy_{name}.csv" for name in columns}
    return with_hierarchies(train(folder).slice(0, most), columns, paths, sensitive)


def cup(n: int = 63_441) -> gy.Table:
    """A table like KDD Cup 1998: eight columns, a zip of many values, almost all rows distinct."""
    rng = np.random.default_rng(0)
    sizes = {"zip": 13_294, "age": 81, "gender": 3, "income": 8, "state": 58}
    sizes |= {"total": 814, "gifts": 82, "least": 68}
    made = {name: np.minimum(rng.zipf(1.3, n) - 1, size - 1) for name, size in sizes.items()}
    made["zip"] = 10_000 + (made["zip"] * 7919 + rng.integers(0, 900, n)) % 13_294
    made["gender"] = np.array(["F", "M", "U"])[made["gender"]]
    made["state"] = np.char.add("S", made["state"].astype(str))
    columns = {name: pa.array(np.asarray(codes).astype(str)) for name, codes in made.items()}
    steps = {"age": (5, 10, 20, 40), "total": (10, 50, 250), "gifts": (5, 20), "least": (5, 20)}
    hierarchies = {name: gy.Hierarchy.intervals(*widths) for name, widths in steps.items()}
    schema = gy.Schema(
        quasi_identifiers=list(sizes),
        hierarchies=hierarchies | {"zip": gy.Hierarchy.prefixes()},
        kinds={"zip": "code"},
    )
    return gy.read(pa.table(columns), schema)


WIDE, HIGH, EDGE = 640, 360, 48  # of the drawing, in pixels
COLOURS = ("#1b6ca8", "#c0392b", "#1e8449", "#7d3c98", "#b9770e")


def plot(path: Path) -> None:
    """Draw loss against processor time on Adult for each k, with ARX's loss as a dotted line."""
    folder = real_data()
    if folder is None:
        sys.exit("the real data is not here")
    table = adult_nine(folder)
    gy.publish(table, gy.KAnonymity(50), labels="nodes", effort="normal")  # kernels are loaded
    drawn = []
    for colour, k in zip(COLOURS, ARX, strict=True):
        seen = _course(table, k)
        line = " ".join(f"{_across(at):.1f},{_down(loss):.1f}" for at, loss in seen)
        x, y, quoted = _across(seen[-1][0]), _down(seen[-1][1]), _down(ARX[k])
        drawn += [
            f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>',
            f'<line x1="{EDGE}" x2="{WIDE - EDGE}" y1="{quoted:.1f}" y2="{quoted:.1f}" '
            f'stroke="{colour}" stroke-dasharray="2 4"/>',
            f'<text x="{x + 4:.1f}" y="{y + 4:.1f}" fill="{colour}">k = {k}</text>',
        ]
    path.write_text(_drawing(drawn), encoding="utf-8")


def _course(table: gy.Table, k: int) -> list[tuple[float, float]]:
    """(seconds of processor time, loss so far) of a search with a time limit, as steps."""
    seen: list[tuple[float, float]] = []
    start = time.process_time()

    def note(loss: float, bound: float, done: float) -> None:
        at = time.process_time() - start
        if not seen or loss < seen[-1][1] - 5e-5:
            seen.extend([(at, seen[-1][1]), (at, loss)] if seen else [(at, loss)])

    gy.publish(table, gy.KAnonymity(k), time_limit=60, labels="nodes", progress=note)
    return [*seen, (time.process_time() - start, seen[-1][1])]


def _across(seconds: float) -> float:
    """0.01 to 100 seconds, each power of ten equally wide."""
    return EDGE + (np.log10(max(seconds, 0.01)) + 2) / 4 * (WIDE - 2 * EDGE)


def _down(loss: float) -> float:
    return HIGH - EDGE - loss / 0.42 * (HIGH - 2 * EDGE)


def _drawing(drawn: list[str]) -> str:
    """The picture with its axes."""
    below = HIGH - EDGE + 16
    told = "Loss by nodes against processor time, Adult, nine columns; dotted: ARX (4 to 25 s)"
    words = [_words(_across(t), below, f"{t:g} s", "middle") for t in (0.01, 0.1, 1, 10, 100)]
    words += [_words(EDGE - 6, _down(x) + 4, f"{x:.1f}", "end") for x in (0.0, 0.1, 0.2, 0.3, 0.4)]
    words.append(_words(EDGE, 20, told, "start"))
    frame = f'x="{EDGE}" y="{_down(0.42)}" width="{WIDE - 2 * EDGE}" height="{HIGH - 2 * EDGE}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" '
        f'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDE}" height="{HIGH}" fill="white"/>',
        f'<rect {frame} fill="none" stroke="#888"/>',
    ]
    return "\n".join([*parts, *drawn, *words, "</svg>"]) + "\n"


def _words(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'


if __name__ == "__main__":
    plot(Path(sys.argv[1]))
