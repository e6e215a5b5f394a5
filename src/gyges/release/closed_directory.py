"""A release directory as an auditor may read it: a closed list of plain files, and no others.

A directory may contain anything. Before a table is read, these functions refuse whatever the form
of the release does not allow:

- a certificate that is a link, a pipe or a directory, is larger than LARGEST_CERTIFICATE bytes, is
  not UTF-8, is no JSON object, nests too deeply, has a key twice, NaN or Infinity, or a number of
  more than LONGEST_NUMBER digits;
- a file that the form does not allow, whether the certificate lists it or not, and a file that the
  certificate does not list;
- a certified file that is missing;
- a name with a path in it, two names that differ only in case, and two tables of the same stem;
- links, pipes, sockets, devices and directories, under any name.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from gyges.data.plain_files import read_plain_file
from gyges.errors import ReleaseError
from gyges.release.directory import CERTIFICATE, SIGNATURE, recover
from gyges.release.exchange_files import EXCHANGE_FORMATS
from gyges.release.tables import FORMATS

LARGEST_CERTIFICATE = 64 * 1024 * 1024  # bytes
LONGEST_NUMBER = 4_000  # digits; Python converts a few more before it refuses
_NAMED = 5  # tables that an error names


def certified_tables(
    directory: Path,
    names: Sequence[str],
    certified: Mapping[str, str],
    pages: Collection[str] = (),
) -> dict[str, str]:
    """The file of each table of a form, all in one format; refuse a directory with other files.

    Besides, each table may have files for other programs (exchange_files.py), which are compared
    with it.

    Args:
        names: the tables that the form has.
        certified: the files that the certificate lists, each with its SHA-256.
        pages: further files that the form allows.
    """
    for format in FORMATS:
        files = {name: f"{name}.{format}" for name in names}
        if set(files.values()) <= set(certified):
            others = {f"{name}.{other}" for name in names for other in EXCHANGE_FORMATS}
            refuse_strange_files(directory, {*files.values(), *others, *pages}, certified)
            return files
    listed = f"{', '.join(names[:_NAMED])}{', …' if len(names) > _NAMED else ''}"
    raise ReleaseError(
        f"the certificate does not list the tables of its form ({listed}), all of them as "
        f"{' or all as '.join(FORMATS)} files"
    )


def refuse_strange_files(
    directory: Path, allowed: Collection[str], certified: Mapping[str, str]
) -> None:
    """Refuse a directory with anything but its certificate, signature and certified files.

    `allowed` are the names that the form allows besides the certificate.
    """
    for name in sorted(certified):
        if not _is_plain(name) or name in (CERTIFICATE, SIGNATURE) or name not in allowed:
            raise ReleaseError(
                f"the certificate lists the file {name!r}, which a release of this form cannot have"
            )
    _refuse_two_of_a_stem(certified)
    present = plain_files(directory)
    for name in sorted(present - set(certified) - {CERTIFICATE, SIGNATURE}):
        raise ReleaseError(
            f"the directory has the file {name!r}, which its certificate does not list"
        )
    for name in sorted(set(certified) - present):
        raise ReleaseError(f"the certificate lists the file {name!r}, which is missing")


def read_certificate_text(directory: Path) -> dict[str, object]:
    """The certificate as a dict; refuse anything but a JSON object of limited size."""
    path = _certificate_path(directory)
    try:
        found = read_plain_file(path, LARGEST_CERTIFICATE, flags=os.O_NOFOLLOW)
    except OSError as problem:
        raise ReleaseError(f"{str(path)!r} cannot be read: {problem.strerror}") from None
    return _parsed(found, path)


def _certificate_path(directory: Path) -> Path:
    if not directory.exists():
        recover(directory)
    if directory.is_file():
        raise ReleaseError(f"{str(directory)!r} is a file: name the directory of a release")
    if not directory.is_dir():
        raise ReleaseError(f"there is no release directory {str(directory)!r}")
    path = directory / CERTIFICATE
    if not os.path.lexists(path):
        raise ReleaseError(
            f"{str(directory)!r} has no {CERTIFICATE}: it is not a release of gyges, or incomplete"
        )
    if path.is_symlink() or not path.is_file():
        raise ReleaseError(f"{str(path)!r} is not a regular file")
    return path


def _parsed(found: bytes, path: Path) -> dict[str, object]:
    try:
        stated = json.loads(
            found.decode("utf-8"),
            object_pairs_hook=_object,
            parse_constant=_no_constant,
            parse_int=_integer,
            parse_float=_finite,
        )
    except ReleaseError as problem:
        raise ReleaseError(f"{str(path)!r} is not a certificate: {problem}") from None
    except (ValueError, RecursionError):
        raise ReleaseError(f"{str(path)!r} is not a certificate: it is not UTF-8 JSON") from None
    if not isinstance(stated, dict):
        raise ReleaseError(f"{str(path)!r} is not a certificate: it is not a JSON object")
    return stated


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ReleaseError("it has a key twice")
    return made


def _no_constant(name: str) -> object:
    raise ReleaseError(f"it has {name}, which is not a number")


def _integer(text: str) -> int:
    if len(text) > LONGEST_NUMBER:
        raise ReleaseError(f"it has a number of more than {LONGEST_NUMBER:,} digits")
    return int(text)


def _finite(text: str) -> float:
    if len(text) > LONGEST_NUMBER or not math.isfinite(float(text)):
        raise ReleaseError("it has a number that is too large")
    return float(text)


def _is_plain(name: str) -> bool:
    """Whether a name is the name of a file in the directory itself, and printable."""
    return name not in ("", ".", "..") and name.isprintable() and Path(name).name == name


def _refuse_two_of_a_stem(names: Collection[str]) -> None:
    """Refuse both `data.csv` and `data.parquet` or `DATA.CSV`: which of them was judged?"""
    stems: dict[str, str] = {}
    tables = [name for name in names if name.casefold().endswith(tuple(f".{f}" for f in FORMATS))]
    for name in sorted(tables):
        other = stems.setdefault(name.partition(".")[0].casefold(), name)
        if other != name:
            raise ReleaseError(f"the certificate lists both {other!r} and {name!r}: keep one")


def plain_files(directory: Path) -> set[str]:
    """The names in a directory, all of them regular files."""
    try:
        with os.scandir(directory) as entries:
            found = {entry.name: entry.is_file(follow_symlinks=False) for entry in entries}
    except OSError as problem:
        raise ReleaseError(f"{str(directory)!r} cannot be read: {problem.strerror}") from None
    for name, is_file in sorted(found.items()):
        if not is_file:
            raise ReleaseError(
                f"the directory has {name!r}, which is a link, a directory or a device, not a "
                f"regular file"
            )
    return set(found)
