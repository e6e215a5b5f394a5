"""Marginals on Adult: scoring sets of views, choosing them, and Figures 7 to 9 of Kifer and Gehrke.

`python -m benchmarks marginals` prints ratios, `python -m benchmarks.marginals` the figures. The
paper prints its figures as bars without numbers, so ours stand next to what its text says of them.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import gyges as gy
from benchmarks.ratio import Ratio, real_data, side_by_side
from gyges.marginals.counts import count_table
from gyges.marginals.graph import junction_tree
from gyges.marginals.induced import attributes_of
from gyges.marginals.moves import ViewSet, additions, divergence, extended, finest_of, removals
from gyges.marginals.store import CountStore

COLUMNS = ["age", "marital-status", "race", "sex"]
SENSITIVE = "occupation"
CRITERIA = [gy.KAnonymity(6), gy.EntropyDiversity(6)]
MINUTE = 60.0


def adult(folder: Path) -> gy.Table:
    """The 45,222 people without missing values, five columns."""
    import pyarrow.csv

    rows = pyarrow.csv.read_csv(folder / "adult.csv.gz").to_pandas().astype(str)
    rows = rows[(rows != "?").all(axis=1)][[*COLUMNS, SENSITIVE]]
    where = folder / "hierarchies" / "adult"
    hierarchies = {name: gy.Hierarchy.from_csv(where / f"{name}.csv") for name in COLUMNS}
    schema = gy.Schema(quasi_identifiers=COLUMNS, sensitive=SENSITIVE, hierarchies=hierarchies)
    return gy.read(rows, schema)


def rows() -> Iterator[Ratio | str]:
    folder = real_data()
    if folder is None:
        yield "the real data sets are not here: set GYGES_DATA to their folder"
        return
    table = adult(folder)
    chosen = gy.select_marginals(table, CRITERIA)
    views = tuple(sorted(chosen.junction_tree.cliques))
    attributes = attributes_of(table)
    store = CountStore(attributes, [count_table(table, attributes)])
    yield from _scoring(_neighbours(views, store), store)
    yield from _choosing(table)


def _neighbours(views: ViewSet, store: CountStore) -> list[ViewSet]:
    """The chosen set, those with one or two steps less, and what can be added to them."""
    fewer = [step.views for step in removals(views, store)]
    fewer += [step.views for less in fewer[:3] for step in removals(less, store)]
    return [views, *dict.fromkeys(fewer)]


def _scoring(around: list[ViewSet], store: CountStore) -> Iterator[Ratio]:
    """Candidates by entropies of their views, and by building their joints."""
    sets = [extended(views, step.view) for views in around for step in additions(views, store)]
    sets = sets[:100]
    table = store.counts(tuple(attribute.height for attribute in store.attributes))
    built = [by_building(neighbour, store) for neighbour in sets]
    summed = [divergence(neighbour, store) - table.entropy for neighbour in sets]
    assert np.allclose(built, summed), "both ways find the same divergence"
    yield side_by_side(
        f"KL of {len(sets)} candidate sets, entropies of views against building each joint",
        lambda: [divergence(neighbour, store) for neighbour in sets],
        lambda: [by_building(neighbour, store) for neighbour in sets],
        "≥ 100× faster",
        times=3,
    )


def by_building(views: ViewSet, store: CountStore) -> float:
    """The divergence of decomposable views from the joint distribution over all values."""
    full = store.counts(tuple(attribute.height for attribute in store.attributes))
    shape = [len(attribute.values) for attribute in store.attributes]
    joint = np.ones(shape)
    tree = junction_tree(views)
    for view, power in [*((c, 1) for c in tree.cliques), *((s, -1) for s in tree.separators)]:
        joint = joint * _spread_out(view, store, shape) ** power if any(view) else joint
    for place, r in enumerate(finest_of(views, store)):
        attribute = store.attributes[place]
        leaves = attribute.leaves[r][attribute.codes[r]].astype(np.float64)
        joint = joint / leaves.reshape([-1 if p == place else 1 for p in range(len(shape))])
    share = full.people / full.total
    return float((share * np.log(share / joint[tuple(full.codes.T)])).sum())


def _spread_out(view: tuple[int, ...], store: CountStore, shape: list[int]) -> np.ndarray:
    """A view's shares over all values of its columns; not quite 0 where nobody is."""
    counts = store.counts(view)
    small = np.full([len(a.labels[r]) for a, r in zip(store.attributes, view, strict=True)], 1e-300)
    small[tuple(counts.codes.T)] = counts.people / counts.total
    for place, (attribute, r) in enumerate(zip(store.attributes, view, strict=True)):
        if r:
            small = np.take(small, attribute.codes[r], axis=place)
    return small


def _choosing(table: gy.Table) -> Iterator[Ratio | str]:
    last = []
    began = time.process_time()
    gy.select_marginals(table, CRITERIA, progress=last.append)
    seconds = time.process_time() - began
    name = f"choosing views of Adult (KL {last[-1].kl_divergence:.4f}), share of a minute"
    yield Ratio(name, seconds, MINUTE, "≤ 1")
    yield f"{last[-1].n_tried:,} sets tried, {last[-1].n_tried / seconds:,.0f} a second"


def figures() -> Iterator[str]:
    """Figures 7, 8 and 9: KL divergence of single tables, of tables with more views, of all."""
    folder = real_data()
    if folder is None:
        yield "the real data sets are not here: set GYGES_DATA to their folder"
        return
    table = adult(folder)
    tables = dict(zip("ABC", _minimal_tables(table), strict=True))
    found = {"0": _kl(table, [{SENSITIVE: 0}]), "opt": _best(table)}
    found |= {name: _kl(table, [view]) for name, view in tables.items()}
    found |= {f"{name}+": _best(table, start=view) for name, view in tables.items()}
    found |= _one_by_one(table, tables["C"])
    yield "KL divergence on Adult, 6-anonymous and entropy 6-diverse (the paper gives bars only)"
    for figure, names in (
        ("Figure 7", ["0", "A", "B", "C", "opt"]),
        ("Figure 8", ["A+", "B+", "C+", "opt"]),
        ("Figure 9", ["C", "C1", "C2", "C3", "C4", "C+", "opt"]),
    ):
        yield f"{figure}:  " + "   ".join(f"{name} {found[name]:.4f}" for name in names)
    yield from (f"{name} is {view}" for name, view in tables.items())
    yield from _claims(found)


def _minimal_tables(table: gy.Table) -> list[dict[str, int]]:
    """The three tables that no other safe table generalizes to: A, B (the best with more), C."""
    heights = [domain.height for domain in table.cells.domains]
    safe = []
    for node in itertools.product(*(range(height + 1) for height in heights)):
        view = dict(zip(COLUMNS, node, strict=True)) | {SENSITIVE: 0}
        if gy.Marginals.of(table, [view]).judge(CRITERIA).safe:
            safe.append(node)
    minimal = [
        node for node in safe if not any(o != node and all(map(int.__le__, o, node)) for o in safe)
    ]
    c, a, b = sorted(minimal)  # C is the one that keeps some of the age
    return [dict(zip(COLUMNS, node, strict=True)) | {SENSITIVE: 0} for node in (a, b, c)]


def _kl(table: gy.Table, views: list[dict[str, int]]) -> float:
    return gy.Marginals.of(table, views).kl_divergence()


def _best(table: gy.Table, **options: object) -> float:
    return gy.select_marginals(table, CRITERIA, **options).kl_divergence()


def _one_by_one(table: gy.Table, view: dict[str, int]) -> dict[str, float]:
    """Add the marginal of one column at a time, the most useful first; age in steps of 5."""
    views, left, found = [view], dict.fromkeys(COLUMNS, 0) | {"age": 1}, {}
    for number in range(1, 5):
        scores = {name: _kl(table, [*views, {name: level}]) for name, level in left.items()}
        best = min(scores, key=scores.get)
        views.append({best: left.pop(best)})
        assert gy.Marginals.of(table, views).judge(CRITERIA).safe
        found[f"C{number}"] = scores[best]
        found[f"C{number} adds {best}"] = scores[best]
    return found


def _claims(found: dict[str, float]) -> Iterator[str]:
    order = [name.split(" adds ")[1] for name in found if " adds " in name]
    claims = {
        "the order of Figure 9 is race, marital status, gender, age": order
        == ["race", "marital-status", "sex", "age"],
        "one column at a time already improves C a lot": found["C4"] < found["C"] / 2,
        "C+ is noticeably better than C4": found["C+"] < found["C4"] - 0.02,
        "B+ is the best of the three": found["B+"] == min(found["A+"], found["B+"], found["C+"]),
        "B+ is opt": abs(found["B+"] - found["opt"]) < 1e-9,
        "opt is at least as good as B+": found["opt"] <= found["B+"] + 1e-9,
    }
    for claim, holds in claims.items():
        yield f"{'yes' if holds else 'no ':<4} {claim}"


if __name__ == "__main__":
    for line in figures():
        print(line, flush=True)
