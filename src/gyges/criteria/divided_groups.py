"""Groups as a rule about part of the values sees them: divided, with other values.

Each group is divided by what the attacker knows, and in each part values are replaced: by the value
of one column, by the class of similar values, and each harmless one by a value of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gyges.arrays import BoolArray, IntArray
from gyges.data.joint_values import part_of
from gyges.data.values import Value, sort_key, text_of
from gyges.ragged import Ragged
from gyges.release.groups import Groups


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """How the values of a table are divided and replaced, by their codes."""

    values: list[Value]  # that are left
    new_code: IntArray  # of each value of the table; -1 if it is harmless
    known: IntArray  # what the attacker knows of someone who has the value, as a number
    is_harmless: BoolArray

    @classmethod
    def of(
        cls,
        values: Sequence[Value],
        *,
        column: str | None = None,
        knowing: Sequence[str] = (),
        class_of: Mapping[str, str] | None = None,
        harmless: Sequence[str] = (),
    ) -> Division:
        """The division of these values; similar and harmless ones are given by their texts."""
        own = list(values) if column is None else [part_of(value, column) for value in values]
        spared, classes = set(harmless), class_of or {}
        is_harmless = np.array([text_of(value) in spared for value in own], dtype=bool)
        named = {text_of(value): value for value in own}  # a class may be named like a value
        seen = [named.get(name := classes.get(text_of(v), ""), name or v) for v in own]
        kept = {value for value, skip in zip(seen, is_harmless, strict=True) if not skip}
        left = sorted(kept, key=sort_key)
        code = {value: place for place, value in enumerate(left)}
        facts = [tuple(part_of(value, name) for name in knowing) for value in values]
        number = {fact: place for place, fact in enumerate(dict.fromkeys(facts))}
        return cls(
            values=left,
            new_code=np.array([code.get(v, -1) for v in seen], dtype=np.int64),
            known=np.array([number[fact] for fact in facts], dtype=np.int64),
            is_harmless=is_harmless,
        )

    def parts(self, groups: Groups) -> tuple[Groups, IntArray]:
        """The parts of all groups, and where those of each group start."""
        part, n_parts, first = self._divided(groups)
        counts, spared = groups.value_counts, self.is_harmless[groups.value_codes]
        sizes = np.bincount(part, weights=counts, minlength=n_parts).astype(np.int64)
        alone = np.bincount(part[spared], weights=counts[spared], minlength=n_parts)
        fresh = Ragged.ranges(np.zeros(n_parts, dtype=np.int64), alone.astype(np.int64))
        codes = self.new_code[groups.value_codes[~spared]]
        divided = Groups.from_entries(
            sizes=sizes,
            group_of_entry=np.concatenate([part[~spared], fresh.segment_of_value]),
            value_codes=np.concatenate([codes, len(self.values) + fresh.values]).astype(np.int32),
            value_counts=np.concatenate([counts[~spared], np.ones_like(fresh.values)]),
            values=self._with_fresh(int(alone.max(initial=0))),
        )
        return divided, first

    def _divided(self, groups: Groups) -> tuple[IntArray, int, IntArray]:
        """The part of each entry, the number of parts, and where those of each group start."""
        width = int(self.known.max(initial=0)) + 1
        if width == 1:
            return groups.group_of_entry, len(groups), np.arange(len(groups) + 1)
        key = groups.group_of_entry * width + self.known[groups.value_codes]
        distinct, part = np.unique(key, return_inverse=True)
        first = np.searchsorted(distinct, np.arange(len(groups) + 1) * width)
        return np.asarray(part).ravel(), len(distinct), first.astype(np.int64)

    def _with_fresh(self, n: int) -> list[Value]:
        """The values, and one of their own for up to n people with harmless ones."""
        return self.values if not n else [*self.values, *(f"harmless {i + 1}" for i in range(n))]
