"""The three risks of [WP29], measured by attacks on a table of any maker [Giomi2023].

Each attack is made on people of the original and, if there is one, on a control: people whose data
the release was not made from. What succeeds with them too is learned from anyone's data; the rest
is due to the release. Rates come with Wilson's interval at 95%, and a risk of 0 is not a proof.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from gyges.adversaries.attack_rates import AttackRate, attack_rate, due_to_release
from gyges.adversaries.compared_rows import ComparedColumn, ComparedRows, ComparedTables
from gyges.adversaries.nearest_row_attacks import inferred, linked
from gyges.adversaries.singling_predicates import (
    Predicate,
    SortedColumns,
    about_one_column,
    about_several_columns,
    singled_out,
)
from gyges.arrays import FloatArray
from gyges.auditing.finding import Audited, AuditKnowledge, Finding, listed
from gyges.exact import counted, percent

TOPIC = "The three risks by attack: singling out, linkability, inference"
N_ATTACKS = 2_000  # people or predicates that are tried
_N_COLUMNS = 3  # of a predicate about several; more where too few of them select one row
_SEED = 2014  # which people are drawn is no secret, and an audit can be repeated


@dataclass(frozen=True, slots=True)
class AttackRisk:
    """How often one attack succeeds on people of the original and of the control."""

    n_attacks: int
    succeeded: float  # on people of the original: an expected number where rows are equally near
    n_control: int
    in_control: float
    rate: AttackRate
    control_rate: AttackRate | None
    due_to_release: AttackRate | None


class SinglesOut:
    """Finds conditions that hold for one row of the release, and so perhaps for one person."""

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """The rates of predicates about one column, and about several."""
        tables = knowledge.compared
        if isinstance(tables, str):
            return [
                Finding("three risks", f"Not computed: {tables}.", topic=TOPIC, is_checked=False)
            ]
        if tables is None:
            return []
        rng = np.random.default_rng(_SEED)
        alone = about_one_column(tables.released)
        drawn = np.sort(rng.permutation(len(alone))[:N_ATTACKS])
        released = SortedColumns.of(tables.released)
        together = about_several_columns(released, _N_COLUMNS, N_ATTACKS, rng)
        people = [tables.original] if tables.control is None else [tables.original, tables.control]
        tried = [("one column", [alone[i] for i in drawn])]
        if len(tables.names) > 1:
            tried.append((_columns_text(together), together))
        sorted_people = [SortedColumns.of(one, tables.released.columns) for one in people]
        shown = tables.released.columns
        return [_singled_out(sorted_people, some, about, shown) for about, some in tried]


class LinksHalves:
    """Holds two sources with different columns, and asks the release whose rows belong together."""

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """The rate for the first half of the columns and the second."""
        tables = knowledge.compared
        if tables is None or isinstance(tables, str) or len(tables.names) < 2:
            return []
        middle = (len(tables.names) + 1) // 2
        first, second = range(middle), range(middle, len(tables.names))
        risk = _on_people(tables, lambda people: linked(tables.released, people, first, second))
        what = (
            f"An attacker who knows {listed(tables.names[:middle])} of people from one source and "
            f"{listed(tables.names[middle:])} from another links both through the nearest rows"
        )
        return [_finding("linkability", what, risk, "links")]


class InfersSecrets:
    """Knows all columns of a person but one, and takes it from the nearest row."""

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """The rate for each column as the secret."""
        tables = knowledge.compared
        if tables is None or isinstance(tables, str) or len(tables.names) < 2:
            return []
        found = []
        for secret, name in enumerate(tables.names):
            known = [place for place in range(len(tables.names)) if place != secret]
            attack = partial(inferred, tables.released, known=known, secret=secret)
            what = f"An attacker who knows all other columns of people guesses {name}"
            found.append(_finding("inference", what, _on_people(tables, attack), name))
        return found


def _singled_out(
    people: Sequence[SortedColumns],
    tried: Sequence[Predicate],
    about: str,
    shown: Sequence[ComparedColumn],
) -> Finding:
    """How often predicates hold for one person of the original, and of the control after it.

    Of a larger control, as many people are drawn as the original has. In a smaller one a rare
    predicate holds for nobody more often, so more is taken to be due to the table.
    """
    if not tried:
        return Finding(
            "singling out",
            f"No condition on {about} was found that holds for one row of the table.",
            topic=TOPIC,
        )
    sizes = [min(len(one.rows), len(people[0].rows)) for one in people]
    found = [singled_out(tried, one, size) for one, size in zip(people, sizes, strict=True)]
    best = int(np.argmax(found[0].chances))
    witness = tried[best].text(shown) if found[0].chances[best] > 0 else None
    what = (
        f"Conditions on {about} that hold for one row of the table hold for one person of the "
        f"original as well"
    )
    other = found[1].chances if len(found) > 1 else None
    risk = _risk(found[0].chances, other, *(one.n_independent for one in found))
    return _finding("singling out", what, risk, about, witness)


def _columns_text(predicates: Sequence[Predicate]) -> str:
    """How many columns the predicates are about."""
    sizes = [len(one.conditions) for one in predicates]
    if not sizes:
        return "several columns"
    least, most = min(sizes), max(sizes)
    return f"{least} columns" if least == most else f"{least} to {most} columns"


def _on_people(tables: ComparedTables, attack: Callable[[ComparedRows], FloatArray]) -> AttackRisk:
    """Try an attack on people of the original and of the control, all or some at random."""
    rng = np.random.default_rng(_SEED)
    people = _some(tables.original, rng)
    if tables.control is None:
        return _risk(attack(people), None)
    found = attack(people.and_also(_some(tables.control, rng)))
    return _risk(found[: len(people)], found[len(people) :])


def _some(people: ComparedRows, rng: np.random.Generator) -> ComparedRows:
    return people.take(np.sort(rng.permutation(len(people))[:N_ATTACKS]))


def _risk(found: FloatArray, control: FloatArray | None, *n_independent: float) -> AttackRisk:
    """The rates; `n_independent`: of each, where attempts depend on each other."""
    counts: list[float | None] = [*n_independent, None, None]
    rate = attack_rate(float(found.sum()), len(found), n_independent=counts[0])
    if control is None or not len(control):
        return AttackRisk(len(found), float(found.sum()), 0, 0.0, rate, None, None)
    other = attack_rate(float(control.sum()), len(control), n_independent=counts[1])
    due = due_to_release(rate, other)
    n, m = len(found), len(control)
    return AttackRisk(n, float(found.sum()), m, float(control.sum()), rate, other, due)


def _finding(
    attacker: str, what: str, risk: AttackRisk, name: str, witness: object = None
) -> Finding:
    """The finding: without a control, the rate says nothing about what is due to the release."""
    attempts = counted(risk.n_attacks, "attempt")
    rate = f"{percent(risk.rate.middle)} ({_between(risk.rate)}), by {attempts}"
    if risk.control_rate is None or risk.due_to_release is None:
        said = (
            f"{what}: {rate}. How much of that is due to this table is not known: it takes a "
            f"control, rows of people whose data it was not made from."
        )
        number, interval = risk.rate.middle, risk.rate.interval
    else:
        due = risk.due_to_release
        number, interval = due.middle, due.interval
        said = (
            f"{what}: {rate}. With people whose data the table was not made from: "
            f"{percent(risk.control_rate.middle)} ({_between(risk.control_rate)}). Due to this "
            f"table: {percent(due.middle)} ({_between(due)}) of what they leave open."
        )
    return Finding(
        attacker,
        said,
        number=number,
        interval=interval,
        witness=witness,
        topic=TOPIC,
        measures={attacker.replace(" ", "_"): {name: risk}},
    )


def _between(rate: AttackRate) -> str:
    low, high = rate.interval
    return f"{percent(low)} to {percent(high)}"
