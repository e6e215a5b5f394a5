"""`gyges publish --memory`: a table whose cells do not fit into memory, published part by part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gyges.cli.recording import Target
from gyges.cli.show import note, show, stage
from gyges.errors import GygesError
from gyges.exact import worst_case

if TYPE_CHECKING:
    from gyges.criteria.base import Criterion
    from gyges.data.large_table import LargeTable
    from gyges.release.large import LargeRelease


def publish_parts(
    table: LargeTable,
    rules: list[Criterion[Any]],
    settings: Any,
    target: Target,
    needs_all: Mapping[str, object],
) -> None:
    """Publish a large table; `needs_all` are wishes that only a release in memory can fulfil."""
    import gyges as gy

    refused = [name for name, wish in needs_all.items() if wish is not None]
    if refused:
        raise GygesError(
            f"the cells of the table do not fit into {settings.memory}, and {refused[0]} needs "
            f"them all: leave it out or raise --memory"
        )
    note(f"{table.coded.n_entries:,} distinct rows do not fit: they are published part by part")
    stage("searching part by part")
    release: LargeRelease = gy.publish(
        table,
        rules,
        method=settings.method,
        form=settings.form,
        seed=settings.seed,
        **settings.options(),
    )
    release.save(
        target.directory,
        format=target.format,
        overwrite=target.overwrite,
        before=target.entering(
            {"text": str(release), "method": release.method},
            target.compare_nothing(
                "only a release whose groups fit into memory can be compared", has_groups=True
            ),
        ),
    )
    note("there is no report: it would need all groups in memory")
    show(_summary(release, target), target.as_json, _text(release, target))


def _summary(release: LargeRelease, target: Target) -> dict[str, object]:
    return {
        "directory": target.directory,
        "state": target.state,
        "people": release.n_people,
        "groups": release.n_groups,
        "parts": release.n_parts,
        "claims": release.claims,
        "notices": release.notices,
    }


def _text(release: LargeRelease, target: Target) -> str:
    people = f"{release.n_people:,} people in {release.n_groups:,} groups"
    lines = [
        f"published {people} to {target.directory}",
        *(f"  holds: {claim.text} ({worst_case(claim.risk)})" for claim in release.claims),
        f"  groups have {release.n_people / release.n_groups:.1f} people on average; they were "
        f"found in {release.n_parts:,} parts",
        *release.notices,
        f"check it where there is memory for it: gyges verify {target.directory}",
        *target.standing_line(),
    ]
    return "\n".join(lines)
