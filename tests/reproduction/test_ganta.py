"""[Ganta2008]: Alice is found, and joining two releases exposes as many as the paper says."""

from __future__ import annotations

import pytest

import gyges as gy
from reproduction.experiment import Outcome, RunOptions
from reproduction.ganta_data import OVERLAP
from reproduction.ganta_noise import _largest, _released, strong
from reproduction.registry import experiment, rerun


def fast(name: str) -> Outcome:
    return rerun(experiment(name), RunOptions(fast=True))


def failed(outcome: Outcome) -> list[str]:
    return [one.says for one in outcome.failed]


def test_alice_is_found_in_the_hospitals_of_table_1():
    outcome = fast("ganta-table-1")
    assert [one.held for one in outcome.findings.statements] == [True, True, None, True]
    assert outcome.findings.statements[2].measured.startswith("4 and 6")


def test_breaches_are_those_of_the_paper_and_its_two_figures_lie_among_the_scenarios(real_data):
    outcome = fast("ganta-1")
    undecided = [one.says[:10] for one in outcome.findings.statements if one.held is None]
    assert not outcome.failed and outcome.n_held == 4
    assert undecided == ["around 12%", "around 60%", "[a perfect"]


def test_groups_are_as_large_as_the_paper_says_without_any_hierarchy(real_data):
    outcome = fast("ganta-2")
    assert not outcome.unexplained
    assert len(failed(outcome)) == 1 and "culprit" in failed(outcome)[0]


def test_what_is_said_of_centroids_holds(real_data):
    outcome = fast("ganta-centroid")
    assert outcome.n_held == 1 and not outcome.failed


def test_joining_excludes_a_third_of_the_values_of_ipums_or_more(real_data):
    for plot, most in zip(fast("ganta-3").findings.plots, (1, 2 / 3), strict=True):
        first, second, after = (curve.y for curve in plot.curves)
        for a, b, left in zip(first, second, after, strict=True):
            assert left < most * (a + b) / 2


def test_diverse_groups_are_breached_and_close_ones_hardly(real_data):
    outcome = fast("ganta-4")
    assert not outcome.unexplained
    assert [says[:10] for says in failed(outcome)] == ["k = 10, l ", "k = 10 and", "t-closenes"]


def test_two_noisy_releases_tell_no_more_than_epsilon_allows(real_data):
    pytest.importorskip("opendp", reason="noise needs gyges[dp]")

    outcome = fast("ganta-noise")
    assert [one.held for one in outcome.findings.statements] == [None, None, True]
    moved, allowed = (curve.y for curve in outcome.findings.plots[0].curves)
    assert all(one <= most for one, most in zip(moved, allowed, strict=True))
    options = RunOptions(fast=True)
    attacker = strong(options, _released(options, "1", with_them=True), "1")
    meaning = gy.semantic_privacy(2, 0, people=OVERLAP)
    assert _largest(attacker)[1] <= meaning.tight <= meaning.bound
