"""Bad input gets a sentence: what is wrong, where, what to do. Never a row, never a traceback.

Every refusal here is a GygesError of one to three lines that does not repeat what a row holds.
"""

from __future__ import annotations

import math
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import gyges as gy
from gyges.errors import (
    GygesError,
    GygesWarning,
    HierarchyError,
    MissingColumnsError,
    MissingValuesError,
    SchemaError,
    SourceError,
)

SCHEMA = gy.Schema(identifiers=["name"], quasi_identifiers=["age"], sensitive="disease")
ROWS = {"name": ["Ann", "Bob"], "age": [30, 41], "disease": ["Flu", "Gout"]}
CSV = "name,age,disease\nAnn,30,Flu\nBob,41,Gout\n"


def refusal(error, source, schema=SCHEMA, **options):
    """The sentence with which reading is refused; it holds nothing of a row."""
    with pytest.raises(error) as caught:
        gy.read(source, schema, **options)
    message = str(caught.value)
    assert isinstance(caught.value, GygesError) and isinstance(caught.value, ValueError)
    assert 1 <= len(message.splitlines()) <= 3
    assert "SECRET" not in message and "'Ann'" not in message and "Traceback" not in message
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return message


@pytest.fixture
def write(tmp_path):
    def written(content, name="patients.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return written


def test_a_missing_file(write, tmp_path):
    write(CSV)
    message = refusal(SourceError, tmp_path / "patient.csv")
    assert "there is no file" in message and "did you mean" in message


def test_an_empty_file(write):
    assert refusal(SourceError, write("")) == "patients.csv is empty"


def test_a_header_only(write):
    assert "patients.csv has no rows" in refusal(SourceError, write("name,age,disease\n"))
    assert "has no rows" in refusal(SourceError, {"name": [], "age": [], "disease": []})


def test_two_columns_of_one_name(write):
    path = write("name,age,age,disease\nSECRET,1,2,Flu\n")
    assert "two columns are named 'age'" in refusal(SourceError, path)
    frame = pd.DataFrame([[1, 2, "Flu"]], columns=["age", "age", "disease"])
    assert "two columns are named 'age'" in refusal(SourceError, frame)
    rows = pa.table([pa.array([1]), pa.array([2])], names=["age", "age"])
    assert "two columns are named 'age'" in refusal(SourceError, rows)


def test_a_ragged_row(write):
    message = refusal(SourceError, write(CSV + "SECRET,12\n"))
    assert "patients.csv, line 4: 2 cells where the header has 3" in message


def test_another_encoding(write):
    damaged = (CSV + "ä,1,ö\n").encode() + "SECRETé,12,Flu\n".encode("latin-1")
    message = refusal(SourceError, write(damaged))
    assert (
        "patients.csv is not in UTF-8" in message
        and "line 5" in message
        and "encoding = " in message
    )


def test_a_column_that_is_not_there_suggests_one_that_is(write):
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="diseese")
    message = refusal(MissingColumnsError, write(CSV), schema)
    assert "no column 'diseese' (did you mean 'disease'?)" in message


def test_a_value_that_the_hierarchy_does_not_hold_is_named_with_its_column():
    """anjana answers with `KeyError: 'age'`."""
    tree = gy.Hierarchy.from_tree({"young": ["30"], "old": ["65"]})
    schema = gy.Schema(
        identifiers=["name"],
        quasi_identifiers=["age"],
        sensitive="disease",
        hierarchies={"age": tree},
    )
    message = refusal(HierarchyError, ROWS, schema)
    assert "hierarchy of column 'age'" in message and "'41'" in message


def test_a_rule_that_does_not_fit_the_column_is_named_with_it():
    for rule in (gy.Hierarchy.intervals(5), gy.Hierarchy.calendar()):
        schema = gy.Schema(
            identifiers=["name"],
            quasi_identifiers=["disease"],
            dropped=["age"],
            hierarchies={"disease": rule},
        )
        assert "column 'disease'" in refusal(HierarchyError, ROWS, schema)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("14850,1485*,*\n14853,1485*,USA,*\n", "line 2 has 4 levels, the first has 3"),
        ("14850,1485*,148**,*\n14853,1485*,149**,*\n", "levels may only get coarser"),
        ("14850,1485*\n13068,1306*\n", "the top level has 2 labels"),
        ("14850,1485*,*\n14850,1485*,*\n", "is in lines 1 and 2"),
        ("14850,,*\n", "line 1 has an empty label at level 1"),
        ("", "is empty"),
        ("\n\n", "is empty"),
    ],
)
def test_a_hierarchy_that_is_none(write, content, why):
    with pytest.raises(HierarchyError) as caught:
        gy.Hierarchy.from_csv(write(content, "zip.csv"))
    assert why in str(caught.value) and "zip.csv" in str(caught.value)


def test_a_hierarchy_file_that_cannot_be_read(write, tmp_path):
    for path in (tmp_path / "nothing.csv", tmp_path, write("é,*\n".encode("latin-1"), "zip.csv")):
        with pytest.raises(HierarchyError, match="hierarchy"):
            gy.Hierarchy.from_csv(path)


@pytest.mark.parametrize(
    "roles",
    [
        {"identifiers": ["age"], "quasi_identifiers": ["age"]},
        {"quasi_identifiers": ["age"], "sensitive": "age"},
        {"quasi_identifiers": ["age"], "published": ["age"]},
        {"published": ["age"], "dropped": ["age"]},
        {"quasi_identifiers": ["age"], "person": "age"},
        {"quasi_identifiers": ["age", "age"]},
        {"quasi_identifiers": "age"},
        {"quasi_identifiers": 3},
        {"quasi_identifiers": [3]},
        {"quasi_identifiers": [""]},
        {"sensitive": ["age", "age"]},
        {"sensitive": ""},
        {"quasi_identifiers": ["age"], "kinds": {"age": "numeral"}},
        {"quasi_identifiers": ["age"], "kinds": {"zip": "number"}},
        {"quasi_identifiers": ["age"], "kinds": ["number"]},
        {"quasi_identifiers": ["age"], "hierarchies": {"age": ["a", "b"]}},
        {"identifiers": ["age"], "hierarchies": {"age": gy.Hierarchy.prefixes()}},
        {"sensitive": "disease", "values_per_person": "several"},
        {"quasi_identifiers": ["age"], "values_per_person": "set"},
        {"sensitive": "disease", "values_per_person": "set"},
        {"sensitive": "disease", "separator": ";"},
        {"sensitive": "d", "values_per_person": "set", "separator": ";", "person": "p"},
    ],
)
def test_roles_that_contradict_each_other(roles):
    with pytest.raises(SchemaError) as caught:
        gy.Schema(**roles)
    assert len(str(caught.value).splitlines()) == 1


def test_a_schema_that_protects_nothing():
    schema = gy.Schema(identifiers=["name"], dropped=["age", "disease"])
    assert "no quasi-identifier and no sensitive column" in refusal(SchemaError, ROWS, schema)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_nan_and_infinity(write, bad):
    rows = {"name": ["x", "y"], "age": [30.5, bad], "disease": ["Flu", "Gout"]}
    assert "column 'age' holds NaN or an infinite number" in refusal(SourceError, rows)
    assert "holds NaN" in refusal(SourceError, pl.DataFrame(rows))
    assert "holds NaN" in refusal(
        SourceError, write(f"name,age,disease\nx,30.5,Flu\ny,{bad},Gout\n")
    )
    schema = gy.Schema(
        identifiers=["name"],
        quasi_identifiers=["age"],
        sensitive="disease",
        kinds={"age": "category"},
    )
    assert "holds NaN" in refusal(SourceError, rows, schema)


def test_what_pandas_writes_for_missing_is_missing():
    frame = pd.DataFrame({"name": ["x", "y"], "age": [30, np.nan], "disease": ["Flu", None]})
    message = refusal(MissingValuesError, frame)
    assert "1 in column 'age', 1 in column 'disease'" in message and "missing='drop'" in message


def test_numbers_too_large_to_stand_on_a_line(write):
    path = write(f"name,age,disease\nx,{'9' * 400},Flu\ny,1,Gout\n")
    assert "infinite number" in refusal(SourceError, path)


def test_values_that_are_not_of_the_declared_kind():
    for kind in ("number", "date"):
        schema = gy.Schema(
            identifiers=["name"],
            quasi_identifiers=["age"],
            sensitive="disease",
            kinds={"disease": kind},
        )
        assert f"column 'disease' is declared a {kind}" in refusal(SchemaError, ROWS, schema)


def test_a_constant_sensitive_column_is_a_warning_not_an_error(write):
    path = write("name,age,disease\nx,30,Flu\ny,41,Flu\n")
    with pytest.warns(GygesWarning, match="everyone has the same value of 'disease'"):
        assert gy.read(path, SCHEMA).n_people == 2


def test_a_column_without_a_role_is_named_once(write):
    path = write("name,age,disease,note,ward\nx,30,Flu,SECRET,1\ny,41,Gout,SECRET,1\n")
    with pytest.warns(GygesWarning) as caught:
        gy.read(path, SCHEMA)
    said = [str(w.message) for w in caught if w.category is GygesWarning]
    assert said == ["columns without a role are ignored: note, ward"]


def test_one_person_with_two_rows_where_one_value_was_declared(write):
    for row in ("Ann,30,Gout\n", "Ann,31,Flu\n", "Ann,30,Flu\n"):
        path = write(CSV + row)
        for roles in ({"identifiers": ["name"]}, {"person": "name"}):
            schema = gy.Schema(**roles, quasi_identifiers=["age"], sensitive="disease")
            message = refusal(SourceError, path, schema)
            assert "column 'name' has only 2 different values in 3 rows" in message
            assert "'Ann'" not in message


def test_one_person_with_two_ages(write):
    path = write(CSV + "Ann,31,Flu\n")
    schema = gy.Schema(
        person="name", quasi_identifiers=["age"], sensitive="disease", values_per_person="set"
    )
    message = refusal(SourceError, path, schema)
    assert "several combinations of quasi-identifiers (age), 1 too many" in message


def test_rows_that_do_not_say_whom_they_are_about(write):
    schema = gy.Schema(
        person="name", quasi_identifiers=["age"], sensitive="disease", values_per_person="set"
    )
    message = refusal(MissingValuesError, write(CSV + ",30,Flu\n,30,Gout\n"), schema)
    assert "2 rows have no value in 'name'" in message


def test_a_missing_value_of_one_who_has_one_is_not_forgotten():
    """Long form with one value per person: people and values must add up."""
    rows = {"name": ["x", "y"], "age": [30, 30], "disease": ["Flu", None]}
    schema = gy.Schema(person="name", quasi_identifiers=["age"], sensitive="disease")
    assert "1 in column 'disease'" in refusal(MissingValuesError, rows, schema)
    cells = gy.read(rows, schema, missing="value").cells
    assert cells.people.tolist() == [2] and cells.value_counts.tolist() == [1, 1]


def test_when_everybody_has_a_missing_value_nobody_is_left():
    rows = {"age": pa.array([None, None], pa.int64()), "disease": ["Flu", "Gout"]}
    for hierarchy in ({}, {"age": gy.Hierarchy.intervals(5)}, {"age": gy.Hierarchy.prefixes()}):
        schema = gy.Schema(quasi_identifiers=["age"], sensitive="disease", hierarchies=hierarchy)
        assert "2 in column 'age'" in refusal(MissingValuesError, rows, schema)
        assert "no one is left" in refusal(MissingValuesError, rows, schema, missing="drop")
        assert gy.read(rows, schema, missing="value").n_people == 2


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (3, "cannot read a int"),
        (None, "cannot read a NoneType"),
        ([{"age": 1}], "cannot read a list"),
        ({"name": ["x"], "age": [1, 2], "disease": ["Flu"]}, "same length"),
        ({"name": ["x"], "age": ["1", 2], "disease": ["Flu", "Flu"]}, "column 'age' mixes"),
        ({"name": ["x"], "age": "SECRET", "disease": ["Flu"]}, "column 'age' is a text"),
        ({"name": ["x"], "age": 3, "disease": ["Flu"]}, "column 'age'"),
        ({"name": ["x"], 3: [1], "disease": ["Flu"]}, "names are texts"),
        (pd.Series([1]), "give a DataFrame"),
        (pd.DataFrame({3: [1]}), "names are texts"),
        (pd.DataFrame({"age": [1, "SECRET"]}), "column 'age' mixes"),
        (pl.Series([1]), "give a DataFrame"),
        (pa.array([1]), "give a pyarrow Table"),
        ("https://example.org/patients.csv", "cannot read from https://"),
    ],
)
def test_what_is_no_table(source, why):
    assert why in refusal(SourceError, source)


def test_options_that_do_not_exist():
    assert "missing is 'ignore'" in refusal(SchemaError, ROWS, missing="ignore")
    assert "make one with gy.Schema" in refusal(SourceError, ROWS, {"quasi_identifiers": ["age"]})


def test_a_decimal_with_a_huge_exponent_is_refused_at_once():
    """Written out it would have a billion digits."""
    for number in ("1e999999999", "-1e999999999", "1e-999999999"):
        with pytest.raises(GygesError, match="k is"):
            gy.KAnonymity(Decimal(number))


@pytest.mark.parametrize("utility", [-1, pd.DataFrame({"a": [1]}), lambda: 1, lambda grouping: "x"])
def test_a_utility_that_is_no_measure_is_refused(utility):
    table = gy.read(ROWS, SCHEMA)
    with pytest.raises(GygesError, match="utility"):
        gy.publish(table, [gy.KAnonymity(2)], method="lattice", utility=utility)


def test_progress_must_take_what_it_is_told():
    with pytest.raises(GygesError, match="progress does not take"):
        gy.minimal_generalizations(gy.read(ROWS, SCHEMA), [gy.KAnonymity(2)], progress=len)


def test_lists_nested_deeply_in_cells_are_refused_before_arrow_sees_them():
    """Arrow ends the whole process on a list nested some thousand times."""
    nested: list = []
    for _ in range(3000):
        nested = [nested]
    cells = np.empty(1, dtype=object)
    cells[0] = nested
    for source in ({"a": [nested]}, {"a": cells}, pd.DataFrame({"a": pd.Series(cells)})):
        with pytest.raises(SourceError, match="holds lists or records"):
            gy.read(source, gy.Schema(quasi_identifiers=["a"]))


@pytest.mark.parametrize("order", [pd.Series([1, 2]), pd.NA, np.array([True, False])])
def test_an_order_that_cannot_even_be_compared_is_named(order):
    table = gy.read(ROWS, SCHEMA)
    with pytest.raises(GygesError, match="order"):
        gy.publish(table, gy.KAnonymity(1), method="partition", order=order)


def test_a_list_that_would_fill_the_memory_is_refused():
    groups = gy.Groups.from_lists([["a", "b"]], members=[["x", "y"]])
    with pytest.raises(GygesError, match="present"):
        gy.intersection_attack([groups, groups], people=["x"], present=range(10**12), joint=True)


def test_a_directory_is_no_mapping(tmp_path):
    table = gy.read(ROWS, SCHEMA)
    gy.publish(table, gy.KAnonymity(1)).save(tmp_path / "out")
    for ask in (gy.audit, gy.verify):
        with pytest.raises(GygesError, match="mapping"):
            ask(tmp_path / "out", original=table, mapping=tmp_path)


def test_a_refusal_names_the_rule_and_not_what_it_took_from_the_table():
    """A message about a rule for part of the values listed the table's values."""
    rows = {"age": [20, 21, 22, 50, 51, 52], "ill": ["b", "c", "b", "secret", "b", "secret"]}
    table = gy.read(rows, gy.Schema(quasi_identifiers=["age"], sensitive="ill"))
    about = gy.About(gy.DistinctDiversity(2), similar={"K": ["b", "c"]})
    with pytest.raises(GygesError, match="'b', 'c' count as 'K'") as refused:
        gy.publish(table, [gy.KAnonymity(2), about], choice="blind")
    assert "secret" not in str(refused.value) and "Division" not in str(refused.value)


@pytest.mark.parametrize("numbers", [[1.5, 2e300, 2.5], [1e-320, 2e-320, 0.0]])
def test_numbers_too_far_apart_for_intervals_are_audited(numbers):
    frame = pd.DataFrame({"x": numbers * 4, "ill": [*"abcd"] * 3})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert gy.audit(frame, original=frame).findings


def test_a_frame_of_booleans_is_audited_against_itself():
    frame = pd.DataFrame({"smoker": [True, False] * 6, "age": [20, 30] * 6, "ill": [*"abc"] * 4})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = gy.audit(frame, original=frame)
        table = gy.read(frame, gy.Schema(quasi_identifiers=["smoker", "age"], sensitive="ill"))
        shown = gy.publish(table, [gy.KAnonymity(2)]).frame()
    assert found.findings and set(shown["smoker"].astype(str)) <= {"True", "False", "*"}


def test_a_name_that_no_file_can_have_is_no_traceback():
    for verb in (gy.audit, gy.load, gy.verify):
        with pytest.raises(GygesError, match="the name is too long"):
            verb("9" * 5000)


@pytest.mark.parametrize("mark", ["", "NA", "*", "?", " ", "\u00a0", "NA ", "\u2013"])
def test_a_hidden_sensitive_value_of_a_foreign_file_is_no_value_unnoticed(tmp_path, mark):
    """{hiv, nothing} was diverse; two marks for nothing were two values."""
    lines = ["age,ill", "20-29,hiv", f"20-29,{mark}", "20-29,N/A", "30-39,flu", "30-39,gout"]
    (tmp_path / "a.csv").write_text("\n".join([*lines, ""]))
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="ill")
    release = gy.load(tmp_path / "a.csv", schema)
    assert release.groups.values == ["flu", "gout", "hiv", "(missing)"]
    assert "A missing value of 'ill' counts as one more value" in str(gy.audit(release))
