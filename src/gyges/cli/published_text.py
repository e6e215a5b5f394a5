"""What the command prints about a release it has written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gyges.cli.options import LEDGER
from gyges.cli.output import show
from gyges.data.people_words import as_counted, counted
from gyges.exact import percent, worst_case
from gyges.release.statements import SIMULATABLE

if TYPE_CHECKING:
    from gyges.release.large_release import LargeRelease
    from gyges.release.release import Release
    from gyges.release.statements import Claim
    from gyges.workflow.publish_run import PublishedRun


def show_run(run: PublishedRun, as_json: bool, text: Sequence[str] = ()) -> None:
    """Print what was published; `text` replaces the usual lines."""
    lines = text or _TEXTS[run.kind](run.release, run)
    said = [as_counted(line, run.rows_are_people) for line in (*lines, *_standing(run))]
    show(run.stated, as_json, "\n".join(said))


def _standing(run: PublishedRun) -> list[str]:
    """Whether a recorded release has left the building, and the next step."""
    target = run.target
    if target.entry is None:
        return []
    if target.entry.options.final:
        return [f"Final release: entered in {target.entry.path}, with a copy kept beside it"]
    elsewhere = "" if target.entry.path == LEDGER else f" --ledger {target.entry.path}"
    lines = [
        f"Trial release: it does not count yet. When it leaves the building, run: "
        f"gyges ledger confirm {target.directory}{elsewhere}"
    ]
    if run.account is not None:
        lines.append("  Its budget is spent, confirmed or not: you have seen the result")
    return lines


def _groups(n: int) -> str:
    return "1 group" if n == 1 else f"{n:,} groups"


def _holds(claims: tuple[Claim, ...]) -> list[str]:
    return [f"  holds: {claim.text} ({worst_case(claim.risk)})" for claim in claims]


def _of_groups(release: Release, run: PublishedRun) -> list[str]:
    directory, n_left_out = run.target.directory, release.n_left_out
    people = counted(run.facts["people"], run.rows_are_people)
    survives = f"  groups have {release.groups.sizes.mean():.1f} people on average"
    names = release.roles.quasi_identifiers
    shown = ", ".join(names) if len(names) <= 8 else f"{len(names)} quasi-identifiers"
    if release.form != "bucketized" and shown:
        survives += f"; {percent(run.facts['utility']['gcp'])} of the detail in {shown} is lost"
    if release.bound:
        survives += (
            f"\n  labels lose {percent(release.loss)} of the values, and no release under these "
            f"rules loses less than {percent(release.bound)}"
        )
    return [
        f"published {people} in {_groups(run.facts['groups'])} to {directory}",
        *([f"  {n_left_out:,} people are suppressed"] if n_left_out else []),
        *_holds(release.claims),
        *([f"  holds: {SIMULATABLE}"] if release.is_simulatable else []),
        survives,
        *([f"  {release.shows}"] if release.shows else []),
        *release.notices,
        f"check it: gyges verify {directory}",
    ]


def _of_parts(release: LargeRelease, run: PublishedRun) -> list[str]:
    directory = run.target.directory
    return [
        f"published {counted(release.n_people, run.rows_are_people)} in {release.n_groups:,} "
        f"groups to {directory}",
        *_holds(release.claims),
        f"  groups have {release.n_people / release.n_groups:.1f} people on average, found in "
        f"{release.n_parts:,} parts",
        *release.notices,
        f"check it on a machine with enough memory: gyges verify {directory}",
    ]


def _of_views(release: Any, run: PublishedRun) -> list[str]:
    directory, divergence = run.target.directory, run.facts["kl_divergence"]
    views = release.marginals.views
    return [
        f"published {len(views)} views of {counted(run.facts['people'], run.rows_are_people)} "
        f"to {directory}",
        *(f"  {view}" for view in views),
        f"  KL divergence from the table: {divergence:.4g} (0: nothing is lost)",
        f"check it: gyges verify {directory}",
    ]


def _of_noise(release: Any, run: PublishedRun) -> list[str]:
    lines = [
        f"published {release.noisy}",
        f"  and {release.synthetic.num_rows:,} synthetic people, to {run.target.directory}",
        f"  {release.meaning}",
    ]
    if run.account is not None:
        amounts = sorted(run.account.left.items(), reverse=True)
        left = ", ".join(f"{unit} {float(amount):.4g}" for unit, amount in amounts)
        lines.append(f"  left of the budget {run.account.name!r}: {left}")
    return [*lines, f"check it: gyges verify {run.target.directory}"]


_TEXTS: dict[str, Callable[[Any, PublishedRun], list[str]]] = {
    "groups": _of_groups,
    "parts": _of_parts,
    "views": _of_views,
    "noise": _of_noise,
}
