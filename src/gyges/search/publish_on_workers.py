"""Publish where the rows live: the workers of an engine finish the parts, and write the files.

1. This process cuts at the top by the engine's counts (`mondrian_larger_than_memory.cut_top`).
2. Each part goes to a worker, which cuts it to the end by the same code, labels its groups, sends
   each of its rows to a random file, and folds the groups into the summaries of the rules.
3. Workers fold the summaries of some parts into one. This process merges the few that are left and
   judges the release.
4. When it is saved, workers write the files (`rows_of_workers.py`).

Counts of the groups at the top, summaries, and names and hashes of files come to this process, and
no rows. A worker that is lost is replaced: another makes the same rows again. Rules that judge all
groups together accept one cut after another, in an order; their parts are finished in this process.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from gyges.arrays import IntArray
from gyges.criteria.base import BoundRule
from gyges.criteria.verdict import Verdict
from gyges.data.arrow_arrays import arrow_numbers, arrow_texts
from gyges.data.large_table import LargeTable
from gyges.data.source import WORK_KEY
from gyges.data.values import Value, text_of
from gyges.errors import RuleError
from gyges.release.large_release import LargeRelease
from gyges.release.partition_of_cells import Partition
from gyges.release.rows_of_workers import MOST_FILES, PEOPLE, RowsOfWorkers, text_column
from gyges.release.shuffle_on_disk import files_for
from gyges.search.mondrian_larger_than_memory import Finisher, cut_top
from gyges.search.publish_large import Folded, large_release, published_names, rows_of_part

if TYPE_CHECKING:
    import pyarrow as pa

_SUMMARY = "summary"
_FOLDS = 64  # summaries that come to this process, at most
_ONE_BY_ONE = 1 << 10  # people of a row whose files are drawn one by one


def publish_on_workers(
    table: LargeTable,
    rules: list[BoundRule[Any]],
    rng: np.random.Generator,
    options: Mapping[str, Any],
) -> tuple[LargeRelease, Verdict]:
    """Publish a table of an engine with workers under rules that judge each group by itself."""
    import pyarrow as pa

    names = published_names(table)
    n_files = files_for(table.n_people, len(names), table.budget.part)
    if n_files > MOST_FILES:
        raise RuleError(
            f"the release would have {n_files:,} files, and a certificate lists {MOST_FILES:,}: "
            f"raise the memory limit {n_files // MOST_FILES + 1} times"
        )
    top = cut_top(table, rules, **{k: v for k, v in options.items() if k == "block"})
    entropy = tuple(rng.integers(2**63, size=4).tolist())
    values = tuple(table.sensitive.values)
    work = PartWork(top.finisher, tuple(rules), values, len(names), n_files, entropy)
    closed = [work.rows(-1 - n, part) for n, part in enumerate(top.closed())]
    schema = work.schema()
    more = pa.concat_tables([schema.empty_table(), *closed])
    rows = table.coded.each_group(top.placement, work, schema, more)
    folds = rows.each(FoldWork(tuple(rules)), pa.schema([(_SUMMARY, pa.binary())]), -_FOLDS, 0)
    found = [pickle.loads(one) for one in folds.column(_SUMMARY).to_pylist()]
    folded = reduce(lambda one, other: one.merged(other, rules), found)
    there = RowsOfWorkers(rows, names, n_files, folded.n_people, entropy)
    return large_release(table, there, folded, rules)


@dataclass(frozen=True, slots=True)
class PartWork:
    """Finishes a part and makes its rows; runs in a worker."""

    finisher: Finisher
    rules: tuple[BoundRule[Any], ...]
    values: tuple[Value, ...]
    n_columns: int
    n_files: int
    entropy: tuple[int, ...]

    def __call__(self, node: int, entries: pa.Table) -> pa.Table:
        """The rows of a part and its summary, from its distinct rows of codes."""
        return self.rows(node, self.finisher.finish(entries))

    def schema(self) -> pa.Schema:
        """The columns of rows: the file (or the fold of a summary), texts, how often; summaries."""
        import pyarrow as pa

        texts = [(text_column(place), pa.string()) for place in range(self.n_columns)]
        key, summary = (WORK_KEY, pa.int64()), (_SUMMARY, pa.binary())
        return pa.schema([key, summary, *texts, (PEOPLE, pa.int64())])

    def rows(self, number: int, part: Partition) -> pa.Table:
        """Rows with the number of their file, and one with the summary of the part."""
        import pyarrow as pa

        groups = replace(part.groups, values=list(self.values))
        columns, people = rows_of_part(part, groups, [text_of(value) for value in self.values])
        rng = np.random.default_rng([*self.entropy, 0, number & (2**64 - 1)])
        row, file, count = scattered(people, self.n_files, rng)
        texts = [arrow_texts(texts).take(arrow_numbers(place[row])) for texts, place in columns]
        nothing = pa.nulls(len(row), pa.binary())
        made = [arrow_numbers(file), nothing, *texts, arrow_numbers(count)]
        summaries = [rule.summarize(groups) for rule in self.rules]
        folded = Folded(len(groups), int(groups.sizes.sum()), 1, summaries)
        first: list[Any] = [[-1 - number % _FOLDS], [pickle.dumps(folded)]]
        first += [[None]] * (self.n_columns + 1)
        arrays = [
            pa.array(one, field.type) for one, field in zip(first, self.schema(), strict=True)
        ]
        both = [pa.table(one, schema=self.schema()) for one in (arrays, made)]
        return pa.concat_tables(both).combine_chunks()


@dataclass(frozen=True, slots=True)
class FoldWork:
    """Folds the summaries of some parts; runs in a worker."""

    rules: tuple[BoundRule[Any], ...]

    def __call__(self, key: int, rows: pa.Table) -> pa.Table:
        """One summary of all."""
        import pyarrow as pa

        found = [pickle.loads(one) for one in rows.column(_SUMMARY).to_pylist()]
        rules = list(self.rules)
        folded = reduce(lambda one, other: one.merged(other, rules), found)
        return pa.table({_SUMMARY: pa.array([pickle.dumps(folded)], pa.binary())})


def scattered(
    people: IntArray, n_files: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray, IntArray]:
    """(row, file, how many): each person's row goes to a random file."""
    few = np.flatnonzero(people <= _ONE_BY_ONE)
    row = np.repeat(few, people[few])
    both, count = np.unique(
        row * n_files + rng.integers(n_files, size=len(row)), return_counts=True
    )
    row, file = np.divmod(both, n_files)
    many = np.flatnonzero(people > _ONE_BY_ONE)
    if len(many):
        drawn = rng.multinomial(people[many], np.full(n_files, 1 / n_files))
        at, held = np.nonzero(drawn)
        row, file = np.append(row, many[at]), np.append(file, held)
        count = np.append(count, drawn[at, held])
    return row, file, count.astype(np.int64)
