"""`gyges attack`: what an attacker learns who holds several releases about the same people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gyges.cli.options import names_in
from gyges.cli.outputs import announce_file
from gyges.cli.people_table import HierarchyFiles, people_table
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
    confidence: Annotated[
        str, typer.Option(help="The certainty at which a person counts as exposed.")
    ] = "0.5",
    quasi: Annotated[
        str | None, typer.Option(help="For published files: their quasi-identifiers.")
    ] = None,
    sensitive: Annotated[
        str | None, typer.Option(help="For published files: their sensitive column.")
    ] = None,
    hierarchy: HierarchyFiles = None,
    project: Annotated[
        Path | None, typer.Option(help="A gyges.toml, for hierarchies of the people's columns.")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Write a page with the verdict and a picture here.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Join RELEASES about the same people and count the people whose value is exposed.

    PEOPLE holds their quasi-identifiers, by the same column names as in the releases. Exit code 1
    if joining the releases exposes anybody whom no release exposed alone; 2 if a label cannot be
    read or nobody is located; 3 if not everything could be checked: people fit no group of a
    release, the releases contradict each other, or a release does not say for certain who is in
    which group. Estimates are shown, and decide nothing.
    """
    import gyges as gy
    from gyges.release.private_files import refuse_replacing, write_private
    from gyges.report.exposure import PAGE_BEGINS, exposure_page, exposure_text

    if picture is not None:
        refuse_replacing(picture, "--picture", PAGE_BEGINS)
    if len(releases) < 2:
        raise gy.GygesError("name two releases or more: one alone is judged by `gyges audit`")
    loaded = [_load(path, quasi, sensitive) for path in releases]
    # Only a certificate tells how labels such as 148** are to be read.
    certified = [one for one, path in zip(loaded, releases, strict=True) if path.is_dir()]
    asked = people_table(people, (certified or loaded)[0], project, hierarchy, with_sensitive=False)
    assert asked is not None
    found = gy.intersection_attack(loaded, asked)
    guessed = [j for j, one in enumerate(loaded, start=1) if one.form == "microaggregated"]
    verdict = _verdict(found, confidence, guessed)
    if picture is not None:
        announce_file(picture)
        write_private(picture, exposure_page(found, verdict))
        note(f"the picture is in {picture}; keep it inside the building")
    show(_result(found, confidence), as_json, f"{verdict}\n\n{exposure_text(found)}")
    is_doubtful = bool(guessed) or bool(found.contradicted.any())
    exposes = _tells_more(found, confidence)
    raise typer.Exit(3 if is_doubtful else 1 if exposes else 3 if _n_lost(found) else 0)


def _load(path: Path, quasi: str | None, sensitive: str | None) -> Release:
    import gyges as gy
    from gyges.auditing.forms import load_groups

    if not path.is_file():
        return load_groups(path)
    if quasi is None or sensitive is None:
        raise gy.GygesError(
            f"{str(path)!r} is a file: say which columns are what, with --quasi and --sensitive"
        )
    columns = names_in(quasi)
    return load_groups(path, gy.Schema(quasi_identifiers=columns, sensitive=sensitive))


def _tells_more(found: IntersectionAttack, confidence: str) -> bool:
    """Whether more is known by the values that remain possible; shares are only an estimate."""
    return found.exposed(confidence) > found.exposed_before(confidence)


def _n_lost(found: IntersectionAttack) -> int:
    """How many people fit no group of some release."""
    from gyges.adversaries.people_lookup import NOWHERE

    return int((found.located.found == NOWHERE).any(axis=1).sum())


def _verdict(found: IntersectionAttack, confidence: str, guessed: list[int]) -> str:
    from gyges.exact import percent

    shares, joined = found.bayesian, found.exposed(confidence)
    n_lost = _n_lost(found)
    if _tells_more(found, confidence):
        lines = [
            f"Joined, the releases expose more people than any of them alone. By the values that "
            f"remain possible, an attacker is {confidence} certain or more of the value of "
            f"{percent(joined)} of the people ({percent(found.exposed_before(confidence))} by one "
            f"release alone)."
        ]
    elif n_lost:
        lines = [
            f"By the values that remain possible, joining the releases exposes none of the "
            f"{len(found.posterior) - n_lost:,} people located in every release at confidence "
            f"{confidence}, unless one release alone exposes them; {n_lost:,} people could not be "
            f"located ({percent(joined)} of all people are exposed either way)."
        ]
    else:
        lines = [
            f"By the values that remain possible, joining the releases exposes nobody at "
            f"confidence {confidence} whom none of them exposes alone "
            f"({percent(joined)} of the people either way)."
        ]
    lines.append(
        f"Estimated by combining the groups' shares: {percent(shares.exposed(confidence))} "
        f"({percent(shares.exposed_before(confidence))} alone). Such a belief can be wrong, and a "
        f"copy of a release strengthens it without telling anything new."
    )
    n_contradicted = int(found.contradicted.sum())
    if n_contradicted:
        lines.append(
            f"The releases contradict each other on {n_contradicted:,} people: values that are "
            f"spelled differently, that changed, or people who were looked up in the wrong group. "
            f"What the releases say of them together is not known."
        )
    lines += [
        f"Release {j} is microaggregated: people are assigned to the nearest centroid, which is a "
        f"guess. What follows from it is an estimate."
        for j in guessed
    ]
    if n_lost:
        lines.append(
            f"{n_lost:,} of the {len(found.posterior):,} people fit no group of some release: "
            f"nothing was learnt of them there."
        )
    return "\n".join([*lines, str(found)])


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
        "located": found.located.counts,
        "by_confidence": exposure_rows(found),
    }
