"""`gyges skyline`: how much an attacker may know before a value is no longer safe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gyges.cli.output import AsJson, show, terminal

if TYPE_CHECKING:
    from gyges.data.schema import ValuesPerPerson

_LISTED = 10  # values that an error names


def skyline(
    release: Annotated[Path, typer.Argument(help="The directory of the release.")],
    value: Annotated[str, typer.Option(help="The sensitive value to protect.")],
    confidence: Annotated[str, typer.Option(help="Safe means: less certain than this.")] = "0.95",
    picture: Annotated[
        Path | None, typer.Option(help="Also write a page with the picture (.html).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The most that an attacker may know of RELEASE while VALUE stays safe.

    Each line is (l, k, m): l values that the target does not have, k other people whose values the
    attacker knows, m relatives who have the value only if the target has.
    """
    import gyges as gy
    from gyges.adversaries.dimension_statistics import code_of
    from gyges.errors import suggestion
    from gyges.exact import fraction

    _refuse_picture(picture)
    groups = gy.load(release).groups
    if code_of(groups.values, value) is None:
        known = [str(one) for one in groups.values]
        raise gy.GygesError(
            f"nobody in the release has the value {value!r}{suggestion(value, known)}: it has "
            f"{', '.join(known[:_LISTED])}{', …' if len(known) > _LISTED else ''}"
        )
    points = gy.skyline_find(groups, value=value, confidence=confidence)
    if picture is not None:
        from gyges.report.skyline_page import skyline_page

        page = skyline_page(points, value, confidence, groups.values_per_person)
        terminal.outputs.announce_file(picture)
        picture.write_text(page, encoding="utf-8")
        terminal.note(f"the picture is in {picture}")
    sure = fraction(confidence, "--confidence")
    found = {"value": value, "confidence": sure, "skyline": points}
    show(found, as_json, _text(points, value, confidence, groups.values_per_person))


def _refuse_picture(picture: Path | None) -> None:
    from gyges.errors import GygesError
    from gyges.release.private_files import refuse_replacing
    from gyges.report.skyline_page import PAGE_BEGINS

    if picture is None:
        return
    if picture.suffix.lower() != ".html":
        raise GygesError(f"--picture is {str(picture)!r}: name a file that ends in .html")
    if not picture.absolute().parent.is_dir():
        raise GygesError(f"--picture is {str(picture)!r}: there is no such folder")
    refuse_replacing(picture, "--picture", PAGE_BEGINS)


def _text(
    points: list[tuple[float, float, float]],
    value: str,
    confidence: str,
    values_per_person: ValuesPerPerson,
) -> str:
    """The points as a table, each with its sentence."""
    from gyges.adversaries.skyline_frontier import explain_point
    from gyges.report.skyline_page import amount_text

    if not points:
        return (
            f"{value}: an attacker who knows nothing but the release is already {confidence} "
            f"certain that someone has it"
        )
    rows = [tuple(map(amount_text, point)) for point in points]
    widths = [max(map(len, column)) for column in zip("lkm", *rows, strict=True)]
    lines = [
        f"{value}: how much an attacker may know and be less than {confidence} certain",
        "  " + "  ".join(name.rjust(width) for name, width in zip("lkm", widths, strict=True)),
    ]
    for row, point in zip(rows, points, strict=True):
        amounts = "  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True))
        lines.append(f"  {amounts}  {explain_point(point, values_per_person)}")
    return "\n".join(lines)
