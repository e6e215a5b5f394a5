"""Claims that only the original table can show: who is in which group, and beliefs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from gyges.arrays import IntArray
from gyges.auditing.checks import Check
from gyges.auditing.claims import judged_again, rule_of, unknown_rule, why_not
from gyges.auditing.people_source import read_people
from gyges.data.table import Table
from gyges.errors import ReleaseError
from gyges.release.certificate import public_hierarchy
from gyges.release.groups import Groups
from gyges.release.groups_of_cells import PlacedCells, groups_of_cells
from gyges.release.locating import NOWHERE, SEVERAL
from gyges.release.mapping import LabelMapping, group_of_cell
from gyges.release.release import Release
from gyges.release.statements import Claim

PEOPLE = "every group holds the people that it says"


def check_original(
    release: Release, table: Table, mapping: LabelMapping | None = None
) -> list[Check]:
    """Look the original's people up in the release, and judge what needs them.

    Labels may overlap, and then some people fit several groups. The mapping, which says who went
    where, settles it.
    """
    _refuse_other_hierarchies(release, table)
    group, why_not_known = _group_of_cell(release, table, mapping)
    if why_not_known:
        return [
            _undecided(PEOPLE, why_not_known),
            *(_check(claim, release.groups, why_not_known) for claim in release.claims),
        ]
    stated, nowhere = release.n_left_out, int(table.cells.people[group == NOWHERE].sum())
    left_out = f"{stated:,} people of the original are suppressed"
    checks = [Check(left_out, f"{stated:,}", f"{nowhere:,}", stated == nowhere)]
    present = np.unique(group[group >= 0])
    if len(present) < len(release.groups):
        lost = f"nobody of the original is in {len(release.groups) - len(present):,} groups"
        checks.append(Check(PEOPLE, "yes", lost, False))
        why = "this is not the original"
        return [*checks, *(_check(claim, release.groups, why) for claim in release.claims)]
    found = groups_of_cells(table.cells, group, len(release.groups))
    checks.append(_same_people(release.groups, found))
    return [*checks, *(_check(claim, release.groups, "", found) for claim in release.claims)]


def _check(claim: Claim, shown: Groups, why: str, found: PlacedCells | None = None) -> Check:
    """A claim, judged on the published groups or, if it needs the original, on those found there.

    `why` says why the groups of the original are not known, where they are not.
    """
    rule = rule_of(claim)
    if rule is None:
        return unknown_rule(claim)
    if rule.needs == "files":
        return judged_again(claim, rule, shown)
    if found is None or rule.needs == "earlier":
        return _undecided(str(rule), why or why_not(rule))
    if missing := rule.why_not_judged(found.cells):
        return _undecided(str(rule), missing)
    check = judged_again(claim, rule, found)
    differs = rule.agrees_with(found.cells)
    return replace(check, found=f"{check.found}; {differs}") if differs else check


def _group_of_cell(
    release: Release, table: Table, mapping: LabelMapping | None
) -> tuple[IntArray, str]:
    """The group of each cell of the original, or why it is not known."""
    if release.form == "microaggregated":
        return np.zeros(0, dtype=np.int64), "a centroid does not reveal who is in its group"
    if mapping is not None:
        return group_of_cell(mapping, table), ""
    only = release.candidates(table).only
    n_several = int(table.cells.people[only == SEVERAL].sum())
    if n_several:
        why = f"{n_several:,} people of the original fit several groups: give the --mapping"
        return only, why
    return only, ""


def read_original(release: Release, original: str | Path) -> Table:
    """Read the original by the columns of a release; its rows must be people."""
    if release.groups.values_per_person != "one":
        raise ReleaseError(
            "people have several sensitive values here, and a file alone does not say whose they "
            "are: give the original with its schema (--project gyges.toml)"
        )
    return read_people(original, release.roles.schema(with_sensitive=True))


def _refuse_other_hierarchies(release: Release, table: Table) -> None:
    """A hierarchy that is a table must be the one that was used."""
    for name, stated in release.roles.hierarchies.items():
        given = table.schema.hierarchies.get(name)
        if given is None or public_hierarchy(given.to_data()) != public_hierarchy(stated):
            raise ReleaseError(
                f"the release generalizes {name!r} by a hierarchy that its certificate does not "
                f"list: give the original with the same hierarchy (--project gyges.toml)"
            )


def _same_people(stated: Groups, found: Groups) -> Check:
    """Whether the original's people in each group are as many, with the same values."""
    differ = np.flatnonzero(stated.sizes != found.sizes)
    if not len(differ):
        differ = _differing_values(stated, found)
    what = (
        f"group {int(differ[0]) + 1} and {len(differ) - 1:,} more differ" if len(differ) else "yes"
    )
    return Check(PEOPLE, "yes", what, not len(differ))


def _differing_values(stated: Groups, found: Groups) -> IntArray:
    held = []
    for groups in (stated, found):
        texts = np.array([str(value) for value in groups.values])
        held.append(
            sorted(
                (int(g), str(texts[code]), int(n))
                for g, code, n in zip(
                    groups.group_of_entry, groups.value_codes, groups.value_counts, strict=True
                )
            )
        )
    return np.array(sorted({g for g, _, _ in set(held[0]) ^ set(held[1])}), dtype=np.int64)


def _undecided(claim: str, why: str) -> Check:
    return Check(claim, "", why, None)
