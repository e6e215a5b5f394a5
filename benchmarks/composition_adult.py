"""Two overlapping halves of Adult, published independently: what joining them tells.

The experiment of [Ganta2008, Sect. 3]: 5,000 people are in both halves; occupation is sensitive.
Beside the groups that searches find stand two noisy releases, attacked by somebody who knows
everybody else's row. Prints shares of people, not times.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

import gyges as gy
from benchmarks.ratio import real_data
from gyges.adversaries.other_releases import IntersectionAttack
from gyges.arrays import FloatArray
from gyges.data.table import Table
from gyges.dp.noisy_marginals import NoisyMarginals, noisy_marginals
from gyges.dp.universe import count
from gyges.release.groups import Groups
from gyges.release.release import Release
from gyges.search.publish import publish

QUASI = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
SENSITIVE, PERSON = "occupation", "person"
OVERLAP = 5_000
CONFIDENCES = ("1", "0.5", "0.25")


METHODS = (
    ("partition", "partition"),
    ("microaggregation", "microaggregation"),
    ("partition", "microaggregation"),
)


def rows() -> Iterator[str]:
    if real_data() is None:
        return
    people, halves = split(np.random.default_rng(8))
    for k in (5, 10):
        for methods in METHODS:
            releases = [
                publish(half, [gy.KAnonymity(k)], method=method)  # type: ignore[arg-type]
                for half, method in zip(halves, methods, strict=True)
            ]
            name = f"{' and '.join(methods)}, k = {k}"
            known = [with_members(r, half) for r, half in zip(releases, halves, strict=True)]
            yield f"{name}, groups known: {_shares(gy.intersection_attack(known, people))}"
            yield f"{name}, people located: {_shares(gy.intersection_attack(releases, people))}"
    yield from noisy_rows(people, halves)


def _shares(attack: IntersectionAttack) -> str:
    return "; ".join(
        f"C={c}: {float(attack.exposed(c)):.1%} (before {float(attack.exposed_before(c)):.1%}, "
        f"multiplying {float(attack.bayesian.exposed(c)):.1%})"
        for c in CONFIDENCES
    )


def with_members(release: Release, half: Table) -> Groups:
    """The groups with their people: the paper assumes that everybody is located."""
    members: list[list[str]] = [[] for _ in range(len(release.groups))]
    names = half.fetch([PERSON]).column(0).to_pylist()
    for name, group in zip(names, release.group_of_row, strict=True):
        members[group].append(name)
    return replace(release.groups, members=members)


def noisy_rows(people: Table, halves: Sequence[Table]) -> Iterator[str]:
    """Two noisy releases of all pairs with the sensitive column, ε each."""
    views = [[column, SENSITIVE] for column in QUASI if column != "age"]
    domains = {column: _values(halves, column) for column in [*QUASI[1:], SENSITIVE]}
    for epsilon in ("0.1", "1"):
        noisy = [noisy_marginals(half, views, epsilon=epsilon, domains=domains) for half in halves]
        prior, belief = strongest_beliefs(people, halves, noisy, domains)
        gained = np.abs(np.log(belief) - np.log(prior)).max()
        shares = "; ".join(
            f"C={c}: {(belief.max(axis=1) >= float(c)).mean():.1%}" for c in CONFIDENCES
        )
        yield (
            f"two noisy releases, epsilon = {epsilon} each, attacker knows all other rows: {shares}"
            f"; largest change of a log belief {gained:.3f}, allowed {4 * float(epsilon):.3f}"
        )


def split(rng: np.random.Generator) -> tuple[Table, list[Table]]:
    """The people in both halves, and the two halves."""
    folder = real_data()
    assert folder is not None
    with gzip.open(folder / "adult.csv.gz") as file:
        file_rows = pyarrow.csv.read_csv(file)
    names = pa.array([str(row) for row in range(file_rows.num_rows)])
    everybody = file_rows.select([*QUASI, SENSITIVE]).append_column(PERSON, names)
    known = np.array(file_rows.column("split").to_pylist()) == "train"  # the paper's 30,162
    for column in everybody.columns:
        known &= np.array([value not in ("?", "", None) for value in column.to_pylist()])
    order = rng.permutation(np.flatnonzero(known))
    shared, rest = order[:OVERLAP], order[OVERLAP:]
    middle = len(rest) // 2
    schema = gy.Schema(identifiers=[PERSON], quasi_identifiers=QUASI, sensitive=SENSITIVE)
    parts = [np.concatenate([shared, part]) for part in (rest[:middle], rest[middle:])]
    return (
        gy.read(everybody.take(shared), schema),
        [gy.read(everybody.take(rng.permutation(part)), schema) for part in parts],
    )


def strongest_beliefs(
    people: Table, halves: Sequence[Table], noisy: Sequence[NoisyMarginals], domains: dict[str, Any]
) -> tuple[FloatArray, FloatArray]:
    """(prior, posterior) over the sensitive values of each person, people × values.

    The attacker knows every other row, so of each noisy histogram he knows all but the noise and
    one count: P(v | noisy) ∝ π(v) Π exp(-|noisy - others - [v]|/scale) over the person's cells.
    """
    values = domains[SENSITIVE]
    truth = np.array([values.index(v) for v in people.fetch([SENSITIVE]).column(0).to_pylist()])
    counted = [count(half, [SENSITIVE], domains).of([SENSITIVE]) for half in halves]
    prior = np.sum(counted, axis=0) / np.sum(counted)
    log_belief = np.tile(np.log(prior), (len(truth), 1))
    for half, released in zip(halves, noisy, strict=True):
        for marginal in released.marginals:
            column = marginal.columns[0]
            exact = count(half, marginal.columns, domains)
            noise = marginal.counts - exact.of(marginal.columns)
            mine = np.array(
                [domains[column].index(v) for v in people.fetch([column]).column(0).to_pylist()]
            )
            unknown = noise[mine].astype(np.float64)  # what is left once the others are taken off
            unknown[np.arange(len(truth)), truth] += 1
            log_belief += (np.abs(unknown) - np.abs(unknown - 1)) / marginal.noise.scale
    belief = np.exp(log_belief - log_belief.max(axis=1, keepdims=True))
    return np.broadcast_to(prior, belief.shape), belief / belief.sum(axis=1, keepdims=True)


def _values(halves: Sequence[Table], column: str) -> list[str]:
    """Adult's documentation lists them; here they are read off the file."""
    found = [half.fetch([column]).column(0).to_pylist() for half in halves]
    return sorted({value for values in found for value in values})
