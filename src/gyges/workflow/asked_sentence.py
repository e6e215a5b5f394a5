"""The probability of a sentence about a release on disk, exactly where that can be had."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from gyges.adversaries.doubtful_knowledge import doubtful_probability, fact_of
from gyges.adversaries.sentences import probability
from gyges.adversaries.sentences_sampling import Estimate, estimate_probability
from gyges.adversaries.sentences_syntax import conjunction
from gyges.auditing.forms import load_groups
from gyges.errors import GygesError, TooManyWorldsError
from gyges.exact import decimal_text, readable_number
from gyges.release.groups import Groups
from gyges.release.release import Release
from gyges.workflow.one_sensitive_column import about_one_column
from gyges.workflow.people_table import hierarchies_of_files

GROUPS_FILE = "groups.csv"  # of the files that stay inside


@dataclass(frozen=True, slots=True)
class Answer:
    """How probable a sentence is: exactly, up to a stated error of the facts, or as sampled."""

    probability: Fraction | Estimate
    off_by: Fraction = Fraction(0)  # how far doubtful facts are from their stated probabilities

    @property
    def is_exact(self) -> bool:
        """Whether it was computed exactly for what was stated."""
        return isinstance(self.probability, Fraction) and not self.off_by

    def __str__(self) -> str:
        if isinstance(self.probability, Estimate):
            return (
                f"{self.probability}; it was sampled because the worlds are too many to be counted"
            )
        if not self.off_by:
            return readable_number(self.probability)
        return (
            f"about {decimal_text(self.probability, 6)} (exact for facts whose probabilities "
            f"differ from those stated by at most {float(self.off_by):.0e})"
        )


def ask_release(
    directory: Path,
    statement: str,
    given: Sequence[str],
    inside: Path | None = None,
    hierarchy_files: Sequence[str] = (),
    sensitive: str | None = None,
) -> Answer:
    """Answer a question; sampled worlds answer it where counting them takes too long.

    With `inside`, the directory of the files that stay inside, people may be called by their names.
    Hierarchies, given as COLUMN=FILE, explain labels that describe people. `sensitive` is the
    column that is meant, where a release has several.
    """
    found = about_one_column(load_groups(directory), sensitive)
    given_trees = hierarchies_of_files([*hierarchy_files], found.roles.quasi_identifiers)
    trees = {column: tree.to_data() for column, tree in given_trees.items()}
    roles = replace(found.roles, hierarchies={**found.roles.hierarchies, **trees})
    found = replace(found, roles=roles)
    release: Release | Groups = found
    if inside is not None:
        release = replace(found.groups, members=_members(found, inside / GROUPS_FILE))
    facts = [fact_of(text) for text in given]
    try:
        if any(not fact.low == fact.high == 1 for fact in facts):
            doubtful = doubtful_probability(release, statement, given)
            return Answer(doubtful.probability, doubtful.off_by)
        known = conjunction(tuple(fact.sentence for fact in facts)) if facts else None
        return Answer(probability(release, statement, known))
    except TooManyWorldsError as problem:
        if any(not fact.low == fact.high == 1 for fact in facts):
            raise GygesError(f"{problem}, without doubtful facts") from None
        rng = np.random.default_rng()
        return Answer(estimate_probability(release, statement, known, rng=rng))


def _members(release: Release, file: Path) -> list[list[str]]:
    """The names of the people in each group, from the file that lists every original row."""
    try:
        rows = list(csv.reader(io.StringIO(file.read_text(encoding="utf-8"))))
    except (OSError, UnicodeDecodeError, csv.Error):
        raise GygesError(
            f"{str(file)!r} cannot be read: give the directory that `publish --inside` wrote"
        ) from None
    if not rows or rows[0][0] != "row" or rows[0][-1] != "group":
        raise GygesError(f"{str(file)!r} is not the {GROUPS_FILE} that `publish --inside` wrote")
    if len(rows[0]) < 3:
        raise GygesError(f"{str(file)!r} has no names: no column of the data identifies people")
    members: list[dict[str, None]] = [{} for _ in range(len(release.groups))]
    for row in rows[1:]:
        if row[-1].isdecimal() and 1 <= int(row[-1]) <= len(members):
            members[int(row[-1]) - 1][row[1]] = None
    if [len(names) for names in members] != release.groups.sizes.tolist():
        raise GygesError(f"{str(file)!r} is about another release: its groups have other sizes")
    return [list(names) for names in members]
