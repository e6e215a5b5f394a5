"""The space of alternatives: other methods and numbers for one table, by risk and loss.

Every alternative satisfies the rules that it states, and can be published by changing the
project file as `changes` says.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from gyges.criteria.base import Risk, bind_all, listed
from gyges.data.table import Table
from gyges.errors import GygesError
from gyges.exact import counted, percent
from gyges.release.group_forms import GROUP_FORMS, Form, GroupForm
from gyges.release.groups_of_cells import everybody
from gyges.search.lattice_check import Checker
from gyges.search.lattice_chosen import safe_groups
from gyges.search.lattice_nodes import Lattice
from gyges.search.methods import METHODS, method_of_groups
from gyges.search.rules_of_table import rules_of_table
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
_MOST_COMPARED = 10**9  # people with cells, by a method that takes the nearest people each time
_COMPARING = ("microaggregation",)
_SECONDS_FOR_NODES = 1.0
_RULE_OF_SIZES = "k-anonymity"

FACTS = (0, 1, 2)  # that the attackers of `risks_of` know
ROW = "row"  # picks someone's row

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
    is_exact: bool = False  # rows show quasi-identifiers unchanged

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
    own = publish.get("method", "partition")
    for name, method in METHODS.items():
        if method.has_groups and name != own and not takes_long(name, table):
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


def takes_long(name: str, table: Table) -> bool:
    """Whether a method takes too long on a table of this size to be tried unasked."""
    n_cells = len(table.cells)
    if name in _COMPARING and n_cells * table.n_people > _MOST_COMPARED:
        return True
    return n_cells > (_MOST_CELLS_OF_SLOW if name in _SLOW else _MOST_CELLS)


def not_tried(table: Table, own: str) -> list[str]:
    """What was left out because it takes too long, in sentences."""
    skipped = [
        name
        for name, method in METHODS.items()
        if method.has_groups and name != own and takes_long(name, table)
    ]
    if not skipped:
        return []
    nodes = " and nodes of the lattice" if len(table.cells) > _MOST_CELLS else ""
    return [
        f"Not tried, because they would take long on {counted(len(table.cells), 'combination')} of "
        f"quasi-identifiers and {counted(table.n_people, 'person')}: {', '.join(skipped)}{nodes}. "
        f"The page Publish can still use them."
    ]


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
    is_exact = form_of(stated).is_exact
    return replace(_placed(found, title, kind, changes, is_exact), is_exact=is_exact)


def form_of(publish: Mapping[str, Any]) -> GroupForm:
    """The form of groups that a [publish] section stands for."""
    method = method_of_groups(str(publish.get("method") or "partition"))
    own: Form = "generalized" if method is None else method.form
    return GROUP_FORMS[publish.get("form") or own]


def _placed(
    trial: TrialRelease,
    title: str,
    kind: str,
    changes: Mapping[str, Any],
    is_exact: bool = False,
) -> Alternative:
    certain = trial.certainty(1)
    risk = _of_row(trial, is_exact) if certain is None else certain.risk
    return Alternative(title, kind, changes, trial, risk, is_current=kind == "current")


def _of_row(trial: TrialRelease, is_exact: bool) -> Fraction:
    """The chance to pick the row of someone among the fewest who look alike."""
    alike = trial.people_alike_unchanged if is_exact else trial.groups.sizes
    return Fraction(1, int(alike.min()) if len(alike) else 1)


def _nodes(
    table: Table, require: Sequence[Mapping[str, Any]], publish: Mapping[str, Any]
) -> list[Alternative]:
    """Safe nodes of the lattice, from fine to coarse, as many as the time allows."""
    if len(table.cells) > _MOST_CELLS or not table.cells.domains:
        return []
    cells = table.searched_cells
    lattice = Lattice.of(cells)
    rules = rules_of_table(table, listed([make_rule(one) for one in require]))
    bound = bind_all(rules, everybody(cells))
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
        named, own = lattice.named(levels), partition.of_table(table)
        trial = judged_trial("lattice", {"levels": named}, own, bound, cells)
        if isinstance(trial, TrialRelease):
            title = ", ".join(f"{name} at level {at}" for name, at in named.items() if at)
            changes = {"publish": {**kept, "method": "lattice", "levels": named}}
            found.append(_placed(trial, title or "unchanged", "node", changes))
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


def risks_of(one: Alternative) -> dict[str, Risk]:
    """How much different attackers reach, by the name of the measure; every one is exact."""
    trial = one.trial
    risks: dict[str, Risk] = {}
    for facts in FACTS:
        certain = trial.certainty(facts)
        if certain is not None:
            risks[str(facts)] = certain.risk
    return {**risks, ROW: _of_row(trial, one.is_exact)}


def undominated(points: Sequence[tuple[Risk, float]]) -> list[bool]:
    """Which (risk, loss) no other point beats in both."""
    return [
        not any(
            other <= risk and less <= loss and (other < risk or less < loss)
            for other, less in points
        )
        for risk, loss in points
    ]


def _marked(found: Sequence[Alternative]) -> list[Alternative]:
    """The alternatives, with those marked that no other beats in both risk and loss."""
    is_best = undominated([(one.risk, one.loss) for one in found])
    return [replace(one, is_undominated=best) for one, best in zip(found, is_best, strict=True)]
