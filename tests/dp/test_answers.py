"""Intervals of noisy answers: they cover the truth as often as they say, and say nothing more."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.dp.answers import reach_of_sum
from gyges.dp.mechanisms import Noise
from gyges.errors import RuleError
from tests.dp.noise import discrete_gaussian, discrete_laplace
from tests.dp.test_release import VALUES, noisy

LAWS = {"discrete Laplace": discrete_laplace, "discrete Gaussian": discrete_gaussian}


@given(
    kind=st.sampled_from(sorted(LAWS)),
    scale=st.floats(0.3, 6),
    n_cells=st.integers(1, 5),
    doubt=st.sampled_from([0.3, 0.05, 0.001]),
)
def test_a_sum_of_noise_exceeds_its_reach_no_more_often_than_stated(kind, scale, n_cells, doubt):
    """The law of the sum by convolution; the reach is not absurdly large either."""
    x = np.arange(-400, 401)
    law = one = LAWS[kind](x, scale)
    for _ in range(n_cells - 1):
        law = np.convolve(law, one)
    middle = len(law) // 2
    reach = reach_of_sum(Noise(kind, scale), n_cells, doubt)
    inside = law[middle - reach : middle + reach + 1].sum()
    assert 1 - inside <= doubt + 1e-9
    deviation = math.sqrt(n_cells * (one * x**2).sum())
    assert reach <= 3 + deviation * (2.2 * math.sqrt(2 * math.log(2 / doubt)) + math.log(2 / doubt))


@pytest.fixture(scope="module")
def released():
    return noisy(views=[["age", "sex"], ["sex", "ill"]], epsilon=1)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0, "1e-6"])
def test_intervals_cover_the_true_number_as_often_as_they_say(delta):
    """200 releases, 3 questions each; at 80 % the intervals may miss in 20 % (and 6 deviations)."""
    questions = [{"sex": "F"}, {"sex": "M", "ill": "Flu"}, {"ill": ["Flu", "Gout"]}]
    exact = noisy(views=[["sex", "ill"]], epsilon=10_000)
    truth = [(exact.answer(one).low + exact.answer(one).high) / 2 for one in questions]
    assert all(number == round(number) for number in truth)
    missed = 0
    for _ in range(200):
        release = noisy(views=[["sex", "ill"]], epsilon="0.5", delta=delta)
        for one, number in zip(questions, truth, strict=True):
            answer = release.answer(one, confidence="0.8")
            missed += not answer.low <= number <= answer.high
    assert missed <= 120 + 6 * math.sqrt(600 * 0.2 * 0.8)


def test_an_answer_comes_from_the_view_with_the_narrowest_interval(released):
    by_two = released.answer({"sex": "F"})
    assert by_two.high - by_two.low <= 2 * reach_of_sum(released.noisy.marginals[0].noise, 4, 0.05)
    assert released.answer({"sex": "F"}, confidence="0.99").high >= by_two.high
    assert "with a probability of at least 95%" in str(by_two)


def test_columns_that_no_view_has_together_get_no_interval(released):
    answer = released.answer({"age": "0-49", "ill": "Flu"})
    assert answer.low is None and answer.fitted > 0
    assert "no interval" in str(answer)


def test_a_reader_gets_the_same_answer(released, tmp_path):
    read = gy.load(released.save(tmp_path / "noisy"))
    assert read.answer({"sex": "F", "ill": "Flu"}) == released.answer({"sex": "F", "ill": "Flu"})


def test_coarser_columns_answer_where_their_labels_add_up():
    release = noisy(levels={}, epsilon=50)
    whole = release.answer({"age": [str(age) for age in range(100)]})
    assert whole.low <= 400 <= whole.high
    assert release.answer({}).low <= 400 <= release.answer({}).high


def test_a_plain_count_has_an_interval():
    answer = noisy(views=[[]], domains={}, levels={}, epsilon=5).answer({})
    assert answer.low <= 400 <= answer.high and answer.confidence == Fraction(19, 20)


@pytest.mark.parametrize(
    ("where", "confidence"),
    [({"height": "1"}, 0.9), ({"sex": "X"}, 0.9), ({"sex": []}, 0.9), ({"sex": "F"}, 1), (3, 0.9)],
)
def test_questions_that_make_no_sense_are_refused(released, where, confidence):
    with pytest.raises(RuleError):
        released.answer(where, confidence=confidence)


def test_every_label_of_the_example_can_be_asked_for(released):
    assert [released.answer({"ill": label}).confidence for label in VALUES["ill"]]


@pytest.mark.parametrize("columns", [["ill"], ["sex", "age"], ["age"], []])
def test_every_published_cell_has_the_interval_that_is_given_for_it_alone(released, columns):
    """By asking for each cell by itself, also where the columns come in another order."""
    if columns and not any(set(columns) <= set(view.columns) for view in released.published.views):
        columns = list(released.published.views[0].columns)
    table = released.intervals(columns, "0.9").to_pylist()
    labels = [released.published.universe.labels_of(column) for column in columns]
    assert [tuple(row[c] for c in columns) for row in table] == list(itertools.product(*labels))
    for row in table:
        alone = released.answer({column: row[column] for column in columns}, "0.9")
        assert (row["low"], row["high"]) == (alone.low, alone.high)


def test_cells_that_no_view_has_together_have_no_intervals(released):
    whole = list(released.published.universe.columns)
    assert set(released.intervals(whole).column("low").to_pylist()) == {None}
