"""Claims that only the original table can confirm: who is in which group, and beliefs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gyges.arrays import IntArray
from gyges.auditing.checks import Check
from gyges.auditing.choice_check import check_choice, not_checked
from gyges.auditing.claims import judged_again, rule_of, unknown_rule, why_not
from gyges.data.column_names import some_of
from gyges.data.table import Table
from gyges.errors import ReleaseError
from gyges.exact import counted
from gyges.ragged import Ragged
from gyges.release.certificate import public_hierarchy
from gyges.release.groups import Groups
from gyges.release.groups_of_cells import PlacedCells, entries_by_text, groups_of_cells
from gyges.release.locating import NOWHERE, SEVERAL
from gyges.release.lookup import Candidates
from gyges.release.mapping import AMBIGUOUS, LabelMapping, group_in_release
from gyges.release.release import Release
from gyges.release.statements import Claim

PEOPLE = "every group holds the people and values that the original has in it"


def check_original(
    release: Release, table: Table, mapping: LabelMapping | None = None
) -> list[Check]:
    """The checks of groups and claims; columns published unchanged are named as not compared."""
    checks, weight = _check_groups(release, table, mapping), release.roles.weight
    unchanged = [name for name in release.roles.published if name != weight]
    if unchanged:
        what = f"{some_of([*map(repr, unchanged)])}, published unchanged, are the original's values"
        checks.append(_undecided(what, "they are not compared with the original"))
    if weight is not None:
        what = f"the weights of groups in {weight!r} come from the original's weights"
        checks.append(_undecided(what, "they are not compared with the original"))
    return checks


def _check_groups(release: Release, table: Table, mapping: LabelMapping | None) -> list[Check]:
    """Look up the original's people in the release, and judge the claims that need them.

    Where labels overlap, some people fit several groups. Then the mapping, which records each
    person's group, is needed.
    """
    _refuse_other_hierarchies(release, table)
    group, why_not_known = _group_of_cell(release, table, mapping)
    if why_not_known:
        return [
            _undecided(PEOPLE, why_not_known),
            *(_check(claim, release, why_not_known) for claim in release.claims),
            *([not_checked(why_not_known)] if release.is_simulatable else []),
        ]
    stated, nowhere = release.n_left_out, int(table.cells.people[group == NOWHERE].sum())
    suppressed = (
        f"{counted(stated, 'person of the original is', 'people of the original are')} suppressed"
    )
    checks = [Check(suppressed, f"{stated:,}", f"{nowhere:,}", stated == nowhere)]
    present = np.unique(group[group >= 0])
    if len(present) < len(release.groups):
        n_empty = len(release.groups) - len(present)
        empty = f"no, {counted(n_empty, 'group fits', 'groups fit')} nobody of the original"
        checks.append(Check(PEOPLE, "yes", empty, False))
        why = "this is not the original"
        choice = [not_checked(why)] if release.is_simulatable else []
        return [*checks, *(_check(claim, release, why) for claim in release.claims), *choice]
    found = groups_of_cells(table.cells, group, len(release.groups))
    checks.append(_same_people(release.groups, found))
    judged = [_check(claim, release, "", found) for claim in release.claims]
    choice = [check_choice(release, table, group)] if release.is_simulatable else []
    return [*checks, *judged, *choice]


def _check(claim: Claim, release: Release, why: str, found: PlacedCells | None = None) -> Check:
    """Judge a claim on the published groups or, if it needs the original, on those found there.

    `why` is the reason where the groups of the original are not known.
    """
    rule, by_rows = rule_of(claim), release.rows_are_people
    if rule is None:
        return unknown_rule(claim)
    if rule.needs == "files":
        return judged_again(claim, rule, release.groups, by_rows)
    if found is None or rule.needs == "earlier":
        return _undecided(str(rule), why or why_not(rule))
    if missing := rule.why_not_judged(found.cells):
        return _undecided(str(rule), missing)
    check = judged_again(claim, rule, found, by_rows)
    differs = rule.agrees_with(found.cells)
    return replace(check, found=f"{check.found}; {differs}") if differs else check


def _group_of_cell(
    release: Release, table: Table, mapping: LabelMapping | None
) -> tuple[IntArray, str]:
    """The group of each cell of the original, or the reason why it is not known."""
    if release.group_form.is_averaged:
        return np.zeros(0, dtype=np.int64), "a centroid does not reveal who is in its group"
    found = release.candidates_of_original(table, settle=mapping is None)
    if mapping is not None:
        if mapping.is_ambiguous:
            return np.zeros(0, dtype=np.int64), AMBIGUOUS
        return _covered(found, group_in_release(mapping, release, table)), ""
    only = found.only
    n_several = int(table.cells.people[only == SEVERAL].sum())
    if n_several:
        return (
            only,
            f"{counted(n_several, 'person')} of the original may be in several groups: give the "
            f"--mapping",
        )
    return only, ""


def _covered(found: Candidates, group_of_cell: IntArray) -> IntArray:
    """The groups that a mapping records; NOWHERE where the labels do not cover the person."""
    cell = Ragged(found.groups, found.starts).segment_of_value
    is_covered = np.zeros(len(group_of_cell), dtype=bool)
    is_covered[cell[found.groups == group_of_cell[cell]]] = True
    return np.where(is_covered, group_of_cell, NOWHERE)


def _refuse_other_hierarchies(release: Release, table: Table) -> None:
    """Refuse an original whose hierarchies differ from those the release was made with."""
    for name, stated in release.roles.hierarchies.items():
        given = table.schema.hierarchies.get(name)
        if given is None or public_hierarchy(given.to_data()) != public_hierarchy(stated):
            raise ReleaseError(
                f"the release generalizes {name!r} by a hierarchy that its certificate does not "
                f"list in full: give the original with the same hierarchy (--project gyges.toml)"
            )


def _same_people(stated: Groups, found: Groups) -> Check:
    """Whether each group has as many people in the original, with the same values."""
    differ = np.flatnonzero(stated.sizes != found.sizes).tolist()
    differ = differ or sorted({g for g, _, _ in entries_by_text(stated) ^ entries_by_text(found)})
    if not differ:
        return Check(PEOPLE, "yes", "yes", True)
    more = f" and {len(differ) - 1:,} more" if len(differ) > 1 else ""
    return Check(PEOPLE, "yes", f"no, group {differ[0] + 1}{more}", False)


def _undecided(claim: str, why: str) -> Check:
    return Check(claim, "", why, None)
