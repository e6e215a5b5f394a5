"""The space of alternatives: other methods and numbers for one table, by risk and loss.

Every alternative satisfies the rules that it states, and can be published by changing the
project file as `changes` says.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from gyges.criteria.base import Risk, bind_all, listed
from gyges.data.table import Table
from gyges.errors import GygesError
from gyges.exact import percent
from gyges.release.groups_of_cells import everybody
from gyges.search.lattice_check import Checker
from gyges.search.lattice_chosen import safe_groups
from gyges.search.lattice_nodes import Lattice
from gyges.search.methods import METHODS, method_of_groups
from gyges.workflow.project_rules import make_rule
from gyges.workflow.trial_release import (
    NothingSafe,
    TrialRelease,
    judged_trial,
    try_rules,
)

SIZES = (2, 3, 5, 8, 12, 20, 50, 100)
MOST_NODES = 24
_MOST_CELLS = 100_000  # of a table on which slow methods are tried
_MOST_CELLS_OF_SLOW = 20_000
_SLOW = ("microaggregation", "suppression", "buckets")
_SECONDS_FOR_NODES = 1.0
_RULE_OF_SIZES = "k-anonymity"

Tell = Callable[[str, float, float], None]


@dataclass(frozen=True, eq=False, repr=False)
class Alternative:
    """A trial with its place in the picture: how certain an attacker gets, and what is lost."""

    title: str
    kind: str  # "method", "size" or "node"
    changes: Mapping[str, Any]  # of the project's sections
    trial: TrialRelease
    risk: Risk
    is_current: bool = False
    is_undominated: bool = False

    @property
    def loss(self) -> float:
        """What its labels lose."""
        return self.trial.loss


def alternatives(
    table: Table, publish: Mapping[str, Any], require: Sequence[Mapping[str, Any]], tell: Tell
) -> list[Alternative]:
    """Try every method, several least group sizes, and nodes of the lattice.

    `publish` and `require` are these sections of the project. What takes too long for a table of
    this size is not tried.
    """
    found: list[Alternative] = []
    plans = [*_plans(table, publish, require)]
    for done, (title, kind, changes) in enumerate(plans):
        tell(f"trying {title}", done, len(plans) + 2)
        made = _tried(table, title, kind, changes, publish, require)
        if made is not None:
            found.append(made)
    tell("trying nodes of the lattice", len(plans), len(plans) + 2)
    found += _nodes(table, require, publish)
    return _marked(found)


def _plans(
    table: Table, publish: Mapping[str, Any], require: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """A title, the kind, and the sections that change."""
    yield "your project", "current", {}
    kept = {key: publish[key] for key in ("out", "format", "seed") if key in publish}
    n_cells, own = len(table.cells), publish.get("method", "partition")
    for name, method in METHODS.items():
        most = _MOST_CELLS_OF_SLOW if name in _SLOW else _MOST_CELLS
        if method.has_groups and n_cells <= most and name != own:
            yield f"method {name}", "method", {"publish": {**kept, "method": name}}
    chosen = method_of_groups(own)
    if chosen is not None and chosen.has_levels:
        for share in ("0.01", "0.05"):
            options = {**kept, "method": own, "suppression": share}
            title = f"{own}, up to {percent(Fraction(share))} suppressed"
            yield title, "method", {"publish": options}
    for size in SIZES:
        if size <= table.n_people and not _has_size(require, size):
            yield f"groups of at least {size}", "size", {"require": _with_size(require, size)}


def _has_size(require: Sequence[Mapping[str, Any]], size: int) -> bool:
    return any(one.get("rule") == _RULE_OF_SIZES and one.get("k") == size for one in require)


def _with_size(require: Sequence[Mapping[str, Any]], size: int) -> list[dict[str, Any]]:
    """The rules with another least group size."""
    others = [dict(one) for one in require if one.get("rule") != _RULE_OF_SIZES]
    return [{"rule": _RULE_OF_SIZES, "k": size}, *others]


def _tried(
    table: Table,
    title: str,
    kind: str,
    changes: Mapping[str, Any],
    publish: Mapping[str, Any],
    require: Sequence[Mapping[str, Any]],
) -> Alternative | None:
    """A trial, or None if the method does not suit the table or its rules."""
    stated = {**changes.get("publish", publish)}
    method = str(stated.get("method", "partition"))
    known = METHODS[method].options
    options = {key: one for key, one in stated.items() if key in known and key != "effort"}
    rules = [make_rule(one) for one in changes.get("require", require)]
    try:
        found = try_rules(table, rules, method=method, options=options)
    except GygesError:
        return None
    if isinstance(found, NothingSafe):
        return None
    return _placed(found, title, kind, changes)


def _placed(
    trial: TrialRelease, title: str, kind: str, changes: Mapping[str, Any]
) -> Alternative | None:
    certain = trial.certainty(1)
    if certain is None:  # without sensitive values: the chance to pick someone's row
        risk: Risk = Fraction(1, max(int(trial.groups.sizes.min()), 1))
    else:
        risk = certain.risk
    return Alternative(title, kind, changes, trial, risk, is_current=kind == "current")


def _nodes(
    table: Table, require: Sequence[Mapping[str, Any]], publish: Mapping[str, Any]
) -> list[Alternative]:
    """Safe nodes of the lattice, from fine to coarse, as many as the time allows."""
    if len(table.cells) > _MOST_CELLS or not table.cells.domains:
        return []
    lattice = Lattice.of(table.cells)
    bound = bind_all(listed([make_rule(one) for one in require]), everybody(table.cells))
    kept = {key: publish[key] for key in ("out", "format", "seed") if key in publish}
    checker = Checker(lattice, bound)
    found: list[Alternative] = []
    until = time.monotonic() + _SECONDS_FOR_NODES
    for levels in _by_height(lattice.top):
        if time.monotonic() > until or len(found) == MOST_NODES:
            break
        partition = safe_groups(checker, levels)
        if partition is None:
            continue
        named = lattice.named(levels)
        trial = judged_trial("lattice", {"levels": named}, partition, bound, table.cells)
        if isinstance(trial, TrialRelease):
            title = ", ".join(f"{name} at level {at}" for name, at in named.items() if at)
            changes = {"publish": {**kept, "method": "lattice", "levels": named}}
            placed = _placed(trial, title or "unchanged", "node", changes)
            found += [] if placed is None else [placed]
    return found


def _by_height(top: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every node, those with fewer steps up first."""
    for height in range(sum(top) + 1):
        yield from _of_height(top, height)


def _of_height(top: Sequence[int], height: int) -> Iterator[tuple[int, ...]]:
    if not top:
        if not height:
            yield ()
        return
    for level in range(min(top[0], height) + 1):
        for rest in _of_height(top[1:], height - level):
            yield (level, *rest)


def _marked(found: Sequence[Alternative]) -> list[Alternative]:
    """The alternatives, with those marked that no other beats in both risk and loss."""
    marked = []
    for one in found:
        is_beaten = any(
            other.risk <= one.risk
            and other.loss <= one.loss
            and (other.risk < one.risk or other.loss < one.loss)
            for other in found
        )
        marked.append(
            Alternative(
                one.title, one.kind, one.changes, one.trial, one.risk, one.is_current, not is_beaten
            )
        )
    return marked
