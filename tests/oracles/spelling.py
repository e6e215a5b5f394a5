"""Plain spellings, a character at a time."""

from __future__ import annotations

import re
import unicodedata


def lower(letter):
    """A letter in lower case, also if it has two of them, unless that is more than one letter."""
    upper = letter.upper() if len(letter.upper()) == 1 else letter
    return upper.lower() if len(upper.lower()) == 1 else upper


def words_of(text):
    """The words between signs, in lower case."""
    text = "".join(map(lower, unicodedata.normalize("NFKC", text))).replace("ß", "ss")
    text = re.sub(r"(?<=[0-9])\.0+(?![0-9.])", "", text)
    words = [""]
    for character in text:
        if unicodedata.category(character)[0] in "LMN":
            words[-1] += character
        else:
            words.append("")
    return [word for word in words if word]


def without_zeros(word):
    """A word without the zeros in front of its first number, if letters at most precede it, and of
    its last one, if nothing follows.
    """
    word = re.sub(r"^([^0-9]*)0+([0-9])", r"\1\2", word)
    return re.sub(r"([^0-9])0+([0-9]+)$", r"\1\2", word)


def slowly_plain(text):
    return "  ".join(map(without_zeros, words_of(text)))


def slowly_counted(values, marks=()):
    """Texts that share a plain spelling with an earlier one; spellings that another has whole."""
    known = {value for value in values if value is not None and value not in marks}
    named = [value for value in known if words_of(value)]
    plain = {value: slowly_plain(value) for value in named}
    whole = {plain[value] for value in named if len(words_of(value)) == 1}
    divided = {
        plain[value]
        for value in named
        if len(words_of(value)) > 1 and without_zeros("".join(words_of(value))) in whole
    }
    return len(named) - len(set(plain.values())) + len(divided)
