"""An experiment of a paper, rerun quickly, for the tests of each paper."""

from __future__ import annotations

from gyges.papers.experiment import Asked
from gyges.papers.registry import experiment, rerun


def said(name):
    """What came out of an experiment; whatever disagrees with its paper is explained."""
    outcome = rerun(experiment(name), Asked(fast=True))
    assert not outcome.unexplained
    return outcome
