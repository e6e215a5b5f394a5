"""Whatever the table: a project that nobody corrected never claims more people than there are."""

from __future__ import annotations

import csv
import json
import random
import tempfile
from collections import defaultdict
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.auditing.test_people_columns import MAKERS
from tests.cli.commands import gyges, write_csv

NAMES = ["pid", "hash", "Fallakte Nr", "x", "spalte", "feld_b", "nummer", "identificativo", "zz"]
FIXED = {
    "sex": lambda rng: rng.choice("FM"),
    "birth_year": lambda rng: rng.randrange(1930, 2005),
    "town": lambda rng: rng.choice(["north", "south", "west"]),
    "grade": lambda rng: rng.randrange(6),
}


def made(seed, name, kind, n, most, fixed):
    """A table of n people with up to `most` rows each, and the person of each row."""
    rng = random.Random(seed)
    rows, owners = [], []
    for number in rng.sample(range(10**4, 10**6), n):
        own = {column: FIXED[column](rng) for column in fixed}
        for _ in range(rng.randint(1, most)):
            moved = {column: make(rng) for column, make in FIXED.items() if column not in fixed}
            ill = {"disease": rng.choice(["Flu", "Gout", "HIV", "Asthma"])}
            rows.append({name: MAKERS[kind](number), **own, **moved, **ill})
            owners.append(number)
    columns = sorted(rows[0], key=lambda column: rng.random())
    return {column: [row[column] for row in rows] for column in columns}, owners


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    name=st.sampled_from(NAMES),
    kind=st.sampled_from(sorted({*MAKERS} - {"sequence"})),
    n=st.integers(60, 200),
    most=st.integers(1, 6),
    fixed=st.sets(st.sampled_from(sorted(FIXED))),
)
def test_the_groups_of_an_untouched_project_hold_as_many_people_as_claimed(
    seed, name, kind, n, most, fixed
):
    """The people of each group are counted one by one, from who they were made to be."""
    columns, owners = made(seed, name, kind, n, most, fixed)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_csv(folder / "data.csv", columns)
        assert gyges("init", "data.csv", folder=folder)[0] == 0
        words = ("publish", "gyges.toml", "--no-report", "--inside", "inside")
        code, _, notes = gyges(*words, folder=folder)
        if code:
            assert code in (1, 2) and not (folder / "release").exists(), notes
            assert most > 1 or code == 1, notes
            return
        held = defaultdict(set)
        with (folder / "inside" / "groups.csv").open(newline="") as file:
            for row in csv.DictReader(file):
                held[row["group"]].add(owners[int(row["row"]) - 1])
        stated = json.loads((folder / "release" / "certificate.json").read_text())
        [k] = [one["rule"]["k"] for one in stated["claims"] if one["rule"]["name"] == "KAnonymity"]
        assert min(map(len, held.values())) >= k
