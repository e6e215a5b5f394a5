"""Raw values and their codes: what means the same shares one, what is missing has none."""

from __future__ import annotations

import datetime
from decimal import Decimal
from uuid import UUID

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.data.encoding import NO_CODE, dictionary, encoded, make_coder
from gyges.data.values import Kind
from gyges.errors import SourceError

TEXTS = st.one_of(
    st.integers(-30, 30).map(str), st.sampled_from(["1.0", "+1", "007", "x", "2020-01-31", "?"])
)


@given(
    raw=st.lists(TEXTS, min_size=1, max_size=10, unique=True), asked=st.lists(TEXTS, max_size=10)
)
def test_a_code_is_the_place_of_a_value_in_the_sorted_domain(raw, asked):
    coder = make_coder("x", [*raw, None])
    codes = coder.encode(pa.chunked_array([pa.array([*raw, None, *asked], pa.string())]))
    assert sorted(set(codes[: len(raw)].tolist())) == list(range(len(coder.domain)))
    assert codes[len(raw)] == NO_CODE
    for text, code in zip(asked, codes[len(raw) + 1 :], strict=True):
        assert code == (codes[raw.index(text)] if text in raw else NO_CODE)


def test_texts_that_mean_one_number_share_a_code():
    coder = make_coder("x", ["1", "1.0", "+1", "2", "1e0"])
    assert coder.domain.values == (1, 2) and coder.domain.kind is Kind.NUMBER
    assert coder.code_of_raw == {"1": 0, "1.0": 0, "+1": 0, "1e0": 0, "2": 1}


def test_a_leading_zero_makes_a_column_a_code():
    coder = make_coder("zip", ["01234", "14850"])
    assert coder.domain.kind is Kind.CODE and coder.domain.values == ("01234", "14850")


def test_numbers_under_a_hierarchy_of_texts_are_found_as_text():
    tree = gy.Hierarchy.from_tree({"148": ["14850", "14853"], "130": ["13068"]})
    coder = make_coder("zip", [14850, 13068], hierarchy=tree)
    assert coder.domain.values == (13068, 14850, 14853)
    assert coder.domain.present.tolist() == [True, True, False]
    assert make_coder("zip", ["14850"], kind=Kind.CODE, hierarchy=tree).domain.values == (
        "13068",
        "14850",
        "14853",
    )


def test_a_missing_value_becomes_one_on_request_only():
    assert make_coder("x", ["a", None]).domain.values == ("a",)
    coder = make_coder("x", ["a", None, "?"], marks=["?"], missing_is_value=True)
    assert coder.domain.values == ("a", "(missing)")
    assert coder.code_of_raw == {"a": 0, None: 1, "?": 1}
    ages = make_coder("age", [3, None], missing_is_value=True)
    assert ages.domain.values == (3, "(missing)") and ages.domain.kind is Kind.CATEGORY


@pytest.mark.parametrize(
    ("raw", "kind", "values"),
    [
        ([Decimal("1.50"), Decimal("2.00")], Kind.NUMBER, (1.5, 2.0)),
        ([Decimal("3"), Decimal("2.00")], Kind.NUMBER, (2, 3)),
        ([True, False], Kind.CATEGORY, (False, True)),
        ([b"ab", b"\xff"], Kind.CATEGORY, ("\\xff", "ab")),
        ([datetime.time(10, 30)], Kind.CATEGORY, ("10:30:00",)),
        ([UUID(int=1)], Kind.CATEGORY, (str(UUID(int=1)),)),
        ([2**70, 2**70 + 1], Kind.NUMBER, (2**70, 2**70 + 1)),
        ([datetime.datetime(2020, 1, 2)], Kind.DATE, (datetime.date(2020, 1, 2),)),
        (
            ["2020-01-02T03:04", "2020-01-02"],
            Kind.DATE,
            (datetime.date(2020, 1, 2), datetime.datetime(2020, 1, 2, 3, 4)),
        ),
    ],
)
def test_values_of_engines_become_plain_ones(raw, kind, values):
    domain = make_coder("x", raw).domain
    assert domain.kind is kind and domain.values == values
    assert [type(v) for v in domain.values] == [type(v) for v in values]


ODD = {
    "int8 indices": pa.DictionaryArray.from_arrays(
        pa.array([*range(127), None, 0], pa.int8()), [f"v{i}" for i in range(127)]
    ),
    "a null in the dictionary": pa.DictionaryArray.from_arrays(
        pa.array([0, 1, None, 2]), pa.array(["a", None, "b"])
    ),
    "a value twice": pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["a", "b", "a"])),
    "nanoseconds": pa.array([10**18 + 1, 10**18 + 2, None], pa.timestamp("ns")),
    "nanoseconds in a dictionary": pa.array(
        [10**18 + 1, 5], pa.timestamp("ns")
    ).dictionary_encode(),
    "nothing but null": pa.nulls(3),
    "nothing": pa.array([], pa.string()),
    "large strings": pa.array(["a", None, "a"], pa.large_string()),
    "views of strings": pa.array(["a", None, "a"], pa.string_view()),
}


@pytest.mark.parametrize("name", list(ODD))
def test_dictionaries_are_made_proper(name):
    column = pa.chunked_array([ODD[name], ODD[name]])
    raw, places = dictionary(column)
    assert len(set(raw)) == len(raw) and None not in raw
    back = [[*raw, None][place] for place in places]
    want = ODD[name]
    if pa.types.is_dictionary(want.type):
        want = want.cast(want.type.value_type)
    if str(want.type).startswith("timestamp"):
        want = want.cast(pa.timestamp("us"), safe=False)
    assert back == [*want.to_pylist(), *want.to_pylist()]
    assert isinstance(encoded(column), pa.DictionaryArray)


def test_dates_outside_of_pythons_calendar_are_refused():
    with pytest.raises(SourceError, match="year 1"):
        dictionary(pa.chunked_array([pa.array([10**7], pa.date32())]))
