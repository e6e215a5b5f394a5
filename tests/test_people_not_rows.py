"""A row is not a person: whatever is published counts people, or is refused."""

from __future__ import annotations

import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.data.consistency import ROWS_ARE_PEOPLE
from gyges.data.examples import hospital, hospital_schema
from gyges.errors import (
    GygesError,
    GygesWarning,
    MissingValuesError,
    NothingSafeError,
    RuleError,
    SourceError,
)
from gyges.release.mapping import load_mapping, mapping_schema, save_mapping
from gyges.search.republish import republish
from tests.cli.commands import gyges as command
from tests.cli.commands import write_csv

RULES = {
    "k-anonymity": gy.KAnonymity(3),
    "distinct": gy.DistinctDiversity(2),
    "entropy": gy.EntropyDiversity("1.2"),
    "recursive": gy.RecursiveDiversity("4", 2),
    "probabilistic": gy.ProbabilisticDiversity("1.2"),
    "closeness": gy.TCloseness("0.9"),
    "safety": gy.Safety("0.99", k=1),
    "skyline": gy.Skyline({"*": [(0, 1, 0, "0.99")]}),
    "beliefs": gy.Beliefs(0.5, "0.9"),
    "m-invariance": gy.MInvariance(2),
}
METHODS = ["partition", "lattice", "suppression", "buckets", "microaggregation"]
FORMS = ["generalized", "bucketized", "microaggregated"]
SCHEMA = gy.Schema(
    identifiers=["patient"],
    quasi_identifiers=["age", "sex"],
    sensitive="disease",
    hierarchies={"age": gy.Hierarchy.intervals(10, 40)},
)


def people(n=60):
    columns = hospital(n)
    return {name: columns[name] for name in ("patient", "age", "sex", "disease")}


def stays(n=60, times=3):
    """The same people, each with several rows."""
    return {name: [value for value in values for _ in range(times)] for name, values in
            people(n).items()}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rule", RULES)
def test_every_rule_method_and_form_counts_people(rule, method, form):
    """Rows of one person were people before: 50 rows of one person made k = 50."""

    def publish(columns):
        rules = [gy.KAnonymity(3), RULES[rule]]
        return gy.publish(gy.read(columns, SCHEMA), rules, method=method, form=form)

    with pytest.raises(SourceError, match="60 different values in 180 rows"):
        publish(stays())
    if rule == "beliefs" and method in ("buckets", "microaggregation"):
        with pytest.raises(RuleError, match="who is in each group"):
            publish(people())
        return
    if rule == "m-invariance" and method != "buckets":  # larger groups repeat a value
        with pytest.raises(NothingSafeError):
            publish(people())
        return
    release = publish(people())
    assert int(release.groups.sizes.sum()) + release.n_left_out == 60
    assert next(iter(release.tables.values())).num_rows == 60 - release.n_left_out
    assert ROWS_ARE_PEOPLE not in release.notices


def test_one_person_with_fifty_rows_is_refused():
    rows = {"who": ["x"] * 50, "age": list(range(50)), "d": ["a", "b"] * 25}
    schema = gy.Schema(identifiers=["who"], quasi_identifiers=["age"], sensitive="d")
    with pytest.raises(SourceError) as caught:
        gy.read(rows, schema)
    said = str(caught.value)
    assert "only 1 value in 50 rows" in said and "'who'" in said and "x" not in said.split()
    assert "one row per person" in said and "do_not_identify" in said and "person='…'" in said


@pytest.mark.parametrize("kind", ["set", "multiset"])
def test_the_refusal_offers_several_values_only_where_they_would_be_taken(kind):
    rows = {"who": [1, 1, 2], "age": [5, 5, 6], "d": ["a", "b", "a"]}
    roles = {"quasi_identifiers": ["age"], "sensitive": "d"}
    with pytest.raises(SourceError, match=f"person='who' and values_per_person='.*{kind}'"):
        gy.read(rows, gy.Schema(identifiers=["who"], **roles))
    table = gy.read(rows, gy.Schema(person="who", values_per_person=kind, **roles))
    assert table.n_people == 2
    moved = {**rows, "age": [5, 6, 7]}
    with pytest.raises(SourceError) as caught:
        gy.read(moved, gy.Schema(identifiers=["who"], **roles))
    assert "if a person has several values" not in str(caught.value)
    assert "rows_per_person = 'all'" in str(caught.value)


@pytest.mark.parametrize("method", METHODS)
def test_a_repeating_person_is_refused_and_one_that_does_not_may_share_a_name(method):
    """Microaggregation of a table with `person` raised a ValueError."""
    columns = {**people(), "name": ["Same Name"] * 60}
    schema = gy.Schema(
        identifiers=["name"],
        person="patient",
        quasi_identifiers=["age", "sex"],
        sensitive="disease",
        hierarchies={"age": gy.Hierarchy.intervals(10, 40)},
    )
    release = gy.publish(gy.read(columns, schema), [gy.KAnonymity(3)], method=method)
    assert int(release.groups.sizes.sum()) == 60
    repeated = {name: values + values[:7] for name, values in columns.items()}
    with pytest.raises(SourceError, match="60 different values in 67 rows"):
        gy.read(repeated, schema)
    with pytest.raises(SourceError, match="column 'name' has only 1 value in 60 rows"):
        gy.read(columns, gy.Schema(identifiers=["name", "patient"], quasi_identifiers=["age"],
                                   dropped=["sex", "disease"]))  # fmt: skip


@given(st.lists(st.one_of(st.none(), st.integers(0, 6)), min_size=1, max_size=8))
def test_rows_are_people_exactly_where_no_known_identifier_repeats(who):
    rows = pa.table({"who": pa.array(who, pa.int64()), "age": list(range(len(who)))})
    known = [value for value in who if value is not None]
    schema = gy.Schema(identifiers=["who"], quasi_identifiers=["age"])
    if len(set(known)) < len(known):
        with pytest.raises(SourceError, match=f"values? in {len(known)} rows"):
            gy.read(rows, schema)
    elif None in who:
        with pytest.warns(GygesWarning, match="was counted as a separate person"):
            assert gy.read(rows, schema).n_people == len(who)
    else:
        assert gy.read(rows, schema).n_people == len(who)
    person = gy.Schema(person="who", quasi_identifiers=["age"])
    if None in who:
        with pytest.raises(MissingValuesError, match=r"ha(s|ve) no value in"):
            gy.read(rows, person)


def test_marks_of_missing_values_are_not_a_person():
    rows = {"who": ["a", "?", "?"], "age": [1, 2, 3]}
    schema = gy.Schema(identifiers=["who"], quasi_identifiers=["age"])
    with pytest.warns(GygesWarning, match="2 rows have no 'who'"):
        assert gy.read(rows, schema, missing_marks=["?"]).n_people == 3
    with pytest.raises(SourceError, match="2 different values in 3 rows"):
        gy.read(rows, schema)


def test_identifiers_of_people_with_several_values_agree_on_who_is_who():
    """A unique visit number beside a patient number made every visit a person."""
    rows = {"visit": [1, 2, 3], "who": ["a", "a", "b"], "age": [5, 5, 6], "d": ["x", "y", "x"]}
    several = {"quasi_identifiers": ["age"], "sensitive": "d", "values_per_person": "set"}
    with pytest.raises(SourceError, match="contradict each other"):
        gy.read(rows, gy.Schema(identifiers=["visit", "who"], **several))
    assert gy.read(rows, gy.Schema(identifiers=["visit"], person="who", **several)).n_people == 2


def test_where_no_column_identifies_people_the_release_says_so():
    columns = people()
    del columns["patient"]
    schema = gy.Schema(quasi_identifiers=["age", "sex"], sensitive="disease")
    table = gy.read(columns, schema)
    assert ROWS_ARE_PEOPLE in str(table)
    assert ROWS_ARE_PEOPLE in gy.publish(table, [gy.KAnonymity(3)]).notices


def test_noise_marginals_and_tables_under_a_limit_refuse_rows_that_are_not_people():
    for limit in (None, "8GB"):
        with pytest.raises(SourceError, match="60 different values in 180 rows"):
            gy.read(stays(), SCHEMA, memory_limit=limit)
    table = gy.read(people(), SCHEMA, memory_limit="8GB")
    assert gy.Marginals.of(table, [{"sex": 0, "disease": 0}]).n_people == 60
    named = gy.Schema(
        person="patient", quasi_identifiers=["sex"], dropped=["age"], sensitive="disease"
    )
    assert gy.read(people(), named, memory_limit="8GB").n_people == 60


def test_an_earlier_scheme_is_not_applied_to_rows_that_are_not_people(tmp_path):
    release = gy.publish(gy.read(hospital(300), hospital_schema()), [gy.KAnonymity(3)])
    save_mapping(release, tmp_path / "mapping.json")
    known = load_mapping(tmp_path / "mapping.json")
    schema = mapping_schema(known, sensitive="disease", identifiers=["patient"])
    new, _ = republish(known, gy.read(hospital(300), schema))
    assert int(new.groups.sizes.sum()) == 300
    twice = {name: values * 2 for name, values in hospital(300).items()}
    with pytest.raises(SourceError, match="300 different values in 600 rows"):
        gy.read(twice, schema)


def test_the_stays_of_diabetes_patients_are_not_people(real_data):
    """101,766 stays were "published 101,766 people", in groups that hold two patients."""
    schema = gy.Schema(
        identifiers=["patient_nbr"], quasi_identifiers=["race", "gender", "age"], sensitive="diag_1"
    )
    with pytest.raises(SourceError, match="71,518 different values in 101,766 rows"):
        gy.read(real_data / "diabetes130.csv.gz", schema)


def test_the_command_refuses_rows_that_are_not_people(tmp_path):
    write_csv(tmp_path / "stays.csv", stays())
    words = ["--quasi", "age,sex", "--id", "patient", "--k", 3, "--out", "out"]
    (tmp_path / "noise.toml").write_text(
        '[data]\nsource = "stays.csv"\n[columns]\nidentifiers = ["patient"]\n'
        'quasi_identifiers = ["sex"]\n[publish]\nmethod = "dp"\nout = "out"\n'
        '[dp]\nepsilon = 1\nviews = [["sex"]]\n[dp.domains]\nsex = ["F", "M"]\n'
    )
    direct = ["publish", "stays.csv", *words]
    for said in (direct, [*direct, "--method", "marginals"], [*direct, "--memory", "9GB"],
                 ["publish", "noise.toml"]):  # fmt: skip
        code, out, notes = command(*said, folder=tmp_path)
        assert code == 2 and not out and "60 different values in 180 rows" in notes
        assert not (tmp_path / "out").exists()


def test_buckets_without_a_sensitive_column_would_protect_nobody():
    """The quasi-identifiers were published as they are, under a claim of k-anonymity."""
    rows = {"age": list(range(12))}
    table = gy.read(rows, gy.Schema(quasi_identifiers=["age"]))
    with pytest.raises(GygesError, match="names no sensitive column"):
        gy.publish(table, [gy.KAnonymity(3)], form="bucketized")


def test_the_first_row_of_each_person_is_shown():
    rows = {"who": [2, 1, 2, 1], "age": [5, 6, 5, 6], "d": ["a", "b", "c", "d"]}
    schema = gy.Schema(
        person="who", quasi_identifiers=["age"], sensitive="d", values_per_person="set"
    )
    assert np.array_equal(gy.read(rows, schema).is_first_row, [True, True, False, False])


def test_an_original_whose_rows_are_not_people_does_not_verify_a_release(tmp_path):
    """Four rows of one person are no group of four, though the release does not name the column."""
    rows = {"patient": ["ann"] * 4, "age": [20] * 4, "disease": list("abcd")}
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="disease", dropped=["patient"])
    with pytest.warns(GygesWarning, match="'patient' may identify people who have several rows"):
        table = gy.read(rows, schema)
    gy.publish(table, [gy.KAnonymity(4)]).save(tmp_path / "out")
    write_csv(tmp_path / "rows.csv", rows)
    words = ("verify", tmp_path / "out", "--original", "rows.csv")
    code, _, notes = command(*words, folder=tmp_path)
    assert code == 2 and "'patient' seems to identify people" in notes
    with pytest.raises(SourceError, match="only 1 value in 4 rows"):
        gy.verify(tmp_path / "out", original=tmp_path / "rows.csv")
    for role, expected in (('do_not_identify = ["patient"]', 0), ('person = "patient"', 2)):
        (tmp_path / "gyges.toml").write_text(
            f'[data]\nsource = "rows.csv"\n[columns]\nquasi_identifiers = ["age"]\n'
            f'sensitive = "disease"\n{role}\n'
        )
        code, out, notes = command(*words, "--project", "gyges.toml", folder=tmp_path)
        assert code == expected, (out, notes)
        assert (ROWS_ARE_PEOPLE in out) is (code == 0)


def test_publishing_a_file_refuses_an_identifier_that_the_command_does_not_name(tmp_path):
    write_csv(tmp_path / "stays.csv", stays())
    words = ("publish", "stays.csv", "--quasi", "age,sex", "--sensitive", "disease", "--k", "3")
    code, _, notes = command(*words, folder=tmp_path)
    assert code == 2 and "'patient' seems to identify people" in notes
    assert not (tmp_path / "release").exists()


def several_rows(name, n=300, *, own_sex=False):
    """People with one to five rows each; nothing but the column `name` says whose they are."""
    rng = np.random.default_rng(1)
    who = np.repeat(rng.choice(90_000, n, replace=False) + 10_000, rng.integers(1, 6, n))
    age, sick = rng.integers(18, 90, len(who)), rng.choice(["Flu", "Gout", "HIV"], len(who))
    sex = ["FM"[number % 2] for number in who] if own_sex else rng.choice(["F", "M"], len(who))
    return {name: who.tolist(), "age": age.tolist(), "sex": list(sex), "disease": sick.tolist()}


@pytest.mark.parametrize("role", ["quasi_identifiers", "dropped"])
@pytest.mark.parametrize("name", ["pid", "patient_nbr", "x"])
@pytest.mark.parametrize("own_sex", [False, True])
def test_reading_warns_where_a_column_may_number_people_with_several_rows(name, role, own_sex):
    rows = several_rows(name, own_sex=own_sex)
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": "disease"}
    roles[role] = [*roles.get(role, []), name]
    schema = gy.Schema(**roles)
    if name == "x" and (role == "dropped" or not own_sex):  # neither a name nor a count tells
        gy.read(rows, schema)
        return
    with pytest.warns(GygesWarning, match=f"'{name}' may identify people who have several rows"):
        gy.read(rows, schema)
    said = gy.Schema(**roles, do_not_identify=[name])
    text = str(gy.publish(gy.read(rows, said), [gy.KAnonymity(5)]))
    assert "rows, each counted as one person, in" in text and "at least 5 rows" in text


def test_a_column_cannot_identify_people_and_not_identify_them():
    for roles in ({"person": "a"}, {"identifiers": ["a"]}):
        with pytest.raises(GygesError, match="choose one"):
            gy.Schema(quasi_identifiers=["b"], do_not_identify=["a"], **roles)
    with pytest.raises(GygesError, match="no column 'zzz'"):
        gy.read(people(), gy.Schema(quasi_identifiers=["age"], do_not_identify=["zzz"]))


def test_a_column_of_lists_without_a_role_does_not_stop_a_project(tmp_path):
    rows = {**people(), "seen": [[1, 2]] * 60}
    pq.write_table(pa.table(rows), tmp_path / "data.parquet")
    (tmp_path / "gyges.toml").write_text(
        '[data]\nsource = "data.parquet"\n[columns]\nidentifiers = ["patient"]\n'
        'quasi_identifiers = ["age", "sex"]\nsensitive = "disease"\n'
        '[[require]]\nrule = "k-anonymity"\nk = 3\n'
    )
    code, _, notes = command("publish", "gyges.toml", "--no-report", folder=tmp_path)
    assert code == 0, notes


@pytest.mark.parametrize("more", [[], ["--memory", "9GB"], ["--method", "marginals"],
                                  ["--method", "dp", "--epsilon", "1"]])  # fmt: skip
def test_every_method_refuses_to_publish_what_identifies_people(more, tmp_path):
    write_csv(tmp_path / "data.csv", several_rows("pid"))
    project = tmp_path / "gyges.toml"
    stated = '[data]\nsource = "data.csv"\n[columns]\nsensitive = "disease"\n'
    stated += 'dropped = ["sex"]\n'
    rule = '[[require]]\nrule = "k-anonymity"\nk = 3\n'
    if "dp" in more:
        rule = '[dp]\nepsilon = 1\n[dp.domains]\nage = ["30"]\npid = ["1"]\ndisease = ["Flu"]\n'
    project.write_text(f'{stated}quasi_identifiers = ["age", "pid"]\n{rule}')
    code, _, notes = command("publish", "gyges.toml", *more, folder=tmp_path)
    assert code == 2 and "would be published" in notes and "do_not_identify" in notes
    project.write_text(f'{stated}quasi_identifiers = ["age"]\n{rule}')
    code, _, notes = command("publish", "gyges.toml", *more, folder=tmp_path)
    assert code == 2 and "identify people who have several rows" in notes
    assert not (tmp_path / "release").exists()


@st.composite
def people_with_values(draw):
    """Each person: age, sex, a household, a weight and a set of values."""
    n = draw(st.integers(4, 14))
    return [
        (draw(st.integers(30, 34)), draw(st.sampled_from("fm")), draw(st.integers(0, 3)),
         draw(st.integers(1, 5)), sorted(draw(st.sets(st.sampled_from("uvw"), min_size=1))))
        for _ in range(n)
    ]  # fmt: skip


def _audited(rows, where, **more):
    """What an audit says of the release of these rows, looked up by their quasi-identifiers."""
    roles = {"quasi_identifiers": ["age", "sex"], "household": "home", "weight": "weight"}
    schema = gy.Schema(sensitive="disease", values_per_person="set", **roles, **more)
    with warnings.catch_warnings():  # everyone may have the same value
        warnings.simplefilter("ignore", GygesWarning)
        table = gy.read(rows, schema)
        gy.publish(table, [gy.KAnonymity(2)], seed=1).save(where)
        found = gy.audit(gy.load(where), original=table)
    said = {
        finding.sentence: (finding.number, finding.measures)
        for finding in found.findings
        if finding.attacker in ("survey sample", "knows households")
        or "located" in finding.measures
    }
    return said, found.utility, found.notes


@given(people_with_values())
def test_an_audit_counts_the_same_people_however_many_rows_they_have(tmp_path_factory, everyone):
    """One row per person with a list of values, and one row for each value, are one table."""
    short = {"patient": [], "age": [], "sex": [], "home": [], "weight": [], "disease": []}
    long = {name: [] for name in short}
    for number, (*known, values) in enumerate(everyone):
        for rows, cells in ((short, [";".join(values)]), (long, values)):
            for cell in cells:
                for name, value in zip(rows, (f"p{number}", *known, cell), strict=True):
                    rows[name].append(value)
    folder = tmp_path_factory.mktemp("audited")
    one = _audited(short, folder / "short", identifiers=["patient"], separator=";")
    assert _audited(long, folder / "long", person="patient") == one
    assert len(one[0]) >= 3


@pytest.mark.parametrize("more", [{"household": "home"}, {"person": "home", "keep_row": "first",
                         "keep_row_by": "age"}, {"person": "home", "rows_per_person": "all"},
                         {"person": "home", "values_per_person": "set"}])  # fmt: skip
@pytest.mark.parametrize("nothing", ["", "?", None])
def test_people_without_a_household_or_an_identifier_are_not_one(nothing, more):
    """A mark of a missing value, or an empty text, passed for one household, or one person."""
    rows = {"home": ["a", "a", nothing, nothing], "age": [30, 30, 31, 31], "s": ["x", "y"] * 2}
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="s", **more)
    with pytest.raises(MissingValuesError, match="2 rows have no value in 'home'"):
        gy.read(rows, schema, missing_marks=["?"], missing="value")
