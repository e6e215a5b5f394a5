"""What a missing value means for k, by comparing rows one by one; and in every command alike."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from tests.cli.commands import gyges, write_csv
from tests.oracles.missing_values import rows_that_always_fit, rows_that_fit

PAGE = Path(__file__).parents[2] / "docs" / "missing_values.md"


def counted(rows, missing):
    """Among how many rows each is hidden, as gyges counts; None if it is dropped."""
    columns = {"age": [row[0] for row in rows], "sex": [row[1] for row in rows]}
    kinds = {"age": "category", "sex": "category"}
    schema = gy.Schema(quasi_identifiers=["age", "sex"], kinds=kinds)
    try:
        table = gy.read(columns, schema, missing=missing)
    except gy.GygesError:
        return [None] * len(rows)  # nobody is left
    sizes = iter(table.cells.people[table.cell_of_row].tolist())
    return [next(sizes) if used else None for used in table.is_used]


AGES, SEXES = st.sampled_from(["30", "40", None]), st.sampled_from(["f", "m", None])


@pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
@given(st.lists(st.tuples(AGES, SEXES), min_size=1, max_size=9))
def test_what_holds_for_a_value_of_its_own_holds_if_it_rows_that_fit(rows):
    own, dropped = counted(rows, "value"), counted(rows, "drop")
    fitting, always = rows_that_fit(rows), rows_that_always_fit(rows)
    assert own == counted(rows, "any") == [rows.count(row) for row in rows]
    assert all(a <= b <= c for a, b, c in zip(own, always, fitting, strict=True))
    assert all(a == b for a, b, row in zip(always, fitting, rows, strict=True) if None not in row)
    assert dropped == [None if None in row else rows.count(row) for row in rows]


def test_frequencies_that_sdcmicro_publishes_for_missing_keys():
    """Its example of eight people, four keys and five gaps (reference page of `freqCalc`)."""
    gap = None
    keys = [(1, 2, 5, 1), (1, 2, 1, 1), (1, 2, gap, 1), (gap, gap, 1, 5),
            (4, 3, 1, gap), (gap, 3, 1, 1), (6, 2, 1, 5), (1, 2, 5, 1)]  # fmt: skip
    weights = [18.0, 45.5, 39.0, 17.0, 541.0, 8.0, 5.0, 92.0]
    assert rows_that_fit(keys) == [3, 2, 4, 3, 3, 2, 2, 3]
    assert rows_that_always_fit(keys) == [3, 2, 1, 1, 1, 1, 2, 3]
    weighed = list(zip(keys, weights, strict=True))
    population = [
        sum(weight for other, weight in weighed if rows_that_fit([row, other])[0] == 2)
        for row in keys
    ]
    assert population == [149.0, 84.5, 194.5, 563.0, 566.0, 549.0, 22.0, 149.0]
    names = ["a", "b", "c", "d"]
    columns = {n: [r[i] for r in keys] for i, n in enumerate(names)}
    schema = gy.Schema(quasi_identifiers=names, kinds=dict.fromkeys(names, "category"))
    table = gy.read(columns, schema, missing="value")
    own = table.cells.people[table.cell_of_row].tolist()
    assert own == [keys.count(row) for row in keys] == [2, 1, 1, 1, 1, 1, 1, 2]
    assert gy.read(columns, schema, missing="drop").n_people == 4


def test_the_table_of_the_page_is_true():
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    cells = [
        re.split(r" *\| *", line.strip("|")) for line in lines if re.match(r"\| (\d|  )", line)
    ]
    rows = [tuple(text.strip() or None for text in cell[:2]) for cell in cells]
    assert len(rows) == 5
    shown = [[text.strip() for text in cell[2:]] for cell in cells]
    dropped = [str(n) if n else "not published" for n in counted(rows, "drop")]
    fitting = rows_that_fit(rows), rows_that_always_fit(rows)
    found = zip(dropped, counted(rows, "value"), *fitting, strict=True)
    assert shown == [[a, *map(str, rest)] for a, *rest in found]


@pytest.fixture(params=["value", "any"])
def published(tmp_path, request):
    people = {
        "age": ["30", "31", "?", "33", "34", "?"] * 6,
        "sex": ["f", "m"] * 18,
        "disease": ["Flu", "Gout", "HIV"] * 12,
    }
    write_csv(tmp_path / "people.csv", people)
    (tmp_path / "gyges.toml").write_text(
        f'[data]\nsource = "people.csv"\nmissing = "{request.param}"\nmissing_marks = ["?"]\n'
        '[columns]\nquasi_identifiers = ["age", "sex"]\nsensitive = "disease"\n'
        '[[require]]\nrule = "k-anonymity"\nk = 3\n'
    )
    for out in ("one", "two"):
        words = ("publish", "gyges.toml", "--no-report", "--out", out)
        assert gyges(*words, folder=tmp_path)[0] == 0
    return tmp_path, request.param


COMMANDS = {
    "verify": ("verify", "one", "--original", "people.csv"),
    "audit": ("audit", "one", "--original", "people.csv"),
    "attack": ("attack", "one", "two", "--people", "people.csv"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_reads_missing_values_as_stated(published, command):
    (folder, missing), words = published, COMMANDS[command]
    by_project = gyges(*words, "--project", "gyges.toml", folder=folder)
    stated = gyges(*words, "--missing", missing, "--missing-mark", "?", folder=folder)
    assert by_project[0] != 2 and stated[0] != 2, (by_project, stated)
    if command != "audit":  # which also learns from a project how the groups were found
        assert stated[:2] == by_project[:2]
    code, _, notes = gyges(*words, "--missing", "error", "--missing-mark", "?", folder=folder)
    assert code == 2 and "missing" in notes
    assert gyges(*words, "--missing", "perhaps", folder=folder)[0] == 2
