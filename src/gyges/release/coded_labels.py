"""The labels of groups in one column as codes: each text once, and where each group's is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from gyges.arrays import CodeArray, IntArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CodedLabels(Sequence[str]):
    """Group g shows `texts[place[g]]`; the texts are sorted, each is there once and is shown.

    >>> found = CodedLabels.of(["b", "a", "b"], np.array([0, 1, 2]))
    >>> found.texts, found.listed()
    (['a', 'b'], ['b', 'a', 'b'])
    """

    texts: list[str]
    place: IntArray | CodeArray  # groups

    @classmethod
    def of(cls, texts: Sequence[str], place: IntArray | CodeArray) -> CodedLabels:
        """Sort texts in any order, of which some may be equal or shown by no group."""
        is_shown = np.zeros(len(texts), dtype=bool)
        is_shown[place] = True
        ordered = sorted({text for text, shown in zip(texts, is_shown, strict=True) if shown})
        rank = {text: code for code, text in enumerate(ordered)}
        code = np.array([rank.get(text, 0) for text in texts], dtype=np.int32)
        return cls(ordered, code[place])

    @classmethod
    def of_listed(cls, labels: Sequence[str]) -> CodedLabels:
        """The label of each group, listed."""
        return cls.of(labels, np.arange(len(labels)))

    def take(self, groups: IntArray) -> CodedLabels:
        """All groups in another order."""
        return CodedLabels(self.texts, self.place[groups])

    def listed(self) -> list[str]:
        """The label of each group."""
        labels: list[str] = np.array(self.texts, dtype=object)[self.place].tolist()
        return labels

    def __len__(self) -> int:
        return len(self.place)

    @overload
    def __getitem__(self, group: int) -> str: ...
    @overload
    def __getitem__(self, group: slice) -> list[str]: ...
    def __getitem__(self, group: int | slice) -> str | list[str]:
        return self.listed()[group] if isinstance(group, slice) else self.texts[self.place[group]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.listed())
