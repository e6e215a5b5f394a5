"""The ledger: what was published about whom, and what privacy budget is left.

Entries are only ever added. Amounts are exact fractions. Whoever draws noise pays first, and a
payment that a budget cannot bear is refused whole.
"""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

from gyges.errors import BudgetError, ReleaseError
from gyges.exact import Number, fraction
from gyges.release.ledger_file import begin, reading, writing


@dataclass(frozen=True, slots=True)
class Published:
    """One release in the ledger."""

    number: int
    at: str  # UTC
    about: str  # whom it is about: releases with the same word are about the same people
    place: str  # its directory
    digest: str  # SHA-256 of its certificate
    statement: Mapping[str, object]  # what else is to be remembered of it


@dataclass(frozen=True, slots=True)
class Budget:
    """How much may be spent, in each unit (epsilon and delta, or rho), and on which neighbours."""

    name: str
    at: str
    relation: str
    limits: Mapping[str, Fraction]
    spent: Mapping[str, Fraction]

    @property
    def left(self) -> dict[str, Fraction]:
        """What may still be spent, in each unit."""
        return {unit: limit - self.spent[unit] for unit, limit in self.limits.items()}


@dataclass(frozen=True, slots=True)
class Spend:
    """One payment."""

    number: int
    at: str
    budget: str
    note: str
    amounts: Mapping[str, Fraction]


@dataclass(frozen=True, slots=True)
class Ledger:
    """A ledger file; `Ledger.at(path)` opens it, and makes it where there is none."""

    path: Path

    @classmethod
    def at(cls, path: str | Path) -> Ledger:
        """Open the ledger at a path, or begin one."""
        ledger = cls(Path(path))
        begin(ledger.path)
        return ledger

    def record(
        self,
        *,
        about: str,
        place: str | Path,
        digest: str,
        statement: Mapping[str, object] | None = None,
    ) -> Published:
        """Enter a release that was published."""
        text = json.dumps(dict(statement or {}), ensure_ascii=False, sort_keys=True)
        with writing(self.path) as rows:
            at = _now()
            number = rows.execute(
                "INSERT INTO releases (at, about, place, digest, statement) VALUES (?, ?, ?, ?, ?)",
                (at, about, str(place), digest, text),
            ).lastrowid
        return Published(int(number or 0), at, about, str(place), digest, json.loads(text))

    def releases(self, about: str | None = None) -> list[Published]:
        """The releases in the order in which they were entered; those about somebody, or all."""
        with reading(self.path) as rows:
            found = rows.execute(
                "SELECT number, at, about, place, digest, statement FROM releases "
                "WHERE ?1 IS NULL OR about = ?1 ORDER BY number",
                (about,),
            ).fetchall()
        return [
            Published(number, at, whom, place, digest, json.loads(text))
            for number, at, whom, place, digest, text in found
        ]

    def open_budget(self, name: str, limits: Mapping[str, Number], *, relation: str) -> Budget:
        """Set a budget once; asking for the same again is harmless, for another is refused."""
        exact = _exact(limits)
        with writing(self.path) as rows:
            known = _budget(rows, name)
            if known is None:
                rows.execute("INSERT INTO budgets VALUES (?, ?, ?)", (name, _now(), relation))
                rows.executemany(
                    "INSERT INTO limits VALUES (?, ?, ?)",
                    [(name, unit, str(amount)) for unit, amount in exact.items()],
                )
                known = _budget(rows, name)
        assert known is not None
        if (dict(known.limits), known.relation) != (exact, relation):
            raise BudgetError(
                f"the budget {name!r} was set before, to other limits ({_shown(known.limits)}, "
                f"{known.relation}): a budget is never changed"
            )
        return known

    def spend(
        self, budget: str, amounts: Mapping[str, Number], *, relation: str, note: str = ""
    ) -> Spend:
        """Pay from a budget, or raise BudgetError and leave everything as it was.

        Whoever draws noise pays first: two processes cannot both spend what only one may.
        """
        exact = _exact(amounts)
        with writing(self.path) as rows:
            at = _now()
            known = _known(_budget(rows, budget), budget)
            _refuse_overspending(known, exact, relation)
            number = rows.execute(
                "INSERT INTO spends (at, budget, note) VALUES (?, ?, ?)", (at, budget, note)
            ).lastrowid
            rows.executemany(
                "INSERT INTO amounts VALUES (?, ?, ?)",
                [(number, unit, str(amount)) for unit, amount in exact.items()],
            )
        return Spend(int(number or 0), at, budget, note, exact)

    def budget(self, name: str) -> Budget:
        """A budget with what was spent of it."""
        with reading(self.path) as rows:
            return _known(_budget(rows, name), name)

    def budgets(self) -> list[Budget]:
        """Every budget, by name."""
        with reading(self.path) as rows:
            names = rows.execute("SELECT name FROM budgets ORDER BY name").fetchall()
            return [_known(_budget(rows, name), name) for (name,) in names]

    def spends(self, budget: str | None = None) -> list[Spend]:
        """The payments in the order in which they were made; from one budget, or all."""
        with reading(self.path) as rows:
            found = rows.execute(
                "SELECT number, at, budget, note FROM spends "
                "WHERE ?1 IS NULL OR budget = ?1 ORDER BY number",
                (budget,),
            ).fetchall()
            paid = rows.execute("SELECT spend, unit, amount FROM amounts").fetchall()
        amounts: dict[int, dict[str, Fraction]] = {}
        for spend, unit, amount in paid:
            amounts.setdefault(spend, {})[unit] = Fraction(amount)
        return [
            Spend(number, at, name, note, amounts.get(number, {}))
            for number, at, name, note in found
        ]

    def export(self, target: str | Path) -> Path:
        """Write the whole ledger as .json, or its entries in order of time as .csv."""
        target = Path(target)
        if target.suffix == ".json":
            target.write_text(json.dumps(self._data(), indent=2, ensure_ascii=False) + "\n")
        elif target.suffix == ".csv":
            with target.open("w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows(self._lines())
        else:
            raise ReleaseError(f"a ledger is exported as .json or .csv, not to {target.name!r}")
        return target

    def _data(self) -> dict[str, object]:
        data = {
            "releases": [asdict(entry) for entry in self.releases()],
            "budgets": [asdict(entry) for entry in self.budgets()],
            "spends": [asdict(entry) for entry in self.spends()],
        }
        exact = json.dumps(data, default=str)  # a fraction as its text, such as "3/4"
        plain: dict[str, object] = json.loads(exact)
        return plain

    def _lines(self) -> Iterator[list[str]]:
        yield ["at", "entry", "number", "subject", "detail"]
        lines = [[r.at, "release", str(r.number), r.about, r.place] for r in self.releases()]
        lines += [
            [b.at, "budget", "", b.name, f"{_shown(b.limits)}, {b.relation}"]
            for b in self.budgets()
        ]
        lines += [
            [s.at, "spend", str(s.number), s.budget, f"{_shown(s.amounts)} {s.note}".strip()]
            for s in self.spends()
        ]
        yield from sorted(lines, key=lambda line: line[0])


def _budget(rows: sqlite3.Connection, name: str) -> Budget | None:
    found = rows.execute("SELECT at, relation FROM budgets WHERE name = ?", (name,)).fetchone()
    if found is None:
        return None
    limits = rows.execute("SELECT unit, amount FROM limits WHERE budget = ?", (name,)).fetchall()
    paid = rows.execute(
        "SELECT unit, amount FROM amounts JOIN spends ON spend = number WHERE budget = ?", (name,)
    ).fetchall()
    spent = {unit: Fraction(0) for unit, _ in limits}
    for unit, amount in paid:
        spent[unit] += Fraction(amount)
    exact = {unit: Fraction(amount) for unit, amount in limits}
    return Budget(name, found[0], found[1], exact, spent)


def _known(budget: Budget | None, name: str) -> Budget:
    if budget is None:
        raise BudgetError(f"there is no budget {name!r}: open it first")
    return budget


def _refuse_overspending(budget: Budget, amounts: Mapping[str, Fraction], relation: str) -> None:
    if relation != budget.relation:
        raise BudgetError(
            f"the budget {budget.name!r} is for neighbours that {budget.relation}, the release is "
            f"private for neighbours that {relation}: the two do not add up"
        )
    if set(amounts) != set(budget.limits):
        raise BudgetError(
            f"the budget {budget.name!r} is kept in {' and '.join(sorted(budget.limits))}, the "
            f"price is in {' and '.join(sorted(amounts))}"
        )
    for unit, amount in amounts.items():
        if amount > budget.left[unit]:
            raise BudgetError(
                f"the release costs {unit} {float(amount):.6g}, and {float(budget.left[unit]):.6g} "
                f"of {float(budget.limits[unit]):.6g} is left in the budget {budget.name!r}: "
                f"nothing was released, nothing was spent"
            )


def _exact(amounts: Mapping[str, Number]) -> dict[str, Fraction]:
    exact = {unit: fraction(amount, unit) for unit, amount in amounts.items()}
    if not exact or any(amount < 0 for amount in exact.values()):
        raise BudgetError("give at least one amount, and none below 0")
    return exact


def _shown(amounts: Mapping[str, Fraction]) -> str:
    return ", ".join(f"{unit} {amount}" for unit, amount in sorted(amounts.items()))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
