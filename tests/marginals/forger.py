"""Publishing views of small random tables, altering them in any way, and a slow judge.

The judge reads the directory with nothing but the standard library and decides each claim by the
definitions: enumeration of all consistent tables, and proportional fitting in sixty digits.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import shutil
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

import gyges as gy
from gyges.marginals.published_views import (
    claim_text,
    load_marginals,
    publish_marginals,
    shown_risk,
)
from gyges.marginals.views_certificate import SCOPE
from tests.marginals import tables
from tests.oracles import marginals as oracle

RULES = [
    gy.KAnonymity(2),
    gy.DistinctDiversity(2),
    gy.RecursiveDiversity("3", 2),
    gy.ProbabilisticDiversity("4/3"),
    gy.EntropyDiversity("5/4"),
]
JUNK = [None, True, 0, -1, 1, 2, 10**30, 1.5, "", "x", "\x1b[2J\n  true: all", [], {}, [[]], "4/0"]


def random_case(rng, n_columns=2):
    """A small table with views that hold some of the rules."""
    shapes = [rng.choice(["flat2", "uneven"]) for _ in range(n_columns)]
    paths = [
        {row[0].format(c=c): tuple(label.format(c=c) for label in row) for row in tables.SHAPES[s]}
        for c, s in zip("abc", shapes, strict=False)
    ]
    paths.append({f"s{i}": (f"s{i}", "*") for i in range(rng.randint(2, 3))})
    cells = [tuple(rng.choice(sorted(path)) for path in paths) for _ in range(rng.randint(1, 3))]
    rows = [cell for cell in cells for _ in range(rng.randint(1, 3))]
    rows += [(*rows[0][:-1], value) for value in paths[-1]]
    paths[-1] = {value: (value, "*") for value in sorted({row[-1] for row in rows})}
    views = []
    for _ in range(rng.randint(1, 3)):
        view = {
            column: 0 if column == n_columns else rng.randrange(len(next(iter(path.values()))))
            for column, path in enumerate(paths)
            if rng.random() < 0.6
        }
        if view and view not in views:
            views.append(view)
    return tables.Case(rows, paths, views or [{n_columns: 0}])


def publish(case, directory, format="csv"):
    """Publish the views under those rules that they satisfy."""
    made = case.marginals
    rules = [rule for rule in RULES if made.judge(rule).safe]
    publish_marginals(made, rules).save(directory, format=format)


def claim_of_other_people(case, directory, rng):
    """The views of other people, faultless in themselves, under the claims made of the first."""
    rows = [rng.choice(case.rows) for _ in range(len(case.rows))]
    other = tables.Case(rows, case.paths, case.views)
    claims = json.loads((directory / "certificate.json").read_text())["claims"]
    publish_marginals(other.marginals, []).save(directory, overwrite=True)
    if rng.random() < 0.5:
        for claim in claims:
            rule = gy.criteria.describe.from_data(claim["rule"])
            claim["risk"] = shown_risk(other.marginals.judge(rule).risks)
    state(directory, lambda stated: stated.update(claims=claims))


def is_plain(path):
    return path.is_file() and not path.is_symlink()


def rehash(directory):
    """Make the certificate's hashes those of the files that it lists."""
    path = directory / "certificate.json"
    try:
        stated = json.loads(path.read_text())
        for name in stated["files"]:
            if (directory / name).is_file():
                digest = hashlib.sha256((directory / name).read_bytes()).hexdigest()
                stated["files"][name] = digest
        path.write_text(json.dumps(stated))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return


def alter(directory, rng):
    """One to three alterations of tables, certificate or files; hashes mostly redone."""
    for _ in range(rng.randint(1, 3)):
        rng.choice([alter_table, alter_table, alter_certificate, alter_certificate, alter_files])(
            directory, rng
        )
    if rng.random() < 0.9:
        rehash(directory)


def alter_table(directory, rng):
    """Change, move, drop, double, split or reorder rows; rename or add columns."""
    paths = [path for path in sorted(directory.glob("*.csv")) if is_plain(path)]
    if not paths:
        return
    path = rng.choice(paths)
    rows = [line.split(",") for line in path.read_text().splitlines()]
    row = rng.randrange(1, len(rows)) if len(rows) > 1 else 0
    match rng.randrange(9):
        case 0:
            rows[row][-1] = rng.choice(
                ["0", "-1", "1", "7", "400000000", "1e3", " 2", "x", "9" * 30]
            )
        case 1 if len(rows) > 2:
            other = rng.randrange(1, len(rows))
            rows[row][-1], rows[other][-1] = rows[other][-1], rows[row][-1]
        case 2 if row:
            del rows[row]
        case 3:
            rows.append(list(rows[row]))
        case 4 if row and rows[row][-1].isdigit() and int(rows[row][-1]) > 1:
            n = int(rows[row][-1])
            rows[row][-1] = "1"
            rows.append([*rows[row][:-1], str(n - 1)])
        case 5:
            rows[1:] = rng.sample(rows[1:], len(rows) - 1)
        case 6:
            rows = [[*line, "extra"] for line in rows]
        case 7:
            rows[row][0] = rng.choice(["a0", "a1", "s0", "s1", "new", "*", "count"])
        case _ if row and rows[row][-1].isdigit():
            rows[row][-1] = str(int(rows[row][-1]) + rng.choice([-1, 1]))
    path.write_text("\n".join(",".join(line) for line in rows) + "\n")


def alter_certificate(directory, rng):
    """Replace, delete, add or copy anything anywhere; or aim at what a forger would aim at."""
    path = directory / "certificate.json"
    stated = json.loads(path.read_text())
    places = [(stated, key) for key in stated]
    for container, key in places:
        inner = container[key]
        if isinstance(inner, dict):
            places += [(inner, k) for k in inner]
        elif isinstance(inner, list):
            places += [(inner, k) for k in range(len(inner))]
    container, key = rng.choice(places)
    claims = stated.get("claims")
    claim = rng.choice(claims) if isinstance(claims, list) and claims else None
    match rng.randrange(7):
        case 0:
            container[key] = rng.choice(JUNK)
        case 1:
            del container[key]
        case 2:
            other_container, other_key = rng.choice(places)
            container[key] = json.loads(
                json.dumps(
                    other_container.get(other_key)
                    if isinstance(other_container, dict)
                    else other_container[other_key]
                )
            )
        case 3 if isinstance(claim, dict) and isinstance(claim.get("rule"), dict):
            rule = claim["rule"]
            name = rng.choice([name for name in rule if name != "name"] or ["k"])
            rule[name] = rng.choice([rule.get(name), 1, 3, 4, "2", "1/2", "9", False])
            if rng.random() < 0.7:
                retell(claim, stated.get("rows_are_people"))
        case 4 if isinstance(claim, dict):
            claim.update(rng.choice([{"needs_original": True}, {"risk": "99"}, {"text": "safe"}]))
        case 5 if isinstance(container, dict):
            container["more"] = rng.choice(JUNK)
        case _ if isinstance(stated.get("n_people"), int):
            stated["n_people"] += rng.choice([-1, 1])
    path.write_text(json.dumps(stated))


def in_words(rule, rows_are_people):
    """What a rule says; where rows were counted, no words are about a number of people."""
    said = claim_text(rule)
    return re.sub("([0-9]) people", r"\1 rows", said) if rows_are_people else said


def retell(claim, rows_are_people):
    """The words that go with an altered rule."""
    try:
        rule = gy.criteria.describe.from_data(claim["rule"])
        claim["text"] = in_words(rule, rows_are_people)
    except (gy.GygesError, TypeError, ValueError):
        return


def alter_files(directory, rng):
    """Files beside the views, links, pipes, other spellings, views elsewhere."""
    view = directory / "view-1.csv"
    extra = rng.choice(["raw.txt", "view-1.CSV", "view-1.parquet", "view-9.csv", "report.html"])
    match rng.randrange(7):
        case 0 if not (directory / extra).exists():
            (directory / extra).write_text("name,illness\n")
        case 1 if not (directory / extra).exists():
            (directory / extra).write_text("name,illness\n")
            state(directory, lambda s: s["files"].update({extra: "0" * 64}))
        case 2 if is_plain(view):
            elsewhere = directory.parent / f"{directory.name}-elsewhere.csv"
            shutil.copy(view, elsewhere)
            view.unlink()
            view.symlink_to(elsewhere)
        case 3 if not (directory / extra).exists():
            os.mkfifo(directory / extra)
        case 4 if not (directory / "more").exists():
            (directory / "more").mkdir()
        case 5:
            state(directory, lambda s: s["views"][0].update(file=f"../{directory.name}/view-1.csv"))
        case _ if view.exists():
            view.unlink()


def state(directory, change):
    """Change the certificate, where it still can be."""
    path = directory / "certificate.json"
    stated = json.loads(path.read_text())
    try:
        change(stated)
    except (KeyError, TypeError, AttributeError, IndexError):
        return
    path.write_text(json.dumps(stated))


FIELDS = {
    "form": str, "format": int, "gyges": str, "n_people": int, "rows_are_people": bool,
    "columns": list, "views": list, "claims": list, "files": dict, "scope": str,
}  # fmt: skip
FRACTION = r"[0-9]{1,2000}(/[1-9][0-9]{0,1999})?"
# What a rule is stated with: its parameters, each with what a right one looks like.
PARAMETERS = {
    "KAnonymity": {"k": int},
    "DistinctDiversity": {"l": int},
    "RecursiveDiversity": {"c": FRACTION, "l": int, "strict": bool},
    "ProbabilisticDiversity": {"l": FRACTION},
    "EntropyDiversity": {"l": FRACTION},
}
NO_RELEASE = (
    AssertionError, KeyError, TypeError, ValueError, IndexError, AttributeError, gy.GygesError,
)  # fmt: skip


def stands(directory: Path) -> bool:
    """Whether the directory is a release of views, and all that it claims is so."""
    try:
        return is_true(directory)
    except NO_RELEASE:
        return False


def rests_on_trust(directory: Path) -> bool:
    """Whether a release that stands says something that its files cannot show.

    Which label of a column lies in which of its coarser labels, as the texts here never show it; or
    how many values a sensitive column has that no view shows; or a rule of an unknown name.
    """
    stated = json.loads((directory / "certificate.json").read_text())
    has_levels = any(len(row) > 1 for column in stated["columns"] for row in column["rows"])
    hidden = {column["name"] for column in stated["columns"] if column["sensitive"]}
    for view in stated["views"]:
        hidden -= set(view["levels"])
    is_diverse = any(claim["rule"]["name"] != "KAnonymity" for claim in stated["claims"])
    is_unknown = any(claim["rule"]["name"] not in PARAMETERS for claim in stated["claims"])
    return has_levels or (bool(hidden) and is_diverse) or is_unknown


def check_fields(stated):
    """Every field is there and of its type, and no other one."""
    assert set(stated) == set(FIELDS)
    assert all(type(stated[name]) is kind for name, kind in FIELDS.items())
    assert (stated["form"], stated["format"], stated["scope"]) == ("marginals", 2, SCOPE)
    assert re.fullmatch(r"[0-9][0-9A-Za-z.+!-]{0,40}", stated["gyges"])
    for column in stated["columns"]:
        assert set(column) == {"name", "sensitive", "rows"} and type(column["sensitive"]) is bool
        assert isinstance(column["name"], str) and type(column["rows"]) is list
        assert all(type(row) is list and row for row in column["rows"])
        assert all(isinstance(label, str) for row in column["rows"] for label in row)
    names = [column["name"] for column in stated["columns"]]
    assert len(set(names)) == len(names), "a column twice"
    assert not any(column["sensitive"] for column in stated["columns"][:-1])
    for view in stated["views"]:
        assert set(view) == {"file", "levels"} and view["levels"]
        assert all(type(level) is int and level >= 0 for level in view["levels"].values())
    for claim in stated["claims"]:
        assert set(claim) == {"rule", "text", "risk"}
        assert isinstance(claim["text"], str) and isinstance(claim["risk"], str)
        rule = claim["rule"]
        assert isinstance(rule["name"], str)
        if rule["name"] not in PARAMETERS:
            continue
        asked = PARAMETERS[rule["name"]]
        assert {*asked} - {"strict"} <= set(rule) - {"name"} <= {*asked}  # strict unless it says so
        for name, kind in asked.items():
            if name not in rule:
                continue
            is_text = isinstance(kind, str)
            assert re.fullmatch(kind, rule[name]) if is_text else type(rule[name]) is kind
            assert kind is not int or rule[name] >= 1
        assert rule["name"] == "KAnonymity" or Fraction(rule["l"]) >= 1


def check_columns(stated, listed_of):
    """The columns and their labels are those that the views show, and no others.

    `listed_of[name]` are pairs of a level and the labels that a view shows there.
    """
    for column in stated["columns"]:
        shown, rows = listed_of[column["name"]], column["rows"]
        depth = len(rows[0]) if rows else 0
        if column["sensitive"] and not shown:
            assert rows == [[str(number)] for number in range(1, len(rows) + 1)]
            continue
        assert shown, "a column that no view has"
        assert {level for level, _ in shown} - {depth} == set(range(depth))
        finest = [label for level, labels in shown if level == 0 and depth for label in labels]
        assert set(finest) == {row[0] for row in rows}
        assert len({row[0] for row in rows}) == len(rows), "a label twice"
        assert not column["sensitive"] or depth == 1


def is_true(directory: Path) -> bool:
    """The same; what is no release raises one of NO_RELEASE.

    Claims of diversity are passed over where no view shows the sensitive column: how many values it
    has is the publisher's word, and verify must not call them true either.
    """
    stated = json.loads((directory / "certificate.json").read_text())
    check_fields(stated)
    names = [f"view-{i + 1}.csv" for i in range(len(stated["views"]))]
    there = {path.name: path for path in directory.iterdir()}
    if set(there) != {*names, "certificate.json"} or set(stated["files"]) != set(names):
        return False
    for name in names:
        found = hashlib.sha256(there[name].read_bytes()).hexdigest()
        if there[name].is_symlink() or found != stated["files"][name]:
            return False
    if [view["file"] for view in stated["views"]] != names:
        return False
    case, counts = as_case(directory, stated)
    made = load_marginals(directory).marginals
    if any(sum(c.values()) != stated["n_people"] for c in counts):
        return False
    table = next(oracle.tables_with(case.paths, case.views, counts), None)
    if table is None:
        return False
    rows = [cell for cell, n in table.items() for _ in range(n)]
    case = tables.Case(rows, case.paths, case.views)
    is_hidden = not any(case.sensitive in view for view in case.views)
    judged = ["KAnonymity"] if is_hidden else PARAMETERS
    claims = [claim for claim in stated["claims"] if claim["rule"]["name"] in judged]
    return all(is_claim_true(case, claim, made) for claim in claims)


class NotAtRestError(Exception):
    """The twin has not come to rest: it knows no answer."""


def as_case(directory, stated):
    """The columns as paths of labels, and the counts of each view."""
    names = [column["name"] for column in stated["columns"]]
    paths = []
    for column in stated["columns"]:
        rows = column["rows"] or [["*"]]
        top = ["*"] if column["rows"] else []
        paths.append({row[0]: (*row, *top) for row in rows})
    views, counts, listed_of = [], [], defaultdict(list)
    for view in stated["views"]:
        with (directory / view["file"]).open(newline="") as file:
            lines = list(csv.reader(file))
        shown = [name for name in names if name in view["levels"]]
        assert lines[0] == [*shown, "count"]
        listed = [tuple(line[:-1]) for line in lines[1:]]
        assert len(set(listed)) == len(listed), "a row twice"
        orders = []
        for place, name in enumerate(shown):
            column, level = names.index(name), view["levels"][name]
            labels = list(dict.fromkeys(path[level] for path in paths[column].values()))
            orders.append([labels.index(row[place]) for row in listed])
            listed_of[name].append((level, [row[place] for row in listed]))
        in_order = list(zip(*orders, strict=True))
        assert in_order == sorted(in_order), "rows in another order than that of the labels"
        views.append({names.index(name): level for name, level in view["levels"].items()})
        counts.append(Counter({tuple(line[:-1]): int(line[-1]) for line in lines[1:]}))
    assert all(n > 0 for c in counts for n in c.values())
    check_columns(stated, listed_of)
    return tables.Case([], paths, views), counts


def is_claim_true(case, claim, made):
    """By enumeration and by fitting in sixty digits; its words are those of its rule.

    Of views that do not decompose a claim may state a proven bound as the risk: which one, `made`
    tells, the views as gyges reads them.
    """
    rule = gy.criteria.describe.from_data(claim["rule"])
    told = (in_words(rule, made.rows_are_people), shown_risk(made.judge(rule).risks))
    if (claim["text"], claim["risk"]) != told:
        return False
    if isinstance(rule, gy.KAnonymity):
        asked = (case.rows, case.paths, case.views, case.sensitive, rule.k)
        return oracle.is_k_link(*asked) and oracle.is_k_combinatorial(*asked)
    possible = oracle.possible_cells(case.rows, case.paths, case.views)
    share = oracle.reconstruct(case.rows, case.paths, case.views)  # exactly, where they decompose
    near = Fraction(0)
    if share is None:
        share = oracle.maxent(case.rows, case.paths, case.views, possible)
        near = Fraction(1, 10**20)
    if share is None:
        raise NotAtRestError
    groups = oracle.groups_of(share, case.sensitive).values()
    return all(is_diverse(rule, vector, near) for vector in groups)


def is_diverse(rule, vector, near):
    """One combination of the maximum entropy distribution, with room for the last digits."""
    vector = [Fraction(entry) for entry in vector if entry]
    if not vector:
        return True
    match rule:
        case gy.DistinctDiversity():
            return len(vector) >= rule.l
        case gy.RecursiveDiversity():
            bound = rule.c * sum(sorted(vector, reverse=True)[rule.l - 1 :]) * (1 + near)
            return max(vector) < bound if rule.strict else max(vector) <= bound
        case gy.ProbabilisticDiversity():
            return max(vector) * rule.l <= sum(vector) * (1 + near)
    return oracle.exp_entropy(vector) >= float(rule.l) * (1 - 1e-12)
