"""A made-up hospital, published in seconds: what `gyges demo` shows."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gyges.adversaries.dimensions import Breach, breach
from gyges.adversaries.implications import Disclosure, max_disclosure
from gyges.criteria.distinct_diversity import DistinctDiversity
from gyges.criteria.k_anonymity import KAnonymity
from gyges.criteria.safety import Safety
from gyges.criteria.skyline import Skyline
from gyges.data.examples import hospital, hospital_schema, hospital_with_several_diseases
from gyges.data.table import Table
from gyges.engines.read import read
from gyges.release.release import Release
from gyges.report.page import report_pages
from gyges.report.verify import verify
from gyges.search.publish import publish
from gyges.workflow.progress import Progress, note_first_use
from gyges.workflow.release_target import ReleaseTarget


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Demonstration:
    """Made-up patients, with one disease each and with several, and their releases."""

    table: Table
    published: Path  # the directory of the release
    release: Release
    disclosure: Disclosure  # in the worst case, by an attacker with one fact
    published_several: Path
    several: Release
    point: Breach  # for a point of its skyline

    @property
    def n_alone(self) -> int:
        """The number of people with unique quasi-identifiers in the original."""
        return int((self.table.cells.people == 1).sum())

    def stated(self) -> dict[str, object]:
        """The results as data; both releases are verified."""
        return {
            "people": self.table.n_people,
            "unique_before": self.n_alone,
            "groups": len(self.release.groups),
            "verified": verify(self.published).holds,
            "verified_several": verify(self.published_several).holds,
        }


def demonstrate(folder: Path, progress: Progress) -> Demonstration:
    """Make up patients, publish them, and attack the releases."""
    note_first_use(progress)
    source = _write(hospital(), folder / "patients.csv", progress)
    progress.note(f"made up {source}; reading it …")
    table = read(source, hospital_schema())
    rules = [KAnonymity(5), DistinctDiversity(3), Safety(confidence="0.8", k=1)]
    release = publish(table, rules)
    published = _save(release, folder / "published", progress, report_pages(release))
    many = _write(hospital_with_several_diseases(), folder / "patients_several.csv", progress)
    policy = Skyline({"HIV": [(1, 2, 1, "0.5")], "*": [(0, 1, 0, "0.9")]})
    several = publish(read(many, hospital_schema(several=True)), [KAnonymity(5), policy])
    return Demonstration(
        table,
        published,
        release,
        max_disclosure(release.groups, k=1),
        _save(several, folder / "published_several", progress),
        several,
        breach(several.groups, value="HIV", l=1, k=2, m=1),
    )


def _write(columns: Mapping[str, Sequence[object]], path: Path, progress: Progress) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    progress.outputs.announce_file(path)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def _save(
    release: Release, directory: Path, progress: Progress, pages: Mapping[str, str] | None = None
) -> Path:
    target = ReleaseTarget(directory, "csv", True, None, progress)
    target.write(release, None, pages)
    return directory
