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
_Key: TypeAlias = tuple[str, tuple[int, ...], bool]


@dataclass(slots=True)
class Formulas:
    """A table of formulas. Numbers 0 and 1 are false and true.

    A key is (kind, parts, flag): a literal and whether it is affirmed, "and" and "or" of parts,
    or "xor" of parts and whether an even number of true parts makes it true.
    """

    _keys: list[_Key] = field(default_factory=lambda: [("false", (), False), ("true", (), True)])
    _numbers: dict[_Key, int] = field(default_factory=dict)
    _known: dict[tuple[int, int, int | None], int] = field(default_factory=dict)
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

    def deny(self, formula: int) -> int:
        """The opposite."""
        if formula in (FALSE, TRUE):
            return TRUE - formula
        kind, parts, flag = self._keys[formula]
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
        elif kind == "xor":
            left = self._parity([self.assign(p, variable, outcome) for p in parts], is_even=flag)
        else:
            combine = self.both if kind == "and" else self.either
            left = combine([self.assign(part, variable, outcome) for part in parts])
        self._known[formula, variable, outcome] = left
        return left

    def kind(self, formula: int) -> str:
        """The connective of the parts: and, or, xor; or literal, true, false."""
        return self._keys[formula][0]

    def parts(self, formula: int) -> tuple[int, ...]:
        """The parts of a compound formula."""
        return self._keys[formula][1]

    def is_affirmed(self, formula: int) -> bool:
        """A literal: the variable has the outcome; an xor: an even number of true parts."""
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

    def _number(self, kind: str, parts: tuple[int, ...], flag: bool) -> int:
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
                is_even ^= flag
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
