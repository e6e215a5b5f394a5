"""The certificate: what is claimed of a release, exactly, and the hashes of its files.

A certificate is read by a strict model. A field that the model does not know, a value of another
type, or a statement that contradicts another one is refused, so that nothing is printed or trusted
that no check has understood.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final, Literal

from pydantic import TypeAdapter, ValidationError

from gyges.data.hierarchy import Hierarchy
from gyges.data.schema import ValuesPerPerson
from gyges.errors import GygesError, ReleaseError
from gyges.release.closed_directory import read_certificate_text
from gyges.release.directory import CERTIFICATE
from gyges.release.statements import STRICT, Claim, Form, Roles

NAME = CERTIFICATE
FORMAT: Final = 2  # of the certificate itself
PAGES = ("report.html", "report.json")  # that may stand beside the tables
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._+-]{0,59}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_MOST = 2**53  # of whatever is counted: a double still tells such numbers apart


@dataclass(frozen=True, slots=True)
class Certificate:
    """All that a release of groups says of itself."""

    __pydantic_config__ = STRICT
    form: Form
    method: str
    values_per_person: ValuesPerPerson
    roles: Roles
    n_people: int
    n_groups: int
    n_left_out: int
    claims: tuple[Claim, ...]
    files: Mapping[str, str]  # SHA-256 of each file
    is_seeded: bool
    rows_are_people: bool  # each row was taken to be one person: no column says who is who
    allows_singling_out: bool  # through columns published as they are
    gyges: str
    format: Literal[2]

    @property
    def table_names(self) -> tuple[str, ...]:
        """The tables that this form has: one row a person, or people and values apart."""
        if self.roles.sensitive is None:
            return ("data",)
        is_apart = self.form == "bucketized" or self.values_per_person != "one"
        return ("people", "sensitive") if is_apart else ("data",)


def write_certificate(stated: Mapping[str, object], directory: Path) -> None:
    """Write what a release of any form states of itself as JSON with its keys in order."""
    text = json.dumps(stated, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    (directory / NAME).write_text(text + "\n", encoding="utf-8")


def read_certificate(directory: Path) -> Certificate:
    """Read the certificate of a release of groups; an error says what is wrong with it."""
    stated = read_certificate_text(directory)
    where = f"{str(directory / NAME)!r}"
    if type(stated.get("format")) is not int or stated["format"] != FORMAT:
        raise ReleaseError(
            f"{where} does not have the format {FORMAT} that this gyges reads: use the version "
            f"that wrote it"
        )
    try:
        certificate = _model().validate_json(json.dumps(stated))
    except ValidationError as problem:
        raise ReleaseError(f"{where} is not a certificate: {_first_fault(problem)}") from None
    except (ValueError, RecursionError):
        raise ReleaseError(f"{where} is not a certificate: it cannot be read") from None
    fault = _contradiction(certificate)
    if fault:
        raise ReleaseError(f"{where} is not a certificate: {fault}")
    return certificate


@cache
def _model() -> TypeAdapter[Certificate]:
    """The strict model, made once: that takes longer than reading a certificate by it."""
    return TypeAdapter(Certificate)


def _first_fault(problem: ValidationError) -> str:
    first = problem.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"at {place[:200]!r}: {first['msg'][:200]!r}"


def _contradiction(stated: Certificate) -> str:
    """The first statement that cannot be true whatever the tables hold; empty if there is none."""
    columns = stated.roles.columns
    counted = (stated.n_people, stated.n_groups, stated.n_left_out)
    rules = {
        "a column has two roles, or no name": len(set(columns)) < len(columns) or "" in columns,
        "a number of people or groups is negative or too large": not all(
            0 <= number <= _MOST for number in counted
        ),
        "more groups than people": stated.n_groups > stated.n_people,
        "the method or the version is not a plain word": not all(
            _WORD.fullmatch(word) for word in (stated.method, stated.gyges)
        ),
        "a hash is not one": not all(_SHA256.fullmatch(one) for one in stated.files.values()),
        "a kind is stated of a column without a role": not set(stated.roles.kinds) <= set(columns),
        "a hierarchy is stated of a column that is no quasi-identifier": not (
            set(stated.roles.hierarchies) <= set(stated.roles.quasi_identifiers)
        ),
        "it is bucketized, and no column is sensitive: it would protect nobody": (
            stated.form == "bucketized" and stated.roles.sensitive is None
        ),
        "values per person are stated though no column is sensitive": (
            stated.roles.sensitive is None and stated.values_per_person != "set"
        ),
    }
    faults = [fault for fault, is_so in rules.items() if is_so]
    return faults[0] if faults else _hierarchy_fault(stated.roles)


def _hierarchy_fault(roles: Roles) -> str:
    for name, described in roles.hierarchies.items():
        if set(described) == {"levels"}:
            if type(described["levels"]) is not int or not 0 < described["levels"] < 1000:
                return f"the hierarchy of {name!r} has an impossible number of levels"
            continue
        try:
            Hierarchy.from_data(described)
        except GygesError as problem:
            return f"the hierarchy of {name!r}: {problem}"
        if set(described) != {"rule", "parameters"}:
            return f"the hierarchy of {name!r} is neither a rule nor a table of so many levels"
    return ""


def sha256(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digests(directory: Path) -> dict[str, str]:
    """The SHA-256 of each file of a directory, by its name."""
    return {path.name: sha256(path) for path in sorted(directory.iterdir())}


def public_roles(roles: Roles) -> Roles:
    """Roles whose hierarchies are stated as rules, or as a table of so many levels.

    The leaves of a table may be people's values, so they are not published; nor is their hash,
    from which somebody who knows all leaves but one could guess that one.
    """
    stated = {name: public_hierarchy(one) for name, one in roles.hierarchies.items()}
    return replace(roles, hierarchies=stated)


def public_hierarchy(stated: Mapping[str, object]) -> Mapping[str, object]:
    """A hierarchy as a certificate states it."""
    if "rows" not in stated:
        return stated
    rows = stated["rows"]
    assert isinstance(rows, list)
    return {"levels": len(rows[0])}
