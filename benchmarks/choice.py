"""What the choice of the groups reveals, and what a choice that reveals nothing costs.

The figures of docs/attackers/minimality.md: Adult (occupation by six columns with hierarchies) and
generated people, under several rules. `python -m benchmarks choice` prints one line for each.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

import gyges as gy
from benchmarks.adult import adult
from gyges.auditing.minimality import choice_risk
from gyges.data.table import Table

QUASI = ["age", "workclass", "education", "marital-status", "sex", "race"]
RULES = {
    "probabilistic diversity 2": [gy.ProbabilisticDiversity(2)],
    "k = 5, probabilistic diversity 2": [gy.KAnonymity(5), gy.ProbabilisticDiversity(2)],
    "k = 5, probabilistic diversity 3": [gy.KAnonymity(5), gy.ProbabilisticDiversity(3)],
    "k = 5, distinct diversity 2": [gy.KAnonymity(5), gy.DistinctDiversity(2)],
    "k = 5, distinct diversity 4": [gy.KAnonymity(5), gy.DistinctDiversity(4)],
}


def rows() -> Iterator[str]:
    """One line for each table and set of rules."""
    warnings.simplefilter("ignore")
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("GYGES_DATA", beside))
    people = adult(folder)
    tables = {f"Adult, {n:,}": _adult(folder, people, n) for n in (1_000, 10_000, 45_222)}
    tables["generated, 2,000"] = _generated(2_000)
    for name, table in tables.items():
        for said, rules in RULES.items():
            yield _line(name, said, table, rules)


def _adult(folder: Path, people: pa.Table, n: int) -> Table:
    rng = np.random.default_rng(0)
    rows = people.take(rng.permutation(people.num_rows)[:n])
    trees = {name: folder / "hierarchies" / "adult" / f"{name}.csv" for name in QUASI[1:]}
    hierarchies = {name: gy.Hierarchy.from_csv(path) for name, path in trees.items()}
    schema = gy.Schema(quasi_identifiers=QUASI, sensitive="occupation", hierarchies=hierarchies)
    return gy.read(rows.select([*QUASI, "occupation"]), schema)


def _generated(n: int) -> Table:
    """Two numbers, one category, and eight values that do not depend on them."""
    rng = np.random.default_rng(1)
    columns = {
        "age": rng.integers(18, 90, n).tolist(),
        "zip": rng.integers(0, 300, n).tolist(),
        "sex": rng.choice(["F", "M"], n).tolist(),
        "ill": rng.choice(list("abcdefgh"), n).tolist(),
    }
    schema = gy.Schema(quasi_identifiers=["age", "zip", "sex"], sensitive="ill")
    return gy.read(columns, schema)


def _blind(table: Table, rules: list[object]) -> str:
    """The smallest groups, a third larger each time, that a blind choice publishes; their loss."""
    k = 2
    while k < table.n_rows // 2:
        try:
            found = gy.publish(table, [*rules, gy.KAnonymity(k)], choice="blind")
        except gy.GygesError:
            k = int(1.3 * k) + 1
            continue
        return (
            f"{k} | {gy.measure_utility(table, found.group_of_row, measures=['loss'])['loss']:.4f}"
        )
    return "none | "


def _line(name: str, said: str, table: Table, rules: list[object]) -> str:
    finest = gy.publish(table, rules)
    start = time.perf_counter()
    risk = choice_risk(finest, table, finest.group_of_row)
    seconds = time.perf_counter() - start
    safe = gy.publish(table, rules, choice="simulatable")
    losses = [
        gy.measure_utility(table, one.group_of_row, measures=["loss"])["loss"]
        for one in (finest, safe)
    ]
    if isinstance(risk, str):
        return f"| {name} | {said} | not computed: {risk} |"
    share = risk.n_computed / risk.n_people
    return (
        f"| {name} | {said} | {share:.0%} | {float(risk.before):.3f} | {float(risk.after):.3f} | "
        f"{risk.n_more_certain:,} | {risk.n_above:,} | {risk.n_certain:,} | {losses[0]:.4f} | "
        f"{losses[1]:.4f} | {finest.n_groups:,} | {safe.n_groups:,} | "
        f"{_blind(table, rules)} | {seconds:.1f} s |"
    )
