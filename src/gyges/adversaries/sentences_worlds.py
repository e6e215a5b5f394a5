"""The exact probability of a formula when all worlds are equally likely.

Named people draw their values one after the other. With one value per person a group is a pool
from which they draw without replacement. In a set each value of a group is a separate pool: who has
it is independent of who has another. In a multiset each occurrence goes to a random person, so that
what counts is which of the named people get none.

A state is what is left of the formula, and how much was drawn from the pools it still mentions.
Equal states are merged, and people who are not named never appear: the cost grows with the people
named and with how the formula connects them, not with the table.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from gyges.adversaries.drawing_order import drawing_order
from gyges.adversaries.sentences_formulas import FALSE, TRUE, Formulas
from gyges.data.schema import ValuesPerPerson
from gyges.errors import TooManyWorldsError
from gyges.long_fraction import LongFraction, power

MOST_WORK = 15_000_000  # literals looked at, summed over states and outcomes: some 10 seconds

Drawn: TypeAlias = tuple[int, ...]  # people who drew, then how often each outcome was drawn
State: TypeAlias = tuple[tuple[int, Drawn], ...]  # by pool, those that were drawn from


@dataclass(frozen=True, slots=True)
class Pool:
    """What exchangeable people draw from: n people, and how often each outcome occurs."""

    n: int
    counts: dict[int, int]  # by outcome
    kind: ValuesPerPerson

    def chances(
        self, drawn: Drawn, outcomes: tuple[int, ...]
    ) -> list[tuple[int | None, int | Fraction]]:
        """The weight of each outcome (None: another one) for the next person who draws.

        `drawn[0]` people drew before, `drawn[1:]` of them each of the outcomes.
        """
        if self.kind == "multiset":
            (outcome,), (people, holders) = outcomes, drawn
            lacking = people - holders
            none = self._ways(holders, lacking + 1, self.counts[outcome])
            return [
                (outcome, self._ways(holders, lacking, self.counts[outcome]) - none),
                (None, none),
            ]
        left = [self.counts[o] - used for o, used in zip(outcomes, drawn[1:], strict=True)]
        return [*zip(outcomes, left, strict=True), (None, self.n - drawn[0] - sum(left))]

    def _ways(self, holders: int, lacking: int, count: int) -> Fraction:
        """How many of n^count assignments of `count` occurrences give some to every holder and
        none to those who lack them.
        """
        ways = Fraction(0)
        for i in range(holders + 1):
            ways += (-1) ** i * math.comb(holders, i) * power(self.n - lacking - i, count)
        return ways


@dataclass(slots=True)
class Worlds:
    """Pools, the variables that draw from them, and the formulas about these."""

    formulas: Formulas = field(default_factory=Formulas)
    pools: list[Pool] = field(default_factory=list)
    pool_of: list[int] = field(default_factory=list)  # by variable
    _found: dict[int, Fraction] = field(default_factory=dict)
    _asked: dict[int, dict[int, tuple[int, ...]]] = field(default_factory=dict)

    def probability(self, formula: int) -> Fraction:
        """The share of worlds in which a formula is true.

        Parts that share no pool are independent: a conjunction's probability is their product.
        """
        if formula in (FALSE, TRUE):
            return Fraction(formula)
        if formula not in self._found:
            kind = self.formulas.kind(formula)
            if kind == "or":
                self._found[formula] = 1 - self.probability(self.formulas.deny(formula))
            else:
                parts = self._independent(formula) if kind == "and" else [formula]
                shares = [self._share(part) for part in parts]
                self._found[formula] = math.prod(shares, start=Fraction(1))
        return self._found[formula]

    def _independent(self, formula: int) -> list[int]:
        """The parts of a conjunction, merged where they share a pool."""
        clusters: list[tuple[set[int], list[int]]] = []
        for part in self.formulas.parts(formula):
            pools, parts = set(self._outcomes(part)), [part]
            apart = []
            for cluster in clusters:
                if pools.isdisjoint(cluster[0]):
                    apart.append(cluster)
                else:
                    pools |= cluster[0]
                    parts = cluster[1] + parts
            clusters = [*apart, (pools, parts)]
        return [self.formulas.both(parts) for _, parts in clusters]

    def _share(self, formula: int) -> Fraction:
        """Let one variable after the other draw; formulas with more variables go first."""
        if formula in self._found:
            return self._found[formula]
        variables = self.formulas.variables
        waiting: defaultdict[int, defaultdict[tuple[int, State], Fraction]]
        waiting = defaultdict(lambda: defaultdict(Fraction))
        waiting[len(variables(formula))][formula, ()] = Fraction(1)
        rank = self._ranked(formula)
        total, work = Fraction(0), 0
        while waiting:
            n_left = max(waiting)
            for (left, state), share in waiting.pop(n_left).items():
                reached = self._draw(left, state, rank)
                work += len(self.formulas.literals(left)) * len(reached)
                if work > MOST_WORK:
                    raise _too_many(len(rank))
                for after, then, chance in reached:
                    if after == TRUE:
                        total += share * chance
                    else:
                        waiting[len(variables(after))][after, then] += share * chance
        self._found[formula] = total
        return total

    def _ranked(self, formula: int) -> dict[int, int]:
        """The place of each variable in the order of drawing."""
        formulas = self.formulas
        parts = formulas.parts(formula)
        clauses = [(formula,) if formulas.kind(formula) == "literal" else parts][0]
        order = drawing_order(
            [formulas.variables(part) for part in clauses], dict(enumerate(self.pool_of))
        )
        return {variable: place for place, variable in enumerate(order)}

    def _draw(
        self, formula: int, state: State, rank: dict[int, int]
    ) -> list[tuple[int, State, Fraction]]:
        """The formulas and states after each outcome of one variable, without false ones."""
        started = dict(state)
        variable = self._next(formula, rank)
        pool = self.pool_of[variable]
        outcomes = self._outcomes(formula)[pool]
        drawn = started.get(pool, (0,) * (len(outcomes) + 1))
        chances = self.pools[pool].chances(drawn, outcomes)
        total = sum(weight for _, weight in chances)
        reached = []
        for place, (outcome, weight) in enumerate(chances, start=1):
            after = self.formulas.assign(formula, variable, outcome) if weight else FALSE
            if after == FALSE:
                continue
            used = [drawn[0] + 1, *drawn[1:]]
            if outcome is not None:
                used[place] += 1
            then = self._kept(formula, after, {**started, pool: tuple(used)})
            if isinstance(total, LongFraction):
                reached.append((after, then, weight / total))
            else:
                reached.append((after, then, Fraction(weight, total)))
        return reached

    def _kept(self, before: int, after: int, started: dict[int, Drawn]) -> State:
        """The part of a state that still matters: pools and outcomes that the formula mentions."""
        old, new = self._outcomes(before), self._outcomes(after)
        kept = []
        for pool, drawn in started.items():
            if pool in new:
                used = dict(zip(old[pool], drawn[1:], strict=True))
                kept.append((pool, (drawn[0], *(used[outcome] for outcome in new[pool]))))
        return tuple(sorted(kept))

    def _next(self, formula: int, rank: dict[int, int]) -> int:
        """The variable to draw next: one that decides alone, else the first in the order."""
        variables: Iterable[int] = self.formulas.variables(formula)
        if self.formulas.kind(formula) in ("and", "or"):
            parts = [p for p in self.formulas.parts(formula) if self.formulas.kind(p) == "literal"]
            variables = [self.formulas.parts(part)[0] for part in parts] or variables
        return min(variables, key=rank.__getitem__)

    def _outcomes(self, formula: int) -> dict[int, tuple[int, ...]]:
        """The outcomes that a formula mentions, for each pool."""
        if formula not in self._asked:
            found: defaultdict[int, set[int]] = defaultdict(set)
            for variable, outcome in self.formulas.literals(formula):
                found[self.pool_of[variable]].add(outcome)
            self._asked[formula] = {pool: tuple(sorted(them)) for pool, them in found.items()}
        return self._asked[formula]


def _too_many(n_named: int) -> TooManyWorldsError:
    return TooManyWorldsError(
        f"the sentences connect {n_named} people or values in too many ways to count exactly "
        f"(#P-hard in general): name fewer, or sample worlds with gy.estimate_probability"
    )
