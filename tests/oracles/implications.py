"""The worst case of k facts by trying all of them, and MINIMIZE2 as a plain recurrence.

A set of worlds is the bits of one integer, so that knowledge is an "and" and counting is exact.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

from tests.oracles.worlds import worlds


def atoms_as_sets(values, people=None, kind="one"):
    """(all worlds, {(group, person, value): worlds in which the person has the value})."""
    people = people or [len(group) for group in values]
    listed = list(worlds(values, people, kind))
    everything = (1 << len(listed)) - 1
    domain = sorted({value for group in values for value in group})
    sets = {}
    for group, size in enumerate(people):
        for person in range(size):
            for value in domain:
                has = (held_here[group, person][value] > 0 for held_here in listed)
                sets[group, person, value] = sum(1 << i for i, true in enumerate(has) if true)
    return everything, sets


def worst_of_value(values, value, k, language="implications", people=None, kind="one"):
    """The same for targets with a value or one of several, over all sets of facts of any kind."""
    everything, atoms = atoms_as_sets(values, people, kind)
    targets = targets_of(atoms, value)
    facts = {everything & ~a for a in atoms.values()}
    if language == "implications":
        consequents = [*atoms.values(), *targets.values()]
        facts = {(everything & ~a) | b for a in atoms.values() for b in consequents}
    return _largest(everything, targets, sorted(facts), k)


def targets_of(atoms, value):
    """{(group, person, wanted): worlds} for everyone; wanted is a value or one of several."""
    wanted = value if isinstance(value, tuple) else (value,)
    targets = {}
    for (group, person, one), held in atoms.items():
        if one in wanted:
            key = group, person, wanted
            targets[key] = targets.get(key, 0) | held
    return targets


def worst_of_value_with_one_consequent(values, value, k, people=None, kind="one"):
    """Over all sets of k atoms that each imply the target: the first person with the value."""
    everything, atoms = atoms_as_sets(values, people, kind)
    best = Fraction(0)
    for (_, person, _), target in targets_of(atoms, value).items():
        if person:
            continue
        facts = sorted({(everything & ~atom) | target for atom in atoms.values()})
        for known in itertools.combinations(facts, min(k, len(facts))):
            left = everything
            for fact in known:
                left &= fact
            if left:
                best = max(best, Fraction((target & left).bit_count(), left.bit_count()))
    return best


def _largest(everything, atoms, facts, k, groups=None):
    """max Pr(atom | k facts), over all sets of at most k facts that are possible together."""
    targets = [s for (group, _, _), s in atoms.items() if groups is None or group in groups]
    best = Fraction(0)
    for n_facts in range(k + 1):
        for known in itertools.combinations(facts, n_facts):
            left = everything
            for fact in known:
                left &= fact
            if left:
                most = max((target & left).bit_count() for target in targets)
                best = max(best, Fraction(most, left.bit_count()))
    return best


def worst_of_all_implications(values, k):
    """Over all sets of k simple implications, whatever their consequents [Martin2007, Def. 6]."""
    everything, atoms = atoms_as_sets(values)
    facts = {(everything & ~a) | b for a in atoms.values() for b in atoms.values()}
    return _largest(everything, atoms, sorted(facts), k)


def worst_of_implications(values, k, target_group=None):
    """Over all sets of k implications with one consequent [Martin2007, Theorem 9]."""
    everything, atoms = atoms_as_sets(values)
    best = Fraction(0)
    for (group, _, _), target in atoms.items():
        if target_group is not None and group != target_group:
            continue
        facts = {(everything & ~atom) | target for atom in atoms.values()}
        for known in itertools.combinations(sorted(facts), min(k, len(facts))):
            left = everything
            for fact in known:
                left &= fact
            if left:
                best = max(best, Fraction((target & left).bit_count(), left.bit_count()))
    return best


def worst_of_negations(values, k, target_group=None):
    """Over all sets of k negated atoms, about anybody."""
    everything, atoms = atoms_as_sets(values)
    facts = sorted({everything & ~atom for atom in atoms.values()})
    groups = None if target_group is None else {target_group}
    return _largest(everything, atoms, facts, k, groups)


def share_after_negations(histogram, k):
    """The same for k negations about one person of a group: the next most frequent values go."""
    n, best = sum(histogram), Fraction(0)
    for place, count in enumerate(histogram):
        others = sorted(histogram[:place] + histogram[place + 1 :], reverse=True)
        best = max(best, Fraction(count, n - sum(others[:k])))
    return best


def least_probabilities(histogram, most):
    """MINIMIZE1 for 0, 1, …, `most` atoms, over all partitions, nobody twice [Martin2007, (2)]."""
    counts, n = sorted(histogram, reverse=True), sum(histogram)
    least = [Fraction(1)]
    for j in range(1, most + 1):
        products = [least[-1]]
        for parts in partitions(j, j):
            product = Fraction(1)
            for i, part in enumerate(parts[:n]):
                product *= Fraction(max(n - i - sum(counts[:part]), 0), n - i)
            products.append(product)
        least.append(min(products))
    return least


def partitions(total, largest):
    """Every way to write a number as a sum of parts that do not grow."""
    if total == 0:
        yield ()
    for part in range(min(total, largest), 0, -1):
        for rest in partitions(total - part, part):
            yield (part, *rest)


def curve_by_convolution(histograms, k):
    """The worst case for 0, 1, …, k implications by MINIMIZE2, group after group, repaired."""
    without = [Fraction(1)] * (k + 2)
    placed = [None] * (k + 2)
    for histogram in histograms:
        least = least_probabilities(histogram, k + 1)
        odds = Fraction(sum(histogram), max(histogram))
        placed = [
            min(
                [placed[a] * least[h - a] for a in range(h + 1) if placed[a] is not None]
                + [without[a] * least[h - a] * odds for a in range(h)],
                default=None,
            )
            for h in range(k + 2)
        ]
        without = [min(without[a] * least[h - a] for a in range(h + 1)) for h in range(k + 2)]
    return [1 / (1 + odds) for odds in placed[1:]]


def curve_of_several(groups, k, language, kind):
    """The worst case for 0, 1, …, k facts where people have several values.

    `groups` lists (people, how often each value occurs). Atoms about one value of one group: the
    probability that j people lack it; the atoms may be about two such values.
    """
    parts = [(n, s) for n, counts in groups for s in counts if s]
    curve = []
    for facts in range(k + 1):
        together, target, elsewhere = [], [], []
        for n, s in parts:
            lacks = [lacking(n, s, j, kind) for j in range(facts + 2)]
            if language == "negations":
                known = [j for j in range(min(facts, n - 1) + 1) if lacks[j]]
                together.append(min(lacks[j + 1] / (lacks[j] - lacks[j + 1]) for j in known))
            else:
                together.append(lacks[facts + 1] / (1 - lacks[1]))
                target.append(lacks[1] / (1 - lacks[1]))
                elsewhere.append(lacks[facts])
        if not parts:
            curve.append(Fraction(0))
            continue
        apart = [min(target) * min(elsewhere)] if target else []
        curve.append(1 / (1 + min(together + apart)))
    return curve


def lacking(n, s, j, kind):
    """The probability that j of n people have none of s occurrences of a value."""
    if kind == "multiset":
        return Fraction(max(n - j, 0), n) ** s
    product = Fraction(1)
    for i in range(min(j, n)):
        product *= Fraction(max(n - s - i, 0), n - i)
    return product


def least_odds_of_class(groups, wanted, k, kind):
    """The least odds against having one of some values, given k facts; None if nobody has one.

    `groups` lists (people, {value: occurrences}). By formula, over all ways to place the k atoms:
    on the target, on the others of their group, and on people of each other group.
    """
    if kind != "one":
        return _odds_of_class_of_several(groups, wanted, k, kind)
    best = None
    for place, (n, counts) in enumerate(groups):
        of_wanted = sum(counts.get(value, 0) for value in wanted)
        if not of_wanted:
            continue
        elsewhere = [Fraction(1)] + [None] * k
        for other, (_, held) in enumerate(groups):
            if other != place:
                least = least_probabilities(list(held.values()), k)
                elsewhere = [
                    min(
                        before * least[j - a]
                        for a, before in enumerate(elsewhere[: j + 1])
                        if before is not None
                    )
                    for j in range(k + 1)
                ]
        for h in range(k + 1):
            if elsewhere[k - h] is not None:
                left = _least_without(n, counts, wanted, h) * Fraction(n, of_wanted)
                best = min(left * elsewhere[k - h], left if best is None else best)
    return best


def _least_without(n, counts, wanted, h):
    """The least probability that a target lacks the wanted values and h atoms are false.

    Over the frequent values that everybody lacks, by what the target has instead.
    """
    order = sorted(counts, key=lambda value: (-counts[value], value not in wanted))
    others = [value for value in order if value not in wanted]
    best = Fraction(1)
    for own in range(min(h, len(others)) + 1):
        for total in range(h - own + 1):
            for parts in partitions(total, total):
                if len(parts) > n - 1:
                    continue
                share = Fraction(0)
                for value in others[own:]:
                    product = Fraction(counts[value], n)
                    for i, part in enumerate(parts):
                        gone = sum(counts[one] for one in order[:part]) - (value in order[:part])
                        product *= Fraction(max(n - 1 - i - gone, 0), n - 1 - i)
                    share += product
                best = min(best, share)
    return best


def _odds_of_class_of_several(groups, wanted, k, kind):
    best = None
    parts = [(g, v, n, s) for g, (n, counts) in enumerate(groups) for v, s in counts.items()]
    for place, (n, counts) in enumerate(groups):
        own = [counts[value] for value in wanted if value in counts]
        if not own:
            continue
        lacks = math.prod((lacking(n, s, 1, kind) for s in own), start=Fraction(1))
        if lacks == 0:
            return Fraction(0)
        for g, value, size, s in parts:
            if g == place and value in wanted:
                left = lacking(size, s, k + 1, kind) / lacking(size, s, 1, kind)
            else:
                left = lacking(size, s, k, kind)
            odds = lacks / (1 - lacks) * left
            best = odds if best is None else min(best, odds)
    return best
