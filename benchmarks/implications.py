"""The attacker who knows k implications: against sorting the counts, and against counting cells."""

from __future__ import annotations

import csv
import gzip
import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

import gyges as gy
from benchmarks.ratio import Ratio, real_data, side_by_side
from gyges.adversaries import minimize
from gyges.arrays import IntArray

QUASI_IDENTIFIERS = ["age", "marital-status", "race", "sex"]


def rows() -> Iterator[Ratio]:
    yield from a_million_groups()
    yield from a_few_more_groups()
    folder = real_data()
    if folder is not None:
        yield from all_generalizations_of_adult(folder)


def a_million_groups() -> Iterator[Ratio]:
    rng = np.random.default_rng(0)
    shares = 1 / np.arange(1, 21)
    kinds = {
        "even": rng.integers(1, 101, size=(1_000_000, 20)),
        "skewed": 1 + rng.multinomial(200, shares / shares.sum(), size=1_000_000),
    }
    for kind, counts in kinds.items():
        groups = dense_groups(counts)
        for language in ("implications", "negations"):
            yield side_by_side(
                f"a million {kind} groups of 20 values, {language} 0..12 : sorting their counts",
                lambda groups=groups, language=language: fresh_curves([groups], language),
                lambda counts=counts: np.sort(counts, axis=1),
                "≤ 3",
            )


def a_few_more_groups() -> Iterator[Ratio]:
    counts = np.random.default_rng(1).integers(1, 101, size=(100_100, 14))
    groups = dense_groups(counts)
    rule = gy.Safety("0.9", k=5)
    judged = rule.summarize(groups.take(np.arange(100_000)))
    new = groups.take(np.arange(100_000, 100_100))
    yield side_by_side(
        "adding 100 groups to 100,000 that are judged, k = 5 : judging all again",
        lambda: rule.holds(rule.merge(judged, rule.summarize(new))),
        lambda: rule.holds(rule.summarize(groups)),
        "≤ 0.05",
    )
    batches = [groups.take(np.arange(start, start + 10)) for start in range(0, 10_000, 10)]
    summary = rule.summarize(groups.take([0]))

    def folded() -> None:
        merged = summary
        for batch in batches:
            merged = rule.merge(merged, rule.summarize(batch))
            rule.holds(merged)

    yield side_by_side(
        "a thousand batches of ten groups: summarize, merge, judge : take them from the release",
        folded,
        lambda: [groups.take(np.arange(start, start + 10)) for start in range(0, 10_000, 10)],
        "≤ 3",
    )


def all_generalizations_of_adult(folder: Path) -> Iterator[Ratio]:
    """Against counting the cells as gy.read does, once without it, and for each generalization."""
    leaves, occupation, maps = adult(folder)
    nodes = list(itertools.product(*(range(len(levels)) for levels in maps)))
    assert len(nodes) == 72 and len(occupation) == 45_222
    values = [f"v{i}" for i in range(occupation.max() + 1)]

    def counted(node: tuple[int, ...]) -> gy.Groups:
        group = np.zeros(len(occupation), dtype=np.int64)
        for codes, levels, level in zip(leaves, maps, node, strict=True):
            group = group * (levels[level].max() + 1) + levels[level][codes]
        _, group_of_row = np.unique(group, return_inverse=True)
        return gy.Groups.from_entries(
            sizes=np.bincount(group_of_row),
            group_of_entry=group_of_row,
            value_codes=occupation.astype(np.int32),
            value_counts=np.ones(len(occupation), dtype=np.int64),
            values=values,
        )

    groups = [counted(node) for node in nodes]
    labels = {
        column: levels[0][codes].astype(str)
        for column, levels, codes in zip(QUASI_IDENTIFIERS, maps, leaves, strict=True)
    }
    columns = pa.table({**labels, "occupation": occupation.astype(str)})
    schema = gy.Schema(quasi_identifiers=QUASI_IDENTIFIERS, sensitive="occupation")
    counting = {
        "gy.read counting the cells": (lambda: gy.read(columns, schema).cells, "< 1"),
        "counting coded rows once": (lambda: counted(nodes[0]), "none, the strictest baseline"),
        "counting coded rows for each": (lambda: [counted(node) for node in nodes], "< 1"),
    }
    for other, (count, goal) in counting.items():
        for language in ("implications", "negations"):
            yield side_by_side(
                f"Adult, all 72 generalizations, {language} 0..12 : {other}",
                lambda language=language: fresh_curves(groups, language),
                count,
                goal,
            )


def adult(folder: Path) -> tuple[list[IntArray], IntArray, list[list[IntArray]]]:
    """Codes of each column, occupation codes, and for each column and level a code per leaf."""
    with gzip.open(folder / "adult.csv.gz", "rt") as lines:
        table = [row for row in csv.DictReader(lines) if "?" not in row.values()]
    leaves, maps = [], []
    for column in QUASI_IDENTIFIERS:
        text = (folder / "hierarchies" / "adult" / f"{column}.csv").read_text()
        lines_of = [line.split(";") for line in text.split()]
        code = {line[0]: place for place, line in enumerate(lines_of)}
        leaves.append(np.array([code[row[column]] for row in table]))
        levels = zip(*lines_of, strict=True)
        maps.append([np.unique(labels, return_inverse=True)[1] for labels in levels])
    occupation = np.unique([row["occupation"] for row in table], return_inverse=True)[1]
    return leaves, occupation, maps


def fresh_curves(releases: list[gy.Groups], language: str) -> object:
    """The curve of each, with nothing remembered from the run before."""
    minimize._rounded_parts.cache_clear()
    minimize._exact_parts.cache_clear()
    return [gy.disclosure_curve(each, k=12, language=language) for each in releases]  # type: ignore[arg-type]


def dense_groups(counts: IntArray) -> gy.Groups:
    group, value = np.nonzero(counts)
    return gy.Groups.from_entries(
        sizes=counts.sum(axis=1),
        group_of_entry=group,
        value_codes=value.astype(np.int32),
        value_counts=counts[group, value],
        values=[f"v{i}" for i in range(counts.shape[1])],
    )
