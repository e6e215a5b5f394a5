"""Results as the plain data that pages show: every number exact, with its percentage and words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from gyges.auditing.finding import share_text
from gyges.data.people_words import as_counted
from gyges.exact import counted, percent, readable_number
from gyges.workflow.alternatives import ROW, Alternative, risks_of, undominated
from gyges.workflow.opened_table import OpenedTable
from gyges.workflow.trial_details import TrialDetails
from gyges.workflow.trial_release import NothingSafe, TrialRelease, WorstCase

Shown = dict[str, Any]


def number_words(number: Fraction | int | float) -> str:
    """A worst case in words: a fraction with its percentage, or a number."""
    if isinstance(number, Fraction):
        return share_text(number)
    if number == math.inf:
        return "infinitely often"
    return readable_number(number)


def shown_case(case: WorstCase | None, rows_are_people: bool) -> Shown | None:
    """A worst case and its witness."""
    if case is None:
        return None
    share = float(case.risk) if isinstance(case.risk, Fraction) else None
    sentence = as_counted(case.sentence, rows_are_people)
    return {"number": number_words(case.risk), "share": share, "sentence": sentence}


def shown_trial(trial: TrialRelease | NothingSafe, opened: OpenedTable) -> Shown:
    """What a trial is: safe or not, what is lost, how large the groups are."""
    by_rows = opened.rows_are_people
    if isinstance(trial, NothingSafe):
        passing = [
            {
                "rule": as_counted(str(one.rule), by_rows),
                "at_best": number_words(one.reached),
                "words": one.words,
            }
            for one in trial.nearest
        ]
        return {
            "safe": False,
            "is_proven": trial.is_proven,
            "reason": as_counted(trial.reason, by_rows),
            "would_pass": passing,
        }
    sizes = trial.groups.sizes
    return {
        "safe": True,
        "rules": [
            {
                "text": as_counted(one.text, by_rows),
                "worst": number_words(one.worst),
                "holds": one.holds,
            }
            for one in trial.rules
        ],
        "loss": trial.loss,
        "loss_words": percent(trial.loss),
        "groups": len(sizes),
        "smallest": smallest_of(trial),
        "average": f"{float(sizes.mean()):,.1f}" if len(sizes) else "0",
        "suppressed": trial.n_suppressed,
        "n_unique_unchanged": trial.n_unique_unchanged,
        "notices": [as_counted(one, by_rows) for one in trial.notices],
        "nothing": shown_case(trial.certainty(0), by_rows),
        "one_fact": shown_case(trial.certainty(1), by_rows),
        "method": trial.method,
    }


def smallest_of(trial: TrialRelease) -> int:
    """How many people the smallest group has; 0 if there is no group."""
    sizes = trial.groups.sizes
    return int(sizes.min()) if len(sizes) else 0


def shown_people(opened: OpenedTable) -> Shown:
    """How many people there are, and how many are unique before anything is published."""
    people = "rows" if opened.rows_are_people else "people"
    share = Fraction(opened.n_alone, max(opened.n_people, 1))
    return {
        "n_people": opened.n_people,
        "n_alone": opened.n_alone,
        "alone_words": percent(share),
        "people": people,
        "rows_are_people": opened.rows_are_people,
        "n_cells": len(opened.table.cells),
    }


def shown_alternative(number: str, one: Alternative, opened: OpenedTable) -> Shown:
    """An alternative as a point of the picture and a row of the table."""
    trial = one.trial
    return {
        "number": number,
        "title": one.title,
        "kind": one.kind,
        "risk": float(one.risk),
        "risk_words": number_words(one.risk),
        "loss": one.loss,
        "loss_words": percent(one.loss),
        "groups": len(trial.groups),
        "smallest": smallest_of(trial),
        "suppressed": trial.n_suppressed,
        "is_current": one.is_current,
        "is_undominated": one.is_undominated,
        "method": trial.method,
        "is_exact": one.is_exact,
        "can_be_used": bool(one.changes),
    }


MEASURES = {
    "1": "Certainty with one fact",
    "0": "Certainty, knowing nothing more",
    "2": "Certainty with two facts",
    ROW: "Chance to pick someone's row",
}


def shown_space(numbered: Mapping[str, Alternative], opened: OpenedTable) -> Shown:
    """The space of alternatives by each measure of risk; the first that tells them apart."""
    points = [shown_alternative(number, one, opened) for number, one in numbered.items()]
    risks = [risks_of(one) for one in numbered.values()]
    named = [name for name in MEASURES if risks and name in risks[0]]
    for point in points:
        point["risks"] = {}
    for name in named:
        places = [(one[name], point["loss"]) for one, point in zip(risks, points, strict=True)]
        best = undominated(places)
        for point, (risk, _), is_best in zip(points, places, best, strict=True):
            shown = {"number": float(risk), "words": number_words(risk), "is_undominated": is_best}
            point["risks"][name] = shown
    differing = (
        name for name in named if len({one["risks"][name]["number"] for one in points}) > 1
    )
    return {
        "points": points,
        "measures": {name: MEASURES[name] for name in named},
        "measure": next(differing, next(iter(named), ROW)),
    }


def shown_details(details: TrialDetails, opened: OpenedTable) -> Shown:
    """A trial beside the original."""
    smallest, largest, average = details.sizes
    sizes = f"{counted(smallest, 'person')} to {counted(largest, 'person')}"
    return {
        "sizes": f"{as_counted(sizes, opened.rows_are_people)}, {average:,.1f} on average",
        "sheets": {
            title: {"heads": sheet.heads, "rows": sheet.rows}
            for title, sheet in details.sheets.items()
            if title != "Distributions"
        },
        "distributions": [
            {
                "column": one.column,
                "distance": percent(one.distance),
                "bars": [
                    {"value": value, "before": before, "after": after}
                    for value, before, after in zip(one.values, one.before, one.after, strict=True)
                ],
            }
            for one in details.compared.distributions
        ],
        "columns": details.columns,
        "rows": [{"before": row.before, "after": row.after} for row in details.rows],
    }
