"""`gyges attack`: what somebody learns who holds several releases about the same people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gyges.cli.options import names_in
from gyges.cli.show import AsJson, note, show

if TYPE_CHECKING:
    from gyges.adversaries.other_releases import IntersectionAttack
    from gyges.release.release import Release


def attack(
    releases: Annotated[
        list[Path],
        typer.Argument(help="Two or more: directories of releases, or published files."),
    ],
    people: Annotated[str, typer.Option(help="The people to look for: CSV or Parquet.")],
    confidence: Annotated[str, typer.Option(help="How sure counts as exposed.")] = "0.5",
    quasi: Annotated[
        str | None, typer.Option(help="For published files: their quasi-identifiers.")
    ] = None,
    sensitive: Annotated[
        str | None, typer.Option(help="For published files: their sensitive column.")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Write a page with the verdict and a picture here.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Join RELEASES about the same people and count whose value comes out.

    PEOPLE holds their quasi-identifiers, by the same column names as in the releases. Exit code 1
    if joining the releases exposes anybody whom no release exposed alone.
    """
    import gyges as gy
    from gyges.report.exposure import exposure_page, exposure_text

    if len(releases) < 2:
        raise gy.GygesError("name two releases or more: one alone is judged by `gyges audit`")
    loaded = [_load(path, quasi, sensitive) for path in releases]
    # Only a certificate tells how labels such as 148** are to be read.
    certified = [one for one, path in zip(loaded, releases, strict=True) if path.is_dir()]
    asked = gy.read(people, (certified or loaded)[0].roles.schema())
    found = gy.intersection_attack(loaded, asked)
    verdict = _verdict(found, confidence)
    if picture is not None:
        picture.write_text(exposure_page(found, verdict), encoding="utf-8")
        note(f"the picture is in {picture}; it stays inside the building")
    show(_result(found, confidence), as_json, f"{verdict}\n\n{exposure_text(found)}")
    raise typer.Exit(1 if _tells_more(found, confidence) else 0)


def _load(path: Path, quasi: str | None, sensitive: str | None) -> Release:
    import gyges as gy

    if not path.is_file():
        return gy.load(path)
    if quasi is None or sensitive is None:
        raise gy.GygesError(
            f"{str(path)!r} is a file: say which columns are what, with --quasi and --sensitive"
        )
    columns = names_in(quasi)
    return gy.load(path, gy.Schema(quasi_identifiers=columns, sensitive=sensitive))


def _tells_more(found: IntersectionAttack, confidence: str) -> bool:
    shares = found.bayesian
    return found.exposed(confidence) > found.exposed_before(confidence) or (
        shares.exposed(confidence) > shares.exposed_before(confidence)
    )


def _verdict(found: IntersectionAttack, confidence: str) -> str:
    shares = found.bayesian
    if _tells_more(found, confidence):
        answer = (
            f"the releases tell more together than alone: at confidence {confidence}, "
            f"{float(found.exposed(confidence)):.1%} of the people are exposed by the values that "
            f"stay possible ({float(found.exposed_before(confidence)):.1%} by one release alone), "
            f"{float(shares.exposed(confidence)):.1%} by multiplying shares "
            f"({float(shares.exposed_before(confidence)):.1%} alone)"
        )
    else:
        answer = (
            f"at confidence {confidence} the releases expose nobody together whom none exposes "
            f"alone ({float(shares.exposed(confidence)):.1%} of the people either way)"
        )
    return f"{answer}\n{found}"


def _result(found: IntersectionAttack, confidence: str) -> dict[str, object]:
    from gyges.report.exposure import exposure_rows

    return {
        "people": len(found.posterior),
        "exposed": found.exposed(confidence),
        "exposed_by_one_release": found.exposed_before(confidence),
        "bayesian_exposed": found.bayesian.exposed(confidence),
        "bayesian_exposed_by_one_release": found.bayesian.exposed_before(confidence),
        "vulnerable": int(found.vulnerable.sum()),
        "average_drop": found.average_drop,
        "contradicted": int(found.contradicted.sum()),
        "not_located": found.n_unlocated + found.n_ambiguous,
        "by_confidence": exposure_rows(found),
    }
