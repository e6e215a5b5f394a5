"""The tasks of the process that computes: each calls the workflow room and returns plain data.

Nothing is decided here. What a task keeps for the next one is in its `Memory`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from gyges.auditing.column_guess import ColumnGuess
from gyges.data.people_words import as_counted
from gyges.data.spelling import respelled_in_words
from gyges.data.values import text_of
from gyges.errors import GygesError
from gyges.exact import counted
from gyges.studio.new_project import SaidAtFirst, write_project
from gyges.studio.rule_cards import only_point
from gyges.studio.shown import (
    shown_alternative,
    shown_case,
    shown_details,
    shown_people,
    shown_space,
    shown_trial,
)
from gyges.studio.task_check import check, check_file
from gyges.studio.task_memory import EFFORT, Memory, Stated, column_key, project_at
from gyges.studio.task_publish import publish
from gyges.studio.task_risk import limits, risk, skyline
from gyges.workflow.alternatives import alternatives, form_of, not_tried
from gyges.workflow.column_profiles import (
    ColumnProfile,
    CountedPeople,
    chosen_columns,
    column_profile,
    n_together,
)
from gyges.workflow.progress import Progress
from gyges.workflow.project_file import ProjectFile
from gyges.workflow.project_rules import make_rule
from gyges.workflow.proposed_file import proposed_reading
from gyges.workflow.release_in_memory import left_before
from gyges.workflow.source_facts import SourceFacts
from gyges.workflow.trial_details import trial_details
from gyges.workflow.trial_release import TrialRelease, WorstCase, worst_of_rule


def start(
    memory: Memory, progress: Progress, *, data: str, table: str | None, policy: str, out: str
) -> SaidAtFirst:
    """Propose a project for a table, and write its file."""
    progress.stage(f"looking at {Path(data).name}")
    return write_project(data, table, policy, Path(out), progress)


def forget(memory: Memory, progress: Progress) -> None:
    """Forget what was read: a server does not announce that its table changed."""
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
    who, once = project.columns.who, partial(memory.once, project)
    people = once("people", who, compute=lambda: CountedPeople.of(source, project))
    found, chosen = [], chosen_columns(people, project)
    n_chosen = once("alone", who, sorted(chosen), compute=lambda: people.n_alone(chosen))
    for done, guess in enumerate(facts.guesses):
        progress.step(f"counting {guess.name}", done, len(facts.guesses))
        name = guess.name
        one = once(
            "column",
            who,
            column_key(project, name),
            compute=partial(column_profile, people, name, project),
        )
        together = once(
            "alone",
            who,
            sorted({*chosen, name}),
            compute=partial(n_together, people, name, chosen, n_chosen),
        )
        shown = _shown_column(guess, one, together)
        numbers_rows = one.n_distinct == facts.n_rows and _are_whole(facts, name)
        found.append({**shown, "numbers_rows": numbers_rows})
    return {
        "respelled": _respelled(memory, project, people),
        "n_rows": facts.n_rows,
        "n_people": people.n_people,
        "people": "people" if people.who else "rows",
        "has_repeated": people.has_repeated,
        "totals": facts.totals,
        "columns": found,
        "n_alone": n_chosen,
    }


def _are_whole(facts: SourceFacts, name: str) -> bool:
    """Whether a column's first values are whole numbers, so that they put rows in an order."""
    place = facts.heads.index(name)
    return all(re.fullmatch("0|[1-9][0-9]*", str(row[place])) for row in facts.rows)


def _shown_column(guess: ColumnGuess, one: ColumnProfile, together: int) -> Stated:
    return {
        "name": guess.name,
        "guess": {"role": guess.role, "reason": guess.reason, "kind": str(guess.kind)},
        "proposed": proposed_reading(guess),
        "asks": guess.counts_people,
        "n_distinct": one.n_distinct,
        "n_written": one.n_written,
        "is_as_written": one.n_written == one.n_distinct,
        "n_missing": one.n_missing,
        "n_alone": one.n_alone,
        "n_together": together,
        "bars": one.bars,
        "n_more": one.n_more,
        "listed": one.values,
        "levels": [{"n": level.n_labels, "labels": level.labels} for level in one.levels],
        "unplaced": one.unplaced,
        "problem": one.problem,
    }


def _respelled(memory: Memory, project: ProjectFile, people: CountedPeople) -> list[str]:
    """Which columns that identify people or households have values in two spellings."""
    source, marks, said = people.source, project.data.missing_marks, []
    for name in [*people.who, *filter(None, [project.columns.household])]:
        if name not in source.columns:
            continue
        count = partial(source.count_respelled, name, marks)
        n = memory.once(project, "respelled", name, marks, compute=count)
        said += [f"{respelled_in_words(n, name)}."] if n else []
    return said


def state(memory: Memory, progress: Progress, *, stated: Stated, path: str) -> Stated:
    """Risk now against risk before, for the side of every page."""
    project = project_at(stated, path)
    opened = memory.read(project, progress)
    found: Stated = {
        "people": shown_people(opened),
        "has_groups": project.publish.has_groups,
        "is_exact": form_of(project.publish.model_dump()).is_exact,
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
    is_exact = form_of(project.publish.model_dump()).is_exact
    found: Stated = {
        "people": shown_people(opened),
        "trial": shown_trial(trial, opened),
        "is_exact": is_exact,
    }
    if isinstance(trial, TrialRelease):
        worst = worst_of_rule(only_point(section, point), trial.groups)
        if is_exact and worst is not None and isinstance(worst.risk, int):
            worst = WorstCase(worst.risk, values_together(worst.risk))
        found["worst"] = shown_case(worst, opened.rows_are_people)
        own = as_counted(str(make_rule(section)), opened.rows_are_people)
        named = [one for one in found["trial"]["rules"] if one["text"] == own]
        found["own_rule"] = named[0] if named else None
    return found


def values_together(n: int) -> str:
    """What a least number of people means where rows show quasi-identifiers unchanged."""
    return (
        f"The values of at least {counted(n, 'person')} are published together. Rows show "
        f"quasi-identifiers unchanged: this does not hide whose row is whose, only which value is "
        f"theirs."
    )


def values(memory: Memory, progress: Progress, *, stated: Stated, path: str) -> Stated:
    """Examples of the table's own values, most frequent first, for the sentences of cards."""
    project = project_at(stated, path)
    opened = memory.read(project, progress)
    cells = opened.table.cells
    order = (-cells.value_totals).argsort(kind="stable")
    return {
        "sensitive": opened.table.schema.sensitive,
        "values": [text_of(cells.sensitive.values[code]) for code in order],
        "quasi": list(opened.table.schema.quasi_identifiers),
        "people": shown_people(opened),
        "values_per_person": cells.values_per_person,
        "household": opened.table.schema.household,
        "is_exact": form_of(stated.get("publish", {})).is_exact,
        "earlier": _earlier(project),
    }


def _earlier(project: ProjectFile) -> Stated:
    """The releases that an attacker of this project may hold; `problem` says why none is known."""
    if project.ledger_file is None:
        return {"releases": [], "problem": "this project keeps no ledger"}
    try:
        left = left_before(project)
    except GygesError as problem:
        return {"releases": [], "problem": str(problem).partition("\n")[0]}
    listed = [{"number": one.number, "day": one.at[:10], "place": one.place} for one in left]
    return {"releases": listed, "problem": ""}


def explore(memory: Memory, progress: Progress, *, stated: Stated, path: str) -> Stated:
    """The space of alternatives."""
    project = project_at(stated, path)
    opened = memory.read(project, progress)
    if not memory.has_found(project):
        progress.stage("trying alternatives")
        asked = stated.get("publish", {}), stated.get("require", [])
        memory.keep_found(project, alternatives(opened.table, *asked, progress.step))
    progress.stage("comparing attackers")
    has_values = opened.table.schema.sensitive is not None
    skipped = not_tried(opened.table, project.publish.method)
    return {
        **shown_space(memory.found[1], opened),
        "people": shown_people(opened),
        "has_values": has_values,
        "not_tried": [as_counted(one, opened.rows_are_people) for one in skipped],
    }


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
    has_values = opened.table.schema.sensitive is not None
    return {"sides": sides, "people": shown_people(opened), "has_values": has_values}


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
        limits, publish, check, check_file, forget,
    )
}  # fmt: skip
