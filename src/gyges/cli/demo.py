"""`gyges demo`: a hospital that does not exist, published in seconds."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gyges.cli.output import AsJson, show, terminal

if TYPE_CHECKING:
    from gyges.criteria.base import Criterion
    from gyges.data.table import Table
    from gyges.release.release import Release


PUBLISHED, SEVERAL = "published", "published_several"  # `release` is left for trying things out


def demo(
    folder: Annotated[Path, typer.Option(help="Where to put the files.")] = Path("gyges-demo"),
    as_json: AsJson = False,
) -> None:
    """Make up a hospital of 3,000 patients, publish it safely, and show what an attacker learns."""
    import gyges as gy
    from gyges.data.examples import (
        hospital,
        hospital_schema,
        hospital_with_several_diseases,
    )
    from gyges.report.page import report_pages
    from gyges.workflow.progress import note_first_use

    note_first_use(terminal)
    source = _write(hospital(), folder / "patients.csv")
    terminal.note(f"made up {source}; reading it …")
    table = gy.read(source, hospital_schema())
    rules: list[Criterion[Any]] = [
        gy.KAnonymity(5),
        gy.DistinctDiversity(3),
        gy.Safety(confidence="0.8", k=1),
    ]
    release = gy.publish(table, rules)
    _save(release, folder / PUBLISHED, report_pages(release))
    several = _write(hospital_with_several_diseases(), folder / "patients_several.csv")
    sets = gy.read(several, hospital_schema(several=True))
    policy = gy.Skyline({"HIV": [(1, 2, 1, "0.5")], "*": [(0, 1, 0, "0.9")]})
    release_of_sets = gy.publish(sets, [gy.KAnonymity(5), policy])
    _save(release_of_sets, folder / SEVERAL)
    found = {
        "folder": folder,
        "people": table.n_people,
        "unique_before": _alone(table),
        "groups": len(release.groups),
        "verified": gy.verify(folder / PUBLISHED).holds,
        "verified_several": gy.verify(folder / SEVERAL).holds,
    }
    show(found, as_json, _text(folder, table, release, release_of_sets))


def _write(columns: dict[str, list[object]], path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    terminal.outputs.announce_file(path)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def _save(release: Release, directory: Path, pages: dict[str, str] | None = None) -> None:
    from gyges.workflow.release_target import announcing_release

    announced = announcing_release(directory, terminal.outputs)
    release.save(directory, overwrite=True, pages=pages, before=announced)


def _alone(table: Table) -> int:
    """How many people are alone with their quasi-identifiers in the original."""
    return int((table.cells.people == 1).sum())


def _text(folder: Path, table: Table, release: Release, sets: Release) -> str:
    import gyges as gy
    from gyges.exact import worst_case

    worst = gy.max_disclosure(release.groups, k=1)
    point = gy.breach(sets.groups, value="HIV", l=1, k=2, m=1)
    size = f"{release.groups.sizes.mean():.1f}"
    return "\n".join(
        [
            "",
            "BEFORE",
            f"  {table.n_people:,} patients with age, zip, sex and a disease.",
            f"  {_alone(table):,} of them are the only one with their age, zip and sex: anyone who",
            "  knows these three things about them can read their disease in the table.",
            "",
            "AFTER",
            f"  {len(release.groups):,} groups of {size} people on average; in each, age, zip and",
            "  sex are generalized until all of its people look the same:",
            *_some_rows(release),
            "",
            "WHAT IS PROMISED",
            *(f"  holds: {claim.text} ({worst_case(claim.risk)})" for claim in release.claims),
            "",
            "WHAT THE WORST ATTACKER LEARNS WITH ONE FACT OF THEIR CHOICE",
            f"  {worst.witness}",
            "  (4.1 and 4.2 are two people of group 4: the release names nobody.)",
            "",
            "THE SAME PEOPLE WITH SEVERAL DISEASES EACH",
            f"  {len(sets.groups):,} groups. {point.witness}",
            "",
            f"The files are in {folder}. Next:",
            f"  open {folder / PUBLISHED / 'report.html'} in a browser",
            f"  gyges verify {folder / PUBLISHED}",
            f"  gyges audit {folder / PUBLISHED}",
            f'  gyges ask {folder / PUBLISHED} "1.1 = Flu" --given "1.2 = Flu -> 1.1 = Flu"',
            f"  cd {folder}; gyges init patients.csv; gyges publish gyges.toml",
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
