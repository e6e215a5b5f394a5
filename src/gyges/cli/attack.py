"""`gyges attack`: what somebody learns who holds several releases about the same people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gyges.cli.show import AsJson, show


def attack(
    releases: Annotated[list[Path], typer.Argument(help="Directories of releases, two or more.")],
    people: Annotated[str, typer.Option(help="The people to look for: CSV or Parquet.")],
    confidence: Annotated[str, typer.Option(help="How sure counts as exposed.")] = "0.5",
    as_json: AsJson = False,
) -> None:
    """Join RELEASES about the same people and count whose value comes out.

    PEOPLE holds their quasi-identifiers, by the same column names as in the releases. Exit code 1
    if joining the releases exposes anybody whom no release exposed alone.
    """
    import gyges as gy

    loaded = [gy.load(path) for path in releases]
    asked = gy.read(people, loaded[0].roles.schema())
    found = gy.intersection_attack(loaded, asked)
    joined, alone = found.exposed(confidence), found.exposed_before(confidence)
    text = (
        f"{found}\n{float(joined):.1%} of the people are exposed at confidence {confidence}, "
        f"{float(alone):.1%} by one release alone"
    )
    result = {
        "people": len(found.posterior),
        "exposed": joined,
        "exposed_by_one_release": alone,
        "vulnerable": int(found.vulnerable.sum()),
        "average_drop": found.average_drop,
        "contradicted": int(found.contradicted.sum()),
        "not_located": found.n_unlocated + found.n_ambiguous,
        "bayesian_exposed": found.bayesian.exposed(confidence),
    }
    show(result, as_json, text)
    raise typer.Exit(1 if joined > alone else 0)
