"""Releases of groups: every claim of the certificate, recomputed from the published tables.

The tables are read again, the groups are derived from them, and each rule is built from its
parameters and judged on these groups. The certificate's own words are never repeated: the text and
the risk of a claim are recomputed and compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gyges.auditing.checks import Check
from gyges.auditing.choice_check import not_checked
from gyges.auditing.claims import check_claim, rule_of
from gyges.auditing.form_of_release import Description, FormOfRelease, Original
from gyges.auditing.notes import (
    ALL_ROWS,
    MINIMALITY,
    SEEDED,
    STATED_SIMULATABLE,
    about_rows,
    groups_in_words,
    rows_count_as_people,
)
from gyges.auditing.published_weights import check_weights
from gyges.criteria.rules import is_about_values
from gyges.data.column_names import some_of
from gyges.data.pseudonyms import are_pseudonyms
from gyges.data.values import about_missing
from gyges.errors import ReleaseError
from gyges.exact import counted
from gyges.release.certificate import Certificate, read_certificate
from gyges.release.grouped_files import load_release
from gyges.release.groups import Groups
from gyges.release.groups_from_tables import groups_of_certified, read_tables, table_files
from gyges.release.published_groups import about_counterfeits
from gyges.release.release import Release
from gyges.release.statements import Roles
from gyges.search.published_columns import shown_columns

if TYPE_CHECKING:
    import pyarrow as pa


def read(directory: Path) -> Certificate:
    """Read the certificate by its strict model; refuse files that it does not list."""
    certificate = read_certificate(directory)
    _refuse_claims_about_nothing(certificate)
    _refuse_counterfeits_among_people(certificate)
    table_files(directory, certificate)
    return certificate


def _refuse_claims_about_nothing(certificate: Certificate) -> None:
    """Refuse rules about sensitive values where no column is sensitive: they would always hold."""
    if certificate.roles.sensitive is not None:
        return
    for rule in filter(None, map(rule_of, certificate.claims)):
        if is_about_values(rule):
            raise ReleaseError(
                f"the certificate claims {type(rule).__name__}, a rule about sensitive values, but "
                f"names no sensitive column"
            )


def _refuse_counterfeits_among_people(certificate: Certificate) -> None:
    """Refuse counterfeits beside rules that would count them as people.

    Only rules that follow people from earlier releases are about members of both kinds.
    """
    rules = [rule_of(claim) for claim in certificate.claims if certificate.counterfeits]
    if not all(rule is not None and getattr(rule, "n_earlier", 0) for rule in rules):
        raise ReleaseError(
            "the certificate contradicts itself: it states counterfeits, which other rules than "
            "m-invariance would count as people"
        )


def check(directory: Path, certificate: Certificate) -> list[Check]:
    """Judge every claim on the published groups."""
    groups, checks = _check_tables(directory, certificate)
    by_rows = certificate.rows_are_people
    choice = [not_checked()] if certificate.is_simulatable else []
    judged = [check_claim(claim, groups, by_rows) for claim in certificate.claims]
    return [*checks, *judged, *choice, *_check_people(certificate)]


def _check_people(certificate: Certificate) -> Iterable[Check]:
    """Whether a published row is a person, where people have several rows in the original."""
    if certificate.rows_per_person == "all":
        claim = "each published row is a different person, described by all of their rows"
        yield Check(claim, "", "only the original shows whose rows they are", None)


def check_original(directory: Path, certificate: Certificate, original: Original) -> list[Check]:
    """Do the same with the original table, which also shows who is in which group."""
    from gyges.auditing import against_original
    from gyges.release.mapping import load_mapping

    known = None if original.mapping is None else load_mapping(original.mapping)
    release = load_release(directory)
    checks = _check_tables(directory, certificate)[1]
    return [*checks, *against_original.check_original(release, original.table, known)]


def _check_tables(directory: Path, certificate: Certificate) -> tuple[Groups, list[Check]]:
    """The groups in the tables, and the checks that depend on no single claim."""
    tables = read_tables(directory, certificate)
    groups, _ = groups_of_certified(tables, certificate)
    unchanged = _check_published_columns(tables, certificate)
    weights = check_weights(tables, certificate.roles)
    return groups, [*_check_counts(groups, certificate), *unchanged, *weights]


def _check_counts(groups: Groups, certificate: Certificate) -> Iterable[Check]:
    n_counterfeits = sum(n for _, n in certificate.counterfeits)
    n_people = int(groups.sizes.sum()) - n_counterfeits
    for what, stated, found in [
        (("person is", "people are"), certificate.n_people, n_people),
        (("group is", "groups are"), certificate.n_groups, len(groups)),
    ]:
        yield Check(
            f"{counted(stated, *what)} published", f"{stated:,}", f"{found:,}", stated == found
        )


def _check_published_columns(
    tables: Mapping[str, pa.Table], certificate: Certificate
) -> Iterable[Check]:
    """Whether the claims also hold for an attacker who knows the columns published unchanged."""
    if not certificate.roles.published:
        return
    yield from _check_pseudonyms(tables, certificate.roles)
    known = [rule_of(claim) for claim in certificate.claims]
    rules = [rule for rule in known if rule is not None and rule.needs == "files"]
    found = shown_columns(tables, certificate.roles, certificate.form, rules)
    if not found.columns:
        return
    named = some_of([*map(repr, found.columns)])
    what = f"for an attacker who also knows {named}, every claim holds and nobody's row is unique"
    problems = "; ".join(
        [f"{counted(found.n_alone, 'person has', 'people have')} a unique row", *found.failures]
    )
    if found.is_safe and len(rules) == len(known):
        yield Check(what, "yes", "yes", True)
    elif found.is_safe:
        n_open = len(known) - len(rules)
        yield Check(what, "", f"the files do not decide {n_open} of the claims", None)
    elif certificate.allows_singling_out:
        yield Check(what, "", f"the publisher does not promise this: {problems}", None)
    else:
        yield Check(what, "yes", problems, False)


def _check_pseudonyms(tables: Mapping[str, pa.Table], roles: Roles) -> Iterable[Check]:
    """Whether pseudonyms look like those that keys make; how they were made no file shows."""
    if not roles.pseudonyms:
        return
    what = f"{_listed(roles.pseudonyms)}: pseudonyms that nobody can make without the key"
    rows = tables["people"] if "people" in tables else tables["data"]
    if all(are_pseudonyms(rows.column(name)) for name in roles.pseudonyms):
        yield Check(what, "", "the files do not show how they were made", None)
    else:
        yield Check(what, "yes", "some have another form than pseudonyms", False)


def describe(release: Release) -> Description:
    """Count the people and groups; call rows people only where that is known."""
    by_rows = rows_count_as_people(release)
    choice = STATED_SIMULATABLE if release.is_simulatable else MINIMALITY
    missing = about_missing(release.roles.sensitive, release.groups.values)
    described = (ALL_ROWS,) if release.rows_per_person == "all" else ()
    forged = about_counterfeits(release.counterfeits)
    notes = (choice, *described, *about_rows(by_rows), *missing, *forged)
    return Description(groups_in_words(release.groups, by_rows), notes)


def _listed(names: Sequence[str]) -> str:
    return some_of([*map(repr, names)]) or "none"


def _sensitive(roles: Roles) -> str:
    """The sensitive column, and the order of its values, on which t-closeness may depend."""
    if roles.sensitive is None:
        return "none"
    if roles.parts:
        return f"{_listed(roles.parts)}, in each row together"
    kind = roles.kinds.get(roles.sensitive)
    order = f"{kind}s" if kind in ("number", "date") else "text"
    return f"{roles.sensitive!r}, its values sorted as {order}"


def _statements(certificate: Certificate) -> Iterable[str]:
    roles = certificate.roles
    yield f"Quasi-identifiers: {_listed(roles.quasi_identifiers)}."
    yield f"Sensitive {'columns' if roles.parts else 'column'}: {_sensitive(roles)}."
    unchanged = [name for name in roles.recognizable if name != roles.weight]
    if unchanged:
        yield f"Published unchanged: {_listed(unchanged)}."
    if roles.weight is not None:
        yield f"Published as weights of groups: {roles.weight!r}."
    if roles.pseudonyms:
        yield f"Published as keyed pseudonyms: {_listed(roles.pseudonyms)}."
    for name, shape in roles.shapes.items():
        parts = ", ".join(f"{part} {one}" for part, one in shape.to_data().items())
        yield f"Made coarser when it was read: {name!r} ({parts})."
    yield f"Method: {certificate.method!r}."
    yield from about_rows(certificate.rows_are_people)
    yield from about_counterfeits(certificate.counterfeits)
    if certificate.rows_per_person == "all":
        yield ALL_ROWS
    if certificate.n_left_out:
        yield f"{counted(certificate.n_left_out, 'person')} of the original suppressed."
    if certificate.is_seeded:
        yield SEEDED


GROUPS = FormOfRelease(
    read=read,
    load=load_release,
    check=check,
    describe=describe,
    check_original=check_original,
    statements=_statements,
)
