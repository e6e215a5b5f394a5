"""Which columns single people out, and how few of them an attacker must know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from gyges.adversaries.minimal_uniques import DistinctRows, MinimalUniques, minimal_uniques
from gyges.arrays import TextArray
from gyges.auditing.effort import is_too_long, too_long
from gyges.auditing.finding import Audited, AuditKnowledge, Finding, listed, people_text
from gyges.data.column_names import some_of
from gyges.exact import percent
from gyges.release.release import Release

TOPIC = "Which columns single people out"
MOST = 4  # columns in a set
_SECONDS_PER_ROW = 4e-8  # of looking at one row in one set


@dataclass(frozen=True, slots=True)
class FewColumns:
    """How many people are unique on few columns, and which columns contribute."""

    n_people: int
    n_unique: tuple[int, ...]  # on at most 1, 2, … columns
    shares: dict[str, float]  # of SUDA's scores, by column


class KnowsFewColumns:
    """Knows a few columns of a person, whichever these are [Elliot2005]."""

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """Minimal sample uniques of the rows as they are shown; nothing where no row is unique."""
        if not isinstance(release, Release) or not release.labels:
            return []
        rows, texts = shown_rows(release)
        if not (rows.people == 1).any() or not rows.names:
            return []
        most = min(MOST, len(rows.names))
        n_sets = sum(comb(len(rows.names), size) for size in range(1, most + 1))
        seconds = n_sets * len(rows.people) * _SECONDS_PER_ROW
        if is_too_long(seconds, knowledge.is_thorough):
            said = f"Not computed: which columns single people out, because {too_long(seconds)}."
            return [Finding("few columns", said, topic=TOPIC, is_checked=False)]
        return list(_said(rows, texts, minimal_uniques(rows, most)))


def shown_rows(release: Release) -> tuple[DistinctRows, list[TextArray]]:
    """The distinct labels of a release, and the text of each code; equal labels are one row."""
    names = tuple(release.labels)
    texts, columns = zip(
        *(np.unique(np.array(release.labels[name]), return_inverse=True) for name in names),
        strict=True,
    )
    codes = np.stack([column.reshape(-1) for column in columns], axis=1)
    distinct, of_group = np.unique(codes, axis=0, return_inverse=True)
    people = np.bincount(of_group.reshape(-1), weights=release.groups.sizes).astype(np.int64)
    return DistinctRows(names, distinct.astype(np.int32), people), list(texts)


class RowLabels(dict[str, str]):
    """The labels of one row, by column."""

    def __str__(self) -> str:
        return some_of([f"{name} {label}" for name, label in self.items()])


def _riskiest(
    rows: DistinctRows, texts: Sequence[TextArray], found: MinimalUniques
) -> RowLabels | None:
    """The labels of the row with the highest score."""
    if not found.sets:
        return None
    codes = rows.codes[int(np.argmax(found.scores(len(rows.people))))]
    return RowLabels((name, str(texts[i][codes[i]])) for i, name in enumerate(rows.names))


def _said(
    rows: DistinctRows, texts: Sequence[TextArray], found: MinimalUniques
) -> Iterator[Finding]:
    counts = tuple(found.n_people(size) for size in range(1, found.most + 1))
    shares = dict(zip(found.columns, found.shares().tolist(), strict=True))
    told = FewColumns(rows.n_people, counts, shares)
    sizes = [f"{n:,} on {size} or fewer" for size, n in enumerate(counts, 1) if size > 1]
    alone = f"{people_text(counts[0], rows.n_people)} on one column"
    yield Finding(
        "few columns",
        f"By their labels, people are unique on few columns: {listed([alone, *sizes])}.",
        number=counts[-1],
        witness=_riskiest(rows, texts, found),
        topic=TOPIC,
        measures={"few_columns": told},
    )
    if not any(shares.values()):
        return  # nobody is unique on so few columns, or there is one person, unique on none
    most = sorted(shares, key=lambda name: -shares[name])[:3]
    columns = listed([f"{name} ({percent(shares[name])})" for name in most])
    yield Finding(
        "few columns",
        f"These columns contribute most, so try to coarsen them first: {columns}. The percentages "
        f"are SUDA's: how much of the weight of all such sets of columns is in sets with this "
        f"one, where smaller sets weigh more.",
        number=shares[most[0]],
        topic=TOPIC,
    )
