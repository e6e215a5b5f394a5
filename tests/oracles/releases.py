"""A release directory judged from the definitions, row by row; the slow twin of `verify`.

`judge(directory)` answers TRUE (every claim is true of the published rows), FALSE (something that
is stated is not), MALFORMED (it is no release), or EITHER (only something changed that no claim
rests on, and a reader may refuse it or not). Hashes are checked too. A report is taken for forged:
the honest releases that are altered have none.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
from collections import Counter, defaultdict
from fractions import Fraction

import pyarrow.parquet as pq

from tests.oracles.criteria import equal_distance, ordered_distance, shares

TRUE, FALSE, MALFORMED, EITHER = "true", "false", "malformed", "either"
FIELDS = {
    "claims", "files", "form", "format", "gyges", "is_seeded", "method", "n_groups", "n_left_out",
    "n_people", "roles", "rows_are_people", "allows_singling_out", "values_per_person",
}  # fmt: skip
ROLES = {"quasi_identifiers", "sensitive", "published", "kinds", "hierarchies"}


class AnswerError(Exception):
    """The answer, as soon as it is known."""


def need(condition, answer=MALFORMED):
    if not condition:
        raise AnswerError(answer)


def judge(directory):
    try:
        stated = read_json(directory)
        check_fields(stated)
        tables, hashes_hold = read_files(directory, stated)
        groups = groups_of(tables, stated)
        need(hashes_hold and not {"report.html", "report.json"} & set(stated["files"]), FALSE)
        need(stated["n_people"] == sum(len(g["people"]) for g in groups), FALSE)
        need(stated["n_groups"] == len(groups), FALSE)
        answers = [judge_claim(claim, groups, stated) for claim in stated["claims"]]
        answers.append(judge_published(tables, groups, stated))
        return next((a for a in (MALFORMED, FALSE, EITHER) if a in answers), TRUE)
    except AnswerError as found:
        return found.args[0]


def read_json(directory):
    path = directory / "certificate.json"
    need(path.is_file() and not path.is_symlink())

    def no_key_twice(pairs):
        need(len(dict(pairs)) == len(pairs))
        return dict(pairs)

    def no_constant(_):
        raise AnswerError(MALFORMED)

    try:
        stated = json.loads(
            path.read_text(), object_pairs_hook=no_key_twice, parse_constant=no_constant
        )
    except ValueError:
        raise AnswerError(MALFORMED) from None
    need(isinstance(stated, dict))
    return stated


def is_count(value):
    return type(value) is int and 0 <= value <= 2**53


def is_word(value):
    return isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 ._+-]{0,59}", value)


def check_fields(stated):
    need(set(stated) == FIELDS and type(stated["format"]) is int and stated["format"] == 2)
    roles = stated["roles"]
    need(isinstance(roles, dict) and {"quasi_identifiers", "sensitive"} <= set(roles) <= ROLES)
    need(set(roles) == ROLES, EITHER)
    for role in ("quasi_identifiers", "published"):
        need(isinstance(roles[role], list) and all(isinstance(n, str) for n in roles[role]))
    need(roles["sensitive"] is None or isinstance(roles["sensitive"], str))
    columns = columns_of(roles)
    need(len(set(columns)) == len(columns) and "" not in columns)
    need(isinstance(roles["kinds"], dict) and set(roles["kinds"]) <= set(columns))
    need(all(kind in ("number", "category", "date", "code") for kind in roles["kinds"].values()))
    need(isinstance(roles["hierarchies"], dict))
    need(all(isinstance(described, dict) for described in roles["hierarchies"].values()))
    need(set(roles["hierarchies"]) <= set(roles["quasi_identifiers"]))
    plain = {"rule": "intervals", "parameters": [10, 20]}
    need(all(described == plain for described in roles["hierarchies"].values()), EITHER)
    need(stated["form"] in ("generalized", "bucketized", "microaggregated"))
    need(stated["values_per_person"] in ("one", "set", "multiset"))
    need(roles["sensitive"] is not None or stated["values_per_person"] == "set")
    need(all(is_count(stated[name]) for name in ("n_people", "n_groups", "n_left_out")))
    need(stated["n_groups"] <= stated["n_people"])
    need(
        type(stated["is_seeded"]) is bool and is_word(stated["gyges"]) and is_word(stated["method"])
    )
    need(all(type(stated[name]) is bool for name in ("rows_are_people", "allows_singling_out")))
    need(isinstance(stated["claims"], list))
    for claim in stated["claims"]:
        need(isinstance(claim, dict) and set(claim) == {"rule", "text", "risk"})
        need(isinstance(claim["rule"], dict))
        need(isinstance(claim["text"], str) and isinstance(claim["risk"], str))
    files = stated["files"]
    need(isinstance(files, dict))
    need(all(isinstance(h, str) and re.fullmatch("[0-9a-f]{64}", h) for h in files.values()))


def columns_of(roles):
    sensitive = [] if roles["sensitive"] is None else [roles["sensitive"]]
    return [*roles["quasi_identifiers"], *roles["published"], *sensitive]


def free(name, taken):
    return next(n for n in [name, *(f"{name}_{i}" for i in range(2, 99))] if n not in taken)


def table_names(stated):
    if stated["roles"]["sensitive"] is None:
        return ["data"]
    is_apart = stated["form"] == "bucketized" or stated["values_per_person"] != "one"
    return ["people", "sensitive"] if is_apart else ["data"]


def read_files(directory, stated):
    names, files = table_names(stated), stated["files"]
    formats = [f for f in ("csv", "parquet") if all(f"{n}.{f}" in files for n in names)]
    need(formats)
    allowed = {f"{n}.{formats[0]}" for n in names} | {"report.html", "report.json"}
    need(set(files) <= allowed)
    present = {entry.name: entry for entry in os.scandir(directory)}
    need(set(present) == set(files) | {"certificate.json"})
    need(all(entry.is_file(follow_symlinks=False) for entry in present.values()))
    tables = {n: read_rows(directory / f"{n}.{formats[0]}") for n in names}
    hashes = {n: hashlib.sha256((directory / n).read_bytes()).hexdigest() for n in files}
    return tables, hashes == files


def read_rows(path):
    """(columns, rows as lists of texts)."""
    if path.suffix == ".parquet":
        with pq.ParquetFile(path) as file:
            need(not file.metadata.metadata)
            table = file.read()
        columns = [["" if v is None else str(v) for v in c.to_pylist()] for c in table.columns]
        return table.column_names, [list(row) for row in zip(*columns, strict=True)]
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    need_one_spelling(path.read_bytes().decode(), rows)
    need(rows and all(len(row) == len(rows[0]) for row in rows[1:]))
    need(not any(is_formula(text) for row in rows for text in row))
    return rows[0], rows[1:]


def need_one_spelling(text, rows):
    """Every line ends with a newline; quotes only where a text needs them; nothing else."""
    place = 0
    for row in rows:
        for i, cell in enumerate(row):
            is_special = any(sign in cell for sign in '",\r\n')
            written = '"' + cell.replace('"', '""') + '"' if is_special else cell
            if not cell and text.startswith('""', place):
                written = '""'
            written += "\n" if i == len(row) - 1 else ","
            need(text.startswith(written, place))
            place += len(written)
    need(place == len(text))


def is_formula(text):
    """A spreadsheet would compute this text: it begins like a formula and is no plain number."""
    return text[:1] in tuple("=+-@\t\r") and not re.fullmatch(r"[+-]?[0-9.]+", text)


def number(text):
    need(re.fullmatch(r"-?[0-9]{1,18}", text))
    return int(text)


def groups_of(tables, stated):
    """[{"people": labels of each, "values": Counter}] by the number or the labels of a group."""
    roles = stated["roles"]
    columns = columns_of(roles)
    by_number, counted = free("group", columns), free("count", columns)
    names, rows = tables.get("people", tables.get("data"))
    need(len(set(names)) == len(names))
    is_apart = "sensitive" in tables
    without_sensitive = [c for c in columns if c != roles["sensitive"]]
    expected = (
        {*without_sensitive, by_number} if is_apart else {*columns} | ({by_number} & set(names))
    )
    need(set(names) == expected)
    groups = defaultdict(lambda: {"people": [], "values": Counter()})
    for row in rows:
        cell = dict(zip(names, row, strict=True))
        labels = tuple(cell[name] for name in roles["quasi_identifiers"])
        key = number(cell[by_number]) if by_number in names else labels
        groups[key]["people"].append(labels)
        if not is_apart and roles["sensitive"] is not None:
            groups[key]["values"][cell[roles["sensitive"]]] += 1
    if by_number in names:
        need(set(groups) == set(range(1, len(groups) + 1)))
        if stated["form"] != "bucketized":
            need(all(len(set(g["people"])) == 1 for g in groups.values()))
    if is_apart:
        names, rows = tables["sensitive"]
        need(
            len(set(names)) == len(names) and set(names) == {by_number, roles["sensitive"], counted}
        )
        for row in rows:
            cell = dict(zip(names, row, strict=True))
            group, count = number(cell[by_number]), number(cell[counted])
            need(group in groups and count >= 1)
            groups[group]["values"][cell[roles["sensitive"]]] += count
    need_possible(groups.values(), stated)
    return list(groups.values())


def need_possible(groups, stated):
    kind = stated["values_per_person"]
    for group in groups:
        people = len(group["people"])
        if stated["roles"]["sensitive"] is not None and kind == "one":
            need(sum(group["values"].values()) == people)
        most = {"set": 1, "multiset": 10_000}.get(kind, people) * people
        need(all(count <= most for count in group["values"].values()))
    if stated["roles"]["kinds"].get(stated["roles"]["sensitive"]) in ("number", "date"):
        need(not any(group["values"] for group in groups), EITHER)


def judge_published(tables, groups, stated):
    """Do the claims hold among the people of a group who agree in the published columns, too?"""
    roles = stated["roles"]
    if not roles["published"]:
        return TRUE
    names, rows = tables.get("people", tables.get("data"))
    by_number = free("group", columns_of(roles))
    look = [*roles["quasi_identifiers"], *roles["published"]]
    look += [by_number] if by_number in names and stated["form"] != "bucketized" else []
    parts = defaultdict(lambda: {"people": [], "values": Counter()})
    for row in rows:
        cell = dict(zip(names, row, strict=True))
        part = parts[tuple(cell[name] for name in look)]
        part["people"].append(row)
        if "sensitive" not in tables and roles["sensitive"] is not None:
            part["values"][cell[roles["sensitive"]]] += 1
    is_safe = all(len(part["people"]) > 1 for part in parts.values())
    for claim in stated["claims"]:
        rule = dict(claim["rule"])
        name = rule.pop("name", None)
        if name == "KAnonymity" or ("sensitive" not in tables and name in JUDGES):
            is_safe &= JUDGES[name](list(parts.values()), stated, **rule)[0]
    return TRUE if is_safe else EITHER if stated["allows_singling_out"] else FALSE


def judge_claim(claim, groups, stated):
    rule = dict(claim["rule"])
    name = rule.pop("name", None)
    if not isinstance(name, str) or name not in JUDGES:
        return EITHER
    try:
        holds, risk, text = JUDGES[name](groups, stated, **rule)
    except (TypeError, ValueError, ZeroDivisionError):
        return MALFORMED
    return TRUE if (holds, str(risk), text) == (True, claim["risk"], claim["text"]) else FALSE


def whole(value, least):
    need(type(value) in (int, float), MALFORMED)
    need(type(value) is int, EITHER)
    need(value >= least)
    return value


def exact(value):
    need(type(value) in (str, int, float))
    need(isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,9}(/[1-9][0-9]{0,8})?", value), EITHER)
    return Fraction(value)


def listed(group):
    return list(group["values"].elements())


def k_anonymity(groups, stated, k):
    k = whole(k, 1)
    smallest = min(len(group["people"]) for group in groups)
    return smallest >= k, smallest, f"every group has at least {k} people"


def distinct_diversity(groups, stated, l):
    l = whole(l, 1)
    fewest = min(len(group["values"]) for group in groups)
    return fewest >= l, fewest, f"every group has at least {l} different sensitive values"


def probabilistic_diversity(groups, stated, l):
    l = exact(l)
    need(l >= 1)
    need(all(group["values"] for group in groups), EITHER)
    worst = max(
        Fraction(min(max(g["values"].values()), len(g["people"])), len(g["people"])) for g in groups
    )
    return worst <= 1 / l, worst, f"in every group each value has a share of at most {1 / l}"


WORDS = {
    "equal": "any two values are equally far apart",
    "ordered": "values are as far apart as their positions in sorted order",
}


def t_closeness(groups, stated, t, ground="equal"):
    t = exact(t)
    need(t >= 0 and isinstance(ground, str))
    need(ground in WORDS, EITHER if ground == "hierarchy" else MALFORMED)
    need(all(group["values"] for group in groups), EITHER)
    everything = [value for group in groups for value in listed(group)]
    values = sorted(set(everything))
    distance = {"equal": equal_distance, "ordered": ordered_distance}[ground]
    table = shares(everything, values)
    worst = max(distance(shares(listed(group), values), table) for group in groups)
    text = (
        f"the distribution of values in every group is within distance {t} of the whole table's "
        f"({WORDS[ground]})"
    )
    return worst <= t, worst, text


JUDGES = {
    "KAnonymity": k_anonymity,
    "DistinctDiversity": distinct_diversity,
    "ProbabilisticDiversity": probabilistic_diversity,
    "TCloseness": t_closeness,
}
