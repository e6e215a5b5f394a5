"""What a schema says about a table; what it refuses is in tests/test_bad_input.py."""

from __future__ import annotations

from dataclasses import replace

import pytest

import gyges as gy
from gyges.data.values import Kind


def test_every_column_named_once_in_the_order_of_the_roles():
    schema = gy.Schema(
        identifiers=["name"],
        quasi_identifiers=["age", "zip"],
        sensitive="disease",
        published=["year"],
        dropped=["note"],
        person="name",
    )
    assert schema.columns == ["name", "age", "zip", "disease", "year", "note"]
    assert gy.Schema(quasi_identifiers=["age"], person="id").columns == ["age", "id"]


def test_rows_belong_together_by_person_or_by_identifiers():
    several = {"sensitive": "d", "values_per_person": "set"}
    assert gy.Schema(identifiers=["a", "b"], **several).shared_columns == ["a", "b"]
    assert gy.Schema(identifiers=["a"], person="b", **several).shared_columns == ["b"]
    assert gy.Schema(identifiers=["a"], separator=";", **several).shared_columns == []
    assert gy.Schema(identifiers=["a"], sensitive="d").shared_columns == []
    assert gy.Schema(person="a", sensitive="d").shared_columns == []
    assert gy.Schema(person="a", sensitive="d").identifies_people
    assert not gy.Schema(sensitive="d").identifies_people


def test_a_schema_does_not_change_with_the_lists_it_was_made_from():
    names = ["age"]
    schema = gy.Schema(quasi_identifiers=names, kinds={"age": "number"})
    names.append("zip")
    assert schema.quasi_identifiers == ("age",) and schema.kinds == {"age": Kind.NUMBER}
    with pytest.raises(AttributeError):
        schema.sensitive = "disease"


@pytest.mark.parametrize("kind", ["number", "category", "date", "code", Kind.CODE])
def test_a_declared_kind_is_kept(kind):
    values = {"number": ["1", "2"], "date": ["2020-01-01", "2020-01-02"]}.get(kind, ["1", "2"])
    table = gy.read({"x": values}, gy.Schema(quasi_identifiers=["x"], kinds={"x": kind}))
    assert table.cells.domains[0].kind == kind
    if kind in ("category", "code"):
        assert table.cells.domains[0].values == ("1", "2")


def test_several_sensitive_columns_are_given_as_a_list():
    """The first is `sensitive`, the others are `also_sensitive`, in whatever way they are given."""
    listed = gy.Schema(sensitive=["disease", "income"])
    assert listed == gy.Schema(sensitive="disease", also_sensitive=["income"])
    assert listed == gy.Schema(sensitive=("disease",), also_sensitive=["income"])
    assert (listed.sensitive, listed.also_sensitive) == ("disease", ("income",))
    assert replace(listed, quasi_identifiers=["age"]).roles["sensitive"] == ["disease", "income"]
    assert gy.Schema(sensitive=[]) == gy.Schema()
    for wrong in (["disease", "disease"], [3], [""], 5, {"disease": 1}):
        with pytest.raises(gy.GygesError, match="sensitive"):
            gy.Schema(sensitive=wrong)
