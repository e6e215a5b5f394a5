"""An audit of a sample: exact about the sample, estimates about the population."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import gyges as gy
from tests.cli.commands import gyges

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")


def people(n=200):
    rng = np.random.default_rng(5)
    return pd.DataFrame({"age": rng.integers(18, 60, n), "town": rng.choice(list("abcde"), n)})


def of(found):
    return [one for one in found.findings if one.attacker == "population estimate"]


def test_the_number_is_the_public_estimate_and_the_interval_that_of_the_models():
    frame = people()
    [one] = of(gy.audit(frame, sampling_fraction="0.1"))
    groups = gy.Groups.from_lists([["x"] * n for n in frame.groupby(["age", "town"]).size()])
    known = {m: gy.population_uniqueness(groups, "0.1", m) for m in ("pitman", "zayatz")}
    with pytest.raises(gy.GygesError, match="does not fit such a sample"):
        gy.population_uniqueness(groups, "0.1", "snb")
    assert one.number == gy.population_uniqueness(groups, "0.1")
    assert one.interval == (min(known.values()), max(known.values()))
    measured = one.measures["population_uniqueness"]
    assert measured.n_unique == int((groups.sizes == 1).sum())
    assert "10% of 2,000 people" in one.sentence and "estimates, not bounds" in one.sentence


def test_of_a_whole_population_the_answer_is_exact():
    frame = people()
    [one] = of(gy.audit(frame, sampling_fraction=1))
    n_unique = int((frame.groupby(["age", "town"]).size() == 1).sum())
    assert one.interval is None and one.number == n_unique / 200
    assert "whole population" in one.sentence


def test_without_a_sampling_fraction_nothing_is_estimated():
    assert of(gy.audit(people())) == []


def test_averages_are_not_taken_for_people():
    table = gy.read(
        {"age": [20, 30, 41, 52], "ill": list("abab")},
        gy.Schema(quasi_identifiers=["age"], sensitive="ill"),
    )
    release = gy.publish(table, gy.KAnonymity(2), method="microaggregation")
    [one] = of(gy.audit(release, sampling_fraction="0.5"))
    assert not one.is_checked and one.number is None


@pytest.mark.parametrize("share", ["0", "-0.1", "1.5", "x", "nan"])
def test_what_is_no_share_is_refused(share, tmp_path):
    people().to_csv(tmp_path / "made.csv", index=False)
    code, out, said = gyges("audit", "made.csv", "--sampling-fraction", share, folder=tmp_path)
    assert code == 2 and not out and "sampling_fraction" in said


def test_the_command_estimates_it(tmp_path):
    people().to_csv(tmp_path / "made.csv", index=False)
    code, out, _ = gyges("audit", "made.csv", "--sampling-fraction", "0.05", folder=tmp_path)
    assert code == 0 and "Dankar's rule" in out


@pytest.mark.parametrize(("n", "share"), [(1, "0.01"), (20, "0.1"), (200, "1e-30")])
def test_a_sample_from_which_nothing_follows_gives_no_estimate(n, share):
    """All of a few people are unique: "about 100%", with an interval of no width."""
    frame = people(200) if n == 200 else pd.DataFrame({"age": range(n), "town": ["a"] * n})
    [one] = of(gy.audit(frame, sampling_fraction=share))
    assert not one.is_checked and one.number is None and "No model can estimate" in one.sentence
