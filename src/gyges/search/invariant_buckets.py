"""Buckets for a table that was published before: everyone keeps their set of values [Xiao2007].

1. Divide: people of earlier releases by the set of values that their group had (their signature).
2. Balance: where the values of a signature are not equally frequent among its people, newcomers
   with the missing values join, as far as the other newcomers can still be divided into groups of m
   different values; counterfeits stand in for the rest.
3. Deal: the groups of a signature have one member for each of its values; newcomers who are left
   are dealt as in buckets.py, and groups with fewer than m values get counterfeits.

Who of a value goes into which group is random. The result is m-invariant: every group with a
signature holds each of its values once, and its members keep it. So permuting the values of a
signature among all who have it, in all releases at once, gives another world of equal probability:
with all releases, each value of a signature S has probability 1/|S| for each of its people.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace

import numpy as np

from gyges.adversaries.other_releases import intersection_attack
from gyges.arrays import IntArray
from gyges.data.cells import Cells
from gyges.data.values import Value, text_of
from gyges.errors import NothingSafeError
from gyges.exact import counted
from gyges.release.followed_people import FollowedPeople, FollowedRows
from gyges.release.groups import Groups
from gyges.release.partition_of_cells import Partition, Pieces

_MOST_ATTACKED = 300_000  # people and counterfeits of all releases together


@dataclass(slots=True)
class _Dealt:
    """Groups under way: rows, and counterfeits as texts of values."""

    group: IntArray  # rows
    n_groups: int = 0
    forged: list[tuple[int, str]] = field(default_factory=list)


def deal_again(cells: Cells, followed: FollowedRows, rng: np.random.Generator) -> Partition:
    """Buckets in which everyone keeps the set of values of their earlier groups."""
    m, entry = followed.least_values, followed.entry
    texts = [text_of(value) for value in cells.sensitive.values]
    value = [texts[code] for code in cells.value_codes[entry].tolist()]
    _refuse_changed(followed, value)
    old: dict[frozenset[str], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    new: dict[str, list[int]] = defaultdict(list)
    for row in rng.permutation(len(value)).tolist():
        signature = followed.signatures[row]
        (new if signature is None else old[signature])[value[row]].append(row)
    known = _known_values(cells, followed)
    dealt = _Dealt(np.full(len(value), -1, dtype=np.int64))
    for signature in sorted(old, key=sorted):
        _balance(dealt, signature, old[signature], new, m, rng)
    _deal_newcomers(dealt, new, m, sorted(known), rng)
    people = FollowedPeople(
        followed.names,
        entry,
        dealt.group,
        np.array([group for group, _ in dealt.forged], dtype=np.int64),
        [known[text] for _, text in dealt.forged],
    )
    keys, counts = np.unique(entry * dealt.n_groups + dealt.group, return_counts=True)
    pieces = Pieces(keys // dealt.n_groups, keys % dealt.n_groups, counts.astype(np.int64))
    first = np.searchsorted(cells.cell_of_entry[pieces.entry], np.arange(len(cells)))
    found = Partition(cells, pieces.group[first], dealt.n_groups, pieces=pieces, followed=people)
    return replace(found, notices=_notices(found, followed))


def _refuse_changed(followed: FollowedRows, value: list[str]) -> None:
    pairs = zip(followed.signatures, value, strict=True)
    n_changed = sum(known is not None and text not in known for known, text in pairs)
    if n_changed:
        have = counted(n_changed, "person has", "people have")
        raise NothingSafeError(
            f"{have} a value that their earlier group did not have: it changed, and m-invariance "
            f"is about values that stay. Leave these people out of the table, or publish with noise"
        )


def _known_values(cells: Cells, followed: FollowedRows) -> dict[str, Value]:
    """The values of this table and of all earlier releases by their text."""
    found = {text_of(v): v for groups in followed.earlier for v in groups.values}
    return found | {text_of(v): v for v in cells.sensitive.values}


def _balance(
    dealt: _Dealt,
    signature: frozenset[str],
    held: dict[str, list[int]],
    new: dict[str, list[int]],
    m: int,
    rng: np.random.Generator,
) -> None:
    """Groups of one signature, as many as its most frequent value has people."""
    n = max(map(len, held.values()))
    lacking = [text for text in sorted(signature) for _ in range(n - len(held[text]))]
    for place in rng.permutation(len(lacking)).tolist():
        text = lacking[place]
        if _can_join(text, new, m):
            held[text].append(new[text].pop())
    for text in sorted(signature):
        places = dealt.n_groups + rng.permutation(n)
        for row, place in zip(held[text], places, strict=False):
            dealt.group[row] = place
        dealt.forged += [(int(place), text) for place in places[len(held[text]) :]]
    dealt.n_groups += n


def _can_join(text: str, new: dict[str, list[int]], m: int) -> bool:
    """Whether a newcomer with this value may join, so that the others can still be divided by m."""
    if not new.get(text):
        return False
    total, most = sum(map(len, new.values())), max(map(len, new.values()))
    if m * most > total:  # they cannot be divided as they are: fewer of the most frequent help
        return len(new[text]) == most
    others = max((len(rows) for other, rows in new.items() if other != text), default=0)
    return m * max(len(new[text]) - 1, others) <= total - 1


def _deal_newcomers(
    dealt: _Dealt,
    new: dict[str, list[int]],
    m: int,
    known: list[str],
    rng: np.random.Generator,
) -> None:
    """Deal newcomers like cards, sorted by value; counterfeits where a group has fewer than m."""
    rows = [(row, text) for text in sorted(new) for row in new[text]]
    if not rows:
        return
    most = max(map(len, new.values()))
    n = max(len(rows) // m, most)
    held: list[set[str]] = [set() for _ in range(n)]
    for place, (row, text) in enumerate(rows):
        dealt.group[row] = dealt.n_groups + place % n
        held[place % n].add(text)
    for place, has in enumerate(held):
        others = [text for text in known if text not in has]
        if len(has) + len(others) < m:
            raise NothingSafeError(
                f"there are only {len(known)} different values in all releases: no group can have "
                f"{m}"
            )
        for i in rng.permutation(len(others))[: max(m - len(has), 0)].tolist():
            dealt.forged.append((dealt.n_groups + place, others[i]))
    dealt.n_groups += n


def _notices(found: Partition, followed: FollowedRows) -> tuple[str, ...]:
    """What the attacker learns who has all releases and uses all their counts; they are run."""
    groups = found.groups
    assert found.followed is not None
    listed = _with_counterfeits(groups, found.followed)
    together = [*followed.earlier, listed]
    n_attacked = sum(int(one.sizes.sum()) for one in together)
    times = counted(len(followed.earlier), "earlier release")
    if n_attacked > _MOST_ATTACKED:
        return (
            f"Not run: the attack with this release and {times}, because they have "
            f"{counted(n_attacked, 'member')} in all.",
        )
    attack = intersection_attack(together, followed.names, joint=True)
    if attack.vulnerable.any() or attack.contradicted.any():
        raise NothingSafeError(
            "an attacker who has this release and the earlier ones would exclude values: the "
            "earlier releases are not m-invariant among themselves, or values changed"
        )
    return (
        f"An attacker who has this release and {times}, knows who is in which group and uses all "
        f"counts excludes no value of anyone's group (the attack was run).",
    )


def _with_counterfeits(groups: Groups, people: FollowedPeople) -> Groups:
    """The groups with everyone's name, and one for each counterfeit."""
    members: list[list[str]] = [[] for _ in range(len(groups))]
    for name, group in zip(people.names, people.group.tolist(), strict=True):
        members[group].append(name)
    for number, group in enumerate(people.counterfeit_group.tolist()):
        members[group].append(f"\x00counterfeit {number}")
    return Groups(
        groups.sizes, groups.starts, groups.value_codes, groups.value_counts, groups.values,
        groups.values_per_person, members,
    )  # fmt: skip
