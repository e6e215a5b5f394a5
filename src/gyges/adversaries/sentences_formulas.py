"""Formulas that shrink as variables become known; equal formulas have the same number.

A variable has one outcome, or none of those that a formula mentions; a literal says that it has a
certain one. Formulas are numbers into one table, so that comparing and remembering them is cheap.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

FALSE, TRUE = 0, 1

Literal: TypeAlias = tuple[int, int]  # variable, outcome
_Key: TypeAlias = tuple[str, tuple[int, ...], int]


@dataclass(slots=True)
class Formulas:
    """A table of formulas. Numbers 0 and 1 are false and true.

    A key is (kind, parts, flag): a literal and whether it is affirmed, "and" and "or" of parts,
    "xor" of parts and whether an even number of true parts makes it true, or "least" of parts and
    how many of them must be true.
    """

    _keys: list[_Key] = field(default_factory=lambda: [("false", (), 0), ("true", (), 1)])
    _numbers: dict[_Key, int] = field(default_factory=dict)
    _known: dict[tuple[int, int, int | None], int] = field(default_factory=dict)
    _denied: dict[int, int] = field(default_factory=dict)
    _literals: dict[int, frozenset[Literal]] = field(default_factory=dict)
    _variables: dict[int, frozenset[int]] = field(default_factory=dict)

    def literal(self, variable: int, outcome: int) -> int:
        """The variable has the outcome."""
        return self._number("literal", (variable, outcome), True)

    def both(self, parts: Iterable[int]) -> int:
        """All parts are true."""
        return self._combined("and", parts, neutral=TRUE)

    def either(self, parts: Iterable[int]) -> int:
        """A part is true."""
        return self._combined("or", parts, neutral=FALSE)

    def agree(self, parts: Iterable[int]) -> int:
        """`a <-> b <-> c …`: an even number of the parts is false."""
        listed = list(parts)
        return self._parity(listed, is_even=len(listed) % 2 == 0)

    def at_least(self, n: int, parts: Iterable[int]) -> int:
        """At least n of the parts are true; a part that is listed twice counts twice."""
        listed = list(parts)
        n -= listed.count(TRUE)
        undecided = sorted(part for part in listed if part not in (FALSE, TRUE))
        if n <= 0 or n > len(undecided):
            return TRUE if n <= 0 else FALSE
        if n in (1, len(undecided)):
            return self.either(undecided) if n == 1 else self.both(undecided)
        return self._number("least", tuple(undecided), n)

    def deny(self, formula: int) -> int:
        """The opposite."""
        if formula in (FALSE, TRUE):
            return TRUE - formula
        if formula not in self._denied:
            self._denied[formula] = self._denial(formula)
        return self._denied[formula]

    def _denial(self, formula: int) -> int:
        kind, parts, flag = self._keys[formula]
        if kind == "least":
            return self.at_least(len(parts) - flag + 1, [self.deny(part) for part in parts])
        if kind == "and":
            return self.either([self.deny(part) for part in parts])
        if kind == "or":
            return self.both([self.deny(part) for part in parts])
        return self._number(kind, parts, not flag)

    def assign(self, formula: int, variable: int, outcome: int | None) -> int:
        """What is left of a formula once a variable's outcome (None: another one) is known."""
        if variable not in self.variables(formula):
            return formula
        known = self._known.get((formula, variable, outcome))
        if known is not None:
            return known
        kind, parts, flag = self._keys[formula]
        if kind == "literal":
            left = int((parts[1] == outcome) == flag)
        else:
            left = self._again(kind, [self.assign(p, variable, outcome) for p in parts], flag)
        self._known[formula, variable, outcome] = left
        return left

    def kind(self, formula: int) -> str:
        """The connective of the parts: and, or, xor, least; or literal, true, false."""
        return self._keys[formula][0]

    def parts(self, formula: int) -> tuple[int, ...]:
        """The parts of a compound formula."""
        return self._keys[formula][1]

    def is_affirmed(self, formula: int) -> bool:
        """A literal: the variable has the outcome; an xor: an even number of true parts."""
        return bool(self._keys[formula][2])

    def threshold(self, formula: int) -> int:
        """How many parts of a "least" must be true."""
        return self._keys[formula][2]

    def literals(self, formula: int) -> frozenset[Literal]:
        """The literals that occur, affirmed or denied."""
        if formula not in self._literals:
            kind, parts, _ = self._keys[formula]
            if kind == "literal":
                self._literals[formula] = frozenset({(parts[0], parts[1])})
            else:
                self._literals[formula] = frozenset().union(*map(self.literals, parts))
        return self._literals[formula]

    def variables(self, formula: int) -> frozenset[int]:
        """The variables that occur."""
        if formula not in self._variables:
            self._variables[formula] = frozenset(v for v, _ in self.literals(formula))
        return self._variables[formula]

    def _again(self, kind: str, parts: list[int], flag: int) -> int:
        """A compound formula with the same connective and other parts."""
        if kind == "xor":
            return self._parity(parts, is_even=bool(flag))
        if kind == "least":
            return self.at_least(flag, parts)
        return self.both(parts) if kind == "and" else self.either(parts)

    def _number(self, kind: str, parts: tuple[int, ...], flag: int) -> int:
        key = (kind, parts, flag)
        number = self._numbers.setdefault(key, len(self._keys))
        if number == len(self._keys):
            self._keys.append(key)
        return number

    def _combined(self, kind: str, parts: Iterable[int], neutral: int) -> int:
        found: set[int] = set()
        for part in parts:
            if part == TRUE - neutral:
                return part
            if part != neutral:
                found.update(self.parts(part) if self.kind(part) == kind else (part,))
        for part in found:
            key = self._keys[part]
            if key[0] == "literal" and self._numbers.get((key[0], key[1], not key[2])) in found:
                return TRUE - neutral
        if len(found) <= 1:
            return found.pop() if found else neutral
        return self._number(kind, tuple(sorted(found)), False)

    def _parity(self, parts: Iterable[int], is_even: bool) -> int:
        """Whether the number of true parts is even (or odd): pairs cancel, denials flip it."""
        odd: set[int] = set()
        for part in parts:
            kind, inner, flag = self._keys[part]
            if part in (FALSE, TRUE):
                is_even ^= part == TRUE
            elif kind == "xor":
                odd.symmetric_difference_update(inner)
                is_even ^= bool(flag)
            elif kind == "literal" and not flag:
                odd.symmetric_difference_update((self._number(kind, inner, True),))
                is_even = not is_even
            else:
                odd.symmetric_difference_update((part,))
        if not odd:
            return TRUE if is_even else FALSE
        if len(odd) == 1:
            return self.deny(odd.pop()) if is_even else odd.pop()
        return self._number("xor", tuple(sorted(odd)), is_even)
