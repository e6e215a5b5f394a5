"""A made-up hospital, published in seconds: what `gyges demo` shows."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gyges.adversaries.dimensions import Breach, breach
from gyges.adversaries.implications import Disclosure, max_disclosure
from gyges.data.examples import hospital, hospital_with_several_diseases
from gyges.data.table import Table
from gyges.release.release import Release
from gyges.report.verify import verify
from gyges.workflow.progress import Progress
from gyges.workflow.project import Project

_PROJECT = """# Made by `gyges demo`; `gyges publish {0}.toml` publishes it again.
[data]
source = "{0}.csv"

[ledger]
file = "demo.sqlite"

[hierarchies]
age = {{ intervals = [5, 10, 20, 40] }}
zip = {{ prefixes = true }}
sex = {{ tree = ["F", "M"] }}
"""
_ONE_DISEASE = """
[columns]
identifiers = ["patient"]
quasi_identifiers = ["age", "zip", "sex"]
sensitive = "disease"

[publish]
out = "published"

[[require]]
rule = "k-anonymity"
k = 5

[[require]]
rule = "distinct diversity"
l = 3

[[require]]
rule = "safety"
confidence = "0.8"
k = 1
"""
_SEVERAL_DISEASES = """
[columns]
identifiers = ["patient"]
quasi_identifiers = ["age", "zip", "sex"]
sensitive = "disease"
values_per_person = "set"
separator = ";"

[publish]
out = "published_several"

[[require]]
rule = "k-anonymity"
k = 5

[[require]]
rule = "skyline"
points = { HIV = [[1, 2, 1, "0.5"]], "*" = [[0, 1, 0, "0.9"]] }
"""


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
    """Make up patients, publish them as projects do, and attack the releases."""
    one = _project(folder, "patients", hospital(), _ONE_DISEASE, progress)
    several = _project(
        folder, "patients_several", hospital_with_several_diseases(), _SEVERAL_DISEASES, progress
    )
    release = _published(one, progress, report=True)
    of_several = _published(several, progress, report=False)
    return Demonstration(
        one.read(),
        folder / "published",
        release,
        max_disclosure(release.groups, k=1),
        folder / "published_several",
        of_several,
        breach(of_several.groups, value="HIV", l=1, k=2, m=1),
    )


def _project(
    folder: Path,
    name: str,
    columns: Mapping[str, Sequence[object]],
    stated: str,
    progress: Progress,
) -> Project:
    """A project of its own: the data, and a file that states what its columns are and the rules."""
    data = io.StringIO(newline="")
    writer = csv.writer(data)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    _write(data.getvalue(), folder / f"{name}.csv", progress)
    return Project(_write(f"{_PROJECT.format(name)}{stated}", folder / f"{name}.toml", progress))


def _write(text: str, path: Path, progress: Progress) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    progress.outputs.announce_file(path)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def _published(project: Project, progress: Progress, *, report: bool) -> Release:
    made = project.publish(trial=True, overwrite=True, report=report, progress=progress)
    assert isinstance(made, Release)  # the method is "partition"
    return made
