"""The groups of a release on disk: what they show, how many people, and which values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gyges.auditing.forms import load_groups
from gyges.errors import GygesError
from gyges.exact import counted
from gyges.release.release import Release

_MOST = 10  # groups without a number


@dataclass(frozen=True, slots=True)
class ShownGroup:
    """One group of a release."""

    group: int
    people: int
    labels: Mapping[str, str]
    values: Mapping[str, int]  # how often each occurs; with several per person, for how many

    def __str__(self) -> str:
        lines = [f"group {self.group}: {counted(self.people, 'person')}"]
        lines += [f"  {column} {label}" for column, label in self.labels.items()]
        lines += [f"    {n:>6,}  {value}" for value, n in self.values.items()]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class ShownGroups:
    """Some groups of a release."""

    groups: list[ShownGroup]
    n_groups: int

    def __str__(self) -> str:
        listed = "\n".join(map(str, self.groups))
        if len(self.groups) in (1, self.n_groups):
            return listed
        rest = f"the {len(self.groups)} largest of {self.n_groups:,} groups; --group shows another"
        return f"{listed}\n{rest}"


def shown_groups(directory: Path, group: int | None = None) -> ShownGroups:
    """One group of a release by its number, or the largest ones."""
    release = load_groups(directory)
    n = len(release.groups)
    if group is not None and not 1 <= group <= n:
        raise GygesError(
            f"--group is {group}: the release has {counted(n, 'group')}, from 1 to {n}"
        )
    largest = np.argsort(-release.groups.sizes, kind="stable")[:_MOST].tolist()
    chosen = largest if group is None else [group - 1]
    return ShownGroups([_shown(release, g) for g in chosen], n)


def _shown(release: Release, group: int) -> ShownGroup:
    held = release.groups.value_counts_in(group)
    most_first = sorted(held.items(), key=lambda entry: -entry[1])
    return ShownGroup(
        group + 1,
        int(release.groups.sizes[group]),
        {column: labels[group] for column, labels in release.labels.items()},
        {str(release.groups.values[code]): n for code, n in most_first},
    )
