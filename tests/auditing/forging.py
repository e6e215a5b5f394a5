"""Ways to alter a release directory, as somebody would who wants `verify` to say yes."""

from __future__ import annotations

import csv
import hashlib
import json
import os

import pyarrow as pa
import pyarrow.parquet as pq

HOSTILE = [
    "", "0", "-1", "1", "2", "7", "400000000", "9" * 30, "1.5", "*", "a", "b", "group", "count",
    "x\n  holds: everything", "\x1b[2J", "‮", "=1+1", "nan", "true",
]  # fmt: skip
VALUES = [
    None, True, False, 0, 1, 2, -1, 3, 50, 2**60, 0.5, 3.0, "", "one", "set", "multiset",
    "bucketized", "generalized", "microaggregated", "1/2", "5", "equal", "ordered", [], {}, [1],
    ["age"], {"name": "KAnonymity"}, "x\ny", "group",
]  # fmt: skip


def read_rows(path):
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        columns = [[str(v) for v in column.to_pylist()] for column in table.columns]
        return [table.column_names, *map(list, zip(*columns, strict=True))]
    with path.open(newline="") as file:
        return list(csv.reader(file))


def write_rows(path, rows):
    if path.suffix == ".parquet":
        names = rows[0]
        columns = [pa.array([row[i] for row in rows[1:]], pa.string()) for i in range(len(names))]
        pq.write_table(
            pa.Table.from_arrays(columns, names=names),
            path,
            store_schema=False,
            write_statistics=False,
        )
        return
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


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
    kind = rng.randrange(10)
    if kind in (0, 1, 2):
        rows[row][column] = rows[other][column]
    elif kind == 3:
        rows[row][column] = rng.choice(HOSTILE)
    elif kind == 4 and body:
        del rows[row]
    elif kind == 5 and body:
        rows.append(list(rows[row]))
    elif kind == 6:
        name = rng.choice(["group", "group_2", "raw", rows[0][column]])
        values = [rng.choice(["1", "1", "2", "x"]) for _ in rows[1:]]
        rows = [[*rows[0], name], *([*r, v] for r, v in zip(rows[1:], values, strict=True))]
    elif kind == 7 and len(rows[0]) > 1:
        rows = [r[:column] + r[column + 1 :] for r in rows]
    elif kind == 8:
        rows[0][column] = rng.choice(HOSTILE)
    else:
        rng.shuffle(rest := rows[1:])
        rows = [rows[0], *rest]
    write_rows(path, rows)


def alter_certificate(directory, rng):
    """Change, remove or add one thing anywhere in the certificate."""
    path = directory / "certificate.json"
    stated = json.loads(path.read_text())
    place = stated
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            break
        key = rng.choice(keys)
        if isinstance(place[key], (dict, list)) and place[key] and rng.random() < 0.8:
            place = place[key]
            continue
        kind = rng.randrange(6)
        if kind == 0:
            del place[key]
        elif kind == 1 and isinstance(place, dict):
            place[rng.choice(["needs_original", "levels", "note", "k", "name"])] = rng.choice(
                VALUES
            )
        elif kind == 2 and isinstance(place, list):
            place.append(place[key])
        elif type(place[key]) is int:
            place[key] += rng.choice([-1, 1, 1000])
        else:
            place[key] = rng.choice(VALUES)
        break
    path.write_text(json.dumps(stated))


def restate_claim(directory, rng):
    """Claim a rule in the right words, with a risk that may be wrong."""
    path = directory / "certificate.json"
    stated = json.loads(path.read_text())
    k = rng.randrange(1, 9)
    claim = rng.choice(
        [
            ({"name": "KAnonymity", "k": k}, f"every group has at least {k} people"),
            (
                {"name": "DistinctDiversity", "l": k},
                f"every group has at least {k} different sensitive values",
            ),
        ]
    )
    stated["claims"].append({"rule": claim[0], "text": claim[1], "risk": str(rng.randrange(1, 9))})
    path.write_text(json.dumps(stated))


def move_column(directory, rng):
    """Give a column another role, or none."""
    path = directory / "certificate.json"
    stated = json.loads(path.read_text())
    roles = stated["roles"]
    if roles["quasi_identifiers"]:
        name = roles["quasi_identifiers"].pop(rng.randrange(len(roles["quasi_identifiers"])))
        if rng.random() < 0.5:
            roles["published"].append(name)
    path.write_text(json.dumps(stated))


def add_file(directory, rng):
    """Put something beside the tables, certified or not."""
    path = directory / "certificate.json"
    stated = json.loads(path.read_text())
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
        path.write_text(json.dumps(stated))


def rehash(directory):
    """Make the certificate's hashes fit whatever is there now."""
    path = directory / "certificate.json"
    stated = json.loads(path.read_text())
    files = stated.get("files")
    if isinstance(files, dict):
        for name in files:
            if (directory / name).is_file():
                files[name] = hashlib.sha256((directory / name).read_bytes()).hexdigest()
    path.write_text(json.dumps(stated))


ALTERATIONS = (
    alter_table, alter_table, alter_table, alter_certificate, alter_certificate,
    alter_certificate, restate_claim, move_column, add_file,
)  # fmt: skip
