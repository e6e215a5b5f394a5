"""The attacker with three kinds of knowledge: the definition by worlds, and slow twins.

`breaches` tries every target, every set of at most l values, every choice of at most k others with
every value, and every family of at most m, and counts worlds. `breaches_by_program` is the dynamic
program of Chen's Appendix A.3 over closed forms in fractions, with base cases;
`breach_by_minima` is Theorem 2 over the same forms. Groups are lists of values; a group that lacks
the value holds no target, and its people change nothing.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

from tests.oracles.worlds import worlds


def breaches(values, people, kind, sigma, l, k, m, group=None):
    """{(l', k', m'): largest probability} for all amounts up to (l, k, m): at most, not exactly.

    A set of worlds is an integer, one bit for each world. The target may be anybody, or anybody
    of one group.
    """
    all_worlds = list(worlds(values, people, kind))
    everybody = list(all_worlds[0])
    domain = sorted({value for group in values for value in group} | {sigma})
    everything = (1 << len(all_worlds)) - 1
    has = {
        (person, value): sum(
            1 << place for place, world in enumerate(all_worlds) if world[person][value]
        )
        for person in everybody
        for value in domain
    }
    best = Counter()
    for t in everybody:
        if group not in (None, t[0]):
            continue
        others = [person for person in everybody if person != t]
        of_others = list(_about_others(others, has, domain, sigma, kind, k, everything))
        for about_t, n_values in _about_target(t, has, domain, sigma, kind, l, everything):
            for about_others, known in of_others:
                strangers = [person for person in others if person not in known]
                for n in range(min(m, len(strangers)) + 1):
                    for family in itertools.combinations(strangers, n):
                        given = about_t & about_others
                        for v in family:
                            given &= ~has[v, sigma] | has[t, sigma]
                        given &= everything
                        if given:
                            share = Fraction((given & has[t, sigma]).bit_count(), given.bit_count())
                            amounts = n_values, len(known), n
                            best[amounts] = max(best[amounts], share)
    return {(a, b, c): max(best[x] for x in _up_to(a, b, c)) for a, b, c in _up_to(l, k, m)}


def _up_to(l, k, m):
    return itertools.product(range(l + 1), range(k + 1), range(m + 1))


def _about_target(t, has, domain, sigma, kind, l, everything):
    """One: t lacks the values. Set and multiset: t has none of them unless t has sigma."""
    excluded = [value for value in domain if value != sigma]
    for n in range(min(l, len(excluded)) + 1):
        for chosen in itertools.combinations(excluded, n):
            given = everything
            for x in chosen:
                given &= ~has[t, x] if kind == "one" else ~has[t, x] | has[t, sigma]
            yield given, n


def _about_others(others, has, domain, sigma, kind, k, everything):
    """One: somebody has some value. Set and multiset: somebody lacks sigma."""
    for n in range(min(k, len(others)) + 1):
        for chosen in itertools.combinations(others, n):
            if kind != "one":
                given = everything
                for u in chosen:
                    given &= ~has[u, sigma]
                yield given, chosen
                continue
            for held in itertools.product(domain, repeat=n):
                given = everything
                for u, y in zip(chosen, held, strict=True):
                    given &= has[u, y]
                if given:
                    yield given, chosen


def target_ratio(group, n, kind, sigma, l, k):
    """T(g, l, k) of Chen 2009, Sect. 7.1; infinite in a group without sigma."""
    counts = Counter(group)
    s = counts.pop(sigma, 0)
    tops = sorted(counts.values(), reverse=True)[:l]
    if s == 0:
        return math.inf
    if kind == "one":
        return Fraction(max(n - s - sum(tops) - k, 0), s)
    if kind == "set":
        ratio = Fraction(max(n - s - k, 0), s)
        for top in tops:
            ratio *= Fraction(n - top, n)
        return ratio
    if k >= n - 1:
        return Fraction(0)
    lacking = Fraction(n - k - 1, n - k) ** s
    return lacking / (1 - lacking) * Fraction(n - 1, n) ** sum(tops)


def relatives_ratio(group, n, kind, sigma, m, k):
    """V(g, m, k) of Chen 2009, Sect. 7.1; 1 in a group without sigma."""
    s = Counter(group)[sigma]
    if s == 0 or m == 0:
        return Fraction(1)
    if kind == "multiset":
        return Fraction(n - k - m, n - k) ** s if k + m < n else Fraction(0)
    ratio = Fraction(1)
    for i in range(m):
        if n - s - k - i <= 0:
            return Fraction(0)
        ratio *= Fraction(n - s - k - i, n - k - i)
    return ratio


def breach_by_minima(values, people, kind, sigma, l, k, m):
    """Theorem 2: everybody in one group, or t in one and the relatives in another."""
    groups = list(zip(values, people, strict=True))

    def target(known):
        return min(target_ratio(*group, kind, sigma, l, known) for group in groups)

    def relatives(known):
        return min(relatives_ratio(*group, kind, sigma, m, known) for group in groups)

    together = min(
        _times(
            target_ratio(*group, kind, sigma, l, k),
            relatives_ratio(*group, kind, sigma, m, k + 1),
        )
        for group in groups
    )
    least = min(together, _times(target(0), relatives(k)), _times(target(k), relatives(0)))
    return Fraction(0) if least == math.inf else 1 / (1 + Fraction(least))


def breaches_by_program(values, people, kind, sigma, l, k, m):
    """Appendix A.3: place t, k others and m relatives group by group, keep the least ratio.

    {(k', m'): breach probability} for this l and all amounts up to k and m.
    """
    cells = list(itertools.product(range(k + 1), range(m + 1)))
    with_t = dict.fromkeys(cells, math.inf)
    without_t = dict.fromkeys(cells, math.inf)
    without_t[0, 0] = Fraction(1)
    for group, n in zip(values, people, strict=True):
        lacking = {(i, j): relatives_ratio(group, n, kind, sigma, j, i) for i, j in cells}
        target = {
            (i, j): _times(
                target_ratio(group, n, kind, sigma, l, i),
                relatives_ratio(group, n, kind, sigma, j, i + 1),
            )
            for i, j in cells
        }
        new_with, new_without = {}, {}
        for i, j in cells:
            before = list(itertools.product(range(i + 1), range(j + 1)))
            new_with[i, j] = min(
                min(
                    _times(with_t[a, b], lacking[i - a, j - b]),
                    _times(without_t[a, b], target[i - a, j - b]),
                )
                for a, b in before
            )
            new_without[i, j] = min(
                _times(without_t[a, b], lacking[i - a, j - b]) for a, b in before
            )
        with_t, without_t = new_with, new_without
    return {
        cell: Fraction(0) if least == math.inf else 1 / (1 + Fraction(least))
        for cell, least in with_t.items()
    }


def _times(one, other):
    """A product in which infinity (nobody there is a target) absorbs zero."""
    return math.inf if math.inf in (one, other) else one * other


def skyline(breach, c):
    """The maximal (l, k, m) with a breach below c, from a loop over all of a cube of amounts.

    `breach` is {(l, k, m): probability} for all amounts up to a number so large that nothing
    changes beyond it: what is safe with that number is safe however large it is.
    """
    most = max(l for l, _, _ in breach)
    safe = [point for point, probability in breach.items() if probability < c]
    maximal = [
        point
        for point in safe
        if not any(
            other != point and all(a >= b for a, b in zip(other, point, strict=True))
            for other in safe
        )
    ]
    return sorted(tuple(math.inf if a == most else a for a in point) for point in maximal)
