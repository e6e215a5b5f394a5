"""Published weights that add up to known totals: raked, the same in a group, and verified."""

from __future__ import annotations

import collections
import json
import warnings
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.errors import GygesError, SchemaError
from tests.cli.commands import gyges
from tests.oracles.weights import raked

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
PEOPLE = st.tuples(
    st.sampled_from("fm"),
    st.sampled_from(["north", "south", "west"]),
    st.floats(0.25, 90),
    st.floats(0.5, 400),
)


def release_of(people, totals, *, k=2, form=None, **roles):
    columns = {
        "sex": [one[0] for one in people],
        "region": [one[1] for one in people],
        "w": [one[2] for one in people],
    }
    schema = gy.Schema(
        quasi_identifiers=["sex", "region"],
        weight="w",
        publish_weight=True,
        weight_totals=totals,
        **roles,
    )
    table = gy.read(columns, schema)
    return gy.publish(table, [gy.KAnonymity(k)], form=form)


def totals_of(people, places):
    """Totals that some weights reach: those of other weights for the same people."""
    found = {}
    for name, place in places.items():
        found[name] = collections.Counter()
        for one in people:
            found[name][one[place]] += Fraction(repr(one[3]))
    return found


@settings(max_examples=60)
@given(
    people=st.lists(PEOPLE, min_size=4, max_size=16),
    names=st.sets(st.sampled_from(["sex", "region"]), min_size=1),
)
def test_weights_are_raked_to_the_totals_of_labels(people, names):
    places = {name: place for place, name in enumerate(["sex", "region"]) if name in names}
    totals = totals_of(people, places)
    try:
        release = release_of(people, totals)
    except SchemaError as problem:
        assert "no weights of the groups add up" in str(problem)
        release = None
    if release is None:
        return
    rows = release.tables["data"].to_pydict()
    shown = [*zip(rows["sex"], rows["region"], strict=True)]
    weight_of = collections.defaultdict(set)
    for row, weight in zip(shown, rows["w"], strict=True):
        weight_of[row].add(weight)
    assert all(len(found) == 1 for found in weight_of.values())
    for name in names:  # the labels that cover a value have its total, alone or together
        said = [one for one in release.roles.weight_totals if one.column == name]
        assert sorted(label for one in said for label in one.labels) == sorted(set(rows[name]))
        assert sum(Fraction(one.total) for one in said) == sum(totals[name].values())
        for one in said:
            if len(one.labels) == 1 and one.labels[0] in totals[name]:
                assert Fraction(one.total) == totals[name][one.labels[0]]
            found = sum(
                w for label, w in zip(rows[name], rows["w"], strict=True) if label in one.labels
            )
            assert found == pytest.approx(float(Fraction(one.total)), rel=1e-4)
    means = mean_weights(people, release)
    merged = {
        name: {label: str(place) for place, one in enumerate(release.roles.weight_totals)
               if one.column == name for label in one.labels}
        for name in names
    }  # fmt: skip
    parts = [tuple(merged[name][row[places[name]]] for name in names) for row in shown]
    wanted = {
        name: {str(place): float(Fraction(one.total))
               for place, one in enumerate(release.roles.weight_totals) if one.column == name}
        for name in names
    }  # fmt: skip
    start = [means[row] for row in shown]
    expected = raked(parts, start, {name: i for i, name in enumerate(names)}, wanted)
    assert expected is None or rows["w"] == pytest.approx(expected, rel=1e-3)


def mean_weights(people, release):
    """The rounded mean weight of the people behind each pair of labels."""
    of_labels = collections.defaultdict(list)
    for one, group in zip(people, release.group_of_row.tolist(), strict=True):
        of_labels[release.labels["sex"][group], release.labels["region"][group]].append(one[2])
    return {row: float(f"{sum(ws) / len(ws):.2e}") for row, ws in of_labels.items()}


FOUR = [
    ("f", "north", 10.5, 1),
    ("f", "north", 11.25, 1),
    ("m", "south", 3, 1),
    ("m", "south", 4, 1),
]
SEXES = {"sex": {"f": 1000, "m": "900.5"}}


def test_the_files_confirm_the_totals_and_refute_others(tmp_path):
    release = release_of(FOUR, SEXES)
    release.save(tmp_path / "r")
    found = gy.verify(tmp_path / "r")
    assert found.holds and "add up to 1,000 (to within 0.01 %)" in str(found)
    assert "Published unchanged" not in str(found)
    rows = release.tables["data"].to_pydict()
    assert (
        sorted(zip(rows["sex"], rows["w"], strict=True)) == [("f", 500.0)] * 2 + [("m", 450.25)] * 2
    )
    _edit(tmp_path / "r", total="2000")
    assert any(
        "1,000" not in check.claim and check.holds is False
        for check in gy.verify(tmp_path / "r").checks
    )


def _edit(folder, total):
    path = folder / "certificate.json"
    stated = json.loads(path.read_text())
    stated["roles"]["weight_totals"][0]["total"] = total
    path.write_text(json.dumps(stated))


def test_weights_that_differ_within_a_group_are_refuted(tmp_path):
    import hashlib

    release_of(FOUR, {}).save(tmp_path / "r")
    data = tmp_path / "r" / "data.csv"
    lines = data.read_text().splitlines()
    place = lines[0].split(",").index("w")
    cells = lines[1].split(",")
    cells[place] = "7.5"
    lines[1] = ",".join(cells)
    data.write_text("\n".join([lines[0], *sorted(lines[1:])]) + "\n")
    path = tmp_path / "r" / "certificate.json"
    stated = json.loads(path.read_text())
    stated["files"]["data.csv"] = hashlib.sha256(data.read_bytes()).hexdigest()
    path.write_text(json.dumps(stated))
    checks = [one for one in gy.verify(tmp_path / "r").checks if "same weight" in one.claim]
    assert [one.holds for one in checks] == [False]


@pytest.mark.parametrize(
    "totals, words",
    [
        ({"sex": {"f": 1000}}, "1 of the 2 values of 'sex' have no total"),
        ({"sex": {"f": 1, "m": 2, "d": 3}}, "nobody's label of 'sex' covers 'd'"),
        ({"sex": {"f": 1, "m": 0}}, "0 is no number of people"),
        ({"sex": {"f": 1, "m": "many"}}, "'many' is no number of people"),
        ({"sex": {}}, "is empty"),
        ({"w": {"10.5": 1}}, "no quasi-identifier"),
        ({**SEXES, "region": {"north": 1, "south": 2}}, "the same population"),
        (3, "weight_totals"),
    ],
)
def test_totals_that_cannot_be_reached_are_refused(totals, words):
    with pytest.raises(SchemaError, match=words):
        release_of(FOUR, totals)


def test_totals_need_published_weights_and_labels():
    with pytest.raises(SchemaError, match="needs publish_weight"):
        gy.Schema(quasi_identifiers=["sex"], weight="w", weight_totals=SEXES)
    with pytest.raises(GygesError, match="the form microaggregated shows none"):
        release_of(FOUR, SEXES, form="microaggregated")


def test_ranges_have_the_totals_of_all_their_years():
    columns = {"age": [20, 21, 22, 60, 61, 62], "w": [1.5, 2, 2.5, 1, 1, 1]}
    totals = {"age": {str(age): 100 + age for age in (20, 21, 22, 40, 60, 61, 62)}}
    schema = gy.Schema(
        quasi_identifiers=["age"], weight="w", publish_weight=True, weight_totals=totals
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        release = gy.publish(gy.read(columns, schema), [gy.KAnonymity(3)])
    stated = {one.labels: int(one.total) for one in release.roles.weight_totals}
    low = [one for one in stated if one[0].startswith("20") or "40" in one[0]]
    assert sum(stated.values()) == sum(totals["age"].values()) and len(stated) == 2
    assert stated[low[0]] in (120 + 121 + 122, 120 + 121 + 122 + 140)


def test_weights_with_decimal_commas_are_the_same_weights(tmp_path):
    """A German file and its clean twin give the same published weights."""
    plain = {"sex": list("ffmm"), "w": ["1210.5", "11.25", "3", "4"]}
    local = {"sex": list("ffmm"), "w": ["1.210,5", "11,25", "3", "4"]}
    shown = []
    for name, columns, sign, stated in (
        ("plain", plain, ",", ""), ("local", local, ";", '[columns.formats]\nw = "1.234,5"\n')
    ):  # fmt: skip
        folder = tmp_path / name
        folder.mkdir()
        lines = [
            sign.join(columns),
            *(sign.join(row) for row in zip(*columns.values(), strict=True)),
        ]
        (folder / "sample.csv").write_text("\n".join(lines) + "\n")
        (folder / "gyges.toml").write_text(
            '[data]\nsource = "sample.csv"\n[columns]\nquasi_identifiers = ["sex"]\nweight = "w"\n'
            "publish_weight = true\nweight_totals = { sex = { f = 1000, m = 900.5 } }\n"
            f'{stated}[[require]]\nrule = "k-anonymity"\nk = 2\n[ledger]\nkeep = false\n'
        )
        code, _, notes = gyges("publish", "gyges.toml", folder=folder)
        assert code == 0, notes
        shown.append(sorted((folder / "release" / "data.csv").read_text().split()[1:]))
    assert [text.replace(";", ",") for text in shown[1]] == shown[0] == (
        ["f,500", "f,500", "m,450.25", "m,450.25"]
    )  # fmt: skip
    with pytest.raises(GygesError, match="formats"):
        path = tmp_path / "local" / "sample.csv"
        gy.read(str(path), gy.Schema(quasi_identifiers=["sex"], weight="w"))


@pytest.mark.parametrize(
    ("labels", "total", "said"),
    [
        (["f", "f"], "2000", "list a label twice"),
        ([], "1", "list a label twice, or none"),
        (["f", "x"], "1000", "no row has some of these labels"),
        (["f', 'm"], "1000", "no row has some of these labels"),
    ],
)
def test_a_total_is_about_rows_that_are_there_each_once(tmp_path, labels, total, said):
    """A label that is listed twice was added twice, and the sentence held."""
    release_of(FOUR, SEXES).save(tmp_path / "r")
    path = tmp_path / "r" / "certificate.json"
    stated = json.loads(path.read_text())
    stated["roles"]["weight_totals"] = [{"column": "sex", "labels": labels, "total": total}]
    path.write_text(json.dumps(stated))
    code, out, notes = gyges("verify", "r", folder=tmp_path)
    assert code in (1, 2) and said in out + notes
