"""`gyges skyline`: how much an attacker may know before a value is no longer safe."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gyges.cli.show import AsJson, note, show


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
    from gyges.adversaries.skyline_frontier import explain_point
    from gyges.errors import suggestion

    groups = gy.load(release).groups
    names = [str(one) for one in groups.values]
    if value not in names:
        note(f"note: no value of the release is called {value!r}{suggestion(value, names)}")
    points = gy.skyline_find(groups, value=value, confidence=confidence)
    found = {"value": value, "confidence": confidence, "skyline": points}
    lines = [f"{value}: how much an attacker may know before he is {confidence} sure"]
    lines += [f"  {point}: {explain_point(point, groups.values_per_person)}" for point in points]
    if not points:
        lines.append("  he is, even if he knows nothing but the release")
    show(found, as_json, "\n".join(lines))
