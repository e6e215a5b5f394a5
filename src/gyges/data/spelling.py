"""Identifiers in two spellings: "00017" and "17.0" may be one person, and so may "Ann" and "ann".

Two values are *respelled* if they have the same plain spelling: in lower case, without the leading
zeros of a number and ".0" after it, with plain digits for full-width ones, and with blanks for
signs between words; or if one is a word and the other the same word divided by signs
(123-45-6789). Where they identify people, a count of
values may then be more than the number of people (`consistency.py`). Other differences, such as a
slip of the pen, are not looked for.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, TypeAlias
from unicodedata import normalize

from gyges.exact import counted

if TYPE_CHECKING:
    import pyarrow as pa

# What is replaced in which order: (expression of RE2, by what).
Replaced: TypeAlias = Sequence[tuple[str, str]]
# In lower case and compatible form (Unicode's NFKC: digits and letters of another width, raised or
# joined, are the plain ones). Blanks are doubled, so that each word has its own on both sides.
TO_WORDS: Replaced = (
    ("ß", "ss"),
    ("([0-9])[.]0+($|[^0-9.])", r"\1\2"),  # ".0" after a number, unless it is part of 1.0.2
    (r"[^\p{L}\p{M}\p{N}]+", "  "),
    ("^ +| +$", ""),
)
# Zeros of the first and the last number of a word: P007 is P7, but A0B7 is not AB7.
WITHOUT_ZEROS: Replaced = (
    ("(^| )([^0-9 ]*)0+([0-9])", r"\1\2\3"),
    ("([^0-9 ])0+([0-9]+)( |$)", r"\1\2\3"),
)
ONE_WORD: Replaced = ((" +", ""), *WITHOUT_ZEROS)
_WHAT = "leading zeros, letter case, blanks or signs"
# Letters and a number: without zeros in front, or all of one length, no two such texts are
# respelled. The letters are all upper or all lower case.
LETTERS = ("A-Z", "a-z")
# For engines that have no NFKC: characters that stand for one or several letters or digits.
_COMPATIBLE_CODES = [*range(0xAA, 0xBB), *range(0x2070, 0x20A0), *range(0xFB00, 0xFB07),
                     *range(0xFF10, 0xFF5B), *range(0x1D400, 0x1D800)]  # fmt: skip
HAS_COMPATIBLE = "[ª²³¹º⁰-₟ﬀ-ﬆ０-ｚ\U0001d400-\U0001d7ff]"
COMPATIBLE = {
    character: plain
    for character in map(chr, _COMPATIBLE_CODES)
    if re.match(HAS_COMPATIBLE, character) and (plain := normalize("NFKC", character)) != character
}
NUMBERED = {"any": "^[{}]*[0-9]+$", "without zeros": "^[{}]*(0|[1-9][0-9]*)$"}


def plain_spellings(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Each value in its plain spelling, as text; a null stays one.

    >>> import pyarrow as pa
    >>> plain_spellings(pa.array(["007", "7.0", "P-012 ", "p_12", "Ann Lee", "1.0.2"])).to_pylist()
    ['7', '7', 'p  12', 'p  12', 'ann  lee', '1  0  2']
    """
    return _replaced(_words(values), WITHOUT_ZEROS)


def count_respelled(values: pa.ChunkedArray, marks: Collection[str] = ()) -> int:
    """How many more texts than plain spellings there are among different values.

    To these are added the spellings with signs that another text has without. Texts without
    letters or digits, and marks of missing values, name nobody.

    >>> import pyarrow as pa
    >>> count_respelled(pa.chunked_array([["007", "7", "7", "8", None, "-", "?", "N/A", "n/a"]]))
    2
    >>> count_respelled(pa.chunked_array([["007", "7", "N/A", "n/a"]]), marks=["N/A", "n/a"])
    1
    >>> count_respelled(pa.chunked_array([["12-34", "1234", "1-234", "12-3", "1-23"]]))
    2
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not _is_text(values.type):
        return 0
    try:
        texts = pc.unique(values.cast(pa.large_string())).drop_null()
    except pa.ArrowInvalid:  # bytes that are no text
        return 0
    if marks:
        texts = texts.filter(pc.invert(pc.is_in(texts, pa.array(marks, texts.type))))
    if _are_numbered(texts):
        return 0
    words = _words(texts)
    words = words.filter(pc.not_equal(words, ""))
    plain = _replaced(words, WITHOUT_ZEROS)
    n_more = len(plain) - int(pc.count_distinct(plain).as_py())
    is_divided = pc.match_substring(words, " ")
    n_divided = pc.sum(is_divided).as_py() or 0
    if not 0 < n_divided < len(words):
        return n_more
    whole = pc.unique(plain.filter(pc.invert(is_divided)))
    joined = _replaced(words.filter(is_divided), ONE_WORD)
    also_whole = plain.filter(is_divided).filter(pc.is_in(joined, whole))
    return n_more + int(pc.count_distinct(also_whole).as_py())


def respelled_in_words(n: int, name: str, other: str = "another one") -> str:
    """How many values of a column are another one in another spelling.

    >>> respelled_in_words(2, "id")
    "2 values of 'id' differ from another one only in leading zeros, letter case, blanks or signs"
    """
    differ = "differs" if n == 1 else "differ"
    return f"{counted(n, 'value')} of {name!r} {differ} from {other} only in {_WHAT}"


def _words(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """The words of each value in lower case; in upper case first, where a letter has two lower."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = pc.utf8_normalize(values.cast(pa.large_string()), form="NFKC")
    return _replaced(pc.utf8_lower(pc.utf8_upper(texts)), TO_WORDS)


def _replaced(
    texts: pa.Array | pa.ChunkedArray, expressions: Replaced
) -> pa.Array | pa.ChunkedArray:
    import pyarrow.compute as pc

    for expression, by in expressions:
        texts = pc.replace_substring_regex(texts, expression, by)
    return texts


def _are_numbered(texts: pa.Array) -> bool:
    """Whether each text is letters and a number in one form, so that none is respelled."""
    import pyarrow.compute as pc

    def all_match(pattern: str) -> bool:
        return bool(pc.all(pc.match_substring_regex(texts, pattern), min_count=0).as_py())

    lengths = pc.min_max(pc.binary_length(texts)).as_py()
    form = NUMBERED["any" if lengths["min"] == lengths["max"] else "without zeros"]
    return any(all_match(form.format(letters)) for letters in LETTERS)


def _is_text(kind: pa.DataType) -> bool:
    from pyarrow import types

    held = kind.value_type if types.is_dictionary(kind) else kind
    is_text = types.is_string(held) or types.is_large_string(held) or types.is_string_view(held)
    return bool(is_text or types.is_binary(held) or types.is_large_binary(held))
