"""Numbers as text: exact where they decide, never more certain than they are where shown."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import gyges as gy
from gyges.exact import decimal_text, fraction_of_text, percent, readable_number, text_of_fraction
from gyges.report.to_json import json_value

HUGE = Fraction(7 * 10**6000 + 1, 9 * 10**6000)
probabilities = st.one_of(
    st.fractions(0, 1, max_denominator=10**7),
    st.integers(1, 10**30).map(lambda n: 1 - Fraction(1, n)),
    st.integers(1, 10**400).map(lambda n: Fraction(1, n)),
    st.floats(0, 1),
)


def said(text):
    """The number that a text states; None where it says "just below" and the like."""
    alone = re.fullmatch(r"(?:.* \()?(\d[\d.e+-]*)\)?", text)
    return None if alone is None else Fraction(alone[1])


@given(probabilities)
@example(Fraction(3160, 3161))
def test_what_is_rounded_never_becomes_nothing_or_certainty(number):
    for text in (readable_number(number), decimal_text(number)):
        if said(text) in (0, 1):
            assert number in (0, 1)
    if percent(number) in ("0%", "100%"):
        assert number in (0, 1)
    assert re.fullmatch(r"(more than |less than )?\d+(\.\d+)?%", percent(number))


@given(probabilities)
def test_a_shown_number_is_near_and_its_bounds_are_true(number):
    text = decimal_text(number)
    stated = said(text)
    if stated is None:
        side, near = re.fullmatch(r"just (below|above) (\S+)", text).groups()
        assert (number < Fraction(near)) == (side == "below")
        assert abs(number - Fraction(near)) < Fraction(1, 10**9)
    else:
        assert abs(stated - Fraction(number)) <= Fraction(number) * Fraction(5, 1000)
    shown = percent(number)
    bound = Fraction(shown.split()[-1].rstrip("%")) / 100
    if shown.startswith("more"):
        assert bound < number < 1
    elif shown.startswith("less"):
        assert 0 < number < bound
    else:
        assert abs(bound - Fraction(number)) <= Fraction(6, 10_000)


@given(st.fractions(), st.integers(0, 3000))
def test_any_fraction_is_written_and_read_without_loss(number, digits):
    for one in (number, number * 10**digits + Fraction(1, 3**digits)):
        assert fraction_of_text(text_of_fraction(one)) == one
    if abs(number.numerator) < 10**100 and number.denominator < 10**100:
        assert text_of_fraction(number) == str(number)


@pytest.mark.parametrize("text", ["", "x", "1/0", "0x1/0x0", "0x/0x1", "0x1", "1/0x"])
def test_a_text_that_is_no_fraction_is_refused(text):
    with pytest.raises(ValueError):
        fraction_of_text(text)


def as_fraction(told):
    """A fraction as JSON tells it: very long numbers are texts in hexadecimal."""
    above, below = (int(str(told[name]), 0) for name in ("numerator", "denominator"))
    return Fraction(above, below)


def test_numbers_of_thousands_of_digits_are_shown_and_told_as_json():
    """Python refuses to write them in decimals; several values a person give such fractions."""
    assert readable_number(HUGE) == "0.778" and readable_number(-HUGE) == "-0.778"
    assert readable_number(Fraction(10**5000)) == "more than 1e308"
    assert percent(HUGE) == "77.8%"
    told = json.loads(json.dumps(json_value({"risk": HUGE, "small": Fraction(2, 3)})))
    assert told["small"] == {"numerator": 2, "denominator": 3, "value": 2 / 3}
    assert as_fraction(told["risk"]) == HUGE and told["risk"]["value"] == 7 / 9


def test_the_breach_of_a_large_multiset_is_shown_and_told_as_json():
    """Its probability has more than 4,300 digits, which Python does not write in decimals."""
    flu_and_gout = [["Flu"] * 1500 + ["Gout"] * 1500]
    groups = gy.Groups.from_lists(flu_and_gout, people=[900], values_per_person="multiset")
    found = gy.breach(groups, value="Flu", l=0, k=1, m=0)
    with pytest.raises(ValueError):
        str(found.probability)
    assert "with probability 0.812" in str(found)
    verdict = gy.judge([gy.Skyline({"Flu": [(0, 1, 0, "0.9")]})], groups)
    assert verdict.safe and "0.812" in str(verdict)
    assert as_fraction(json_value(found)["probability"]) == found.probability
    assert json.dumps(json_value(gy.audit(groups))) and "Flu" in str(gy.audit(groups))


def test_the_report_of_a_value_that_is_nearly_certain_does_not_say_certain():
    """3160/3161 was shown as 1."""
    groups = gy.Groups.from_lists([["Flu"] * 3160 + ["Gout"]])
    told = str(gy.audit(groups))
    assert "3160/3161 (more than 99.9%)" in told and "3160/3161 (100%)" not in told
