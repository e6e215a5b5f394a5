"""A whole form in one file: only the number of people is published.

A line in `FORMS` is all that it needs besides, and a line in `METHODS` publishes it.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from gyges.auditing.checks import Check
from gyges.auditing.form_of_release import Description, FormOfRelease
from gyges.errors import ReleaseError
from gyges.release.closed_directory import certified_tables, read_certificate_text
from gyges.release.published import Ungrouped
from gyges.release.strict_tables import read_strictly

FORM = "toy"


class HeadCount(Ungrouped):
    """A release of this form."""

    form = FORM
    method = "head count"
    claims = ()
    rows_are_people = False
    why_no_groups = "only a number is published, so it has no groups"

    def __init__(self, n_people):
        self.n_people = n_people

    @property
    def title(self):
        return f"the number {self.n_people}"

    @property
    def tables(self):
        return {"count": pa.table({"people": [self.n_people]})}

    def certificate(self, files):
        return {"form": FORM, "files": dict(files), "n_people": self.n_people}


def publish(table, rules, options, rng):
    """The method that makes it: nothing is searched."""
    return HeadCount(table.n_people)


def search():
    """Load the function whose keyword-only parameters are the method's options: none."""
    return lambda: None


@dataclass(frozen=True)
class StatedCount:
    """What a certificate of this form states."""

    files: dict
    n_people: int
    claims: tuple = ()
    rows_are_people: bool = True


def read(directory):
    """The certificate; no other file may be there."""
    stated = read_certificate_text(directory)
    certified_tables(directory, ["count"], stated["files"])
    return StatedCount(stated["files"], stated["n_people"])


def counted(directory, stated):
    [file] = stated.files
    [number] = read_strictly(directory / file, ["people"]).column("people").to_pylist()
    return int(number)


def load(directory):
    """The release as a reader has it."""
    stated = read(directory)
    if counted(directory, stated) != stated.n_people:
        raise ReleaseError("the count is another one")
    return HeadCount(stated.n_people)


def check(directory, stated):
    """Whether the file has the number that the certificate states."""
    said, found = str(stated.n_people), str(counted(directory, stated))
    yield Check(f"{said} people", said, found, said == found)


TOY = FormOfRelease(read=read, load=load, check=check, describe=lambda one: Description(one.title))
