"""Rows of a population that nothing identifies are not called people; views name their columns."""

from __future__ import annotations

import pytest

import gyges as gy
from gyges.data.examples import hospital, hospital_schema

PEOPLE = {"age": [30, 30, 31, 31, 32, 32], "ill": list("ababab")}


@pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
def test_rows_of_a_population_are_counted_as_rows_unless_a_column_identifies_people():
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="ill")
    release = gy.publish(gy.read(PEOPLE, schema), [gy.KAnonymity(2)])
    register = {"age": PEOPLE["age"] * 5, "id": list(range(30))}
    plain, named = gy.Schema(quasi_identifiers=["age"]), gy.Schema(["id"], ["age"])
    for schema, said in ((plain, "30 rows, each counted as one person"), (named, "30 people")):
        found = gy.audit(release, population=gy.read(register, schema)).findings
        assert any(f"a list of the population ({said})" in one.sentence for one in found)


def test_verify_names_the_roles_of_the_columns_of_views(tmp_path):
    """A passport number that is declared sensitive is published exactly: auditors must see it."""
    table = gy.read(hospital(200), hospital_schema())
    views = gy.publish(table, [gy.KAnonymity(5)], method="marginals", time_limit=1)
    views.save(tmp_path / "views")
    stated = gy.verify(tmp_path / "views").statements
    assert "Quasi-identifiers: 'age', 'zip', 'sex'." in stated
    assert "Sensitive column: 'disease'." in stated
