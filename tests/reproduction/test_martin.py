"""[Martin2007]: what holds of the example and of Adult, and what does not."""

from __future__ import annotations

from tests.reproduction.reruns import said


def test_the_example_holds_but_for_the_maximum():
    outcome = said("martin-1")
    (wrong,) = outcome.failed
    assert "turns out to be 10/19" in wrong.says and wrong.measured.startswith("2/3")
    assert outcome.n_held == 6


def test_the_curve_on_adult_holds_but_for_always_smaller(real_data):
    outcome = said("martin-5")
    (wrong,) = outcome.failed
    assert "always smaller" in wrong.says
    strong, weak = outcome.findings.plots[0].curves
    assert list(strong.y) == sorted(strong.y) and round(strong.y[5], 4) == 0.7669
    assert all(one >= other for one, other in zip(strong.y, weak.y, strict=True))
    assert "it is 1 and 1" in outcome.findings.statements[-1].measured


def test_more_entropy_means_less_disclosure_as_a_trend_only(real_data):
    outcome = said("martin-6")
    assert [one.says.startswith("the disclosure risk monotonically") for one in outcome.failed] == [
        True,
        True,
    ]
    assert [one.held for one in outcome.findings.statements] == [None, False, False, True]
    assert outcome.findings.statements[0].measured.startswith("72 tables")
