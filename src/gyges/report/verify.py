"""`gy.verify`: recompute everything that the certificate and the report of a release state."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path

from gyges import __version__
from gyges.arguments import path
from gyges.auditing.audit_inputs import check_mapping
from gyges.auditing.checks import Check, Verification
from gyges.auditing.form_of_release import Original
from gyges.auditing.forms import load_groups, verify_files
from gyges.auditing.people_source import read_original
from gyges.data.table import Table
from gyges.errors import ReleaseError
from gyges.release.certificate import (
    DESCRIPTIONS,
    PAGES,
    REPORTS,
    Certificate,
    read_certificate,
)
from gyges.release.directory import SIGNATURE, certified_files
from gyges.release.grouped_files import load_release
from gyges.release.published import file_named
from gyges.release.signature import SignatureCheck, check_signature, named_key
from gyges.report.descriptions import description_pages
from gyges.report.page import report_pages


def verify(
    directory: str | Path,
    *,
    original: Table | str | Path | None = None,
    mapping: str | Path | None = None,
    key: str | Path | None = None,
) -> Verification:
    """Recompute every claim of a release from its own files.

    The groups are derived from the published tables, each rule is judged on them again, and the
    report is made again and compared. `holds` is true only if everything was checked and is true;
    `refuted` and `unchecked` list the rest. A malformed release is refused (ReleaseError).

    With the original table (or its path), claims that need it are judged too, and the people of
    every group are compared. The mapping, which records each person's group, is needed where people
    fit the labels of several groups.

    With the publisher's public key (a file), the signature is checked first. Unless it is valid,
    nothing else is checked: `signature` is then "unsigned", "other key" or "altered".
    """
    directory = path(directory, "directory", ReleaseError)
    check_mapping(mapping, original)
    signed = None if key is None else check_signature(directory, key)
    if signed is not None and signed.status != "valid":
        return Verification((_signature(signed),), signature=signed.status)
    if original is not None and not isinstance(original, Table):
        place = path(original, "original", ReleaseError)
        original = read_original(load_groups(directory), place)
    found = verify_files(directory, None if original is None else Original(original, mapping))
    pages = () if found.refuted else _check_pages(directory)
    found = replace(found, checks=(*found.checks, *pages))
    if signed is not None:
        checks = (_signature(signed), *found.checks)
        return replace(found, checks=checks, signature=signed.status)
    named = named_key(directory)
    if named is None:
        return found
    if not named.is_of_these_files:
        claim = f"{SIGNATURE} holds a signature of these files and nothing else"
        return replace(found, checks=(*found.checks, Check(claim, "yes", "no", False)))
    key_of = named.fingerprint
    unchecked = f"Signed with {key_of}; this was not checked: give the publisher's public key."
    return replace(found, statements=(*found.statements, unchecked))


def _signature(signed: SignatureCheck) -> Check:
    """The answer about the signature, as a check."""
    claim = f"all files are as the owner of the key {signed.fingerprint} signed them"
    return Check(claim, "signed", signed.found, signed.status == "valid")


def _holds(path: Path, expected: bytes) -> bool:
    """Whether a file has this content; one of another size, which may be huge, is not read."""
    return path.stat().st_size == len(expected) and path.read_bytes() == expected


def _expected(
    directory: Path, certificate: Certificate, present: Collection[str]
) -> dict[str, str]:
    """The pages that gyges makes from the files of a release; only those of the kinds present."""
    release = load_release(directory)
    reports = report_pages(release) if {*present} & {*REPORTS} else {}
    if not {*present} & {*DESCRIPTIONS}:
        return reports
    format = Path(file_named(certificate.table_names[0], certificate.files)).suffix[1:]
    return {**reports, **description_pages(release, format)}


def _check_pages(directory: Path) -> Iterable[Check]:
    """Whether each page of the report, and each description, is the one made from the files."""
    present = [name for name in PAGES if name in certified_files(directory)]
    if not present:
        return
    certificate = read_certificate(directory)
    same_version = certificate.gyges == __version__
    expected = _expected(directory, certificate, present) if same_version else {}
    for name in present:
        what = f"{name} agrees with the published files"
        if not same_version:
            why = f"it was written by gyges {certificate.gyges}, this is {__version__}"
            yield Check(what, "", why, None)
            continue
        is_same = _holds(directory / name, expected[name].encode())
        yield Check(what, "yes", "yes" if is_same else "no, it differs", is_same)
