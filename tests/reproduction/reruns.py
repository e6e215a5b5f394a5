"""An experiment of a paper, rerun quickly, for the tests of each paper."""

from __future__ import annotations

from reproduction.experiment import RunOptions
from reproduction.registry import experiment, rerun


def said(name):
    """What came out of an experiment; whatever disagrees with its paper is explained."""
    outcome = rerun(experiment(name), RunOptions(fast=True))
    assert not outcome.unexplained
    return outcome
