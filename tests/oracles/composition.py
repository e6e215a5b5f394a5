"""Composition attacks and re-publication, read aloud: sets and loops, one person at a time.

A release is a list of groups; a group is a list of (person, value).
"""

from __future__ import annotations

from fractions import Fraction


def group_of(release, person):
    """The person's group, or None."""
    for group in release:
        if any(name == person for name, _ in group):
            return group
    return None


def intersect(releases, person):
    """(values possible by each release, values possible by all) [Ganta 2008, Algorithm 1]."""
    everything = {value for release in releases for group in release for _, value in group}
    by_release = []
    for release in releases:
        group = group_of(release, person)
        by_release.append(everything if group is None else {value for _, value in group})
    common = set(everything)
    for values in by_release:
        common &= values
    return by_release, common


def exposed(releases, people, confidence):
    """The share of people with 1/|S| >= confidence; nobody with an empty S."""
    hit = 0
    for person in people:
        _, common = intersect(releases, person)
        if common and Fraction(1, len(common)) >= confidence:
            hit += 1
    return Fraction(hit, len(people))


def multiply(releases, person):
    """P(v) ∝ π(v) Π_j p_j(v)/π(v), with π the share of v in all releases together."""
    rows = [value for release in releases for group in release for _, value in group]
    weights = {}
    for value in set(rows):
        prior = Fraction(rows.count(value), len(rows))
        weight = prior
        for release in releases:
            group = group_of(release, person)
            if group is not None:
                share = Fraction(sum(v == value for _, v in group), len(group))
                weight *= share / prior
        weights[value] = weight
    total = sum(weights.values())
    return {value: w / total for value, w in weights.items() if w > 0} if total else {}


def is_m_invariant(releases, m):
    """Groups of at least m people with all values different, and nobody's set of values changes."""
    for release in releases:
        for group in release:
            values = [value for _, value in group]
            if len(group) < m or len(set(values)) < len(values):
                return False
    for earlier in releases:
        for later in releases:
            for group in earlier:
                for person, _ in group:
                    other = group_of(later, person)
                    if other is None:
                        continue
                    if {value for _, value in group} != {value for _, value in other}:
                        return False
    return True
