"""`gy.verify`: recompute everything that a release says, in its certificate and in its report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from gyges import __version__
from gyges.arguments import path
from gyges.auditing.against_original import read_original
from gyges.auditing.checks import Check, Verification
from gyges.auditing.form_of_release import Original
from gyges.auditing.forms import load_groups, verify_files
from gyges.data.table import Table
from gyges.errors import ReleaseError
from gyges.release.certificate import PAGES, read_certificate
from gyges.release.directory import certified_files
from gyges.release.grouped_files import load_release
from gyges.report.page import report_pages


def verify(
    directory: str | Path,
    *,
    original: Table | str | Path | None = None,
    mapping: str | Path | None = None,
) -> Verification:
    """Recompute every claim of a release from its own files.

    The groups are derived from the published tables, each rule is judged on them again, and the
    report is made again and compared. `holds` is true only if everything was checked and is true;
    `refuted` and `unchecked` list the rest. A release that is malformed is refused (ReleaseError).

    With the original table (or its path) the claims that need it are judged too, and whether every
    group holds the people that it says. The mapping, if one was kept, says who went where: it is
    needed where people fit the labels of several groups.
    """
    directory = path(directory, "directory", ReleaseError)
    if mapping is not None:
        path(mapping, "mapping", ReleaseError)
    if mapping is not None and original is None:
        raise ReleaseError(
            "the mapping says who of the original table went where: give the original too, or no "
            "mapping"
        )
    if original is not None and not isinstance(original, Table):
        place = path(original, "original", ReleaseError)
        original = read_original(load_groups(directory), place)
    found = verify_files(directory, None if original is None else Original(original, mapping))
    if found.refuted:
        return found
    return replace(found, checks=(*found.checks, *_check_pages(directory)))


def _holds(path: Path, expected: bytes) -> bool:
    return path.stat().st_size == len(expected) and path.read_bytes() == expected


def _check_pages(directory: Path) -> Iterable[Check]:
    """Whether the report says what this release's files say, to the letter."""
    present = [name for name in PAGES if name in certified_files(directory)]
    if not present:
        return
    certificate = read_certificate(directory)
    same_version = certificate.gyges == __version__
    expected = report_pages(load_release(directory)) if same_version else {}
    for name in present:
        what = f"{name} says what the published files say"
        if not same_version:
            why = f"it was written by gyges {certificate.gyges}, this is {__version__}"
            yield Check(what, "", why, None)
            continue
        is_same = _holds((directory / name), expected[name].encode())
        yield Check(what, "yes", "yes" if is_same else "no, it differs", is_same)
