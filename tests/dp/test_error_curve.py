"""Error against ε before anything is spent: from public information only, and by the exact laws."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import gyges as gy
from gyges.cli.main import app
from gyges.dp.error_curve import error_curve
from gyges.dp.mechanisms import Change, Guarantee, Noise, noise_for
from gyges.dp.noisy_marginals import noisy_marginals
from gyges.dp.plans import largest_tree, planned, price_of, read_workload
from gyges.dp.public_labels import Universe
from gyges.errors import RuleError
from tests.dp.noise import discrete_gaussian, discrete_laplace
from tests.dp.test_noisy_marginals import AGES, patients

LAWS = {"discrete Laplace": discrete_laplace, "discrete Gaussian": discrete_gaussian}
pytestmark = pytest.mark.filterwarnings("ignore:everyone has the same value")


@pytest.mark.parametrize("kind", LAWS)
@pytest.mark.parametrize("scale", [0.05, 0.4, 1.0, 7.3, 60.0])
def test_the_mean_absolute_noise_is_that_of_the_exact_law(kind, scale):
    x = np.arange(-6000, 6001)
    assert Noise(kind, scale).mean_absolute == pytest.approx(
        float((np.abs(x) * LAWS[kind](x, scale)).sum()), rel=1e-9
    )


def test_the_mean_absolute_noise_of_large_scales_continues_that_of_smaller_ones():
    """Where the sum is replaced by a formula."""
    below, above = (Noise("discrete Gaussian", scale).mean_absolute for scale in (9_999, 10_001))
    assert 0 < above - below < 2


@pytest.mark.parametrize("delta", [0, "1e-9"])
@pytest.mark.parametrize("views", [[["age", "sex"], ["ill"]], "mst", "aim"])
def test_the_planned_noise_is_what_a_release_then_has(views, delta):
    """Exactly for listed views, trees and columns alone; at most for views that aim chooses."""
    found = noisy_marginals(patients(), views, epsilon=3, delta=delta, domains={"age": AGES})
    universe = (
        found.universe
        if views != "aim"
        else Universe(found.universe.columns, found.universe.labels)
    )
    guarantee = Guarantee(Fraction(3), Fraction(str(delta)), "add or remove one person")
    workload = read_workload(universe, 2)
    plan = planned(universe, views, workload, price_of(guarantee), guarantee.change)
    certain, sure = len(plan.measured), [view.noise for view in plan.measured]
    assert [one.noise for one in found.marginals[:certain]] == sure
    others = [one.noise for one in found.marginals[certain:]]
    if views == "aim":
        assert others and all(one.scale <= plan.possible[0].noise.scale for one in others)
    else:
        assert others == [view.noise for view in plan.at_most]


@given(sizes=st.lists(st.integers(2, 9), min_size=2, max_size=4))
def test_no_tree_of_pairs_has_more_cells_than_the_planned_one(sizes):
    names = tuple("abcd"[: len(sizes)])
    universe = Universe(names, tuple(tuple(map(str, range(size))) for size in sizes))
    cells = {pair: math.prod(universe.shape(pair)) for pair in itertools.combinations(names, 2)}
    trees = [
        sum(cells[pair] for pair in chosen)
        for chosen in itertools.combinations(cells, len(names) - 1)
        if len({name for pair in chosen for name in pair}) == len(names) and _is_tree(chosen)
    ]
    assert sum(cells[pair] for pair in largest_tree(universe)) == max(trees)


def _is_tree(pairs):
    """Whether pairs connect everything that they name."""
    reached = set(pairs[0])
    for _ in pairs:
        reached |= {name for pair in pairs if reached & set(pair) for name in pair}
    return reached == {name for pair in pairs for name in pair}


@pytest.mark.parametrize("delta", [0, "1e-9"])
@pytest.mark.parametrize("views", [[["age", "sex"], ["ill"]], "mst", "aim"])
@pytest.mark.parametrize("error", ["5%", "0.3%", 20, 1])
def test_the_epsilon_of_an_error_is_the_least_of_three_digits(views, delta, error):
    curve = _curve(views=views, delta=delta, people=10_000)
    epsilon = curve.epsilon_for(error)
    step = Fraction(10) ** (math.floor(math.log10(epsilon)) - 2)
    assert (epsilon / step).denominator == 1
    enough, less = curve.at(epsilon), curve.at(epsilon - step)
    if isinstance(error, str):
        limit = Fraction(error[:-1]) / 100
        assert enough.share <= limit < less.share
    else:
        assert enough.reach <= error < less.reach


def _curve(**options):
    return error_curve(patients(), domains={"age": AGES}, **options)


@pytest.mark.parametrize("delta", [0, "1e-6"])
def test_the_share_is_that_which_noise_moves(delta):
    """One release of 20,000 cells: the mean of their noise is near the expected one."""
    sizes = {"a": 200, "b": 100}
    schema = gy.Schema(quasi_identifiers=list(sizes))
    domains = {name: range(size) for name, size in sizes.items()}
    table = gy.read({"a": [1, 2, 3], "b": [4, 5, 6]}, schema)
    curve = error_curve(schema, views=[["a", "b"]], delta=delta, domains=domains, people=1000)
    noisy = noisy_marginals(table, [["a", "b"]], epsilon=1, delta=delta, domains=domains)
    counts = noisy.marginals[0].counts.copy()
    counts[[1, 2, 3], [4, 5, 6]] -= 1
    expected = curve.at(1)
    assert np.abs(counts).sum() / 2000 == pytest.approx(expected.share, rel=0.08)  # 7 deviations
    assert (np.abs(counts) > expected.reach).mean() <= 0.05 + 0.012


@pytest.mark.parametrize("kind", LAWS)
@pytest.mark.parametrize("epsilon", ["0.07", "1", "4"])
def test_a_count_is_within_the_reach_with_the_stated_probability(kind, epsilon):
    delta = 0 if kind == "discrete Laplace" else "1e-9"
    guarantee = Guarantee(Fraction(epsilon), Fraction(str(delta)), "change one person")
    noise = noise_for(price_of(guarantee), change=guarantee.change)
    curve = _curve(views=[["sex"]], delta=delta, neighbours="change one person")
    reach, x = curve.at(epsilon).reach, np.arange(-3000, 3001)
    assert noise.kind == kind
    assert LAWS[kind](x, noise.scale)[np.abs(x) > reach].sum() <= 0.05


def test_what_a_release_spends_for_an_error_does_not_depend_on_the_data():
    """Two tables that have nothing in common but their schema cost the same."""
    few = patients([1], "F", ["Gout"])
    many = patients([40 + i % 9 for i in range(500)], "M" * 500, ["Flu"] * 500)
    spent = {
        gy.publish(
            table, method="dp", error="5%", people=300, views="mst", domains={"age": AGES}
        ).noisy.guarantee.epsilon
        for table in (few, many)
    }
    assert spent == {_curve(views="mst", people=300).epsilon_for("5%")}


def test_the_number_of_people_is_public_only_where_it_cannot_change():
    wanted = {"method": "dp", "error": "5%", "views": [["sex"]], "domains": {"age": AGES}}
    with pytest.raises(RuleError, match="how many there are is protected"):
        gy.publish(patients(), **wanted)
    release = gy.publish(patients(), neighbours="change one person", **wanted)
    known = _curve(views=[["sex"]], neighbours="change one person", people=5)
    assert release.noisy.guarantee.epsilon == known.epsilon_for("5%")
    assert "epsilon = " in release.notices[0] and "5 % of the people" in release.notices[0]


class Purse:
    def pay(self, guarantee, note):
        raise AssertionError("something was spent")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "needs epsilon"),
        ({"epsilon": 1, "error": 5}, "only one of them"),
        ({"epsilon": 1, "people": 5}, "people is for an error"),
        ({"error": "101%", "people": 9}, "error is '101%'"),
        ({"error": -1}, "error is -1"),
        ({"error": "much"}, "error is 'much'"),
        ({"error": "5%"}, "how many there are is protected"),
        ({"error": "5%", "people": 0}, "people is 0"),
    ],
)
def test_an_error_that_cannot_be_met_is_refused_before_anything_is_spent(options, said):
    with pytest.raises(RuleError, match=said):
        gy.publish(
            patients(), method="dp", views="mst", domains={"age": AGES}, payer=Purse(), **options
        )


PROJECT = """
[data]
source = "nowhere.csv"
[columns]
quasi_identifiers = ["age", "sex"]
[publish]
method = "dp"
[dp]
views = [["age", "sex"]]
people = 1000
{amount}
[dp.domains]
age = {{ from = 0, to = 9 }}
sex = ["F", "M"]
"""


def test_the_command_needs_no_data_and_finds_the_epsilon_of_an_error(tmp_path):
    """The file of people does not exist: nothing of it is read."""
    file = tmp_path / "gyges.toml"
    file.write_text(PROJECT.format(amount='error = "1%"'))
    known = gy.error_curve(
        gy.Schema(quasi_identifiers=["age", "sex"]),
        views=[["age", "sex"]],
        people=1000,
        domains={"age": range(10), "sex": ["F", "M"]},
    )
    picture = tmp_path / "error.html"
    run = CliRunner().invoke(app, ["noise", str(file), "--json", "--picture", str(picture)])
    found = json.loads(run.stdout[run.stdout.index("{") :])
    assert run.exit_code == 0
    assert found["found"]["epsilon"]["value"] == float(known.epsilon_for("1%"))
    assert [one["reach"] for one in found["points"]] == [one.reach for one in known.points]
    page = picture.read_text()
    assert page.count("Plotly.newPlot(") == 2 and "people moved" in page
    shown = CliRunner().invoke(app, ["noise", str(file), "--error", "7"]).stdout
    assert f"epsilon = {float(known.epsilon_for(7)):g} is enough: a count is within 7" in shown


def test_a_project_and_a_command_publish_for_an_error(tmp_path):
    file = tmp_path / "gyges.toml"
    file.write_text(PROJECT.format(amount='error = "1%"').replace("nowhere", "people"))
    (tmp_path / "people.csv").write_text("age,sex\n" + "3,F\n5,M\n" * 20)
    release = gy.Project(file).publish(trial=True, out=tmp_path / "one")
    wanted = ["publish", str(file), "--error", "7", "--out", str(tmp_path / "two")]
    assert CliRunner().invoke(app, wanted).exit_code == 0
    curve = error_curve(
        gy.Project(file).schema, views=[["age", "sex"]], people=1000,
        domains={"age": range(10), "sex": ["F", "M"]},
    )  # fmt: skip
    assert release.noisy.guarantee.epsilon == curve.epsilon_for("1%")
    assert gy.load(tmp_path / "two").guarantee.epsilon == curve.epsilon_for(7)


@pytest.mark.parametrize("amount", ['epsilon = 1\nerror = "1%"', ""])
def test_a_project_states_epsilon_or_an_error(amount, tmp_path):
    file = tmp_path / "gyges.toml"
    file.write_text(PROJECT.format(amount=amount).replace("nowhere", "people"))
    (tmp_path / "people.csv").write_text("age,sex\n3,F\n")
    with pytest.raises(RuleError, match="remove one of the two lines" if amount else "epsilon = 1"):
        gy.Project(file).publish(trial=True)


def test_a_number_of_people_without_an_error_is_refused_before_anything_is_spent(tmp_path):
    """It was ignored in silence."""
    file = tmp_path / "gyges.toml"
    file.write_text(PROJECT.format(amount="epsilon = 1").replace("nowhere", "people"))
    (tmp_path / "people.csv").write_text("age,sex\n3,F\n")
    with pytest.raises(RuleError, match="give --error as well"):
        gy.Project(file).publish(trial=True, people=40)
    assert sorted(one.suffix for one in tmp_path.glob("*")) == [".csv", ".toml"]


def test_changing_a_person_moves_a_count_by_no_more_than_their_rows():
    assert Guarantee(Fraction(1), Fraction(0), "change one person").change == Change(2, 1)
