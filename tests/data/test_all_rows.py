"""People described by all of their rows: what a loop describes, in every engine, and what an
attacker learns who knows any of their target's rows.
"""

from __future__ import annotations

import warnings
from fractions import Fraction
from itertools import chain, combinations

import duckdb
import ibis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.data.all_rows import schema_of_rows
from gyges.errors import GygesError, GygesWarning, NothingSafeError, RuleError
from tests.cli.commands import gyges, write_csv

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
ROLES = {"person": "who", "rows_per_person": "all"}
SET = {"sensitive": "ill", "values_per_person": "set"}
TREE = gy.Hierarchy.from_tree({"inside": ["a", "b"], "outside": ["c"]})


@st.composite
def visits(draw, most=5):
    """Up to five people with up to three rows each, in any order."""
    rows = []
    for who in range(draw(st.integers(2, most))):
        born = draw(st.integers(0, 2))
        for _ in range(draw(st.integers(1, 3))):
            age = born + draw(st.integers(0, 1))
            ward, ill = draw(st.sampled_from("abc")), draw(st.sampled_from("uvw"))
            rows.append((f"p{who}", age, ward, ill))
    rows = draw(st.permutations(rows))
    return dict(zip(("who", "age", "ward", "ill"), map(list, zip(*rows, strict=True)), strict=True))


def rows_of(columns):
    """The rows of each person."""
    found = {}
    for who, *row in zip(*columns.values(), strict=True):
        found.setdefault(who, []).append(tuple(row))
    return found


def described(rows):
    """The definition: the lowest and highest number, and the set of anything else."""
    ages, wards, ills = zip(*rows, strict=True)
    return min(ages), max(ages), " + ".join(sorted(set(wards))), frozenset(ills)


def read(columns, **more):
    quasi = ["age", "ward"]
    return gy.read(columns, gy.Schema(**{**ROLES, "quasi_identifiers": quasi, **SET, **more}))


def people_in(table):
    """The description of each person of a table, sorted."""
    found = {}
    names = table.schema.quasi_identifiers
    for row in table.fetch(["who", *names, "ill"]).to_pylist():
        low = row.get("lowest age", row.get("age"))
        high = row.get("highest age", row.get("age"))
        ills = found.setdefault(row["who"], (low, high, row["ward"], set()))[3]
        ills.add(row["ill"])
    return {who: (*known, frozenset(ills)) for who, (*known, ills) in found.items()}


@settings(max_examples=80)
@given(columns=visits(), in_engine=st.booleans())
def test_people_are_described_as_by_a_loop_in_every_engine(columns, in_engine):
    source = columns
    if in_engine:
        source = ibis.duckdb.from_connection(duckdb.connect()).create_table("v", pa.table(columns))
    table = read(source)
    by_hand = {who: described(rows) for who, rows in rows_of(columns).items()}
    assert people_in(table) == by_hand
    assert table.n_people == len(by_hand) and table.n_rows == len(columns["who"])
    held = [value for *_, ills in by_hand.values() for value in ills]
    assert table.cells.value_totals.tolist() == [held.count(v) for v in table.sensitive_values]


@settings(max_examples=40)
@given(columns=visits())
def test_where_people_have_one_value_each_person_is_one_row(columns):
    one_ill = {"ill": [f"ill {who}" for who in columns["who"]]}
    table = read({**columns, **one_ill}, values_per_person="one")
    assert table.n_rows == table.n_people == len(set(columns["who"]))
    alone = read(columns, sensitive=None, values_per_person="one")
    assert alone.n_rows == alone.n_people == len(set(columns["who"]))


def test_many_values_of_a_column_are_sets_too():
    """Beyond 62 values a set does not fit into the bits of one number."""
    wards = [f"w{i:03}" for i in range(100)]
    columns = {"who": ["p", "p", *wards], "age": [1] * 102, "ward": ["w099", "w000", *wards]}
    table = gy.read(columns, gy.Schema(**ROLES, quasi_identifiers=["age", "ward"]))
    found = dict(zip(*table.fetch(["who", "ward"]).to_pydict().values(), strict=True))
    assert found == {"p": "w000 + w099", **{ward: ward for ward in wards}}


def subsets(rows):
    return chain.from_iterable(combinations(rows, n) for n in range(1, len(rows) + 1))


def covers(label, low, high):
    """Whether a label may stand for a number from low to high, read from its text."""
    if label == "*":
        return True
    first, _, last = label.partition("-")
    return int(first) <= high and low <= int(last or first)


def may_hold(label, wards):
    """Whether one of the sets that a label names holds all these wards."""
    return label == "*" or any(
        wards <= set(one.split(" + ")) for one in label.strip("{}").split(", ")
    )


def fits(person, known):
    """Whether a published person may have the known rows."""
    ages, wards = [age for age, _, _ in known], {ward for _, ward, _ in known}
    low = person.get("lowest age", person.get("age"))
    high = person.get("highest age", person.get("age"))
    return covers(low, -99, min(ages)) and covers(high, max(ages), 99) and may_hold(
        person["ward"], wards
    )  # fmt: skip


@settings(max_examples=150)
@given(columns=visits(most=7), k=st.integers(1, 3), l=st.sampled_from(["1", "6/5", "3/2", "2"]))
def test_whatever_rows_an_attacker_knows_the_group_of_their_target_remains(columns, k, l):
    """They know any of the target's rows, fit them to every published label, and intersect."""
    table = read(columns)
    try:
        release = gy.publish(table, [gy.KAnonymity(k), gy.ProbabilisticDiversity(l)])
    except NothingSafeError:
        return
    people = release.frame("people").to_pylist()
    held = {}
    for row in release.frame("sensitive").to_pylist():
        held[row["group"], row["ill"]] = row["count"]
    most = 1 / Fraction(l)
    for rows in rows_of(columns).values():
        for known in subsets(rows):
            left = [person for person in people if fits(person, known)]
            assert len(left) >= k
            for value in "uvw":
                shares = [held.get((p["group"], value), 0) for p in left]
                sizes = [sum(q["group"] == p["group"] for q in people) for p in left]
                belief = sum(map(Fraction, shares, sizes)) / len(left)
                assert belief <= most


@pytest.mark.parametrize("method", ["partition", "lattice", "suppression", "microaggregation"])
@settings(max_examples=25)
@given(columns=visits(most=7), k=st.integers(1, 3), l=st.sampled_from(["1", "6/5", "3/2"]))
def test_every_method_groups_people_with_all_of_their_rows(method, columns, k, l):
    """Counted by hand from the rows: distinct people in a group, and those who have a value."""
    table = read(columns, hierarchies={"ward": TREE})
    try:
        rules = [gy.KAnonymity(k), gy.ProbabilisticDiversity(l)]
        release = gy.publish(table, rules, method=method)
    except NothingSafeError:
        return
    group_of = {}
    for who, group in zip(columns["who"], release.group_of_row.tolist(), strict=True):
        assert group_of.setdefault(who, group) == group  # all rows of a person
    for group in set(group_of.values()) - {-1}:
        members = {who for who, other in group_of.items() if other == group}
        assert len(members) >= k
        for value in "uvw":
            pairs = zip(columns["who"], columns["ill"], strict=True)
            having = {who for who, ill in pairs if who in members and ill == value}
            assert len(having) * Fraction(l) <= len(members)


def patients(n=800, n_rows=3271, seed=5):
    rng = np.random.default_rng(seed)
    who = np.concatenate([np.arange(n), rng.integers(0, n, n_rows - n)])
    born, sex = rng.integers(20, 90, n), rng.integers(0, 2, n)
    return {
        "who": [f"p{one}" for one in who],
        "age": (born[who] + rng.integers(0, 5, n_rows)).tolist(),
        "sex": ["FM"[one] for one in sex[who]],
        "ward": ["abcde"[one] for one in rng.integers(0, 5, n_rows)],
        "ill": [f"ill {one}" for one in rng.integers(0, 40, n_rows)],
    }


def test_800_patients_with_3271_visits(tmp_path):
    columns = patients()
    table = read(columns, quasi_identifiers=["age", "sex", "ward"])
    assert (table.n_people, table.n_rows) == (800, 3271)
    release = gy.publish(table, [gy.KAnonymity(5), gy.ProbabilisticDiversity(2)])
    assert len(release.groups) > 50
    group, people = {}, {}
    for who, one in zip(columns["who"], release.group_of_row.tolist(), strict=True):
        group[who] = one
        people.setdefault(one, set()).add(who)
    assert min(map(len, people.values())) >= 5
    pairs = zip(columns["who"], columns["ill"], strict=True)
    having = {(group[who], ill, who) for who, ill in pairs}
    counts = {}
    for one, ill, _ in having:
        counts[one, ill] = counts.get((one, ill), 0) + 1
    assert all(2 * n <= len(people[one]) for (one, _), n in counts.items())
    release.save(tmp_path / "out")
    verified = gy.verify(tmp_path / "out")
    assert not verified.holds and not verified.refuted and len(verified.unchecked) == 1


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"person": None, "sensitive": None, "values_per_person": "one"}, "needs `person`"),
        ({"rows_per_person": "some"}, "rows_per_person"),
        ({"keep_row": "last", "keep_row_by": "age", "values_per_person": "one"}, "choose one"),
        ({"values_per_person": "multiset"}, "write values_per_person='set'"),
        ({"values_per_person": "one"}, "write values_per_person = 'set'"),
        ({"published": ["room"]}, "rows of one person differ in 'room'"),
        ({"quasi_identifiers": ["age", "lowest age"]}, "rename that one"),
        ({"quasi_identifiers": ["plus"]}, "write them differently"),
        ({"quasi_identifiers": ["hole"]}, "1 in column 'lowest hole'"),
    ],
)
def test_what_cannot_be_described_is_refused(more, said):
    columns = {
        "who": ["p", "p", "q", "r"],
        "age": [1, 2, 3, 4],
        "ward": ["a", "b", "a", "a"],
        "ill": ["u", "v", "u", "u"],
        "room": [1, 2, 3, 4],
        "lowest age": [1, 1, 1, 1],
        "plus": ["a", "b", "a + b", "a"],
        "hole": [1, None, 2, 3],
    }
    with pytest.raises(GygesError, match=said.replace("+", r"\+")):
        read(columns, **more)


def test_a_person_without_a_value_in_one_row_is_dropped_or_has_none():
    columns = {"who": ["p", "p", "q"], "age": [1, None, 2], "ward": ["a"] * 3, "ill": ["u"] * 3}
    schema = gy.Schema(**ROLES, quasi_identifiers=["age", "ward"], **SET)
    assert gy.read(columns, schema, missing="drop").n_people == 1
    kept = gy.read(columns, schema, missing="value")
    assert kept.n_people == 2
    assert sorted(map(str, kept.cells.domains[0].values)) == ["(missing)", "2"]


@pytest.mark.parametrize(
    "rule",
    [gy.DistinctDiversity(2), gy.EntropyDiversity(2), gy.TCloseness("0.5"), gy.BetaLikeness(1)],
)
def test_rules_about_occurrences_are_refused(rule):
    """Everyone may have the same two values: both occur equally often, and both are certain."""
    columns = {"who": ["p", "p", "q", "q"], "age": [1] * 4, "ward": ["a"] * 4, "ill": [*"uvuv"]}
    with pytest.raises(RuleError, match=r"probabilistic diversity.*1/l"):
        gy.publish(read(columns), [gy.KAnonymity(2), rule])


def test_noise_and_a_memory_limit_are_refused():
    table = read(patients(50, 90))
    with pytest.raises(RuleError, match="keep one row per person"):
        gy.publish(table, method="dp", epsilon=1)
    with pytest.raises(GygesError, match="one row"):
        gy.read(patients(9, 20), table.schema, memory_limit="64GB")


def test_the_columns_of_rows_are_found_from_those_of_descriptions():
    names = ["lowest age", "highest age", "lowest bid", "ward", "highest"]
    rows = schema_of_rows(gy.Schema(quasi_identifiers=names))
    assert list(rows.quasi_identifiers) == ["age", "lowest bid", "ward", "highest"]


PROJECT = """
[data]
source = "visits.csv"
[columns]
person = "who"
rows_per_person = "all"
quasi_identifiers = ["age", "sex", "ward"]
sensitive = "ill"
values_per_person = "set"
[hierarchies]
age = { intervals = [5, 10, 20] }
[[require]]
rule = "k-anonymity"
k = 4
[[require]]
rule = "probabilistic diversity"
l = 2
"""


def test_a_project_publishes_all_rows_and_the_original_confirms_it(tmp_path):
    write_csv(tmp_path / "visits.csv", patients(90, 250))
    code, out, _ = gyges("init", "visits.csv", folder=tmp_path)
    assert code == 0 and "rows_per_person = 'all'" in out
    assert '# rows_per_person = "all"' in (tmp_path / "gyges.toml").read_text()
    (tmp_path / "gyges.toml").write_text(PROJECT)
    code, out, notes = gyges("publish", "gyges.toml", folder=tmp_path)
    assert code == 0 and "90 people" in out, notes
    assert "by the lowest and highest value of 'age', by the set of values of 'ward'" in notes
    header = (tmp_path / "release" / "people.csv").read_text().splitlines()[0]
    assert header == "lowest age,highest age,sex,ward,group"
    code, out, notes = gyges("verify", "release", folder=tmp_path)
    assert code == 3 and "not checked: each published row is a different person" in out
    words = ("verify", "release", "--original", "visits.csv")
    code, out, _ = gyges(*words, "--project", "gyges.toml", folder=tmp_path)
    assert code == 0 and "not checked" not in out, out
    code, out, notes = gyges(*words, folder=tmp_path)
    assert code == 2, out
    (tmp_path / "other.csv").write_text((tmp_path / "visits.csv").read_text().replace("p8,", "p9,"))
    words = ("verify", "release", "--original", "other.csv", "--project", "gyges.toml")
    assert gyges(*words, folder=tmp_path)[0] == 1


def test_diabetes_stays_are_a_release_of_patients(real_data):
    path = real_data / "diabetes130.csv.gz"
    schema = gy.Schema(
        person="patient_nbr",
        rows_per_person="all",
        quasi_identifiers=["race", "gender", "age", "time_in_hospital", "admission_type_id"],
        sensitive="diag_1",
        values_per_person="set",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GygesWarning)
        table = gy.read(path, schema, missing="value", missing_marks=["?"])
    assert (table.n_people, table.n_rows) == (71_518, 101_766)
    release = gy.publish(table, [gy.KAnonymity(5), gy.ProbabilisticDiversity("1.2")])
    assert int(release.groups.sizes.min()) >= 5 and int(release.groups.sizes.sum()) == 71_518
