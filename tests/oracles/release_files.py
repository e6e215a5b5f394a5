"""A release directory read by its definition: a certificate of known fields, a closed list of
files, tables in one spelling. `read(directory)` gives a `Release`, or raises MalformedError where
the directory is none, or AlteredError where a file is not the one that was certified.
"""

from __future__ import annotations

import csv
import datetime
import hashlib
import io
import json
import math
import os
import re
from collections import defaultdict
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from tests.oracles import hierarchies
from tests.oracles.rules import MISSING, Group, Groups

FIELDS = {
    "claims", "files", "form", "format", "gyges", "is_seeded", "method", "n_groups", "n_left_out",
    "n_people", "roles", "rows_are_people", "allows_singling_out", "values_per_person",
}  # fmt: skip
ROLES = {
    "quasi_identifiers", "sensitive", "published", "kinds", "hierarchies", "parts", "shapes",
    "pseudonyms", "weight", "weight_totals",
}  # fmt: skip
PAGES = {"report.html", "report.json"}
KINDS = ("number", "category", "date", "code", "month")


class MalformedError(Exception):
    """It is no release."""


class AlteredError(Exception):
    """A file is not the one that was certified."""


def need(condition):
    if not condition:
        raise MalformedError


@dataclass(frozen=True)
class Release:
    stated: dict
    tables: dict  # {name: (columns, rows)}
    directory: object

    @property
    def roles(self):
        default = {"published": [], "kinds": {}, "hierarchies": {}, "parts": [], "shapes": {}}
        default |= {"pseudonyms": [], "weight": None, "weight_totals": []}
        return default | self.stated["roles"]

    @property
    def columns(self):
        sensitive = [] if self.roles["sensitive"] is None else [self.roles["sensitive"]]
        return [*self.roles["quasi_identifiers"], *self.roles["published"], *sensitive]

    @property
    def shows_values(self):
        """Whether each row shows its person's own sensitive value."""
        return "data" in self.tables and self.roles["sensitive"] is not None

    @property
    def people(self):
        """(columns, rows): one row a person."""
        return self.tables.get("people") or self.tables["data"]

    @property
    def group_column(self):
        return free("group", [*self.columns, *self.roles["parts"]])


def free(name, taken):
    return next(n for n in [name, *(f"{name}_{i}" for i in range(2, 99))] if n not in taken)


def read(directory, refuse_claims):
    """The release; `refuse_claims(stated)` looks at what is claimed before any table is read."""
    stated = read_json(directory)
    check_fields(stated)
    refuse_claims(stated)
    format = check_files(directory, stated)
    for name, digest in stated["files"].items():
        if hashlib.sha256((directory / name).read_bytes()).hexdigest() != digest:
            raise AlteredError
    tables = {name: read_rows(directory / f"{name}.{format}") for name in table_names(stated)}
    roles = Release(stated, {}, None).roles
    tables = {name: joined(*table, roles) for name, table in tables.items()}
    return Release(stated, tables, directory)


def joined(names, rows, roles):
    """A table in which one column names the values of several sensitive ones."""
    parts = roles["parts"]
    if not parts or not set(parts) <= set(names):
        return names, rows
    for part in parts:
        in_order({row[names.index(part)] for row in rows}, roles["kinds"].get(part))
    is_number = {part: roles["kinds"].get(part) == "number" for part in parts}
    kept = [name for name in names if name not in parts]
    made = []
    for row in rows:
        cell = dict(zip(names, row, strict=True))
        need(all(cell[part] != "" for part in parts))
        texts = {p: number(cell[p]) if is_number[p] else cell[p] for p in parts}
        value = json.dumps(texts, ensure_ascii=False)
        made.append([*(cell[name] for name in kept), value])
    return [*kept, roles["sensitive"]], made


def number(text):
    return int(text) if re.fullmatch("-?[0-9]+", text) else float(text)


def read_json(directory):
    path = directory / "certificate.json"
    need(path.is_file() and not path.is_symlink())

    def no_key_twice(pairs):
        need(len(dict(pairs)) == len(pairs))
        return dict(pairs)

    def no_constant(_):
        raise MalformedError

    def finite(text):
        need(math.isfinite(float(text)))
        return float(text)

    try:
        stated = json.loads(
            path.read_bytes().decode(),
            object_pairs_hook=no_key_twice,
            parse_constant=no_constant,
            parse_float=finite,
        )
    except ValueError:
        raise MalformedError from None
    need(isinstance(stated, dict))
    return stated


def is_count(value):
    return type(value) is int and 0 <= value <= 2**53


def is_word(value):
    return isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 ._+-]{0,59}", value)


def are_texts(value):
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def check_fields(stated):
    need(set(stated) - {"is_simulatable", "rows_per_person", "counterfeits"} == FIELDS)
    need(stated.get("counterfeits", []) == [])  # none of these releases has any
    need(type(stated["format"]) is int and stated["format"] == 2)
    need(isinstance(stated["roles"], dict))
    need({"quasi_identifiers", "sensitive"} <= set(stated["roles"]) <= ROLES)
    check_roles(Release(stated, {}, None))
    has_values = stated["roles"]["sensitive"] is not None
    need(stated["form"] in ("generalized", "bucketized", "microaggregated"))
    need(stated["values_per_person"] in ("one", "set", "multiset"))
    need(has_values or (stated["values_per_person"] == "set" and stated["form"] != "bucketized"))
    need(all(is_count(stated[name]) for name in ("n_people", "n_groups", "n_left_out")))
    need(stated["n_groups"] <= stated["n_people"])
    need(is_word(stated["gyges"]) and is_word(stated["method"]))
    flags = ("is_seeded", "rows_are_people", "allows_singling_out")
    need(all(type(stated[name]) is bool for name in flags))
    need(type(stated.get("is_simulatable", False)) is bool)
    need(stated.get("rows_per_person", "one") in ("one", "all"))
    need(isinstance(stated["claims"], list))
    for claim in stated["claims"]:
        need(isinstance(claim, dict) and set(claim) == {"rule", "text", "risk"})
        need(isinstance(claim["rule"], dict))
        need(isinstance(claim["text"], str) and isinstance(claim["risk"], str))
    need(isinstance(stated["files"], dict))
    for digest in stated["files"].values():
        need(isinstance(digest, str) and re.fullmatch("[0-9a-f]{64}", digest))


def check_roles(release):
    roles = release.roles
    need(are_texts(roles["quasi_identifiers"]) and are_texts(roles["published"]))
    need(roles["sensitive"] is None or isinstance(roles["sensitive"], str))
    columns = release.columns
    need(are_texts(roles["parts"]) and are_texts(roles["pseudonyms"]))
    need(set(roles["pseudonyms"]) <= set(roles["published"]))
    need(len(set(roles["pseudonyms"])) == len(roles["pseudonyms"]))
    recognizable = [name for name in roles["published"] if name not in roles["pseudonyms"]]
    need(roles["weight"] is None or roles["weight"] in recognizable)
    need(roles["weight_totals"] == [])  # none of these releases has any
    need(roles["shapes"] == {})  # none of these releases has any
    shown = [*columns, *roles["parts"]]
    need(len(set(shown)) == len(shown) and "" not in shown)
    if roles["parts"]:
        need(len(roles["parts"]) > 1 and roles["sensitive"] == " + ".join(roles["parts"]))
        need(release.stated["values_per_person"] == "one")
    need(isinstance(roles["kinds"], dict) and set(roles["kinds"]) <= set(shown))
    kinds = roles["kinds"].values()
    need(all(isinstance(k, str) and k in KINDS for k in kinds))
    need(isinstance(roles["hierarchies"], dict))
    need(set(roles["hierarchies"]) <= set(roles["quasi_identifiers"]))
    for described in roles["hierarchies"].values():
        need(isinstance(described, dict) and hierarchies.is_described(described))


def table_names(stated):
    if stated["roles"]["sensitive"] is None:
        return ["data"]
    is_apart = stated["form"] == "bucketized" or stated["values_per_person"] != "one"
    return ["people", "sensitive"] if is_apart else ["data"]


def check_files(directory, stated):
    """Which format the tables have: those of the form, its pages, and no other file."""
    names, files = table_names(stated), stated["files"]
    formats = [f for f in ("csv", "parquet") if all(f"{n}.{f}" in files for n in names)]
    need(formats)
    need(set(files) <= {f"{n}.{formats[0]}" for n in names} | PAGES)
    present = {entry.name: entry for entry in os.scandir(directory)}
    need(set(present) == set(files) | {"certificate.json"})
    need(all(entry.is_file(follow_symlinks=False) for entry in present.values()))
    return formats[0]


def read_rows(path):
    """(columns, rows as lists of texts): nothing in the file but these, in one spelling."""
    names, rows = (read_parquet if path.suffix == ".parquet" else read_csv)(path)
    need(len(set(names)) == len(names))
    for place in range(len(names)):
        cells = [row[place] for row in rows]
        need(None not in cells or "" not in cells)
    return names, [["" if cell is None else cell for cell in row] for row in rows]


def read_parquet(path):
    try:
        with pq.ParquetFile(path) as file:
            found, table = file.metadata, file.read()
    except (pa.ArrowException, OSError):
        raise MalformedError from None
    groups = [found.row_group(group) for group in range(found.num_row_groups)]
    chunks = [group.column(place) for group in groups for place in range(found.num_columns)]
    need(not found.metadata and not any(chunk.is_stats_set for chunk in chunks))
    n_bytes = sum(chunk.total_compressed_size for chunk in chunks) + found.serialized_size
    need(path.stat().st_size == n_bytes + len("PAR1") * 2 + 4)
    need(not any(pa.types.is_nested(field.type) for field in table.schema))
    columns = [
        [None if v is None else str(v) for v in column.to_pylist()] for column in table.columns
    ]
    return table.column_names, [list(row) for row in zip(*columns, strict=True)]


def is_written_alike(path):
    """Whether a Parquet file has the bytes that its rows have when all are written at once."""
    again = io.BytesIO()
    rows = pq.read_table(path)
    pq.write_table(rows, again, store_schema=False, write_statistics=False)
    return again.getvalue() == path.read_bytes()


def read_csv(path):
    """Quotes only where a text needs them; every line ends with a newline; formulas are guarded."""
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        raise MalformedError from None
    rows, place = [], 0
    for row in csv.reader(io.StringIO(text, newline="")):
        rows.append([])
        for i, cell in enumerate(row):
            is_empty = not cell and not text.startswith('""', place)
            is_quoted = any(sign in cell for sign in '",\r\n') or (not cell and not is_empty)
            written = '"' + cell.replace('"', '""') + '"' if is_quoted else cell
            written += "\n" if i == len(row) - 1 else ","
            need(text.startswith(written, place))
            place += len(written)
            rows[-1].append(None if is_empty else without_guard(cell))
    need(place == len(text) and rows and rows[0] and all(len(row) == len(rows[0]) for row in rows))
    return ["" if name is None else name for name in rows[0]], rows[1:]


def without_guard(cell):
    """An apostrophe stands before a text that a spreadsheet would compute, and before no other."""
    is_guarded = re.match("'+[=+\\-@\t\r\n＝＋－＠]", cell)
    text = cell[1:] if is_guarded else cell
    is_risky = re.match("'*[=+\\-@\t\r\n＝＋－＠]", text) and not re.fullmatch(
        r"[+-]?[0-9.]+", text
    )
    need(bool(is_guarded) == bool(is_risky))
    return text


def integer(text):
    need(re.fullmatch("-?[0-9]{1,19}", text) and str(int(text)) == text and abs(int(text)) < 2**63)
    return int(text)


def groups_of(release):
    """The groups that the tables show, by the number or else by the labels of each person."""
    roles, kind = release.roles, release.stated["values_per_person"]
    by_number, counted = release.group_column, free("count", [*release.columns, *roles["parts"]])
    names, rows = release.people
    is_apart, sensitive = "sensitive" in release.tables, roles["sensitive"]
    need_columns(release, by_number)
    need(rows)
    groups = defaultdict(Group)
    for row in rows:
        cell = dict(zip(names, row, strict=True))
        labels = tuple(cell[name] for name in roles["quasi_identifiers"])
        group = groups[integer(cell[by_number]) if by_number in names else labels]
        group.people.append(labels)
        if release.shows_values:
            group.values[cell[sensitive]] += 1
    if by_number in names:
        need(set(groups) == set(range(1, len(groups) + 1)))
        looks = [len(set(group.people)) for group in groups.values()]
        need(release.stated["form"] == "bucketized" or max(looks) == 1)
    if is_apart:
        names, rows = release.tables["sensitive"]
        need(set(names) == {by_number, sensitive, counted})
        for row in rows:
            cell = dict(zip(names, row, strict=True))
            group, count = integer(cell[by_number]), integer(cell[counted])
            need(group in groups and count >= 1)
            groups[group].values[cell[sensitive]] += count
    need_possible(groups.values(), kind, has_values=sensitive is not None)
    values = {value for group in groups.values() for value in group.values}
    need(all(values))  # a missing value is published as a word
    return Groups(list(groups.values()), in_order(values, roles["kinds"].get(sensitive)), kind)


def need_columns(release, by_number):
    names = set(release.people[0])
    if "sensitive" in release.tables:
        need(names == {*release.columns, by_number} - {release.roles["sensitive"]})
    else:
        need(names in ({*release.columns}, {*release.columns, by_number}))


def need_possible(groups, kind, *, has_values):
    """A group's people can have the values that are counted in it."""
    for group in groups:
        most = {"set": 1, "multiset": 10_000}.get(kind, group.n) * group.n
        need(all(count <= most for count in group.values.values()))
        need(kind != "one" or not has_values or group.values.total() == group.n)
    need(sum(group.values.total() for group in groups) <= 2**53)


def in_order(values, kind):
    """The values, sorted: numbers by size and days by date, each in its one spelling."""
    if kind == "number":
        return sorted(values, key=numbers_of(values).__getitem__)
    if kind == "date":
        return sorted(values, key=moments_of(values).__getitem__)
    return sorted(values, key=lambda value: (value == MISSING, value))


def numbers_of(values):
    """Whole numbers where all are whole, else doubles; a whole double is written without .0."""
    try:
        numbers = {v: int(v) if re.fullmatch(r"\s*[+-]?[\d_]+\s*", v) else float(v) for v in values}
    except ValueError:
        raise MalformedError from None
    need(all(abs(n) < 1.8e308 for n in numbers.values()))
    if not all(n == int(n) for n in numbers.values()):
        numbers = {value: float(n) for value, n in numbers.items()}
    written = {v: str(int(n)) if n == int(n) else str(n) for v, n in numbers.items()}
    need(all(value == text for value, text in written.items()))
    return numbers


def moments_of(values):
    """Days where all are days, else moments; midnight is written as its day."""
    try:
        moments = {value: in_utc(datetime.datetime.fromisoformat(value)) for value in values}
    except ValueError:
        raise MalformedError from None
    for value, moment in moments.items():
        is_day = moment.tzinfo is None and moment.time() == datetime.time()
        need(value == (moment.date() if is_day else moment).isoformat())
    return {value: moment.isoformat() for value, moment in moments.items()}


def in_utc(moment):
    return moment.astimezone(datetime.UTC) if moment.tzinfo else moment
