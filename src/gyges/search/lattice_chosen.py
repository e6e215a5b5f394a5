"""One node of the lattice that a person chose by its levels, and its groups."""

from __future__ import annotations

from collections.abc import Mapping

from gyges.errors import RuleError
from gyges.exact import whole
from gyges.release.partition_of_cells import Partition
from gyges.search.lattice_check import Checker
from gyges.search.lattice_nodes import Lattice, Levels
from gyges.search.lattice_outcome import partition_of
from gyges.search.lattice_walk import Candidate


def safe_groups(checker: Checker, node: Levels) -> Partition | None:
    """The groups of a node; None if it is not safe."""
    finding = checker.examine(node)
    return partition_of(checker, Candidate(node, 0.0, finding)) if finding.is_safe else None


def read_levels(lattice: Lattice, levels: Mapping[str, int]) -> Levels:
    """A node by the level of each column; columns that are not named stay as they are."""
    columns = lattice.cells.columns
    for name in levels:
        if name not in columns:
            raise RuleError(
                f"levels names {name!r}, which is not a quasi-identifier: choose from "
                f"{', '.join(columns)}"
            )
    return tuple(
        whole(levels.get(name, 0), f"the level of {name}", most=top)
        for name, top in zip(columns, lattice.top, strict=True)
    )
