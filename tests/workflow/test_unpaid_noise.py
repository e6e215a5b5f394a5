"""A budget covers all noise that left the building about its people, also what nobody paid for."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyges.errors import BudgetError
from gyges.release.certificate import sha256
from gyges.release.directory import CERTIFICATE
from gyges.workflow.ledger import Ledger
from tests.cli.commands import gyges
from tests.workflow.entries import record

ANY, OTHER = "add or remove one person", "change one person"


@pytest.fixture
def ledger(tmp_path):
    return Ledger.at(tmp_path / "ledger.sqlite")


def noisy(epsilon, *, delta="0", rho=None, neighbours=ANY, **more):
    promise = {"epsilon": epsilon, "delta": delta, "rho": rho, "neighbours": neighbours}
    return {"guarantee": promise, **more}


STEP = st.tuples(
    st.sampled_from(["paid", "unpaid", "trial", "staff", "confirm", "withdraw"]),
    st.integers(1, 5),
)


@given(st.lists(STEP, max_size=12), st.integers(0, 6))
def test_no_history_costs_more_than_the_budget(tmp_path_factory, steps, opened):
    """Counted by hand: payments, and what left unpaid; the budget is set after some releases."""
    ledger = Ledger.at(tmp_path_factory.mktemp("ledger") / "ledger.sqlite")
    withdrawn = set()
    left, paid = {}, 0  # number of the release: cost, of those that left unpaid
    for place, (what, tenths) in enumerate(steps):
        epsilon, is_open = Fraction(tenths, 10), place >= opened
        if place == opened:
            ledger.open_budget("us", {"epsilon": 1}, relation=ANY)
        spent = paid + sum(left.values())
        with_paid = noisy(str(epsilon), paid_from_a_budget=what == "paid")
        about = "staff" if what == "staff" else "us"
        if what == "paid" and is_open:
            if spent + epsilon > 1:
                with pytest.raises(BudgetError):
                    ledger.spend("us", {"epsilon": epsilon}, relation=ANY)
                continue
            ledger.spend("us", {"epsilon": epsilon}, relation=ANY)
            paid += epsilon
            record(ledger, about=about, place=f"r{place}", digest=f"{place}", statement=with_paid)
        elif what in ("unpaid", "trial", "staff"):
            is_trial = what == "trial"
            entry = {"about": about, "place": f"r{place}", "digest": f"{place}", "trial": is_trial}
            if what == "unpaid" and is_open and spent + epsilon > 1:
                with pytest.raises(BudgetError, match="publish it again"):
                    record(ledger, statement=with_paid, **entry)
                continue
            number = record(ledger, statement=with_paid, **entry).number
            left |= {number: epsilon} if what == "unpaid" else {}
        elif what == "withdraw" and left:
            number = min(set(left) - withdrawn, default=None)
            if number is not None:  # it has left all the same
                ledger.withdraw(number, reason="a test")
                withdrawn.add(number)
    if len(steps) > opened:
        spent = paid + sum(left.values())
        assert ledger.budget("us").spent == {"epsilon": spent}
        assert {one.number for one in ledger.budget("us").unpaid} == set(left)


def test_an_unpaid_trial_is_not_confirmed_beyond_the_budget(ledger, tmp_path):
    digests = []
    for place in ("one", "two"):
        (tmp_path / place).mkdir()
        (tmp_path / place / CERTIFICATE).write_text(json.dumps({"files": {}, "place": place}))
        digests.append(sha256(tmp_path / place / CERTIFICATE))
        entry = {"about": "us", "place": place, "digest": digests[-1], "trial": True}
        record(ledger, statement=noisy("0.6"), **entry)
    ledger.open_budget("us", {"epsilon": 1}, relation=ANY)
    assert ledger.budget("us").left == {"epsilon": 1}
    ledger.confirm(tmp_path / "one", digests[0])
    assert ledger.budget("us").left == {"epsilon": Fraction(2, 5)}
    with pytest.raises(BudgetError, match="publish it again"):
        ledger.confirm(tmp_path / "two", digests[1])
    assert ledger.release_with(digests[1]).state == "trial"
    ledger.confirm(tmp_path / "two", digests[1], already_left=True)  # a fact: it is counted
    assert ledger.budget("us").left == {"epsilon": Fraction(-1, 5)}
    with pytest.raises(BudgetError, match="it counts what left without a payment: release 1, one"):
        ledger.spend("us", {"epsilon": "0.1"}, relation=ANY)
    for statement in ({"k": 5}, noisy("0.1", paid_from_a_budget=True)):  # these cost nothing more
        record(ledger, about="us", place="more", digest="more", statement=statement)


@pytest.mark.parametrize("stated", [
    noisy("0.1", neighbours=OTHER), noisy("0.1", delta="1/1000000"),
])  # fmt: skip
def test_a_cost_that_is_not_known_in_these_units_stops_payments(ledger, stated):
    record(ledger, about="us", place="one", digest="one", statement=stated)
    ledger.open_budget("us", {"rho": 1}, relation=ANY)
    assert ledger.budget("us").unpaid[0].why_unknown
    with pytest.raises(BudgetError, match="what is left in the budget 'us' is unknown"):
        ledger.spend("us", {"rho": "0.1"}, relation=ANY)


def test_a_budget_in_rho_counts_pure_releases(ledger):
    record(ledger, about="us", place="one", digest="one", statement=noisy("0.4"))
    record(ledger, about="us", place="two", digest="two", statement=noisy("9", rho="1/10"))
    ledger.open_budget("us", {"rho": 1}, relation=ANY)
    assert float(ledger.budget("us").spent["rho"]) == pytest.approx(0.4**2 / 2 + 0.1)


PROJECT = """[data]
source = "p.csv"
[columns]
identifiers = ["id"]
quasi_identifiers = ["sex"]
sensitive = "ill"
[publish]
method = "dp"
[ledger]
file = "l.sqlite"
about = "us"
[dp]
epsilon = "0.4"
views = [["sex", "ill"]]
[dp.domains]
sex = ["f", "m"]
ill = ["flu", "hiv"]
"""


def test_three_releases_of_which_the_first_had_no_budget(tmp_path):
    """0.4 thrice under a budget of 1: the first was forgotten."""
    lines = [f"p{n},{'fm'[n % 2]},{['flu', 'hiv'][n % 3 == 0]}" for n in range(60)]
    (tmp_path / "p.csv").write_text("\n".join(["id,sex,ill", *lines, ""]))
    (tmp_path / "a.toml").write_text(PROJECT)
    (tmp_path / "b.toml").write_text(PROJECT + '[dp.budget]\nepsilon = "1"\n')
    codes, said = [], ""
    for number, project in enumerate(["a.toml", "b.toml", "b.toml"]):
        code, _, said = gyges("publish", project, "--out", f"o{number}", "--final", folder=tmp_path)
        codes.append(code)
    assert codes == [0, 0, 1] and "release 1, o0" in said
    assert not (tmp_path / "o2").exists()
    _, text, _ = gyges("ledger", "--ledger", "l.sqlite", folder=tmp_path)
    assert "0.8 of 1 spent" in text and "release 1 (o0) left without a payment" in text
