"""A release directory judged from the definitions, row by row; the slow twin of `verify`.

`judge(directory, version)` gives an answer, and whether a report is part of it. The answer is

- MALFORMED where the directory is no release: a field, a file, a spelling or a rule that no
  release has. That is looked at first, except that what a table holds is looked at only if the
  files are those that were certified;
- FALSE where something that is stated is not so;
- UNCHECKED where nothing is false, and something rests on more than the files: on the original
  table, on earlier releases, on a rule of the publisher's own, on a report of another version, or
  on columns published as they are of which the publisher promises nothing;
- TRUE where everything is so.

Where a report lies beside the tables and does not contradict them openly, the answer is about all
else. Whether it is the report of these very tables shows only when it is written anew.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict

from tests.oracles import rules
from tests.oracles.release_files import (
    PAGES,
    AlteredError,
    MalformedError,
    groups_of,
    is_written_alike,
    need,
    read,
)
from tests.oracles.rules import Group, Groups
from tests.oracles.written_labels import is_label

TRUE, FALSE, MALFORMED, UNCHECKED = "true", "false", "malformed", "unchecked"
ORDER = (MALFORMED, FALSE, UNCHECKED, TRUE)


def judge(directory, version, seen=None):
    """The answer, and whether a report is part of it; `seen` counts what was found of each rule."""
    try:
        release = read(directory, refuse_claims_about_nothing)
        groups = groups_of(release)
        need_written_labels(release)
        claims = release.stated["claims"]
        found = [judge_claim(claim, groups, release.stated["rows_are_people"]) for claim in claims]
        if seen is not None:
            seen.update(zip((rules.name_of(claim["rule"]) for claim in claims), found, strict=True))
        answer = min(
            [
                *found,
                judge_counts(release.stated, groups),
                judge_published(release),
                UNCHECKED if release.stated.get("is_simulatable") else TRUE,
                UNCHECKED if release.stated.get("rows_per_person") == "all" else TRUE,
                TRUE if all(map(is_written_alike, directory.glob("*.parquet"))) else UNCHECKED,
                judge_pages(release, groups, version),
            ],
            key=ORDER.index,
        )
        is_open = PAGES & set(release.stated["files"]) and release.stated["gyges"] == version
        return answer, bool(is_open) and answer != FALSE
    except AlteredError:
        return FALSE, False
    except (MalformedError, rules.MalformedError):
        return MALFORMED, False


def need_written_labels(release):
    """No words stand among numbers, dates and months, but those of a table of a hierarchy."""
    names, rows = release.people
    form = release.stated["form"]
    for name in release.roles["quasi_identifiers"]:
        kind, tree = release.roles["kinds"].get(name), release.roles["hierarchies"].get(name, {})
        if kind not in ("number", "date", "month") or "levels" in tree:
            continue
        for label in {row[names.index(name)] for row in rows}:
            are_values, is_exact = form != "generalized", form == "bucketized"
            need(is_label(label, kind, tree, are_values, is_exact, rules.MISSING))


def refuse_claims_about_nothing(stated):
    """Without a sensitive column only counts say anything; a rule must be one."""
    if stated["roles"]["sensitive"] is not None:
        return
    somebody = Groups([Group(["somebody"])], [], "set")
    for rule in (claim["rule"] for claim in stated["claims"]):
        if rules.name_of(rule) not in (None, "KAnonymity", "HouseholdAnonymity"):
            raise MalformedError
        rules.judge_rule(rule, somebody)


def judge_counts(stated, groups):
    n_people = sum(group.n for group in groups.groups)
    return (
        TRUE
        if (stated["n_people"], stated["n_groups"]) == (n_people, len(groups.groups))
        else FALSE
    )


def judge_claim(claim, groups, rows_are_people):
    """Whether the rule holds, with the very risk and words that are stated.

    Where rows were counted, no words are about a number of people.
    """
    try:
        found = rules.judge_rule(claim["rule"], groups)
    except rules.UndefinedError:
        return FALSE
    if found is None:
        return UNCHECKED
    text = re.sub("([0-9]) people", r"\1 rows", found.text) if rows_are_people else found.text
    is_said = text == claim["text"] and rules.says(found, claim["risk"])
    return TRUE if found.holds and is_said else FALSE


def recognizable(release):
    """The columns published as they are by which someone may be known: of keyed pseudonyms only
    those that somebody shares with others, or has not.
    """
    roles = release.roles
    return [
        name
        for name in roles["published"]
        if name not in roles["pseudonyms"]
        or any(one is not None for one in pseudonyms_show(release, name))
    ]


def pseudonyms_show(release, name):
    """What a column of pseudonyms shows of each person without the key; None where nothing."""
    names, rows = release.people
    cells = [row[names.index(name)] for row in rows]
    return [cell if cell == "" or cells.count(cell) > 1 else None for cell in cells]


def have_form_of_pseudonyms(release):
    names, rows = release.people
    return all(
        re.fullmatch("[a-z2-7]{26}|", row[names.index(name)])
        for name in release.roles["pseudonyms"]
        for row in rows
    )


def are_weights_of_groups(release):
    """Whether all rows of a group have one weight, and each is a positive number."""
    names, rows = release.people
    weight = release.roles["weight"]
    if weight is None:
        return True
    group = [release.group_column] if release.group_column in names else [
        name for name in names if name in release.roles["quasi_identifiers"]
    ]  # fmt: skip
    seen = defaultdict(set)
    for row in rows:
        cell = dict(zip(names, row, strict=True))
        seen[tuple(cell[name] for name in group)].add(cell[weight])
        if not re.fullmatch(r"\d+(\.\d+)?(e[+-]?\d+)?", cell[weight]) or not float(cell[weight]):
            return False
    return all(len(weights) == 1 for weights in seen.values())


def judge_published(release):
    """Whether the claims hold for who knows the columns published as they are, too.

    The people of a group who agree in these columns are a group of their own, and nobody may be
    alone in it. Where the values are in a table of their own, only numbers of people can be seen.
    """
    roles = release.roles
    if not have_form_of_pseudonyms(release) or not are_weights_of_groups(release):
        return FALSE
    if not recognizable(release):
        return UNCHECKED if roles["pseudonyms"] else TRUE
    refined = refined_groups(release)
    is_safe, is_whole = all(group.n > 1 for group in refined.groups), True
    for claim in release.stated["claims"]:
        name = rules.name_of(claim["rule"])
        is_whole &= name in rules.JUDGES
        is_seen = release.shows_values or roles["sensitive"] is None or name == "KAnonymity"
        if name in rules.JUDGES and is_seen:
            is_safe &= holds(claim["rule"], refined)
    if is_safe:
        return TRUE if is_whole and not roles["pseudonyms"] else UNCHECKED
    return UNCHECKED if release.stated["allows_singling_out"] else FALSE


def holds(rule, groups):
    try:
        return rules.judge_rule(rule, groups).holds
    except rules.UndefinedError:
        return False


def refined_groups(release):
    roles = release.roles
    names, rows = release.people
    look = [*roles["quasi_identifiers"], *recognizable(release)]
    if release.group_column in names and release.stated["form"] != "bucketized":
        look.append(release.group_column)
    parts = defaultdict(Group)
    pseudonyms = {name: pseudonyms_show(release, name) for name in roles["pseudonyms"]}
    for place, row in enumerate(rows):
        cell = dict(zip(names, row, strict=True))
        cell |= {name: seen[place] for name, seen in pseudonyms.items()}
        part = parts[tuple(cell[name] for name in look)]
        part.people.append(row)
        if release.shows_values:
            part.values[cell[roles["sensitive"]]] += 1
    values = groups_of(release).values if release.shows_values else []
    return Groups(list(parts.values()), values, "one" if release.shows_values else "set")


def judge_pages(release, groups, version):
    """A report of another version cannot be made again; one that contradicts the files is false."""
    pages = PAGES & set(release.stated["files"])
    if not pages:
        return TRUE
    if release.stated["gyges"] != version:
        return UNCHECKED
    page = release.directory / "report.json"
    is_false = page.name in pages and contradicts(page.read_bytes(), release, groups)
    return FALSE if is_false else TRUE


def contradicts(page, release, groups):
    """Whether a report says of itself to be about another release."""
    stated, roles = release.stated, release.roles
    try:
        said = json.loads(page)
    except ValueError:
        return True
    facts = {
        "gyges": stated["gyges"],
        "form": stated["form"],
        "method": stated["method"],
        "people": sum(group.n for group in groups.groups),
        "groups": len(groups.groups),
        "left_out": stated["n_left_out"],
        "quasi_identifiers": roles["quasi_identifiers"],
        "published": roles["published"],
        "sensitive": roles["sensitive"],
    }
    return not isinstance(said, dict) or any(said.get(name) != fact for name, fact in facts.items())
