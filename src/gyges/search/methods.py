"""The methods of `gy.publish`, one line each.

A method that finds groups is a function `search(cells, rules, *, …)`. Its keyword-only parameters
are its options; `rng`, if it has one, is the random generator. To add a method, write a file with
its search and add one line to METHODS.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, ClassVar, TypeAlias

import numpy as np

from gyges.criteria.base import BoundRule
from gyges.data.cells import Cells
from gyges.release.partition_of_cells import Partition
from gyges.release.published import Published
from gyges.release.statements import Form
from gyges.search import buckets, lattice, microaggregation, partition, suppression
from gyges.search.method_options import options_of, takes_chance
from gyges.search.without_groups import (
    publish_views,
    publish_with_noise,
    search_noise,
    search_views,
    watch_views,
)

# A step as a surface shows it: a text, how much is done, and of how much.
Step: TypeAlias = Callable[[str, float, float], None]
# Makes the search's option `progress` from a function that shows steps.
Watch: TypeAlias = Callable[[Step], Callable[..., None]]


@dataclass(frozen=True, slots=True)
class Method:
    """A search for groups, and the form in which they are published by default."""

    has_groups: ClassVar[bool] = True
    needs_rules: ClassVar[bool] = True
    search: Callable[..., Any]
    form: Form = "generalized"
    # The groups, where the search returns more than these.
    partition_of: Callable[[Any], Partition] = lambda found: found
    watch: Watch | None = None

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

    @property
    def options(self) -> list[str]:
        """The names of its options."""
        return options_of(self.search())


METHODS: dict[str, Method | WithoutGroups] = {
    "partition": Method(partition.search, watch=partition.watch),
    "lattice": Method(lattice.search, partition_of=attrgetter("partition"), watch=lattice.watch),
    "suppression": Method(suppression.search),
    "buckets": Method(buckets.search, "bucketized"),
    "microaggregation": Method(microaggregation.search, "microaggregated"),
    "marginals": WithoutGroups(publish_views, search_views, watch=watch_views),
    "dp": WithoutGroups(publish_with_noise, search_noise, needs_rules=False),
}
