"""[Kifer2006]: what the paper says of its example and of Adult holds."""

from __future__ import annotations

import pytest

from reproduction.experiment import RunOptions
from reproduction.registry import experiment, rerun


def test_everything_said_of_the_example_holds():
    outcome = rerun(experiment("kifer-1"), RunOptions())
    assert len(outcome.findings.statements) == 7 and not outcome.failed


@pytest.mark.parametrize("name", ["kifer-7", "kifer-8", "kifer-9"])
def test_everything_said_of_adult_holds_where_6_diverse_is_2_5_recursive(real_data, name):
    outcome = rerun(experiment(name), RunOptions(fast=True))
    assert outcome.findings.statements and not outcome.failed
