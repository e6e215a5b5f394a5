"""Text files that are not in UTF-8: their encoding, and a copy that every engine reads.

UTF-16 is known by its first bytes. Between encodings of one byte per letter, such as Windows-1252,
only the letters can decide: that is a guess, and a note says so.
"""

from __future__ import annotations

import codecs
import gzip
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, cast

from gyges.arguments import shown
from gyges.data.held_folders import held_spill
from gyges.errors import SourceError

UTF_8 = "utf-8"
USUAL = "cp1252"  # of Western Europe
_CANDIDATES = [  # of two that fit equally well, the earlier one
    USUAL, "cp1250", "iso8859_2", "iso8859_15", "cp1251", "koi8_r", "cp1253", "cp1254",
    "mac_roman", "cp850", "shift_jis", "gb18030", "big5", "euc_kr",
]  # fmt: skip
_LETTERS = "àáâãäåæçèéêëìíîïñòóôõöøùúûüÿœß"
_WESTERN = {*_LETTERS, *_LETTERS.upper(), *"ŸšžŠŽ€£§°«»‘’“”–—…·•©®™±²³µ½¼¾¿¡ºª´\u00a0"}
_LETTER = r"[^\W\d_]"
_IN_WORDS = re.compile(  # a sign inside a word, or a capital with an accent after a small letter
    rf"{_LETTER}(?=[^\w\s])[^\x00-\x7f’‘´·–—](?={_LETTER})|[²³½¼¾ºª]{_LETTER}|[a-z][À-ÖØ-Þ]"
)
_ALL_ACCENTS = re.compile(rf"(?<!{_LETTER})[À-ÖØ-öø-ÿŒœŸŠšŽž]{{3,}}(?!{_LETTER})")
_MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_EXAMINED = 64 * 2**20  # bytes that must be UTF-8 for a file to be taken as UTF-8
_TELLING = (
    2**16
)  # bytes of lines with other letters than ASCII's, from which an encoding is guessed
_AT_ONCE = 2**20


def unpacked(path: Path) -> IO[bytes]:
    """Open a file for reading, decompressed if it is compressed."""
    try:
        if path.suffix.lower() == ".gz":
            return cast("IO[bytes]", gzip.open(path, "rb"))
        return path.open("rb")
    except OSError as problem:
        why = problem.strerror or type(problem).__name__
        raise SourceError(f"{path.name} cannot be opened: {why}") from None


def encoding_of(path: Path) -> str:
    """The encoding of a text file, by Python's name: known for UTF-8 and UTF-16, else guessed."""
    try:
        with unpacked(path) as stream:
            return _encoding(stream)
    except (OSError, EOFError):
        return UTF_8  # damaged: reading it says so


def _encoding(stream: IO[bytes]) -> str:
    piece = stream.read(_AT_ONCE)
    if piece[:2] in _MARKS:
        return _MARKS[piece[:2]]
    decoder, n_read, is_utf_8, telling = codecs.getincrementaldecoder(UTF_8)(), 0, True, b""
    if b"\0" in piece:
        return UTF_8  # no text; reading it says so
    while n_read < _EXAMINED and (is_utf_8 or len(telling) < _TELLING):
        n_read += len(piece)
        try:
            decoder.decode(piece, final=not piece)
        except UnicodeDecodeError:
            is_utf_8 = False
            decoder.reset()
        if not piece:
            break
        if not piece.isascii():
            lines = [line for line in piece.splitlines(keepends=True) if not line.isascii()]
            telling += b"".join(lines)[: _TELLING - len(telling)]
        piece = stream.read(_AT_ONCE)
    return UTF_8 if is_utf_8 else _guessed(telling)


def _guessed(telling: bytes) -> str:
    """The encoding that reads these lines best; UTF-8 if most of them are, and one is damaged."""
    from charset_normalizer import from_bytes

    lines = telling.splitlines()
    if 2 * sum(map(_is_utf_8, lines)) >= len(lines):
        return UTF_8
    if _is_western(telling):
        return USUAL
    found = [
        (match.chaos, -match.coherence, _CANDIDATES.index(one))
        for match in from_bytes(telling, cp_isolation=_CANDIDATES)
        for one in match.could_be_from_charset
    ]
    return _CANDIDATES[min(found)[2]] if found else USUAL


def _is_western(telling: bytes) -> bool:
    """Whether these lines are flawless in Windows-1252, with letters of Western Europe only.

    In other encodings letters become signs inside words, or all letters of a word have accents;
    Czech, Slovak, Croatian and Hungarian become combinations that no Western language has.
    """
    try:
        text = telling.decode(USUAL)
    except UnicodeDecodeError:
        return False
    strange = {sign for sign in text if not sign.isascii()} - _WESTERN
    is_central = bool({*text} & {*"šžŠŽ"} and {*text} & {*"èìøùõûØÈ"}) or (
        "õ" in text and "ã" not in text
    )
    return not (strange or is_central or _IN_WORDS.search(text) or _ALL_ACCENTS.search(text))


def _is_utf_8(line: bytes) -> bool:
    try:
        line.decode(UTF_8)
    except UnicodeDecodeError:
        return False
    return True


@contextmanager
def in_utf_8(
    paths: Sequence[Path], encoding: str | None = None
) -> Iterator[tuple[list[Path], list[str]]]:
    """The same files in UTF-8, copied where they are not, and the encoding of each.

    Copies are in a folder for this user alone, which is removed at the end.
    """
    found = [encoding_of(path) if encoding is None else _known(encoding) for path in paths]
    with ExitStack() as stack:
        texts = []
        for path, one in zip(paths, found, strict=True):
            if one == UTF_8:
                texts.append(path)
                continue
            folder = stack.enter_context(held_spill())
            texts.append(_copied(path, one, folder))
        yield texts, found


def _known(encoding: str) -> str:
    try:
        named = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        named = ""
    if named in ("", "base64", "bz2", "hex", "quopri", "rot13", "uu", "zlib"):
        raise SourceError(
            f"the encoding {shown(encoding)} is unknown: write utf-8, cp1252, latin-1, utf-16, …"
        )
    return UTF_8 if named in (UTF_8, "utf-8-sig", "ascii") else named


def _copied(path: Path, encoding: str, folder: Path) -> Path:
    copy = folder / (path.name[:-3] if path.suffix.lower() == ".gz" else path.name)
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with unpacked(path) as stream, copy.open("w", encoding=UTF_8, newline="") as out:
            while piece := stream.read(_AT_ONCE):
                out.write(decoder.decode(piece))
            out.write(decoder.decode(b"", final=True))
    except UnicodeError:
        raise SourceError(
            f"{path.name} is not in {encoding}: state its encoding, or convert it to UTF-8"
        ) from None
    except (OSError, EOFError):
        raise SourceError(f"{path.name} cannot be unpacked: the file is damaged") from None
    return copy


def about_encoding(name: str, encoding: str) -> str:
    """What the reader of a table should know about the encoding of its file."""
    if encoding == "utf-16":
        return f"{name} is in UTF-16."
    return f"{name} is not in UTF-8: it is read as {encoding}, a guess. Check its letters."
