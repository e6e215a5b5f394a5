"""The truth of a sentence in one world, read aloud.

A sentence is ("has", person, value), ("not", part), or ("and" | "or" | "->" | "<->", parts).
"""

from __future__ import annotations


def is_true(sentence, world):
    """`world` is {person: Counter of values}."""
    kind = sentence[0]
    if kind == "has":
        return world[sentence[1]][sentence[2]] > 0
    if kind == "not":
        return not is_true(sentence[1], world)
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


def text(sentence):
    """The sentence as somebody would type it, every part in parentheses."""
    kind = sentence[0]
    if kind == "has":
        return f"{sentence[1]} = {sentence[2]}"
    if kind == "not":
        return f"not ({text(sentence[1])})"
    return f" {kind} ".join(f"({text(part)})" for part in sentence[1])
