"""Shaped columns, against shaping each value in a loop; the same release as from a shaped file."""

import datetime
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.data.shape import Shape, shape_of
from gyges.errors import GygesError, SchemaError
from tests.cli.commands import gyges

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
NUMBERS = st.one_of(st.integers(-200, 200), st.decimals(-200, 200, places=2).map(float))
ENDS = st.one_of(st.none(), st.integers(-150, 150))


def shaped_slowly(value, bottom, top, step):
    """Rounded to the nearest multiple, half up; then not below bottom and not above top."""
    number = Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
    if step is not None:
        below = math.floor(number / step) * step
        number = below if number - below < below + step - number else below + step
    number = number if bottom is None else max(number, Fraction(bottom))
    return number if top is None else min(number, Fraction(top))


@given(NUMBERS, ENDS, ENDS, st.one_of(st.none(), st.sampled_from([1, 5, 10, 0.5, 0.1])))
def test_numbers_are_rounded_and_cut_off(value, bottom, top, step):
    if (bottom is not None and top is not None and bottom >= top) or (bottom, top, step) == (
        None,
        None,
        None,
    ):
        return
    shape = shape_of({"bottom": bottom, "top": top, "round": step}, "x")
    exact = None if step is None else Fraction(str(step))
    assert Fraction(str(shape.of(value))) == shaped_slowly(value, bottom, top, exact)


@given(st.dates())
def test_dates_become_their_period(day):
    shown = {one: Shape(period=one).of(day) for one in ("year", "quarter", "month", "week")}
    assert shown["year"] == day.year
    assert shown["month"] == day.isoformat()[:7]
    quarter = int(str(shown["quarter"])[-1])
    assert (quarter - 1) * 3 < day.month <= quarter * 3
    thursday = day + datetime.timedelta(days=3 - day.weekday()) if day.year < 9999 else day
    if thursday.year < 9999:
        assert str(shown["week"]).startswith(f"{thursday.year:04}-W")


ROWS = {
    "income": ["10.250,00", "99.000,00", "10.749,99", None, "31.000,00", "-5,00"] * 5,
    "admitted": ["03.01.2024", "31.03.2024", "01.04.2024", None, "15.02.2024", "30.06.2024"] * 5,
    "rent": ["401", "449", "455", "999", "450", "404"] * 5,
    "disease": ["flu", "gout", "hiv"] * 10,
}
SHAPES = {
    "income": {"bottom": 0, "top": 50000, "round": 1000},
    "admitted": {"period": "quarter"},
    "rent": {"round": 100},
}
# The same rows, shaped by hand.
BY_HAND = {
    "income": ["10000", "50000", "11000", None, "31000", "0"] * 5,
    "admitted": ["2024-Q1", "2024-Q1", "2024-Q2", None, "2024-Q1", "2024-Q2"] * 5,
    "rent": ["400", "400", "500", "1000", "500", "400"] * 5,
    "disease": ["flu", "gout", "hiv"] * 10,
}
ROLES = {
    "quasi_identifiers": ["income", "admitted"],
    "sensitive": "disease",
    "published": ["rent"],
    "formats": {"income": "1.234,5", "admitted": "dd.mm.yyyy"},
}


@pytest.mark.parametrize("missing", ["value", "drop"])
def test_a_release_is_that_of_the_file_shaped_by_hand(missing):
    table = gy.read(ROWS, gy.Schema(**ROLES, shapes=SHAPES), missing=missing)
    plain = {**ROLES, "formats": {}}
    twin = gy.read(BY_HAND, gy.Schema(**plain), missing=missing)
    made = [
        gy.publish(one, gy.KAnonymity(2), seed=1, allow_singling_out=True) for one in (table, twin)
    ]
    assert made[0].frame().to_pylist() == made[1].frame().to_pylist()
    assert made[0].claims == made[1].claims


def test_an_original_is_shaped_as_the_certificate_says(tmp_path):
    """Without a project: 10.749,99 is looked up as 11000."""
    table = gy.read(ROWS, gy.Schema(**ROLES, shapes=SHAPES), missing="drop")
    release = gy.publish(table, gy.KAnonymity(2), allow_singling_out=True)
    release.save(tmp_path / "out")
    again = gy.load(tmp_path / "out")
    assert again.roles.shapes["income"] == Shape(bottom=0, top=50000, round=1000)
    filled = {name: [v for i, v in enumerate(held) if i % 6 != 3] for name, held in ROWS.items()}
    found = gy.verify(tmp_path / "out", original=table)
    assert not found.refuted
    shapes = {name: again.roles.shapes[name] for name in ("income", "admitted")}
    roles = {name: ROLES[name] for name in ("quasi_identifiers", "sensitive", "formats")}
    people = gy.read(filled, gy.Schema(**roles, shapes=shapes))
    assert (again.locate(people) >= 0).all()


def test_a_project_shapes_columns(tmp_path):
    lines = [
        ";".join(ROWS),
        *(";".join(cell or "" for cell in row) for row in zip(*ROWS.values(), strict=True)),
    ]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "gyges.toml").write_text(
        '[data]\nsource = "people.csv"\nmissing = "drop"\n[columns]\n'
        'quasi_identifiers = ["income", "admitted"]\nsensitive = "disease"\n'
        'do_not_identify = ["income", "admitted", "rent"]\n[columns.formats]\n'
        'income = "1.234,5"\nadmitted = "dd.mm.yyyy"\n'
        "[columns.shapes]\nincome = { bottom = 0, top = 50000, round = 1000 }\n"
        'admitted = { period = "quarter" }\n[[require]]\nrule = "k-anonymity"\nk = 3\n'
        "[publish]\n"
    )
    code, said, notes = gyges("publish", "gyges.toml", folder=tmp_path)
    assert code == 0, said + notes
    code, said, _ = gyges(
        "verify", "release", "--original", "people.csv", "--project", "gyges.toml", folder=tmp_path
    )
    assert code == 0, said


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ({}, "needs bottom, top or round"),
        ({"round": 0}, "give a positive step"),
        ({"round": 5, "period": "year"}, "needs bottom, top or round for numbers, or a period"),
        ({"period": "decade"}, "period is 'decade': choose year, quarter, month, week"),
        ({"top": "90"}, "top is '90': give a number"),
        ({"bottom": 9, "top": 3}, "bottom is not below top"),
        ({"steps": 9}, "give bottom, top, round or period"),
    ],
)
def test_a_shape_that_makes_no_sense_is_refused(shape, said):
    with pytest.raises(SchemaError, match=said):
        gy.Schema(**ROLES, shapes={"income": shape})


def test_columns_that_cannot_be_shaped_are_refused_without_their_values():
    with pytest.raises(SchemaError, match="'zip' has a shape, and is not published"):
        gy.Schema(**ROLES, shapes={"zip": {"round": 5}})
    with pytest.raises(GygesError, match="'disease' is declared a number") as problem:
        gy.read(ROWS, gy.Schema(**ROLES, shapes={"disease": {"round": 5}}), missing="drop")
    assert "flu" not in str(problem.value)
    roles = {**ROLES, "published": []}
    shapes = {"income": SHAPES["income"]}
    with pytest.raises(GygesError, match="omit the shapes"):
        gy.read(ROWS, gy.Schema(**roles, shapes=shapes), missing="drop", memory_limit="64GB")
