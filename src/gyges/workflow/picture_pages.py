"""Pages with a picture, written where --picture says: refused before any work, then written."""

from __future__ import annotations

from pathlib import Path

from gyges.errors import GygesError
from gyges.release.private_files import refuse_replacing, write_private
from gyges.workflow.progress import Progress


def refuse_picture(picture: Path | None, begins: str) -> None:
    """Refuse a place where no page with a picture can be written."""
    refuse_page(picture, begins, option="--picture", ending=".html")


def refuse_page(place: Path | None, begins: str, *, option: str, ending: str) -> None:
    """Refuse a place where no page can be written, or that holds another file."""
    if place is None:
        return
    refuse_replacing(place, option, begins)
    if place.suffix.lower() != ending:
        raise GygesError(f"{option} is {str(place)!r}: name a file that ends in {ending}")
    if not place.absolute().parent.is_dir():
        raise GygesError(f"{option} is {str(place)!r}: its folder does not exist")


def write_picture(picture: Path, page: str, progress: Progress, *, stays_inside: bool) -> None:
    """Write a page; only its owner may read one that stays inside the building."""
    progress.outputs.announce_file(picture)
    if stays_inside:
        write_private(picture, page)
        progress.note(f"the picture is in {picture}; keep it inside the building")
    else:
        picture.write_text(page, encoding="utf-8")
        progress.note(f"the picture is in {picture}")
