"""`gyges skyline`: how much an attacker may know before a value is at risk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gyges.cli.options import OneSensitive, Picture, PublishedPath
from gyges.cli.output import AsJson, show, terminal
from gyges.workflow.picture_pages import refuse_picture, write_picture

if TYPE_CHECKING:
    from gyges.workflow.skyline_of_release import SkylineOfRelease


def skyline(
    release: PublishedPath,
    value: Annotated[str, typer.Option(help="The sensitive value to protect.")],
    confidence: Annotated[str, typer.Option(help="Safe means: less certain than this.")] = "0.95",
    sensitive: OneSensitive = None,
    picture: Picture = None,
    as_json: AsJson = False,
) -> None:
    """Show how much an attacker may know about RELEASE before VALUE is at risk.

    Each line is (l, k, m): the attacker knows l values that the target does not have, the values of
    k other people, and m relatives who have the value only if the target has it. Where people have
    several values each, l counts values that imply this one, and k other people who do not have it.
    """
    from gyges.report.skyline_page import PAGE_BEGINS
    from gyges.workflow.skyline_of_release import skyline_of_release

    refuse_picture(picture, PAGE_BEGINS)
    terminal.stage(f"finding the skyline of {value}")
    found = skyline_of_release(release, value, confidence, sensitive)
    if picture is not None:
        write_picture(picture, found.page(confidence), terminal, stays_inside=False)
    stated = {"value": value, "confidence": found.confidence, "skyline": found.points}
    show(stated, as_json, _text(found, confidence))


def _text(found: SkylineOfRelease, confidence: str) -> str:
    """The points as a table, each with its meaning."""
    from gyges.report.skyline_page import amount_text

    value, points = found.value, found.points
    if not points:
        return (
            f"{value}: an attacker who knows nothing but the release is already at "
            f"least {confidence} certain that someone has it"
        )
    rows = [tuple(map(amount_text, point)) for point in points]
    widths = [max(map(len, column)) for column in zip("lkm", *rows, strict=True)]
    lines = [
        f"{value}: how much an attacker may know and still be less than {confidence} certain",
        "  " + "  ".join(name.rjust(width) for name, width in zip("lkm", widths, strict=True)),
    ]
    for row, sentence in zip(rows, found.sentences(), strict=True):
        amounts = "  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True))
        lines.append(f"  {amounts}  {sentence}")
    return "\n".join([*lines, *([found.not_known] if found.not_known else [])])
