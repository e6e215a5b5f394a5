"""The methods of `gy.publish`, one line each.

A method that finds groups is a function `search(cells, rules, *, …)`. Its keyword-only parameters
are its options; `rng`, if it has one, is the random generator. To add a method, write a file with
its search and add one line to METHODS. A method's file is loaded when the method is used: all of
them would take 0.2 s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from gyges.later import Later
from gyges.release.group_forms import Form
from gyges.search.method_options import options_of, takes_chance
from gyges.search.without_groups import (
    publish_views,
    publish_with_noise,
    search_noise,
    search_views,
    watch_views,
)

if TYPE_CHECKING:
    import numpy as np

    from gyges.criteria.base import BoundRule
    from gyges.data.cells import Cells
    from gyges.release.partition_of_cells import Partition
    from gyges.release.published import Published

# A step as a surface shows it: a text, how much is done, and of how much.
Step: TypeAlias = Callable[[str, float, float], object]
# Makes the search's option `progress` from a function that shows steps.
Watch: TypeAlias = Callable[[Step], Callable[..., object]]


@dataclass(frozen=True, slots=True)
class Method:
    """A search for groups, and the form in which they are published by default."""

    has_groups: ClassVar[bool] = True
    needs_rules: ClassVar[bool] = True
    spends_budget: ClassVar[bool] = False
    search: Callable[..., Any]
    form: Form = "generalized"
    # The groups, where the search returns more than these.
    partition_of: Callable[[Any], Partition] = lambda found: found
    watch: Watch | None = None
    ends_early: bool = False  # where the function that shows steps returns True
    # What is known of its groups, for those who audit them.
    cuts_finely: bool = False  # cut by cut as far as the rules allow, with the narrowest labels
    has_levels: bool = False  # in each column, all labels are of one level of its hierarchy
    hides_cells: bool = False  # a label is the value that all have, or `*`
    deals_people: bool = False  # into groups at random, whatever their quasi-identifiers
    works_in_parts: bool = False  # also where the cells do not fit into memory

    @property
    def options(self) -> list[str]:
        """The names of the search's options."""
        return options_of(self.search)

    def find(
        self,
        cells: Cells,
        rules: list[BoundRule[Any]],
        options: Mapping[str, Any],
        rng: np.random.Generator,
    ) -> Partition:
        """The groups that the search finds."""
        chance = {"rng": rng} if takes_chance(self.search) else {}
        return self.partition_of(self.search(cells, rules, **chance, **options))


@dataclass(frozen=True, slots=True)
class WithoutGroups:
    """A method that publishes something other than groups."""

    has_groups: ClassVar[bool] = False
    publish: Callable[..., Published]  # (table, rules, options, rng)
    search: Callable[[], Callable[..., object]]  # loads the function that takes the options
    needs_rules: bool = True
    watch: Watch | None = None
    ends_early: ClassVar[bool] = False
    spends_budget: bool = False  # of epsilon; its options have a section of the project file

    @property
    def options(self) -> list[str]:
        """The names of its options."""
        return options_of(self.search())


def method_of_groups(name: str) -> Method | None:
    """The method of this name that finds groups; None for one of other software."""
    found = METHODS.get(name)
    return found if isinstance(found, Method) else None


METHODS: dict[str, Method | WithoutGroups] = {
    "partition": Method(
        Later("gyges.search.partition", "search"),
        watch=Later("gyges.search.partition", "watch"),
        ends_early=True,
        cuts_finely=True,
        works_in_parts=True,
    ),
    "lattice": Method(
        Later("gyges.search.lattice", "search"),
        partition_of=attrgetter("partition"),
        watch=Later("gyges.search.lattice", "watch"),
        has_levels=True,
    ),
    "suppression": Method(Later("gyges.search.suppression", "search"), hides_cells=True),
    "buckets": Method(Later("gyges.search.buckets", "search"), "bucketized", deals_people=True),
    "microaggregation": Method(Later("gyges.search.microaggregation", "search"), "microaggregated"),
    "marginals": WithoutGroups(publish_views, search_views, watch=watch_views),
    "dp": WithoutGroups(publish_with_noise, search_noise, needs_rules=False, spends_budget=True),
}
