"""Ways to alter a release directory, as somebody would who wants `verify` to say yes."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re

import pyarrow as pa
import pyarrow.parquet as pq

from tests.oracles import release_files, rules

HOSTILE = [
    "", "0", "-1", "1", "2", "7", "400000000", "9" * 30, "1.5", "*", "a", "b", "group", "count",
    "x\n  holds: everything", "\x1b[2J", "‮", "=1+1", "'=1+1", "nan", "true", "(missing)", "{a, b}",
    "2024-01-01", "10.0", "007", "59-20", "[30, 20)", "20-59", "<30", ">=30", "2*", "555 1234*",
    "2024-01", "2024", "{20, 21}", "{21, 20}", "{5}",
]  # fmt: skip
VALUES = [
    None, True, False, 0, 1, 2, -1, 3, 50, 2**60, 0.5, 3.0, "", "one", "set", "multiset",
    "bucketized", "generalized", "microaggregated", "1/2", "5", "equal", "ordered", "hierarchy",
    "negations", "implications", "number", "date", "code", "category", "month", "1e-3",
    "1e999999", "0", [], {}, [1], ["age"], [[0, 1], [1, 0]], {"name": "KAnonymity"}, "x\ny",
    "group", {"levels": 3}, {"rule": "prefixes", "parameters": []},
    {"rule": "intervals", "parameters": [5]},
]  # fmt: skip


def read_rows(path):
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        columns = [[str(v) for v in column.to_pylist()] for column in table.columns]
        return [table.column_names, *map(list, zip(*columns, strict=True))]
    with path.open(newline="") as file:
        return list(csv.reader(file))


def write_rows(path, rows, **more):
    if path.suffix == ".parquet":
        names = rows[0]
        columns = [pa.array([row[i] for row in rows[1:]], pa.string()) for i in range(len(names))]
        table = pa.Table.from_arrays(columns, names=names)
        pq.write_table(table, path, **{"store_schema": False, "write_statistics": False} | more)
        return
    with path.open("w", newline="") as file:
        csv.writer(file, **{"lineterminator": "\n"} | more).writerows(rows)


def read_stated(directory):
    return json.loads((directory / "certificate.json").read_text())


def write_stated(directory, stated):
    (directory / "certificate.json").write_text(json.dumps(stated))


def tables(directory):
    return sorted(
        p for p in directory.iterdir() if p.suffix in (".csv", ".parquet") and p.is_file()
    )


def alter_table(directory, rng):
    """Change one thing in one table."""
    path = rng.choice(tables(directory))
    rows = read_rows(path)
    body = len(rows) > 1
    row = rng.randrange(1, len(rows)) if body else 0
    column = rng.randrange(len(rows[0]))
    other = rng.randrange(1, len(rows)) if body else 0
    kind = rng.randrange(12)
    if kind in (0, 1):
        rows[row][column] = rows[other][column]
    elif kind in (2, 3):
        rows[row][column], rows[other][column] = rows[other][column], rows[row][column]
    elif kind == 4:
        rows[row][column] = rng.choice(HOSTILE)
    elif kind == 5 and body:
        del rows[row]
    elif kind == 6 and body:
        rows.append(list(rows[row]))
    elif kind == 7:
        name = rng.choice(["group", "group_2", "raw", rows[0][column]])
        values = [rng.choice(["1", "1", "2", "x"]) for _ in rows[1:]]
        rows = [[*rows[0], name], *([*r, v] for r, v in zip(rows[1:], values, strict=True))]
    elif kind == 8 and len(rows[0]) > 1:
        rows = [r[:column] + r[column + 1 :] for r in rows]
    elif kind == 9:
        rows[0][column] = rng.choice(HOSTILE)
    else:
        rng.shuffle(rest := rows[1:])
        rows = [rows[0], *rest]
    write_rows(path, rows)


def regroup(directory, rng):
    """Give everybody of a group the labels or the number of another, or other values."""
    path = rng.choice(tables(directory))
    rows = read_rows(path)
    one, other = rng.choice(rows[1:]), rng.choice(rows[1:])
    column = rng.randrange(len(one))
    old, new = one[column], other[column]
    for row in rows[1:]:
        row[column] = new if row[column] == old else row[column]
    write_rows(path, rows)


def spell_otherwise(directory, rng):
    """Write the same table with other bytes."""
    path = rng.choice(tables(directory))
    rows = read_rows(path)
    if path.suffix == ".parquet":
        more = rng.choice(
            [{"store_schema": True}, {"write_statistics": True}, {"compression": "zstd"}]
        )
        write_rows(path, rows, **more)
    elif rng.random() < 0.3:
        path.write_bytes(rng.choice([b"\xef\xbb\xbf", b"\n", b""]) + path.read_bytes() + b"\n")
    else:
        more = [{"quoting": csv.QUOTE_ALL}, {"lineterminator": "\r\n"}, {"delimiter": ";"}, {}]
        write_rows(path, rows, **rng.choice(more))


def alter_certificate(directory, rng):
    """Change, remove or add one thing anywhere in the certificate."""
    stated = read_stated(directory)
    place = stated
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            break
        key = rng.choice(keys)
        if isinstance(place[key], (dict, list)) and place[key] and rng.random() < 0.8:
            place = place[key]
            continue
        alter_entry(place, key, rng)
        break
    write_stated(directory, stated)


def alter_entry(place, key, rng):
    kind = rng.randrange(6)
    if kind == 0:
        del place[key]
    elif kind == 1 and isinstance(place, dict):
        place[rng.choice(["needs_original", "levels", "note", "k", "name"])] = rng.choice(VALUES)
    elif kind == 2 and isinstance(place, list):
        place.append(place[key])
    elif type(place[key]) is int:
        place[key] += rng.choice([-1, 1, 1000])
    else:
        place[key] = rng.choice(VALUES)


def random_rule(rng, values):
    """Any rule with numbers that may or may not hold."""
    few, part = rng.randrange(1, 5), rng.choice(["1/2", "2/3", "3/4", "0.9", "0.99", "1"])
    value, strict = rng.choice([*values, "*", "nobody's"]), rng.random() < 0.5
    point = [*(rng.choice([0, 0, 1, 2, "inf"]) for _ in range(3)), part]
    matrix = [[abs(i - j) / 4 for j in range(len(values))] for i in range(len(values))]
    leaves = [*values, "nobody's"] if rng.random() < 0.3 else values
    tree = {"rows": [[one, "low" if i < 2 else "high", "*"] for i, one in enumerate(leaves)]}
    grounds = ["equal", "ordered", "hierarchy", matrix, {"hierarchy": tree},
               {"hierarchy": {"rule": "prefixes", "parameters": []}},
               {"hierarchy": {"rule": "intervals", "parameters": [20, 100]}}]  # fmt: skip
    return rng.choice(
        [
            {"name": "KAnonymity", "k": rng.choice([few, float(few)])},
            {"name": "DistinctDiversity", "l": few},
            {"name": "EntropyDiversity", "l": rng.choice(["1", "3/2", "2", 1.25, "2.5", 3])},
            {"name": "RecursiveDiversity", "c": rng.choice("123"), "l": few, "strict": strict},
            {"name": "ProbabilisticDiversity", "l": rng.choice([1, "4/3", "3/2", "2", 2.5])},
            {"name": "TCloseness", "t": part, "ground": rng.choice(grounds)},
            {"name": "BetaLikeness", "beta": rng.choice("1235"), "enhanced": strict},
            {"name": "DeltaDisclosure", "delta": rng.choice(["1", "2", "4", "6"])},
            {"name": "Safety", "confidence": part, "k": rng.randrange(4)},
            {"name": "Safety", "confidence": part, "k": rng.randrange(4), "language": "negations"},
            {"name": "ValueSafety", "policies": {value: [part, rng.randrange(3)], "*": ["1", 1]}},
            {"name": "ValueSafety", "policies": {"ill": [part, few - 1]},
             "classes": {"ill": sorted({value, "flu"})}},
            {"name": "IntervalSafety", "width": few, "confidence": part, "k": rng.randrange(3)},
            {"name": "Skyline", "points": {value: [point, [0, 0, 0, part]], "*": [[0, 0, 0, "1"]]}},
            {"name": "Beliefs", "bandwidth": part, "t": part},
            {"name": "HouseholdAnonymity", "k": few},
            part_of_values(rng, values, few, part),
            {"name": "MInvariance", "m": few},
        ]
    )  # fmt: skip


def part_of_values(rng, values, few, share):
    """A rule about part of what values say, which may be that of another table."""
    inside = rng.choice(
        [
            {"name": "KAnonymity", "k": few},
            {"name": "DistinctDiversity", "l": few},
            {"name": "ProbabilisticDiversity", "l": rng.choice([1, "3/2", "2"])},
            {"name": "Safety", "confidence": share, "k": rng.randrange(3)},
            {"name": "Beliefs", "bandwidth": share, "t": share},
        ]
    )
    stated = {"name": "About", "of": {"rule": inside}}
    if rng.random() < 0.3:
        stated |= {"column": rng.choice(["disease", "income"])}
    if rng.random() < 0.3:
        stated |= {"knowing": ["income"]}
    own = [*{one for v in values for one in (v, *re.findall('disease": "([^"]*)', v))}]
    if own and rng.random() < 0.6:
        stated |= {"similar": {"ill": rng.sample(sorted(own), min(2, len(own)))}}
    if own and rng.random() < 0.4:
        stated |= {"harmless": [rng.choice([*sorted(own), "nobody's"])]}
    return stated


THRESHOLDS = {
    "KAnonymity": "k",
    "DistinctDiversity": "l",
    "RecursiveDiversity": "c",
    "TCloseness": "t",
    "BetaLikeness": "beta",
    "Safety": "confidence",
    "IntervalSafety": "confidence",
}


def on_the_threshold(rule, risk):
    """The same rule with the risk itself as its threshold: the definition says which side it is."""
    if rule["name"] == "ProbabilisticDiversity" and risk:
        return {"l": str(1 / risk)}
    if rule["name"] == "Skyline":
        return {
            "points": {v: [[*p[:3], str(risk)] for p in at] for v, at in rule["points"].items()}
        }
    if rule["name"] not in THRESHOLDS or isinstance(risk, float):
        return {}
    return {THRESHOLDS[rule["name"]]: risk if isinstance(risk, int) else str(risk)}


def finding(rule, groups):
    """What the rule says, even if it speaks of values that nobody has; None if it says nothing."""
    try:
        return rules.judge_rule(rule, groups)
    except rules.UndefinedError as nothing:
        return nothing.args[0] if nothing.args else None
    except rules.MalformedError:
        return None


def claim(directory, rng):
    """Claim a rule in the right words with the right risk, or nearly; whether it holds or not."""
    stated = read_stated(directory)
    release = release_files.read(directory, lambda _: None)
    groups = release_files.groups_of(release)
    rule = random_rule(rng, groups.values)
    text, risk = "it holds", rng.choice(["0", "1/2", "1", "3"])
    found = finding(rule, groups)
    if found is not None and rng.random() < 0.3:
        rule |= on_the_threshold(rule, found.risk)
        found = finding(rule, groups)
    if found is not None:
        text, risk = found.text, rules.risk_text(found.risk)
        if stated["rows_are_people"]:
            text = re.sub("([0-9]) people", r"\1 rows", text)
    kind = rng.randrange(8)
    if kind == 0:
        risk = rng.choice(["0", "1/2", "2", "2.0", "inf", "nan", f" {risk}", f"{risk}/1", "x"])
    elif kind == 1:
        text = rng.choice([text.upper(), f"{text} ", text.replace("every", "each"), ""])
    new = {"rule": rule, "text": text, "risk": risk}
    if stated["claims"] and rng.random() < 0.5:
        stated["claims"][rng.randrange(len(stated["claims"]))] = new
    else:
        stated["claims"].append(new)
    write_stated(directory, stated)


def change_role(directory, rng):
    """Give a column another role, kind or hierarchy, or none."""
    stated = read_stated(directory)
    roles = stated["roles"]
    columns = [*roles["quasi_identifiers"], *roles["published"], roles["sensitive"]]
    kind = rng.randrange(5)
    if kind == 4:
        roles["pseudonyms"] = [rng.choice(roles["published"] or columns)]
    elif kind == 0:
        roles["kinds"][rng.choice(columns)] = rng.choice(
            ["number", "date", "code", "category", "month"]
        )
    elif kind == 1:
        described = rng.choice([one for one in VALUES if isinstance(one, dict)])
        roles["hierarchies"][rng.choice(columns)] = described
    else:
        quasi = roles["quasi_identifiers"]
        name = quasi.pop(rng.randrange(len(quasi)))
        if rng.random() < 0.5:
            roles["published"].append(name)
            roles["hierarchies"].pop(name, None)
    write_stated(directory, stated)


def add_file(directory, rng):
    """Put something beside the tables, certified or not."""
    stated = read_stated(directory)
    name = rng.choice(["raw.txt", "data.CSV", "people.csv", "data.parquet", "extra", "report.html"])
    target = directory / name
    if target.exists():
        return
    kind = rng.randrange(4)
    if kind == 0:
        target.mkdir()
    elif kind == 1:
        os.mkfifo(target)
    elif kind == 2:
        target.symlink_to(tables(directory)[0].name)
    else:
        target.write_text("a,b\n1,2\n")
    if rng.random() < 0.6:
        stated["files"][name] = "0" * 64
        write_stated(directory, stated)


def alter_page(directory, rng):
    """Change some bytes of a report, or drop it."""
    path = rng.choice(sorted(p for p in directory.glob("report.*") if p.is_file()))
    page = path.read_bytes()
    kind = rng.randrange(4)
    if kind == 0:
        stated = read_stated(directory)
        del stated["files"][path.name]
        path.unlink()
        write_stated(directory, stated)
    elif kind == 1:
        place = rng.randrange(len(page))
        path.write_bytes(page[:place] + rng.choice([b"0", b" ", b"", b"\xff"]) + page[place + 1 :])
    else:
        path.write_bytes(
            page.replace(*rng.choice([(b"3", b"9"), (b"fails", b"holds"), (b"1", b"2")]), 1)
        )


def rehash(directory):
    """Make the certificate's hashes fit whatever is there now."""
    stated = read_stated(directory)
    files = stated.get("files")
    if isinstance(files, dict):
        for name in files:
            if (directory / name).is_file():
                files[name] = hashlib.sha256((directory / name).read_bytes()).hexdigest()
    write_stated(directory, stated)


ALTERATIONS = (
    *[claim] * 10, *[alter_table] * 4, *[alter_certificate] * 4, *[regroup] * 2, *[change_role] * 2,
    spell_otherwise, add_file, alter_page,
)  # fmt: skip
