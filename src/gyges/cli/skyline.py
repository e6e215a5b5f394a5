"""`gyges skyline`: how much an attacker may know before a value is no longer safe."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gyges.cli.show import AsJson, show


def skyline(
    release: Annotated[Path, typer.Argument(help="The directory of the release.")],
    value: Annotated[str, typer.Option(help="The sensitive value to protect.")],
    confidence: Annotated[str, typer.Option(help="Safe means: less sure than this.")] = "0.95",
    as_json: AsJson = False,
) -> None:
    """The most that an attacker may know of RELEASE while VALUE stays safe.

    Each line is (l, k, m): l values that the target does not have, k other people whose values he
    knows, m relatives who have the value only if the target has.
    """
    import gyges as gy
    from gyges.adversaries.dimensions import explain_point

    points = gy.skyline_find(gy.load(release).groups, value=value, confidence=confidence)
    found = {"value": value, "confidence": confidence, "skyline": points}
    show(found, as_json, _text(value, confidence, points, explain_point))


def _text(
    value: str, confidence: str, points: list[tuple[float, float, float]], explain: object
) -> str:
    if not points:
        return f"{value} is not safe at {confidence}, even from an attacker who knows nothing more"
    assert callable(explain)
    lines = [f"{value}: nobody is {confidence} sure or more that a person has it"]
    return "\n".join([*lines, *(f"  {explain(point, value)}" for point in points)])
