"""`gyges demo`: a made-up hospital, published in seconds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gyges.cli.output import AsJson, show, terminal

if TYPE_CHECKING:
    from gyges.release.release import Release
    from gyges.workflow.demonstration import Demonstration


def demo(
    folder: Annotated[Path, typer.Option(help="Where to put the files.")] = Path("gyges-demo"),
    as_json: AsJson = False,
) -> None:
    """Make up a hospital of 3,000 patients, publish it safely, and show what an attacker learns."""
    from gyges.workflow.demonstration import demonstrate

    found = demonstrate(folder, terminal)
    show({"folder": folder, **found.stated()}, as_json, _text(folder, found))


def _text(folder: Path, found: Demonstration) -> str:
    from gyges.exact import counted, worst_case

    release, published = found.release, found.published
    size = f"{release.groups.sizes.mean():.1f}"
    return "\n".join(
        [
            "",
            "BEFORE",
            f"  {found.table.n_people:,} patients with age, zip, sex and a disease.",
            f"  {found.n_alone:,} of them are the only one with their age, zip and sex: anyone who",
            "  knows these three things about them can read their disease in the table.",
            "",
            "AFTER",
            f"  {counted(len(release.groups), 'group')} of {size} people on average; in each, "
            f"age, zip and",
            "  sex are generalized until all of its people look the same:",
            *_some_rows(release),
            "",
            "WHAT IS PROMISED",
            *(f"  holds: {claim.text} ({worst_case(claim.risk)})" for claim in release.claims),
            "",
            "WHAT THE WORST ATTACKER LEARNS WITH ONE FACT OF THEIR CHOICE",
            f"  {found.disclosure.witness}",
            "  (People are numbered within their group: the release names nobody.)",
            "",
            "THE SAME PEOPLE WITH SEVERAL DISEASES EACH",
            f"  {counted(len(found.several.groups), 'group')}. {found.point.witness}",
            "",
            f"The files are in {folder}. Next:",
            f"  open {published / 'report.html'} in a browser",
            f"  gyges verify {published}",
            f"  gyges audit {published}",
            f'  gyges ask {published} "1.1 = Flu" --given "1.2 = Flu -> 1.1 = Flu"',
            f"  cd {folder}; gyges init patients.csv; gyges publish gyges.toml",
            f"  gyges studio {folder / 'patients.csv'}   # the same data in a web page",
        ]
    )


def _some_rows(release: Release) -> list[str]:
    rows = release.tables["data"].slice(0, 4)
    names = rows.column_names
    lines = [[str(value) for value in row.values()] for row in rows.to_pylist()]
    width = [max(len(line[i]) for line in [names, *lines]) for i in range(len(names))]
    return [
        "    " + "  ".join(cell.ljust(width[i]) for i, cell in enumerate(line)).rstrip()
        for line in [names, *lines]
    ]
