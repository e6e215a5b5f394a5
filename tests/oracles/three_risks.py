"""Nearest rows, linking, inferring and singling out, one row and one subset at a time.

A table is a list of tuples; a column is "line" (numbers) or "equal"; None is a missing value.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import prod


def gower(one, other, kinds, spans):
    """The sum over columns: |x - y| / span on a line, else 0 or 1 [Gower1971]."""
    return sum(
        0
        if x == y
        else 1
        if kind == "equal" or x is None or y is None
        else Fraction(abs(x - y), span)
        for x, y, kind, span in zip(one, other, kinds, spans, strict=True)
    )


def spans_of(tables, kinds):
    """The range of each column over all tables; 1 where there is none."""
    spans = []
    for place, kind in enumerate(kinds):
        numbers = [row[place] for table in tables for row in table if row[place] is not None]
        apart = max(numbers) - min(numbers) if kind == "line" and numbers else 0
        spans.append(apart or 1)
    return spans


def nearest(target, rows, columns, kinds, spans):
    """The places of the rows that are nearest by some columns."""

    def part(of):
        return [of[column] for column in columns]

    distances = [gower(part(target), part(row), part(kinds), part(spans)) for row in rows]
    return [place for place, far in enumerate(distances) if far == min(distances)]


def linked(target, rows, first, second, kinds, spans):
    """Draw a nearest row by each half: how often are both the same one?"""
    halves = [nearest(target, rows, half, kinds, spans) for half in (first, second)]
    drawn = [one == other for one, other in product(*halves)]
    return Fraction(sum(drawn), len(drawn))


def inferred(target, rows, known, secret, kinds, spans):
    """Draw a nearest row: how often does it show the secret, a number within 5%?"""
    true = target[secret]
    guesses = [rows[place][secret] for place in nearest(target, rows, known, kinds, spans)]

    def is_right(guess):
        if kinds[secret] == "equal" or guess is None or true is None:
            return guess == true
        return abs(guess - true) <= Fraction(1, 20) * abs(true)

    return Fraction(sum(map(is_right, guesses)), len(guesses))


def meets(row, conditions):
    """Whether a row meets conditions (column, sign, value); a missing value compares with none."""
    for column, sign, value in conditions:
        held = row[column]
        if sign == "is" and held != value:
            return False
        if sign != "is" and held is None:
            return False
        if (sign == "at most" and held > value) or (sign == "at least" and held < value):
            return False
    return True


def singled_out(rows, conditions, n_drawn):
    """In how many of all subsets of a size do the conditions hold for one row?"""
    drawn = [
        sum(meets(row, conditions) for row in subset) == 1 for subset in combinations(rows, n_drawn)
    ]
    return Fraction(sum(drawn), len(drawn))


def label_far(covers, values, value, kind, span):
    """How far a value is from the nearest of `values` that a label covers; 1 if it covers none.

    `covers` says of one value whether the label covers it.
    """
    there = [other for other in values if covers(other)]
    return min((gower([value], [other], [kind], [span]) for other in there), default=1)


def nearest_labels(target, rows, columns, values, kinds, spans):
    """The places of the rows whose labels are nearest; a row is a tuple of such functions.

    Of rows at the same distance, those that may stand for the fewest combinations of values; rows
    that cover everything by all columns only if there are no others.
    """
    ranks = {}
    for place, row in enumerate(rows):
        far = sum(label_far(row[c], values[c], target[c], kinds[c], spans[c]) for c in columns)
        breadth = prod(max(sum(map(row[c], values[c])), 1) for c in columns)
        hides = all(all(row[c](v) for v in values[c] if v is not None) for c in columns)
        ranks[place] = (hides, far, breadth)
    return [place for place, rank in ranks.items() if rank == min(ranks.values())]


def linked_by_labels(target, rows, first, second, values, kinds, spans):
    """Draw a nearest row by each half: how often are both the same one?"""
    halves = [nearest_labels(target, rows, half, values, kinds, spans) for half in (first, second)]
    drawn = [one == other for one, other in product(*halves)]
    return Fraction(sum(drawn), len(drawn))


def inferred_from_labels(target, rows, known, secret, values, kinds, spans):
    """Draw a nearest row and a value that its label covers: how often is it the secret?"""
    true, near = target[secret], nearest_labels(target, rows, known, values, kinds, spans)
    total = Fraction(0)
    for place in near:
        guesses = [value for value in values[secret] if rows[place][secret](value)]
        is_right = [
            guess == true
            if kinds[secret] == "equal" or guess is None or true is None
            else abs(guess - true) <= Fraction(1, 20) * abs(true)
            for guess in guesses
        ]
        total += Fraction(sum(is_right), len(guesses)) if guesses else 0
    return total / len(near)
