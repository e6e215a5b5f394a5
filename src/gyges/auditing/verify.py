"""Recompute every claim of a release from its own files.

The tables are read again, the groups are derived from what they show, and each rule is built from
its parameters and judged on these groups. Of the certificate's own words nothing is repeated: the
text and the risk of a claim are made again and compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gyges.auditing.against_original import check_original
from gyges.auditing.checks import Check, Verification, check_hashes
from gyges.auditing.claims import check_claim, rule_of
from gyges.auditing.noise import check_noisy
from gyges.auditing.views import check_views
from gyges.data.consistency import ROWS_ARE_PEOPLE
from gyges.data.table import Table
from gyges.dp.certificate_model import StatedNoise
from gyges.dp.files import is_noisy
from gyges.dp.files import read_stated as read_noise_stated
from gyges.errors import GygesError, ReleaseError
from gyges.marginals.certificate_model import StatedViews
from gyges.marginals.files import is_marginals
from gyges.marginals.files import read_stated as read_views_stated
from gyges.release.certificate import Certificate, read_certificate
from gyges.release.files import load
from gyges.release.groups import Groups
from gyges.release.groups_from_tables import groups_of_certified, read_tables
from gyges.release.mapping import load_mapping
from gyges.search.published_columns import shown_columns

if TYPE_CHECKING:
    import pyarrow as pa


def verify_files(
    directory: Path,
    *,
    original: Table | str | Path | None = None,
    mapping: str | Path | None = None,
) -> Verification:
    """Check the tables and the certificate of a release, of whatever form."""
    if original is not None and (is_marginals(directory) or is_noisy(directory)):
        raise ReleaseError(
            "views and noisy tables are verified from their files: leave the original out"
        )
    if is_marginals(directory):
        return Verification(
            tuple(check_views(directory)), _about_rows(read_views_stated(directory))
        )
    if is_noisy(directory):
        return Verification(
            tuple(check_noisy(directory)), _about_rows(read_noise_stated(directory))
        )
    certificate = read_certificate(directory)
    tables = read_tables(directory, certificate)
    checks = check_hashes(directory, certificate.files)
    try:
        groups, _ = groups_of_certified(tables, certificate)
    except GygesError:
        if all(check.holds for check in checks):
            raise
        return Verification(tuple(checks))  # the file was altered: that is the finding
    checks += _check_counts(groups, certificate)
    checks += _check_published_columns(tables, certificate)
    if original is None:
        checks += [check_claim(claim, groups) for claim in certificate.claims]
    else:
        known = None if mapping is None else load_mapping(mapping)
        checks += check_original(load(directory), original, known)
    return Verification(tuple(checks), tuple(_statements(certificate)))


def _check_counts(groups: Groups, certificate: Certificate) -> Iterable[Check]:
    for what, stated, found in [
        ("people are published", certificate.n_people, int(groups.sizes.sum())),
        ("groups are published", certificate.n_groups, len(groups)),
    ]:
        yield Check(f"{stated:,} {what}", f"{stated:,}", f"{found:,}", stated == found)


def _check_published_columns(
    tables: Mapping[str, pa.Table], certificate: Certificate
) -> Iterable[Check]:
    """Whether the claims hold for an attacker who knows the columns published as they are, too."""
    if not certificate.roles.published:
        return
    known = [rule_of(claim) for claim in certificate.claims]
    rules = [rule for rule in known if rule is not None and rule.needs == "files"]
    found = shown_columns(tables, certificate.roles, certificate.form, rules)
    named = ", ".join(map(repr, found.columns))
    what = f"every claim holds for an attacker who knows {named} too, and nobody's row is unique"
    said = "; ".join([f"{found.n_alone:,} people have a unique row", *found.failures])
    if found.is_safe and len(rules) == len(known):
        yield Check(what, "yes", "yes", True)
    elif found.is_safe:
        yield Check(what, "", f"{len(known) - len(rules)} of the claims cannot be judged so", None)
    elif certificate.allows_singling_out:
        yield Check(what, "", f"the publisher does not promise it: {said}", None)
    else:
        yield Check(what, "yes", said, False)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names)) or "none"


def _about_rows(stated: Certificate | StatedViews | StatedNoise) -> tuple[str, ...]:
    return (ROWS_ARE_PEOPLE,) if stated.rows_are_people else ()


def _statements(certificate: Certificate) -> Iterable[str]:
    roles = certificate.roles
    yield f"The quasi-identifiers are {_listed(roles.quasi_identifiers)}."
    yield f"The sensitive column is {_listed([roles.sensitive] if roles.sensitive else [])}."
    if roles.published:
        yield f"Published as they are: {_listed(roles.published)}."
    yield f"The groups were found by the method {certificate.method!r}."
    yield from _about_rows(certificate)
    if certificate.n_left_out:
        yield f"{certificate.n_left_out:,} people of the original were suppressed."
    if certificate.is_seeded:
        yield "The order of the rows comes from a seed: anyone who knows it can undo the shuffle."
