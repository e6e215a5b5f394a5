"""Linear reconstruction against all small tables, and with much noise and little."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.auditing import reconstructs_counts
from gyges.dp.mechanisms import Noise
from gyges.marginals.linear_reconstruction import NoisySums
from tests.oracles.reconstruction import misfit, near_tables

MOST = 2  # of one count in the small tables


@st.composite
def noisy_sums(draw):
    """Up to three histograms over up to four counts, answered with small errors."""
    n, n_histograms = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    truth = draw(st.lists(st.integers(0, MOST), min_size=n, max_size=n))
    parts, answers, reach = [], [], []
    for _ in range(n_histograms):
        own = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
        far = draw(st.integers(0, 2))
        sums = [sum(t for t, o in zip(truth, own, strict=True) if o == s) for s in range(3)]
        answers.append([one + draw(st.integers(-2, 2)) for one in sums])
        parts.append(own)
        reach.append(far)
    return parts, answers, reach


def program(parts, answers, reach, most=MOST):
    rows = [(np.array(p), np.array(a)) for p, a in zip(parts, answers, strict=True)]
    return NoisySums(rows, reach, most)


@given(noisy_sums(), st.lists(st.booleans(), min_size=4, max_size=4))
def test_what_is_certain_holds_in_all_tables_that_are_near(published, some):
    """Of up to two histograms the programs have whole solutions: then the ranges are exact."""
    parts, answers, reach = published
    tables = near_tables(parts, answers, reach, MOST)
    sums = program(*published)
    chosen = np.array(some[: len(parts[0])])
    found, likely = sums.range_of(chosen), sums.best_fit()
    certain, is_complete = sums.positive(100)
    if not tables:
        if len(parts) <= 2:
            assert likely is None and not certain.any()
        return
    assert likely is not None and is_complete
    nearest = min(misfit(table, *published) for table in tables)
    assert misfit(likely, *published) <= nearest + 1e-6
    held = [sum(n for n, c in zip(table, chosen, strict=True) if c) for table in tables]
    always = np.array([min(column) > 0 for column in zip(*tables, strict=True)])
    assert found[0] <= min(held) and max(held) <= found[1]
    assert not (certain & ~always).any()
    if len(parts) <= 2:
        assert misfit(likely, *published) == pytest.approx(nearest, abs=1e-6)
        assert found == (min(held), max(held))
        assert (certain == always).all()


def test_only_so_many_counts_are_decided():
    pairs = program([[0, 0, 1, 1]], [[6, 6]], [0], most=5)  # no count is a sum by itself
    certain, is_complete = pairs.positive(3)
    assert certain.tolist() == [True, True, True, False] and not is_complete
    alone = program([[0, 1, 2]], [[5, 5, 5]], [0], most=math.inf)
    assert alone.positive(0) == (pytest.approx([True] * 3), True)


def secret_bits(spread, n=40, n_questions=160):
    """Bits, and how many of random halves of the people have one, off by up to `spread`."""
    rng = np.random.default_rng(3)
    bits = rng.integers(0, 2, n)
    parts = rng.integers(0, 2, (n_questions, n))
    noise = rng.integers(-spread, spread + 1, (n_questions, 2))
    answers = [
        np.bincount(own, bits, 2).astype(int) + off for own, off in zip(parts, noise, strict=True)
    ]
    return bits, program(parts, answers, [spread] * n_questions, most=1)


def test_bits_are_read_from_answers_with_little_noise_and_not_with_much():
    """[Dinur2003]: noise well below √n gives everything away, noise of order n hides it."""
    bits, sums = secret_bits(1)
    assert (np.rint(sums.best_fit()) == bits).all()
    bits, sums = secret_bits(20)
    assert (np.rint(sums.best_fit()) == bits).mean() < 0.8


@pytest.mark.parametrize("scale", [0.05, 0.4, 1.0, 7.3, 60.0])
@pytest.mark.parametrize("doubt", [0.5, 0.05, 1e-6])
def test_noise_goes_beyond_its_reach_as_rarely_as_it_says(scale, doubt):
    def beyond(kind, far):
        ends = range(far + 1, far + 1 + int(60 * scale) + 60)
        power = {
            "discrete Laplace": lambda x: x / scale,
            "discrete Gaussian": lambda x: x * x / (2 * scale**2),
        }[kind]
        weights = sum(math.exp(-power(x)) for x in range(1, int(60 * scale) + 60))
        return 2 * sum(math.exp(-power(x)) for x in ends) / (1 + 2 * weights)

    laplace, gauss = (
        Noise(kind, scale).reach(doubt) for kind in ("discrete Laplace", "discrete Gaussian")
    )
    assert beyond("discrete Laplace", laplace) <= doubt * (1 + 1e-9)
    assert laplace == 0 or beyond("discrete Laplace", laplace - 1) > doubt * (1 - 1e-6)
    assert beyond("discrete Gaussian", gauss) <= doubt
    assert gauss <= 5 * scale + scale * math.sqrt(2 * math.log(1 / doubt))


def test_what_is_called_certain_is_true_in_as_many_runs_as_stated():
    """Discrete Laplace noise of scale 1 on three views of 12 combinations, 60 times."""
    rng = np.random.default_rng(5)
    truth = np.array([9, 0, 1, 7, 2, 12, 0, 5, 30, 1, 0, 4]).reshape(3, 2, 2)
    views = [(0, 1), (1, 2), (0, 2)]
    cells = np.indices(truth.shape).reshape(3, -1)
    noise, wrong, n_certain = Noise("discrete Laplace", 1.0), 0, 0
    reach = noise.reach(0.05 / (6 + 4 + 6))
    q = math.exp(-1)
    for _ in range(60):
        rows = []
        for view in views:
            sums = truth.sum(axis=tuple({0, 1, 2} - set(view)))
            off = rng.geometric(1 - q, sums.shape) - rng.geometric(1 - q, sums.shape)
            place = np.ravel_multi_index([cells[axis] for axis in view], sums.shape)
            rows.append((place, (sums + off).ravel()))
        program = NoisySums(rows, [reach] * 3)
        certain, _ = program.positive(100)
        low, high = program.range_of(certain)
        wrong += bool((certain & (truth.ravel() == 0)).any())
        wrong += not low <= truth.ravel()[certain].sum() <= high
        n_certain += int(certain.sum())
    assert wrong <= 6 and n_certain > 60


PUBLIC = {"age": ["young", "old"], "sex": ["F", "M"], "ill": ["Flu", "Gout", "Rare"]}
PEOPLE = [("young", "F", "Flu")] * 9 + [("old", "F", "Gout")] * 8 + [("old", "M", "Flu")] * 7
PEOPLE += [("young", "M", "Gout")] * 5 + [("old", "M", "Rare")]


def audited(epsilon, views, **options):
    columns = dict(zip(PUBLIC, map(list, zip(*PEOPLE, strict=True)), strict=True))
    table = gy.read(columns, gy.Schema(quasi_identifiers=["age", "sex"], sensitive="ill"))
    release = gy.publish(table, method="dp", epsilon=epsilon, views=views, domains=PUBLIC, seed=1)
    found = gy.audit(release, **options)
    return release, [one for one in found.findings if one.attacker == "reconstructs counts"]


def test_counts_with_hardly_any_noise_give_every_row_away(tmp_path):
    release, [found] = audited(500, [["age", "sex", "ill"]])
    measured = found.measures["linear_reconstruction"]
    assert measured.n_certain == len(set(PEOPLE)) == 5 and measured.n_people == (30, 30)
    assert found.number == 30 and found.interval == (30.0, 30.0) and found.is_checked
    assert found.witness == {"age": "old", "sex": "M", "ill": "Rare"}
    assert "reconstructs 5 combinations" in found.sentence and "30 rows have them" in found.sentence
    read = [
        one
        for one in gy.audit(release.save(tmp_path / "noisy")).findings
        if one.attacker == "reconstructs counts"
    ]
    assert [(one.sentence, one.witness) for one in read] == [(found.sentence, found.witness)]


def test_pairs_of_columns_with_hardly_any_noise_give_most_rows_away():
    _, [found] = audited(500, [["age", "sex"], ["sex", "ill"], ["age", "ill"]])
    low, high = found.interval
    assert 9 <= low <= high <= 30 and found.measures["linear_reconstruction"].n_certain >= 2
    assert tuple(found.witness.values()) in PEOPLE


def test_with_a_small_epsilon_nothing_is_reconstructed():
    _, [found] = audited("0.05", [["age", "sex", "ill"]])
    assert found.number == 0 and found.interval is None and found.witness is None
    assert found.is_checked and "finds no combination" in found.sentence


def test_who_must_be_certain_learns_nothing_from_noise():
    assert audited(500, [["age"]], confidence=1)[1] == []


def test_what_is_too_large_is_not_computed(monkeypatch):
    monkeypatch.setattr(reconstructs_counts, "_MOST_CELLS", 4)
    _, [some, rest] = audited(500, [["age", "sex"], ["ill"]])
    assert some.is_checked and some.measures["linear_reconstruction"].columns == ("age", "sex")
    assert not rest.is_checked and "together with ill" in rest.sentence
    monkeypatch.setattr(reconstructs_counts, "_MOST_CELLS", 1)
    _, [none] = audited(500, [["age", "sex"], ["ill"]])
    assert not none.is_checked and "more than 1 counts" in none.sentence


def test_the_confidence_is_that_of_the_audit():
    _, [found] = audited(3, [["age", "sex", "ill"]], confidence="0.999")
    assert found.measures["linear_reconstruction"].confidence == Fraction(999, 1000)
    assert "99.9%" in found.sentence
