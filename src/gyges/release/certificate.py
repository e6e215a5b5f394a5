"""The certificate: what is claimed of a release, exactly, and the hashes of its files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gyges import __version__
from gyges.errors import ReleaseError
from gyges.release.closed_directory import read_certificate_text, refuse_ungrouped
from gyges.release.directory import CERTIFICATE, heal
from gyges.release.release import Claim, Release, Roles

NAME = CERTIFICATE
FORMAT = 1  # of the certificate itself


@dataclass(frozen=True, slots=True)
class Certificate:
    """All that a release says of itself."""

    form: str
    method: str
    values_per_person: str
    roles: Roles
    n_people: int
    n_groups: int
    n_left_out: int
    claims: tuple[Claim, ...]
    files: Mapping[str, str]  # SHA-256 of each file
    levels: Mapping[str, int] | None
    is_seeded: bool
    gyges: str = __version__
    format: int = FORMAT


def certify(release: Release, files: Mapping[str, str]) -> Certificate:
    """State a release's claims over files that were just written."""
    return Certificate(
        form=release.form,
        method=release.method,
        values_per_person=release.groups.values_per_person,
        roles=public_roles(release.roles),
        n_people=int(release.groups.sizes.sum()),
        n_groups=len(release.groups),
        n_left_out=release.n_left_out,
        claims=release.claims,
        files=dict(files),
        levels=release.levels,
        is_seeded=release.is_seeded,
    )


def write_certificate(certificate: Certificate, directory: Path) -> None:
    """Write a certificate as JSON with its keys in order."""
    write_stated(asdict(certificate), directory, indent=2)


def write_stated(stated: Mapping[str, object], directory: Path, *, indent: int = 1) -> None:
    """Write what a release of any form states of itself as JSON with its keys in order."""
    text = json.dumps(stated, indent=indent, sort_keys=True, ensure_ascii=False)
    (directory / NAME).write_text(text + "\n", encoding="utf-8")


def write_pages_and_certificate(
    directory: Path,
    pages: Mapping[str, str] | None,
    certificate: Callable[[Mapping[str, str]], Certificate],
) -> None:
    """Put pages (name → text) beside the tables of a release, and certify all of its files."""
    for name, text in (pages or {}).items():
        (directory / name).write_text(text, encoding="utf-8")
    write_certificate(certificate(digests(directory)), directory)


def read_certificate(directory: Path) -> Certificate:
    """Read a certificate; an error says what is wrong with it."""
    path = directory / NAME
    if not directory.exists():
        heal(directory)
    if directory.is_file():
        raise ReleaseError(f"{str(directory)!r} is a file: name the directory of a release")
    if not directory.is_dir():
        raise ReleaseError(f"there is no release directory {str(directory)!r}")
    if not path.exists():
        raise ReleaseError(
            f"{str(directory)!r} holds no {NAME}: it is no release of gyges, or not a whole one"
        )
    try:
        stated: dict[str, Any] = read_certificate_text(directory)
        refuse_ungrouped(stated, directory)
        stated["roles"] = _roles(stated["roles"])
        stated["claims"] = tuple(Claim(**claim) for claim in stated["claims"])
        certificate = Certificate(**stated)
    except ReleaseError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError) as problem:
        raise ReleaseError(f"{str(path)!r} is not a certificate: {problem}") from None
    if certificate.format != FORMAT:
        raise ReleaseError(
            f"{str(path)!r} has format {certificate.format}, this gyges reads {FORMAT}: "
            f"use the version {certificate.gyges} that wrote it"
        )
    return certificate


def stated_form(directory: Path) -> str | None:
    """The form that a directory's certificate names, if it holds a certificate at all."""
    try:
        return str(read_certificate_text(directory).get("form"))
    except ReleaseError:
        return None


def sha256(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digests(directory: Path) -> dict[str, str]:
    """The SHA-256 of each file of a directory, by its name."""
    return {path.name: sha256(path) for path in sorted(directory.iterdir())}


def public_roles(roles: Roles) -> Roles:
    """Roles whose hierarchies are stated as rules, or as the hash of a table.

    The leaves of a table may be people's values, so they are not published. The hash tells whether
    somebody who brings the table brings the same one.
    """
    stated = {name: public_hierarchy(one) for name, one in roles.hierarchies.items()}
    return replace(roles, hierarchies=stated)


def public_hierarchy(stated: Mapping[str, object]) -> Mapping[str, object]:
    """A hierarchy as a certificate states it."""
    if "rows" not in stated:
        return stated
    text = json.dumps(stated["rows"], ensure_ascii=False)
    return {"table": hashlib.sha256(text.encode()).hexdigest()}


def _roles(stated: dict[str, Any]) -> Roles:
    return Roles(
        tuple(stated["quasi_identifiers"]),
        stated["sensitive"],
        tuple(stated["published"]),
        dict(stated["kinds"]),
        dict(stated["hierarchies"]),
    )
