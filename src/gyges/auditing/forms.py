"""The forms of releases, and what all of them share: `gy.load`, verification, a description.

To add a form, write a file that reads and checks it, and add a line to FORMS.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from gyges.arguments import instance, path
from gyges.auditing.checks import Check, Verification, check_hashes
from gyges.auditing.exchange_check import check_exchange_files
from gyges.auditing.form_of_release import Description, FormOfRelease, Original
from gyges.auditing.parquet_check import check_parquet_files
from gyges.data.consistency import ROWS_ARE_PEOPLE
from gyges.data.people_words import as_counted
from gyges.data.schema import Schema
from gyges.errors import ReleaseError
from gyges.later import Later
from gyges.release.closed_directory import read_certificate_text
from gyges.release.grouped_files import release_of_rows
from gyges.release.published import Published
from gyges.release.release import Release
from gyges.release.strict_model import quoted

_read_file = Later("gyges.auditing.foreign_tables", "read_file")
_groups = Later("gyges.auditing.form_groups", "GROUPS").load
FORMS: dict[str, Callable[[], FormOfRelease[Any, Any]]] = {
    "generalized": _groups,
    "bucketized": _groups,
    "microaggregated": _groups,
    "marginals": Later("gyges.auditing.form_views", "VIEWS").load,
    "noisy": Later("gyges.auditing.form_noise", "NOISE").load,
}


def load(directory: str | Path, schema: Schema | None = None) -> Published:
    """Read a release directory of any form, or a published file with its roles.

    Only what was published is known. A directory in which a file was altered is refused. In a file
    that gyges did not write, people with the same quasi-identifiers form a group.
    """
    directory = path(directory, "directory", ReleaseError)
    if schema is not None:
        instance(schema, Schema, "schema", "make one with gy.Schema(…)", ReleaseError)
        return release_of_rows(_read_file(directory), schema)
    form = form_of(directory)
    altered = [one for one in check_hashes(directory, form.read(directory).files) if not one.holds]
    if altered:
        raise ReleaseError(
            f"{str(directory)!r} was altered: this check fails: {altered[0].claim}\nfor all checks "
            f"run gyges verify; to examine a table as it is now, name the file and its columns"
        )
    found: Published = form.load(directory)
    return found


def load_groups(directory: str | Path, schema: Schema | None = None) -> Release:
    """Read a release of groups; an error explains why another form has none."""
    found = load(directory, schema)
    if isinstance(found, Release):
        return found
    raise ReleaseError(f"{str(directory)!r}: {found.why_no_groups}")


def verify_files(directory: Path, original: Original | None = None) -> Verification:
    """Recompute what the certificate of a release of any form claims, from its own files."""
    form = form_of(directory)
    if original is not None and form.check_original is None:
        raise ReleaseError("releases of this form are verified by their files: omit the original")
    stated = form.read(directory)
    hashes = check_hashes(directory, stated.files)
    if not all(check.holds for check in hashes):
        return Verification(tuple(hashes))  # a file was altered: that is the finding
    if original is not None and form.check_original is not None:
        checks = form.check_original(directory, stated, original)
    else:
        checks = form.check(directory, stated)
    statements = [*form.statements(stated)]
    if original is not None:
        notices = original.table.people_notices
        statements += [one for one in notices if one != ROWS_ARE_PEOPLE]  # the certificate decides
    exchanged = check_exchange_files(directory, stated.files)
    checks = [*checks, *exchanged, *check_parquet_files(directory, stated.files)]
    said = [_as_counted(check, stated.rows_are_people) for check in checks]
    statements = [as_counted(one, stated.rows_are_people) for one in statements]
    told = tuple(dict.fromkeys(statements))
    return Verification((*hashes, *said), told, n_claims=len(stated.claims))


def _as_counted(check: Check, rows_are_people: bool) -> Check:
    claim, found = (as_counted(one, rows_are_people) for one in (check.claim, check.found))
    return replace(check, claim=claim, found=found)


def describe(release: Published) -> Description:
    """The description of a release for an audit; an error where it must be saved first."""
    return FORMS[release.form]().describe(release)


def form_of(directory: Path) -> FormOfRelease[Any, Any]:
    """The form that a directory's certificate names."""
    named = read_certificate_text(directory).get("form")
    if not isinstance(named, str) or named not in FORMS:
        raise ReleaseError(
            f"{str(directory)!r} has the form {quoted(str(named))}, which this gyges does not "
            f"read: use the version that wrote it"
        )
    return FORMS[named]()
