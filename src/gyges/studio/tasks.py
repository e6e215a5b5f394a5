"""The tasks of the process that computes: each calls the workflow room and returns plain data.

Nothing is decided here. What a task keeps for the next one is in its `Memory`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from gyges.data.people_words import as_counted
from gyges.studio.new_project import write_project
from gyges.studio.rule_cards import only_point
from gyges.studio.shown import (
    shown_alternative,
    shown_case,
    shown_details,
    shown_people,
    shown_trial,
)
from gyges.studio.task_check import check, check_file
from gyges.studio.task_memory import EFFORT, Memory, Stated, project_at
from gyges.studio.task_publish import publish
from gyges.studio.task_risk import risk, skyline
from gyges.workflow.alternatives import alternatives
from gyges.workflow.column_profiles import CountedPeople, chosen_columns, column_profile
from gyges.workflow.progress import Progress
from gyges.workflow.project_rules import make_rule
from gyges.workflow.trial_details import trial_details
from gyges.workflow.trial_release import TrialRelease, worst_of_rule


def start(
    memory: Memory, progress: Progress, *, data: str, table: str | None, policy: str, out: str
) -> Stated:
    """Propose a project for a table, and write its file."""
    progress.stage(f"looking at {Path(data).name}")
    return {"messages": write_project(data, table, policy, Path(out), progress)}


def forget(memory: Memory, progress: Progress) -> None:
    """Forget what was read: a server does not tell that its table changed."""
    for name, empty in vars(Memory()).items():
        setattr(memory, name, empty)


def look(memory: Memory, progress: Progress, *, stated: Stated, path: str) -> Stated:
    """The first rows of a table, and what is odd."""
    project = project_at(stated, path)
    progress.stage("looking at the table")
    facts = memory.look(project)
    return {
        "name": facts.name,
        "n_rows": facts.n_rows,
        "heads": facts.heads,
        "rows": facts.rows,
        "oddities": facts.oddities,
    }


def columns(memory: Memory, progress: Progress, *, stated: Stated, path: str) -> Stated:
    """Every column: its guess, its distribution, whom it singles out, its hierarchy."""
    project = project_at(stated, path)
    progress.stage("looking at the table")
    facts, source = memory.look(project), memory.rows(project)
    progress.stage("counting each column")
    people, found = CountedPeople.of(source, project), []
    n_chosen = people.n_alone(chosen_columns(people, project))
    for done, guess in enumerate(facts.guesses):
        progress.step(f"counting {guess.name}", done, len(facts.guesses))
        one = column_profile(people, guess.name, project, n_chosen)
        found.append(
            {
                "name": guess.name,
                "guess": {"role": guess.role, "reason": guess.reason, "kind": str(guess.kind)},
                "n_distinct": one.n_distinct,
                "n_missing": guess.n_missing,
                "n_alone": one.n_alone,
                "n_together": one.n_together,
                "bars": one.bars,
                "n_more": one.n_more,
                "listed": one.values,
                "levels": [{"n": level.n_labels, "labels": level.labels} for level in one.levels],
                "unplaced": one.unplaced,
                "problem": one.problem,
            }
        )
    return {
        "n_rows": facts.n_rows,
        "n_people": people.n_people,
        "people": "people" if people.who else "rows",
        "has_repeated": people.has_repeated,
        "totals": facts.totals,
        "columns": found,
        "n_alone": n_chosen,
    }


def state(memory: Memory, progress: Progress, *, stated: Stated, path: str) -> Stated:
    """Risk now against risk before, for the side of every page."""
    project = project_at(stated, path)
    opened = memory.read(project, progress)
    found: Stated = {
        "people": shown_people(opened),
        "has_groups": project.publish.has_groups,
        "spends_budget": project.publish.spends_budget,
    }
    if project.require and project.publish.has_groups:
        found["trial"] = shown_trial(memory.tried(project, progress), opened)
        found["has_effort"] = any(key in project.publish.options() for key in EFFORT)
    return found


def answer(
    memory: Memory,
    progress: Progress,
    *,
    stated: Stated,
    path: str,
    number: int,
    point: list[Any] | None,
) -> Stated:
    """What a slider shows: one rule's worst case, its witness, what is lost, what would pass."""
    project = project_at(stated, path)
    opened = memory.read(project, progress)
    section = project.require[number]
    trial = memory.tried(project, progress)
    found: Stated = {"people": shown_people(opened), "trial": shown_trial(trial, opened)}
    if isinstance(trial, TrialRelease):
        worst = worst_of_rule(only_point(section, point), trial.groups)
        found["worst"] = shown_case(worst, opened.rows_are_people)
        own = as_counted(str(make_rule(section)), opened.rows_are_people)
        named = [one for one in found["trial"]["rules"] if one["text"] == own]
        found["own_rule"] = named[0] if named else None
    return found


def values(memory: Memory, progress: Progress, *, stated: Stated, path: str) -> Stated:
    """Examples of the table's own values, most frequent first, for the sentences of cards."""
    opened = memory.read(project_at(stated, path), progress)
    cells = opened.table.cells
    order = (-cells.value_totals).argsort(kind="stable")
    return {
        "sensitive": opened.table.schema.sensitive,
        "values": [str(cells.sensitive.values[code]) for code in order],
        "quasi": list(opened.table.schema.quasi_identifiers),
        "people": shown_people(opened),
        "values_per_person": cells.values_per_person,
        "household": opened.table.schema.household,
    }


def explore(memory: Memory, progress: Progress, *, stated: Stated, path: str) -> Stated:
    """The space of alternatives."""
    project = project_at(stated, path)
    opened = memory.read(project, progress)
    progress.stage("trying alternatives")
    found = alternatives(
        opened.table, stated.get("publish", {}), stated.get("require", []), progress.step
    )
    memory.keep_found(project, found)
    points = [shown_alternative(number, one, opened) for number, one in memory.found[1].items()]
    return {"points": points, "people": shown_people(opened)}


def compare(
    memory: Memory, progress: Progress, *, stated: Stated, path: str, numbers: list[str]
) -> Stated:
    """Alternatives side by side."""
    project = project_at(stated, path)
    opened = memory.read(project, progress)
    progress.stage("comparing")
    sides = []
    for done, number in enumerate(numbers):
        one = memory.alternative(project, number)
        progress.step(f"comparing {one.title}", done, len(numbers))
        details = shown_details(trial_details(opened.table, one.trial), opened)
        trial = shown_trial(one.trial, opened)
        sides.append({**shown_alternative(number, one, opened), "trial": trial, **details})
    return {"sides": sides, "people": shown_people(opened)}


def changes(
    memory: Memory, progress: Progress, *, stated: Stated, path: str, number: str
) -> Stated:
    """The project with an alternative's changes."""
    one = memory.alternative(project_at(stated, path), number)
    return {"stated": {**stated, **one.changes}, "title": one.title}


TASKS: dict[str, Callable[..., Any]] = {
    one.__name__: one
    for one in (
        start, look, columns, state, answer, values, explore, compare, changes, risk, skyline,
        publish, check, check_file, forget,
    )
}  # fmt: skip
