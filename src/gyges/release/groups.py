"""Groups of people: how many are in each, and how often each sensitive value occurs in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, get_args

import numpy as np

from gyges.arguments import choice, codes, instance, items
from gyges.arrays import BoolArray, CodeArray, IntArray, frozen
from gyges.data.cells import summed_keys
from gyges.data.schema import ValuesPerPerson
from gyges.data.values import Value, check_value, sort_key
from gyges.errors import GroupsError, RuleError
from gyges.exact import counted, whole
from gyges.notebook import NotebookCard, Part, Rows
from gyges.ragged import Ragged

_SHOWN = 10  # groups in a notebook
_Parts: TypeAlias = tuple[
    IntArray, IntArray, CodeArray, IntArray, list[Value], ValuesPerPerson, list[list[str]] | None
]
FROM_0 = {"counted_from_0": True}  # metadata of a field that holds a group: texts count from 1


@dataclass(frozen=True, eq=False, repr=False)
class Groups(NotebookCard):
    """People in groups; a release does not say who in a group has which sensitive value.

    Group g has `sizes[g]` people and the values `value_codes[starts[g]:starts[g+1]]` (codes into
    `values`, ascending), each `value_counts[...] > 0` times. Sparse inside: 915 diagnoses in
    70,000 groups stay small. `counts` is the dense view.

    Made by `Groups.from_lists`, by a release or by a search. The constructor and `from_entries`
    serve these and check nothing.
    """

    sizes: IntArray  # groups
    starts: IntArray  # groups + 1
    value_codes: CodeArray  # entries
    value_counts: IntArray  # entries
    values: list[Value]
    values_per_person: ValuesPerPerson = "one"
    members: list[list[str]] | None = None

    def __post_init__(self) -> None:
        frozen(self.sizes, self.starts, self.value_codes, self.value_counts)

    def __len__(self) -> int:
        return len(self.sizes)

    def __repr__(self) -> str:
        return f"<Groups: {self._card_title()}>"

    def _card_title(self) -> str:
        return f"{counted(int(self.sizes.sum()), 'person')} in {counted(len(self), 'group')}"

    def _card_parts(self) -> list[Part]:
        rows = []
        for group, size in enumerate(self.sizes[:_SHOWN].tolist()):
            held = self.value_counts_in(group).items()
            rows.append((group + 1, size, ", ".join(f"{self.values[c]} {n}" for c, n in held)))
        return [Rows(rows, ("group", "people", "values"))]

    @classmethod
    def from_lists(
        cls,
        values: Sequence[Sequence[Value]],
        members: Sequence[Sequence[str]] | None = None,
        people: Sequence[int] | None = None,
        values_per_person: ValuesPerPerson = "one",
    ) -> Groups:
        """Make groups from the list of sensitive values found in each.

        >>> groups = Groups.from_lists([["Flu", "Flu", "Mumps"], ["Flu", "Gout"]])
        >>> groups.sizes, groups.values
        (array([3, 2]), ['Flu', 'Gout', 'Mumps'])
        >>> groups.counts
        array([[2, 0, 1],
               [1, 1, 0]])
        """
        listed = _listed_values(values)
        choice(values_per_person, get_args(ValuesPerPerson), "values_per_person", GroupsError)
        named = None if members is None else _listed_names(members)
        counted = None if people is None else _listed_sizes(people)
        sizes = _sizes(listed, named, counted, values_per_person)
        _refuse_impossible(listed, sizes, values_per_person)
        if named is not None:
            _refuse_repeated(named)
        domain = sorted({value for group in listed for value in group}, key=sort_key)
        code = {value: place for place, value in enumerate(domain)}
        histograms = [sorted(Counter(code[value] for value in g).items()) for g in listed]
        entries = [entry for histogram in histograms for entry in histogram]
        return cls.from_entries(
            sizes=np.array(sizes, dtype=np.int64),
            group_of_entry=np.repeat(np.arange(len(listed)), [len(h) for h in histograms]),
            value_codes=np.array([c for c, _ in entries], dtype=np.int32),
            value_counts=np.array([n for _, n in entries], dtype=np.int64),
            values=domain,
            values_per_person=values_per_person,
            members=named,
        )

    @classmethod
    def from_entries(
        cls,
        *,
        sizes: IntArray,
        group_of_entry: IntArray,
        value_codes: CodeArray,
        value_counts: IntArray,
        values: list[Value],
        values_per_person: ValuesPerPerson = "one",
        members: list[list[str]] | None = None,
    ) -> Groups:
        """Add up (group, value, count) entries, given in any order and possibly repeated."""
        starts, value_codes, value_counts = added_up(
            len(sizes), group_of_entry, value_codes, value_counts, len(values)
        )
        return Groups(sizes, starts, value_codes, value_counts, values, values_per_person, members)

    def recoded(self, new_codes: Sequence[int], values: list[Value]) -> Groups:
        """The same groups with other values, given the new code of each value they have now.

        Values that become one are added up.
        """
        code = np.array(new_codes, dtype=np.int32)
        return Groups.from_entries(
            sizes=self.sizes,
            group_of_entry=self.group_of_entry,
            value_codes=code[self.value_codes],
            value_counts=self.value_counts,
            values=values,
            values_per_person=self.values_per_person,
            members=self.members,
        )

    def take(self, chosen: IntArray | Sequence[int]) -> Groups:
        """Some of the groups, in the given order."""
        return Groups(*self._taken(codes(chosen, "chosen", None, 0, len(self) - 1)))

    def _taken(self, chosen: IntArray) -> _Parts:
        """What the constructor takes for some of the groups."""
        entries = Ragged.ranges(self.starts[chosen], self.starts[chosen + 1])
        return (
            self.sizes[chosen],
            entries.starts,
            self.value_codes[entries.values],
            self.value_counts[entries.values],
            self.values,
            self.values_per_person,
            None if self.members is None else [self.members[g] for g in chosen],
        )

    def value_counts_in(self, group: int) -> dict[int, int]:
        """How often each value occurs in one group, by the value's code, ascending."""
        entries = slice(self.starts[group], self.starts[group + 1])
        codes, counts = self.value_codes[entries], self.value_counts[entries]
        return dict(zip(codes.tolist(), counts.tolist(), strict=True))

    @cached_property
    def counts(self) -> IntArray:
        """How often each value occurs in each group: a dense array, groups × values."""
        dense = np.zeros((len(self), len(self.values)), dtype=np.int64)
        dense[self.group_of_entry, self.value_codes] = self.value_counts
        frozen(dense)
        return dense

    @cached_property
    def value_totals(self) -> IntArray:
        """How often each value occurs in all groups together."""
        totals = np.bincount(self.value_codes, self.value_counts, minlength=len(self.values))
        return np.asarray(totals, dtype=np.int64)

    @cached_property
    def group_of_entry(self) -> IntArray:
        """The group that each entry of `value_codes` and `value_counts` belongs to."""
        return Ragged(self.value_codes, self.starts).segment_of_value

    @cached_property
    def n_occurrences(self) -> IntArray:
        """How many values each group has, with repetition; its size where everyone has one."""
        return Ragged(self.value_counts, self.starts).sums()

    @cached_property
    def n_distinct(self) -> IntArray:
        """How many different values each group has."""
        return Ragged(self.value_codes, self.starts).lengths

    @cached_property
    def descending(self) -> IntArray:
        """The entries' counts, sorted within each group from the most frequent down."""
        order = np.lexsort((-self.value_counts, self.group_of_entry))
        return self.value_counts[order]

    @cached_property
    def most_frequent(self) -> IntArray:
        """The count of each group's most frequent value; 0 in a group without values."""
        return Ragged(self.value_counts, self.starts).maxima()

    @cached_property
    def reveals_a_value(self) -> BoolArray:
        """In which groups every person has some value for certain, whatever their names.

        That is, a value that all of them have; where a person may have a value several times,
        only a person alone in a group has one for certain.
        """
        if self.values_per_person == "multiset":
            return np.asarray((self.sizes == 1) & (self.n_distinct > 0))
        return np.asarray(self.most_frequent == self.sizes)

    @cached_property
    def group_of_person(self) -> dict[str, int]:
        """The group of each person who has a name."""
        return {name: g for g, group in enumerate(self.members or []) for name in group}

    def names(self) -> list[list[str]]:
        """The people of each group; `1.1`, `1.2`, … (group.person) where they have no names."""
        if self.members is not None:
            return self.members
        return [
            [f"{g}.{person}" for person in range(1, size + 1)]
            for g, size in enumerate(self.sizes, start=1)
        ]


def added_up(
    n_groups: int,
    group_of_entry: IntArray,
    value_codes: CodeArray,
    value_counts: IntArray,
    n_values: int,
) -> tuple[IntArray, CodeArray, IntArray]:
    """Where each group's entries start, their values and counts: sorted, each value once."""
    n_values = max(n_values, 1)
    keys = group_of_entry * n_values + value_codes
    keys, value_counts = summed_keys(keys, value_counts, n_groups * n_values)
    bounds = np.arange(n_groups + 1, dtype=np.int64) * n_values
    return (
        np.searchsorted(keys, bounds).astype(np.int64),
        (keys % n_values).astype(np.int32),
        np.asarray(value_counts, dtype=np.int64),
    )


def check_groups(groups: object, name: str = "groups") -> Groups:
    """Refuse anything but groups."""
    how = "make them with gy.Groups.from_lists, or take those of a release (release.groups)"
    return instance(groups, Groups, name, how, GroupsError)


def _listed_values(values: object) -> list[list[Value]]:
    listed = []
    for number, group in enumerate(items(values, "values", "lists, one a group", GroupsError), 1):
        name = f"values: group {number}"
        held = items(group, name, "sensitive values", GroupsError)
        if any(value is None for value in held):
            raise GroupsError(f"group {number} has a missing value: remove it or name it")
        listed.append([check_value(value, f"{name}: a value", GroupsError) for value in held])
    return listed


def _listed_names(members: object) -> list[list[str]]:
    named = []
    for number, group in enumerate(items(members, "members", "lists, one a group", GroupsError), 1):
        name = f"members: group {number}"
        held = items(group, name, "names", GroupsError)
        named.append([str(check_value(one, f"{name}: a name", GroupsError)) for one in held])
    return named


def _listed_sizes(people: object) -> list[int]:
    counted = items(people, "people", "numbers, one a group", GroupsError)
    try:
        return [whole(n, f"people: group {number}", 0) for number, n in enumerate(counted, 1)]
    except RuleError as problem:
        raise GroupsError(str(problem)) from None


def _sizes(
    values: list[list[Value]],
    members: list[list[str]] | None,
    people: list[int] | None,
    values_per_person: ValuesPerPerson,
) -> list[int]:
    for name, given in (("members", members), ("people", people)):
        if given is not None and len(given) != len(values):
            raise GroupsError(f"{name} has {len(given)} groups, values has {len(values)}")
    if members is not None:
        sizes = [len(group) for group in members]
        if people is not None and sizes != people:
            raise GroupsError("members and people disagree on how many people each group has")
        return sizes
    if people is not None:
        return people
    if values_per_person != "one":
        raise GroupsError(
            "with several values per person, give `people` (how many are in each group) "
            "or `members`"
        )
    return [len(group) for group in values]


def _refuse_impossible(
    values: list[list[Value]], sizes: list[int], values_per_person: ValuesPerPerson
) -> None:
    for number, (group, size) in enumerate(zip(values, sizes, strict=True), start=1):
        if size == 0:
            raise GroupsError(f"group {number} has no people: remove it")
        if values_per_person == "one" and len(group) != size:
            raise GroupsError(
                f"group {number} has {size} people and {len(group)} values: with one value per "
                f"person the two must be equal (or give values_per_person='set' or 'multiset')"
            )
        if values_per_person == "set" and group and max(Counter(group).values()) > size:
            raise GroupsError(
                f"group {number} has {size} people and a value that occurs more often, and in a "
                f"set no one has a value twice: give values_per_person='multiset'"
            )


def _refuse_repeated(members: Iterable[Iterable[str]]) -> None:
    seen = Counter(name for group in members for name in group)
    repeated = [name for name, times in seen.items() if times > 1]
    if repeated:
        raise GroupsError(
            f"{len(repeated)} of the members are named more than once: each person is in one group"
        )
