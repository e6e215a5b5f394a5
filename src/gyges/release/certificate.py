"""The certificate of a release of groups: its claims, exactly, and the hashes of its files.

A certificate is read by a strict model (strict_model.py). A statement that contradicts another one
is refused too, so that nothing is printed or trusted that no check has understood.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Final, Literal, get_args

from pydantic import Field

from gyges.data.hierarchy import Hierarchy
from gyges.data.joint_values import joint_name
from gyges.data.schema import RowsPerPerson, ValuesPerPerson
from gyges.data.shape import Shape, shapes_of
from gyges.errors import GygesError, ReleaseError
from gyges.release.closed_directory import read_certificate_text
from gyges.release.directory import CERTIFICATE
from gyges.release.group_forms import GROUP_FORMS, Form
from gyges.release.statements import STRICT, Claim, Roles
from gyges.release.strict_model import Files, parse_certificate

FORMAT: Final = 2  # of the certificate itself
REPORTS = ("report.html", "report.json")
DESCRIPTIONS = ("codebook.html", "codebook.json", "croissant.json", "datapackage.json")
PAGES = (*REPORTS, *DESCRIPTIONS)  # that a directory may have besides the tables
Word = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._+-]{0,59}\Z")]
Number = Annotated[int, Field(ge=0, le=2**53)]  # doubles represent these exactly


@dataclass(frozen=True, slots=True)
class Certificate:
    """Everything that the certificate of a release of groups states."""

    __pydantic_config__ = STRICT
    form: Form
    method: Word
    values_per_person: ValuesPerPerson
    roles: Roles
    n_people: Number
    n_groups: Number
    n_left_out: Number
    claims: tuple[Claim, ...]
    files: Files
    is_seeded: bool
    rows_are_people: bool  # each row was counted as one person: no column identifies people
    allows_singling_out: bool  # through columns published unchanged
    gyges: Word
    format: Literal[2]
    is_simulatable: bool = False  # which groups were chosen reveals nothing more than they do
    rows_per_person: RowsPerPerson = "one"  # "all": each person is described by all their rows
    counterfeits: tuple[tuple[Number, Number], ...] = ()  # (group from 1, values of nobody in it)

    @property
    def table_names(self) -> tuple[str, ...]:
        """The tables of this form: one row per person, or people and values separately."""
        if self.roles.sensitive is None:
            return ("data",)
        is_apart = GROUP_FORMS[self.form].is_exact or self.values_per_person != "one"
        return ("people", "sensitive") if is_apart else ("data",)


def write_certificate(stated: Mapping[str, object], directory: Path) -> None:
    """Write what a release of any form states, as JSON with sorted keys."""
    text = json.dumps(stated, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    (directory / CERTIFICATE).write_text(text + "\n", encoding="utf-8")


def read_certificate(directory: Path) -> Certificate:
    """Read the certificate of a release of groups; refuse one that contradicts itself."""
    stated = read_certificate_text(directory)
    certificate = parse_certificate(Certificate, stated, get_args(Form), FORMAT)
    fault = _contradiction(certificate)
    if fault:
        raise ReleaseError(f"the certificate contradicts itself: {fault}")
    return certificate


def _contradiction(stated: Certificate) -> str:
    """The first statement that is false whatever the tables hold; empty if there is none."""
    columns, parts = stated.roles.columns, stated.roles.parts
    rules = {
        "the sensitive columns are not those that it joins": bool(parts)
        and (len(parts) < 2 or stated.roles.sensitive != joint_name(parts)),
        "people have several values of several sensitive columns": bool(parts)
        and stated.values_per_person != "one",
        "its pseudonyms are not published columns": not set(stated.roles.pseudonyms)
        <= set(stated.roles.published)
        or len(set(stated.roles.pseudonyms)) < len(stated.roles.pseudonyms),
        "its weights are no published column, or add up by no quasi-identifier": (
            stated.roles.weight not in (None, *stated.roles.recognizable)
            or (stated.roles.weight is None and bool(stated.roles.weight_totals))
            or not {one.column for one in stated.roles.weight_totals}
            <= set(stated.roles.quasi_identifiers)
        ),
        "a column has two roles, or no name": len(shown := (*columns, *parts)) > len(set(shown))
        or "" in shown,
        "it states more groups than people": stated.n_groups > stated.n_people,
        "it states a kind for a column without a role": (
            not set(stated.roles.kinds) <= {*columns, *parts}
        ),
        "it states a shape for a column without a role": (
            not set(stated.roles.shapes) <= {*columns, *parts}
        ),
        "it states an impossible shape": not _are_possible(stated.roles.shapes),
        "it states a hierarchy for a column that is not a quasi-identifier": not (
            set(stated.roles.hierarchies) <= set(stated.roles.quasi_identifiers)
        ),
        "the form is bucketized, and no column is sensitive: nothing would be protected": (
            GROUP_FORMS[stated.form].is_exact and stated.roles.sensitive is None
        ),
        "it states counterfeits of a group that cannot have them": not _are_counterfeits(stated),
        "it states values per person though no column is sensitive": (
            stated.roles.sensitive is None and stated.values_per_person != "set"
        ),
    }
    faults = [fault for fault, is_so in rules.items() if is_so]
    return faults[0] if faults else _hierarchy_fault(stated.roles)


def _are_counterfeits(stated: Certificate) -> bool:
    """Whether the groups with counterfeits exist, in order, and their form has values apart."""
    groups = [group for group, _ in stated.counterfeits]
    return not groups or (
        stated.table_names == ("people", "sensitive")
        and stated.values_per_person == "one"
        and groups == sorted(set(groups))
        and 1 <= groups[0] <= groups[-1] <= stated.n_groups
        and all(n >= 1 for _, n in stated.counterfeits)
    )


def _are_possible(shapes: Mapping[str, Shape]) -> bool:
    try:
        return shapes_of(shapes) == shapes
    except GygesError:
        return False


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
            return f"the hierarchy of {name!r} is neither a rule nor a number of levels"
    return ""


def sha256(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digests(directory: Path, known: Mapping[str, str]) -> dict[str, str]:
    """The SHA-256 of each file of a directory, by its name; some are `known` to their writers."""
    found = {path.name for path in directory.iterdir()}
    return {name: known.get(name) or sha256(directory / name) for name in sorted(found)}


def public_roles(roles: Roles) -> Roles:
    """Roles whose hierarchies are stated as rules or, where they are tables, by their levels alone.

    The leaves of a table may be people's values, so they are not published; nor is their hash,
    from which an attacker who knows all leaves but one could guess that one.
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
