"""Fractions of millions of digits: never multiplied out, and never another number."""

import copy
import math
import operator
import pickle
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges import long_fraction
from gyges.auditing.checks import Check
from gyges.exact import readable_number, stated_risk, worst_case
from gyges.long_fraction import LongFraction, power, product
from gyges.report.to_json import json_value

_COMPUTED = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
_COMPARED = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]

steps = st.lists(
    st.tuples(st.sampled_from("+-*/"), st.integers(0, 9), st.integers(0, 40)), max_size=6
)


def pairs_of(listed, start):
    """A number computed at leisure, and at once."""
    slow, fast = LongFraction("**", Fraction(start), Fraction(3)), Fraction(start**3)
    for how, base, exponent in listed:
        other = Fraction(base**exponent)
        if how == "/" and not other:
            continue
        part = LongFraction("**", Fraction(base), Fraction(exponent))
        slow, fast = _COMPUTED[how](slow, part), _COMPUTED[how](fast, other)
    return slow, fast


@settings(deadline=None)
@given(steps, st.integers(0, 9), steps, st.integers(0, 9))
def test_a_long_fraction_is_the_same_number(listed, start, more, other_start):
    slow, fast = pairs_of(listed, start)
    other_slow, other = pairs_of(more, other_start)
    for one, two in ((slow, other), (slow, other_slow), (fast, other_slow), (slow, fast)):
        for compared in _COMPARED:
            assert compared(one, two) == compared(fast, fast if two is fast else other)
    assert bool(slow) == bool(fast)
    try:
        expected = float(fast)
    except OverflowError:
        with pytest.raises(OverflowError):
            float(slow)
    else:
        assert float(slow) == expected
    below, above = Fraction(slow.at_least(9)), Fraction(slow.at_most(9))
    assert below <= fast <= above and above - below <= abs(fast) / 10**7
    assert (slow.numerator, slow.denominator) == (fast.numerator, fast.denominator)
    assert pickle.loads(pickle.dumps(slow)) == copy.deepcopy(slow) == fast


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 50), st.integers(-30, 30)), max_size=4))
def test_products_of_powers(powers):
    exact = math.prod([Fraction(base) ** exponent for base, exponent in powers], start=Fraction(1))
    assert product(powers) == exact


def test_steps_that_change_nothing_are_left_out_and_floats_stay_floats():
    long = power(3, 10**6)
    assert isinstance(long, LongFraction) and type(power(3, 10)) is Fraction
    assert long + 0 is long and 1 * long is long and long / 1 is long and 0 * long == 0
    assert 1 - long / long == 0 and not (long - long)
    assert (1 / long) * 0.5 == 0.0 and long > 1e308 and long < math.inf
    for wrong in (lambda: long / 0, lambda: 1 / (long - long)):
        with pytest.raises(ZeroDivisionError):
            wrong()
    with pytest.raises(TypeError):
        long + "x"


def a_million(kind="multiset"):
    return gy.Groups.from_entries(
        sizes=np.array([1_000_000]),
        group_of_entry=np.array([0, 0, 0]),
        value_codes=np.array([0, 1, 2]),
        value_counts=np.array([600_000, 300_000, 5]),
        values=["Flu", "Gout", "Mumps"],
        values_per_person=kind,
    )


def test_numbers_about_a_million_people_cost_no_more_than_the_decision():
    """One atom took 80 s, and a risk 24 s, to be multiplied out."""
    start, groups = time.process_time(), a_million()
    found = gy.probability(groups, "1.1 = Flu")
    assert float(found) == pytest.approx(-math.expm1(600_000 * math.log1p(-1e-6)), rel=1e-12)
    known = gy.probability(groups, "1.1 = Flu", given="1.2 = Flu -> 1.1 = Flu")
    assert readable_number(known) == "0.5997"
    verdict = gy.judge(gy.Skyline({"Flu": [(math.inf, 5, 2, "0.7")]}), groups)
    assert not verdict.safe and "worst case: 0." in str(verdict)
    assert time.process_time() - start < 20  # compiling included


def test_what_a_certificate_and_json_say_of_a_long_fraction_is_a_bound():
    found = gy.breach(a_million(), "Flu", l=1, k=2, m=2).probability
    stated = stated_risk(found)
    assert stated.startswith("at most 0.78653") and found <= Fraction(
        stated.removeprefix("at most ")
    )
    assert worst_case(stated) == "worst case: at most 0.7866"
    told = json_value(found)
    assert told["numerator"] is None and told["value"] == float(found)
    assert Fraction(told["at_least"]) < found < Fraction(told["at_most"])
    assert stated_risk(1 - 1 / power(2, 10**6 // 5)) == "at most 1"  # beyond 320 digits
    nearly = stated_risk(1 - 1 / power(10, 40) / (power(3, 10**6) / power(3, 10**6)))
    assert nearly == f"at most 0.{'9' * 40}"


@pytest.mark.parametrize("kind", ["one", "set", "multiset"])
def test_breaches_and_sentences_are_the_same_when_every_number_is_long(kind, monkeypatch):
    """All numbers kept as computed: the same probabilities as multiplied out."""
    values = [["a", "a", "b", "c"], ["a", "b", "b", "c", "c"]]
    people = None if kind == "one" else [4, 5]
    groups = gy.Groups.from_lists(values, people=people, values_per_person=kind)
    asked = [
        (value, l, k, m) for value in "ab" for l in (0, 1) for k in (0, 1, 2) for m in (0, 1, 2)
    ]
    sentences = [
        ("1.1 = a", None),
        ("1.1 = a", "1.2 = a -> 1.1 = a"),
        ("1.1 = a or 2.1 = b", "2.2 != b"),
    ]

    def answers():
        found = [gy.breach(groups, v, l=l, k=k, m=m).probability for v, l, k, m in asked]
        return found + [gy.probability(groups, *one) for one in sentences]

    short = answers()
    monkeypatch.setattr(long_fraction, "LONG", -1)
    monkeypatch.setattr("gyges.adversaries.dimension_formulas.LONG", -1)
    long = answers()
    assert long == short and list(map(float, long)) == list(map(float, short))
    assert any(isinstance(one, LongFraction) for one in long)


def test_a_verified_risk_of_thousands_of_digits_is_told_as_a_number():
    """`verify` cut its text short before it was read, and printed hexadecimal digits."""
    risk = Fraction(2 * 16**3000 // 3, 16**3000)
    assert str(Check("safe", "", stated_risk(risk), True, is_risk=True)) == (
        "holds: safe (worst case: 0.667)"
    )
