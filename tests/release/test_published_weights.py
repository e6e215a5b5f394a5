"""Published survey weights are means of groups, rounded: they single nobody out."""

from __future__ import annotations

import warnings
from collections import defaultdict

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.errors import GygesError
from tests.cli.commands import gyges, write_csv

RULES = [gy.KAnonymity(2)]


@st.composite
def samples(draw):
    n = draw(st.integers(4, 20))
    return {
        "age": draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)),
        "ill": draw(st.lists(st.sampled_from("uvw"), min_size=n, max_size=n)),
        "w": draw(st.lists(st.floats(0.25, 900), min_size=n, max_size=n)),
    }


def release_of(columns, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        schema = gy.Schema(
            quasi_identifiers=["age"], sensitive="ill", weight="w", publish_weight=True
        )
        return gy.publish(gy.read(columns, schema), RULES, **more)


@pytest.mark.parametrize("form", ["generalized", "bucketized"])
@settings(max_examples=40)
@given(columns=samples())
def test_a_weight_is_the_rounded_mean_of_its_group(form, columns):
    try:
        release = release_of(columns, form=form)
    except GygesError as problem:
        assert form == "bucketized", problem
        return
    group = release.group_of_row.tolist()
    of_group = defaultdict(list)
    for place, weight in zip(group, columns["w"], strict=True):
        of_group[place].append(weight)
    wanted = sorted(float(f"{sum(of_group[place]) / len(of_group[place]):.3g}") for place in group)
    rows = release.tables["data" if "data" in release.tables else "people"]
    assert sorted(rows.column("w").to_pylist()) == pytest.approx(wanted)
    total = sum(columns["w"])
    assert abs(sum(rows.column("w").to_pylist()) - total) <= total * 0.005 + 1e-9


def test_weights_do_not_divide_groups_and_the_files_confirm_it(tmp_path):
    """Every weight is another one: published unchanged, they would single everybody out."""
    n = 24
    columns = {
        "age": [20 + i % 6 for i in range(n)],
        "ill": ["uvw"[i % 3] for i in range(n)],
        "w": [10 + i / 7 for i in range(n)],
    }
    with pytest.raises(GygesError, match="single people out"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        schema = gy.Schema(quasi_identifiers=["age"], sensitive="ill", published=["w"])
        gy.publish(gy.read(columns, schema), RULES)
    write_csv(tmp_path / "sample.csv", columns)
    (tmp_path / "gyges.toml").write_text("""
[data]
source = "sample.csv"
[columns]
quasi_identifiers = ["age"]
sensitive = "ill"
weight = "w"
publish_weight = true
[ledger]
keep = false
[[require]]
rule = "k-anonymity"
k = 4
""")
    code, _, notes = gyges("publish", "gyges.toml", folder=tmp_path)
    assert code == 0, notes
    lines = (tmp_path / "release" / "data.csv").read_text().splitlines()
    place = lines[0].split(",").index("w")
    shown = [line.split(",")[place] for line in lines[1:]]
    assert all(shown.count(one) >= 4 for one in shown)
    code, out, _ = gyges("verify", "release", folder=tmp_path)
    assert code == 0, out


@pytest.mark.parametrize(
    ("more", "said"),
    [({"weight": None}, "needs `weight`"), ({"publish_weight": "yes"}, "is 'yes'")],
)
def test_a_wish_that_cannot_be_followed_is_refused(more, said):
    with pytest.raises(GygesError, match=said):
        gy.Schema(**{"quasi_identifiers": ["age"], "weight": "w", "publish_weight": True, **more})


@pytest.mark.parametrize("weight", [0, -1, 1e308, 1e16, float("nan"), float("inf"), None])
def test_weights_that_cannot_be_added_up_are_refused(weight):
    """An audit of weights of 1e308 ended with an OverflowError."""
    rows = {"age": [30, 31], "w": [weight, 1]}
    with pytest.raises(GygesError, match="survey weights"):
        gy.read(pa.table(rows), gy.Schema(quasi_identifiers=["age"], weight="w"))


@settings(max_examples=40)
@given(columns=samples(), data=st.data())
def test_the_weighted_loss_is_the_loss_of_rows_written_as_often_as_they_weigh(columns, data):
    """The definition: whole weights are numbers of people with the same row."""
    n = len(columns["age"])
    columns["w"] = data.draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    group = data.draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        roles = {"quasi_identifiers": ["age", "ill"], "dropped": []}
        table = gy.read(columns, gy.Schema(**roles, weight="w"))
        found = gy.measure_utility(table, group)["loss_by_weight"]
        times = [place for place, weight in enumerate(columns["w"]) for _ in range(weight)]
        written = {name: [columns[name][place] for place in times] for name in ("age", "ill")}
        whole = gy.read(written, gy.Schema(**roles))
        wanted = gy.measure_utility(whole, [group[place] for place in times])["loss"]
    assert found == pytest.approx(wanted)


def test_risks_by_weight_are_still_audited_beside_published_weights():
    columns = {
        "age": [20 + i % 3 for i in range(12)],
        "ill": ["uvw"[i % 3] for i in range(12)],
        "w": [10 + i / 7 for i in range(12)],
    }
    roles = {"quasi_identifiers": ["age"], "sensitive": "ill", "weight": "w"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        original = gy.read(columns, gy.Schema(**roles))
        said = []
        for shown in (False, True):
            table = gy.read(columns, gy.Schema(**roles, publish_weight=shown))
            found = gy.audit(gy.publish(table, RULES), original=original).findings
            said.append([str(one) for one in found if "survey weights" in str(one)])
    assert said[0] and said[0] == said[1]
