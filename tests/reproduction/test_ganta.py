"""[Ganta2008]: Alice is found, and joining two releases exposes as many as the paper says."""

from __future__ import annotations

import pytest

from reproduction.experiment import Outcome, RunOptions
from reproduction.registry import experiment, rerun


def fast(name: str) -> Outcome:
    return rerun(experiment(name), RunOptions(fast=True))


def failed(outcome: Outcome) -> list[str]:
    return [one.says for one in outcome.failed]


def test_alice_is_found_in_the_hospitals_of_table_1():
    outcome = fast("ganta-table-1")
    assert outcome.n_held == len(outcome.findings.statements) == 4


def test_breaches_are_those_of_the_paper_and_its_two_figures_lie_among_the_scenarios(real_data):
    outcome = fast("ganta-1")
    undecided = [one.says[:10] for one in outcome.findings.statements if one.held is None]
    assert not outcome.failed and outcome.n_held == 4
    assert undecided == ["around 12%", "around 60%", "[a perfect"]


def test_groups_are_as_large_as_the_paper_says_without_any_hierarchy(real_data):
    outcome = fast("ganta-2")
    assert not outcome.unexplained
    assert len(failed(outcome)) == 1 and "culprit" in failed(outcome)[0]


@pytest.mark.parametrize("name", ["ganta-3", "ganta-centroid"])
def test_what_is_said_of_anonymity_and_centroids_holds(real_data, name):
    outcome = fast(name)
    assert outcome.n_held and not outcome.failed


def test_diverse_groups_are_breached_and_close_ones_hardly(real_data):
    outcome = fast("ganta-4")
    assert not outcome.unexplained
    assert [says[:10] for says in failed(outcome)] == ["k = 10, l ", "k = 10 and", "t-closenes"]


def test_two_noisy_releases_tell_no_more_than_epsilon_allows(real_data):
    pytest.importorskip("opendp", reason="noise needs gyges[dp]")
    pytest.importorskip("mbi", reason="fitting needs gyges[dp]")
    outcome = fast("ganta-noise")
    assert outcome.n_held == len(outcome.findings.statements) == 3
