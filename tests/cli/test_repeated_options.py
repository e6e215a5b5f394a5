"""An option given twice is refused or adds up; the last one never wins unnoticed."""

from __future__ import annotations

import pytest

from tests.cli.commands import gyges, write_csv

ROWS = {
    "age": [30, 30, 41, 41] * 3,
    "zip": ["1", "2"] * 6,
    "disease": ["Flu", "Gout", "Mumps"] * 4,
}


def test_quasi_identifiers_may_be_named_one_by_one(tmp_path):
    """Only the last was used, and the others were not published: k held for the last alone."""
    write_csv(tmp_path / "p.csv", ROWS)
    common = ["--sensitive", "disease", "--k", "2"]
    code, _, notes = gyges(
        "publish", "p.csv", "--quasi", "age", "--quasi", "zip", *common, "--out", "one",
        folder=tmp_path,
    )  # fmt: skip
    assert code == 0 and "ignored" not in notes
    assert gyges(
        "publish", "p.csv", "--quasi", "age,zip", *common, "--out", "two", folder=tmp_path
    )[0] == 0  # fmt: skip
    heads = [(tmp_path / out / "data.csv").read_text().split("\n")[0] for out in ("one", "two")]
    assert heads[0] == heads[1] and "age" in heads[0] and "zip" in heads[0]


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["publish", "p.csv", "--quasi", "age", "--k", "2", "--k", "5", "--out", "o"], "--k"),
        (["publish", "p.csv", "--quasi=age", "--k=2", "--out", "a", "--out", "b"], "--out"),
        (["verify", "o", "--original", "p.csv", "--original", "q.csv"], "--original"),
        (["ledger", "confirm", "o", "--ledger", "a", "--ledger", "b"], "--ledger"),
    ],
)
def test_other_options_are_given_once(arguments, name, tmp_path):
    write_csv(tmp_path / "p.csv", ROWS)
    before = sorted(tmp_path.iterdir())
    code, _, notes = gyges(*arguments, folder=tmp_path)
    assert code == 2 and f"{name} is given 2 times: give it once" in notes
    assert sorted(tmp_path.iterdir()) == before
