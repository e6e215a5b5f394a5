"""Publish new rows under the scheme of an earlier release, and judge the rules again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gyges.criteria.describe import from_data
from gyges.criteria.verdict import Verdict, judged
from gyges.data.table import Table
from gyges.errors import NothingSafeError, ReleaseError
from gyges.exact import counted
from gyges.release.make_release import make_release
from gyges.release.mapping import LabelMapping, apply_mapping, refuse_other_reading
from gyges.release.release import Release
from gyges.search.publish import claims_of, refuse_rules_about_values, with_notices


def republish(
    mapping: LabelMapping, table: Table, *, seed: int | None = None
) -> tuple[Release, Verdict]:
    """Put the rows of a table into the groups of an earlier release.

    Rows that no group covers are suppressed. The verdict judges the earlier rules on the result:
    read it before publishing.
    """
    refuse_other_reading(mapping, table)
    partition, labels = apply_mapping(mapping, table)
    rng = np.random.default_rng(seed)
    release = make_release(
        table, partition, "generalized", rng=rng, labels=labels, is_seeded=seed is not None
    )
    rules = [from_data(rule) for rule in mapping.rules]
    if not release.n_people:
        people = counted(table.n_people, "person", "people")
        raise NothingSafeError(f"no group of the scheme fits any of {people}: nothing is published")
    if not rules:
        raise ReleaseError("the mapping records no rule to judge the new rows by")
    if table.schema.sensitive is None:
        refuse_rules_about_values(rules)
    bound = [rule.bind(release.groups) for rule in rules]
    verdict = judged(bound, release.groups)
    claims = claims_of(bound, verdict, release.groups)
    release = replace(
        release,
        method="an earlier scheme",
        claims=claims,
        asked=mapping.rules,
        is_seeded=seed is not None,
    )
    allowed = mapping.allows_singling_out
    return with_notices(release, rules, allow_singling_out=allowed), verdict
