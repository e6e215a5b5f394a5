"""The truth of a sentence in one world, read aloud.

A sentence is ("has", person, value), ("not", part), or ("and" | "or" | "->" | "<->", parts);
("at least" | "at most" | "exactly", n, parts); ("share", people), if they have a value in common;
("between", person, low, high), a number with its ends, or (">", person, number).
"""

from __future__ import annotations


def is_true(sentence, world):
    """`world` is {person: Counter of values}."""
    kind = sentence[0]
    if kind == "has":
        return world[sentence[1]][sentence[2]] > 0
    if kind == "not":
        return not is_true(sentence[1], world)
    if kind == "share":
        return any(all(world[one][value] > 0 for one in sentence[1]) for value in held(world))
    if kind in ("between", ">"):
        return any(in_range(value, *sentence[2:]) for value in held(world, sentence[1]))
    if kind in ("at least", "at most", "exactly"):
        n_true = sum(is_true(part, world) for part in sentence[2])
        wanted = sentence[1]
        return {"at least": n_true >= wanted, "at most": n_true <= wanted}.get(
            kind, n_true == wanted
        )
    truths = [is_true(part, world) for part in sentence[1]]
    if kind == "and":
        return all(truths)
    if kind == "or":
        return any(truths)
    result = truths[0] if kind == "<->" else truths[-1]
    if kind == "<->":
        for truth in truths[1:]:
            result = result == truth
    else:
        for truth in reversed(truths[:-1]):
            result = (not truth) or result
    return result


def held(world, person=None):
    """The values that a person has, or that anybody has."""
    people = world if person is None else [person]
    return {value for one in people for value, n in world[one].items() if n > 0}


def in_range(value, low, high=None):
    """Without `high`: whether the value is greater than `low`."""
    return value > low if high is None else low <= value <= high


def text(sentence):
    """The sentence as somebody would type it, every part in parentheses."""
    kind = sentence[0]
    if kind == "has":
        return f"{sentence[1]} = {sentence[2]}"
    if kind == "not":
        return f"not ({text(sentence[1])})"
    if kind == "share":
        return f"all of ({', '.join(sentence[1])}) share a value"
    if kind == ">":
        return f"{sentence[1]} > {sentence[2]}"
    if kind == "between":
        return f"{sentence[1]} from {sentence[2]} to {sentence[3]}"
    if kind in ("at least", "at most", "exactly"):
        return f"{kind} {sentence[1]} of ({', '.join(text(part) for part in sentence[2])})"
    return f" {kind} ".join(f"({text(part)})" for part in sentence[1])
