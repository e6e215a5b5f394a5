"""What a purpose costs at a node of the lattice, person by person."""

from __future__ import annotations

from fractions import Fraction

from tests.oracles import lattice


def cost(table, columns, node, gone, *, weights, questions, predict, tie):
    """The mean of the parts that are stated, and `tie` times the loss of all columns."""
    groups = lattice.groups_at(table, columns, node)
    parts = []
    if weights:
        shares = {name: Fraction(weights.get(name, 1)) for name in columns}
        parts.append(weighted_loss(table, columns, node, gone, shares))
    if questions:
        parts.append(misplaced(table, columns, node, gone, questions))
    if predict:
        parts.append(minority(table[predict], groups, gone))
    plain = weighted_loss(table, columns, node, gone, dict.fromkeys(columns, Fraction(1)))
    return sum(parts) / len(parts) + tie * plain


def under(table, name, level, person):
    """How many values a person's label covers."""
    label = lattice.LADDERS[name][level]
    domain = set(lattice.LEAVES.get(name, table[name]))
    return sum(label(value) == label(table[name][person]) for value in domain), len(domain)


def weighted_loss(table, columns, node, gone, shares):
    total, n = Fraction(0), len(table[columns[0]])
    for name, level in zip(columns, node, strict=True):
        for person in range(n):
            covered, size = under(table, name, level, person)
            lost = 1 if person in gone else Fraction(covered - 1, max(size - 1, 1))
            total += shares[name] * lost
    return total / (n * sum(shares.values()))


def misplaced(table, columns, node, gone, questions):
    total, n = Fraction(0), len(table[columns[0]])
    levels = dict(zip(columns, node, strict=True))
    for question in questions:
        for person in range(n):
            right = Fraction(1)
            for name in question:
                right /= under(table, name, levels[name], person)[0]
            total += 1 if person in gone else 1 - right
    return total / (n * len(questions))


def minority(classes, groups, gone):
    wrong = len(gone)
    for group in groups:
        held = [classes[person] for person in group if person not in gone]
        wrong += len(held) - max((held.count(one) for one in held), default=0)
    return Fraction(wrong, len(classes))
