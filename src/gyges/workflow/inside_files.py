"""Refusing places where files that must stay inside would travel with a release."""

from __future__ import annotations

from pathlib import Path

from gyges.errors import GygesError
from gyges.release.private_files import lies_in, refuse_in_release
from gyges.workflow.ledger_file import folder_of

WRITTEN = ("report.html", "report.json", "groups.csv", "mapping.json")  # into --inside


def refuse_inside(
    outside: Path, files: dict[str, Path | None], *, inside: Path | None = None
) -> None:
    """Refuse a directory or files that lie in the release, or that would mix with each other."""
    given = {name: path for name, path in files.items() if path is not None}
    for name, path in given.items():
        if lies_in(path, outside):
            raise GygesError(
                f"{name} {str(path)!r} lies in the release {str(outside)!r}, which leaves the "
                f"building: choose another place"
            )
    if "the ledger" in given:
        _refuse_in_ledger_folder(given["the ledger"], {"the release": outside, "--inside": inside})
    if inside is None:
        return
    refuse_in_release(inside, "--inside")
    if inside.suffix == ".html" or inside.is_file():
        raise GygesError(f"--inside {inside} must be a directory: several files go there")
    if lies_in(inside, outside) or lies_in(outside, inside):
        raise GygesError(
            f"--inside {inside} and the release {outside} must not contain each other: files that "
            f"must stay inside need a separate directory"
        )
    for name, path in given.items():
        if any(lies_in(path, inside / written) for written in WRITTEN):
            raise GygesError(
                f"{name} {str(path)!r} would be replaced by a file of --inside: choose another "
                f"directory"
            )


def _refuse_in_ledger_folder(ledger: Path, outputs: dict[str, Path | None]) -> None:
    """Refuse outputs in the ledger's own folder of copies."""
    kept = folder_of(ledger)
    for name, path in outputs.items():
        if path is not None and lies_in(path, kept):
            raise GygesError(
                f"{name} {str(path)!r} lies in the ledger's folder {str(kept)!r}: choose another "
                f"place"
            )
