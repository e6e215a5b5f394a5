"""Kernel beliefs: priors and (B,t) partitions against plainer ones, errors on real groups."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

import gyges as gy
from benchmarks.adult import adult
from benchmarks.ratio import Ratio, real_data, side_by_side
from gyges.adversaries import kernel_prior
from gyges.adversaries.belief_knowledge import BeliefKnowledge, knowledge_of, member_gains
from gyges.adversaries.member_groups import MemberGroups, members_of_entries, members_of_groups
from gyges.adversaries.posterior import infer
from gyges.arrays import FloatArray, IntArray
from gyges.criteria.base import bind_all
from gyges.data.cells import Cells
from gyges.data.distances import domain_distances
from gyges.data.table import Table
from gyges.ragged import Ragged
from gyges.release.groups_of_cells import everybody
from gyges.search import mondrian

SIX = ["age", "workclass", "education", "marital-status", "race", "sex"]
_ASKED = 200  # people whose priors the double loop computes; the rest would take as long each
_STATES = 1 << 18  # groups up to this size serve to measure errors


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that is not a ratio of times."""

    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.name:<72} {self.text}"


def rows() -> Iterator[Ratio | Figure]:
    """Everything, on Adult."""
    folder = real_data()
    if folder is None:
        return
    table = adult_table(folder)
    yield from prior_rows(table)
    yield from memory_rows(folder)
    yield from posterior_rows()
    yield from partition_rows(table.cells)
    yield from error_rows(table)


def adult_table(folder: Path, copies: int = 1) -> Table:
    """The paper's seven columns [Li2009, Table IV] of the people without a missing value."""
    people = adult(folder).select([*SIX, "occupation"])
    hierarchies = {
        name: gy.Hierarchy.from_csv(folder / "hierarchies" / "adult" / f"{name}.csv")
        for name in (*SIX, "occupation")
    }
    schema = gy.Schema(quasi_identifiers=SIX, sensitive="occupation", hierarchies=hierarchies)
    return gy.read(pa.concat_tables([people] * copies), schema)


def prior_rows(table: Table) -> Iterator[Ratio]:
    """The prior on Adult, against the double loop over people and over cells."""
    cells = table.cells

    def ours() -> None:
        gy.prior_beliefs(table, "0.3")

    asked = np.linspace(0, len(table) - 1, _ASKED).astype(int)
    codes, values = cells.codes[table.cell_of_row], table.value_of_row
    ones = np.ones(len(values))
    found = double_loop(cells, codes[asked], codes, values, ones)
    assert np.abs(found - gy.prior_beliefs(table, "0.3")[asked]).max() < 1e-12
    part = side_by_side(
        "", ours, lambda: double_loop(cells, codes[asked], codes, values, ones), "", times=3
    )
    whole = part.other * len(table) / _ASKED
    name = f"prior, Adult, vectorized double loop over people ({_ASKED} of them, scaled up)"
    yield Ratio(name, part.ours, whole, "≤ 0.01")
    entries = cells.codes[cells.cell_of_entry], cells.value_codes, cells.value_counts
    part = side_by_side(
        "", ours, lambda: double_loop(cells, cells.codes[::64], *entries), "", times=3
    )
    name = "prior, Adult, double loop over distinct rows (1 of 64, scaled up)"
    yield Ratio(name, part.ours, part.other * len(cells) / len(cells.codes[::64]), "≤ 0.1")


def double_loop(
    cells: Cells, asked: IntArray, codes: IntArray, values: IntArray, counts: FloatArray
) -> FloatArray:
    """Σ_x K(q, x) counts(x), one block of q at a time, by lookup in a matrix for each column."""
    kernels = [np.maximum(1 - (domain_distances(d) / 0.3) ** 2, 0) for d in cells.domains]
    sums = np.empty((len(asked), len(cells.sensitive)))
    for first in range(0, len(asked), 20):
        weights = np.tile(counts.astype(float), (len(asked[first : first + 20]), 1))
        for i, kernel in enumerate(kernels):
            weights *= kernel[asked[first : first + 20, i]][:, codes[:, i]]
        for s in range(sums.shape[1]):
            sums[first : first + 20, s] = weights[:, values == s].sum(axis=1)
    return sums / sums.sum(axis=1, keepdims=True)


def memory_rows(folder: Path) -> Iterator[Ratio | Figure]:
    """Twenty-two times the people, the same distinct rows; and half a million distinct rows."""
    many = adult_table(folder, copies=23)

    def on(cells: Cells) -> None:
        kernel_prior.cell_priors(cells, "0.3")

    small = adult_table(folder)
    yield side_by_side(
        f"prior, {len(many):,} people with the distinct rows of {len(small):,}",
        lambda: on(many.cells),
        lambda: on(small.cells),
        "about 1",
    )
    rng = np.random.default_rng(0)
    widths = {"age": 74, "work": 8, "school": 16, "married": 7, "race": 5, "sex": 2, "job": 14}
    columns = {name: rng.integers(0, width, 1_000_000) for name, width in widths.items()}
    schema = gy.Schema(quasi_identifiers=list(widths)[:-1], sensitive="job")
    wide = gy.read(pa.table(columns), schema)
    gy.prior_beliefs(wide, "0.3")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    name = f"prior, {len(wide):,} people, {len(wide.cells):,} distinct rows, peak of this process"
    yield Figure(name, f"{peak:.2f} GB, goal < 4 GB")


def posterior_rows() -> Iterator[Ratio]:
    """Exact posteriors of a group of nine against the 9! arrangements, one by one."""
    from tests.oracles.beliefs import posterior

    prior = np.random.default_rng(1).dirichlet(np.ones(4), 9)
    values = np.array([0, 0, 0, 1, 1, 1, 2, 2, 3])
    group = np.zeros(9, dtype=int)
    yield side_by_side(
        "exact posterior of nine people, against the enumeration of arrangements",
        lambda: gy.posterior_beliefs(prior, group, values, "exact"),
        lambda: posterior(prior.tolist(), values.tolist()),
        "≤ 0.01",
        times=10,
    )


def partition_rows(cells: Cells) -> Iterator[Ratio | Figure]:
    """(B,t) against t-closeness: the paper's parameters [Li2009, Table V], then as many groups."""
    for k, t in ((3, "0.25"), (4, "0.2"), (5, "0.15"), (6, "0.1")):
        rules = [gy.KAnonymity(k), gy.Beliefs("0.3", t)]
        began = time.process_time()
        n_groups = mondrian.search(cells, rules).n_groups
        seconds = time.process_time() - began
        name = f"(B,t) partition, k={k}, t={t}, every group certified: {n_groups:,} groups"
        yield Figure(name, f"{seconds:.1f} s of processor time")
    for k, t in ((3, "0.25"), (4, "0.2"), (5, "0.15"), (6, "0.1")):
        beliefs = [gy.KAnonymity(k), gy.Beliefs("0.3", t)]
        for ground in ("equal", "hierarchy"):
            closeness = [gy.KAnonymity(k), gy.TCloseness(t, ground=ground)]  # type: ignore[arg-type]
            yield _partitions(cells, beliefs, closeness, f"k={k}, t={t}, ground {ground!r}", "≤ 5")
    beliefs = [gy.KAnonymity(4), gy.Beliefs("0.3", "0.2")]
    yield _partitions(
        cells, beliefs, [gy.KAnonymity(4), gy.TCloseness(_as_fine(cells))], "equally fine", "≤ 5"
    )


def _partitions(cells: Cells, beliefs: list, closeness: list, name: str, goal: str) -> Ratio:
    bound = [bind_all(rules, everybody(cells)) for rules in (beliefs, closeness)]
    n = [len(mondrian.descent(cells, rules).run()) for rules in bound]
    return side_by_side(
        f"(B,t) partition, cuts alone, {name}: {n[0]:,} groups, t-closeness {n[1]:,}",
        lambda: mondrian.descent(cells, bind_all(beliefs, everybody(cells))).run(),
        lambda: mondrian.descent(cells, bind_all(closeness, everybody(cells))).run(),
        goal,
        times=15,
    )


def _as_fine(cells: Cells) -> str:
    """The t for which t-closeness makes about as many groups as (0.3, 0.2)-privacy."""
    goal = mondrian.search(cells, [gy.KAnonymity(4), gy.Beliefs("0.3", "0.2")]).n_groups
    return min(
        (f"0.{d}" for d in range(30, 96, 5)),
        key=lambda t: abs(
            mondrian.search(cells, [gy.KAnonymity(4), gy.TCloseness(t)]).n_groups - goal
        ),
    )


def error_rows(table: Table) -> Iterator[Figure]:
    """How far Ω, scaling and refined scaling are from the exact posteriors of real groups."""
    cells = table.cells
    for bandwidth in ("0.1", "0.3", "0.5"):
        knowledge = knowledge_of(cells, bandwidth)
        for k in (5, 12, 25):
            groups = mondrian.search(cells, gy.KAnonymity(k)).groups
            states = np.array(
                [np.prod(part + 1.0) for part in np.split(groups.value_counts, groups.starts[1:-1])]
            )
            chosen = np.flatnonzero(states <= _STATES)[:150]
            crowd = members_of_groups(groups.take(chosen))
            name = f"B = {bandwidth}, {len(chosen)} groups of Mondrian with k = {k}"
            yield from _errors(crowd, knowledge, name)
        for size in (5, 10, 15):
            crowd = _random_groups(table, size)
            yield from _errors(
                crowd, knowledge, f"B = {bandwidth}, 100 times {size} people at random"
            )


def _random_groups(table: Table, size: int) -> MemberGroups:
    """A hundred groups of people picked at random [Li2009, Sect. V.B]."""
    rng = np.random.default_rng(size)
    rows_ = np.concatenate([rng.choice(len(table), size, replace=False) for _ in range(100)])
    return members_of_entries(
        np.repeat(np.arange(100), size),
        table.cell_of_row[rows_],
        table.value_of_row[rows_].astype(np.int64),
        np.ones(len(rows_), dtype=np.int64),
        100,
        len(table.sensitive_values),
    )


def _errors(crowd: MemberGroups, knowledge: BeliefKnowledge, name: str) -> Iterator[Figure]:
    gains, exact = member_gains(crowd, knowledge, "exact")
    parts = []
    for method in ("omega", "scaling", "refined"):
        estimated, found = member_gains(crowd, knowledge, method)  # type: ignore[arg-type]
        off = np.abs(found.numbers - exact.numbers)
        worst = np.abs(crowd.largest_in_group(estimated) - crowd.largest_in_group(gains))
        parts.append(
            f"{method}: mean gain off {np.abs(estimated - gains).mean():.4f}, "
            f"largest gain off {worst.mean():.4f} (at most {worst.max():.3f}), "
            f"a belief at most {off.max():.3f}"
        )
        if method == "refined":
            covered = _covered(crowd, off, infer(crowd, knowledge.priors, "refined").errors)
            parts.append(f"its error estimate holds in {covered:.1%} of the groups")
    yield Figure(name, "; ".join(parts))


def _covered(crowd: MemberGroups, off: FloatArray, errors: FloatArray) -> float:
    """The share of groups whose largest error is within the estimate."""
    largest = Ragged(off, crowd.out_starts).maxima()
    return float((largest <= errors + 1e-9).mean())
