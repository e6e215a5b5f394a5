"""Cards and the project file: what a card shows is what is stated, and it changes nothing else."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyges.criteria.rules import RULES
from gyges.errors import GygesError
from gyges.studio.cards import CARDS
from gyges.studio.rule_cards import card_of, edited, misfit, only_point, shown_cards
from gyges.workflow.project_rules import make_rule

TABLE = {
    "sensitive": "disease",
    "values": ["Flu", "Gout", "AIDS"],
    "quasi": ["age", "zip"],
    "values_per_person": "one",
    "household": "home",
    "is_exact": False,
}
thresholds = st.sampled_from(["1/2", "0.80", "2/3", 0.5, 1, "1e-1"])
limits = st.tuples(st.integers(0, 3), st.integers(0, 90), st.integers(0, 3), thresholds).map(list)
sections = st.one_of(
    st.builds(lambda k: {"rule": "k-anonymity", "k": k}, st.integers(1, 500)),
    st.builds(
        lambda c, k: {"rule": "safety", "confidence": c, "k": k}, thresholds, st.integers(0, 9)
    ),
    st.builds(
        lambda c: {"rule": "safety", "confidence": c, "k": 1, "language": "negations"}, thresholds
    ),
    st.builds(lambda t: {"rule": "t-closeness", "t": t, "ground": "ordered"}, thresholds),
    st.builds(
        lambda t: {"rule": "beliefs", "bandwidth": {"age": 0.3, "zip": "1/5"}, "t": t}, thresholds
    ),
    st.builds(lambda: {"rule": "Entropy_Diversity", "l": "3/2"}),
    st.builds(lambda: {"rule": "beta-likeness", "beta": 2, "enhanced": True}),
    st.builds(
        lambda points: {"rule": "skyline", "points": points},
        st.dictionaries(
            st.sampled_from(["*", "Flu", "AIDS", "not there"]),
            st.lists(limits, min_size=1, max_size=3),
            min_size=1,
        ),
    ),
)
projects = st.lists(sections, max_size=4).map(lambda require: {"columns": {}, "require": require})


def asked(card, **changes):
    numbers = {one["key"]: one["text"] for one in card["sliders"]}
    kept = {key: card[key] for key in ("rule", "number", "point", "value")}
    return {**kept, "numbers": {**numbers, **changes}}


def in_project(stated):
    return [one for one in shown_cards(stated, TABLE) if one["number"] is not None]


@given(projects)
def test_every_rule_has_a_card_and_touching_a_card_without_moving_it_changes_nothing(stated):
    """ "1/2" was shown as 0.8; a skyline lost all limits but one; a second rule had no card."""
    before = copy.deepcopy(stated)
    cards = in_project(stated)
    assert {one["number"] for one in cards} == set(range(len(stated["require"])))
    for card in cards:
        made, place = edited(stated, asked(card))
        assert made["require"] == before["require"] and place == card["number"]
    for card in (one for one in cards if one["rule"] == "skyline"):
        value, place = card["point"]
        limit = stated["require"][card["number"]]["points"][value][place]
        assert [one["text"] for one in card["sliders"]] == [
            text if isinstance(text, str) else str(text) for text in limit
        ]


@given(projects, st.data())
def test_a_moved_slider_changes_one_number_of_one_rule(stated, data):
    moving = [one for one in in_project(stated) if one["sliders"]]
    if not moving:
        return
    card = data.draw(st.sampled_from(moving))
    key = data.draw(st.sampled_from([one["key"] for one in card["sliders"]]))
    is_whole = key in ("k", "m") or (key == "l" and card["rule"] == "skyline")
    text = "4" if is_whole else "3/7"
    expected = copy.deepcopy(stated)
    section = expected["require"][card["number"]]
    number = int(text) if is_whole else text
    if card["point"]:
        value, place = card["point"]
        section["points"][value][place]["lkmc".index(key)] = number
    else:
        section[key] = number
    assert edited(stated, asked(card, **{key: text}))[0]["require"] == expected["require"]


@given(projects, st.data())
def test_removing_a_card_removes_one_rule_or_one_limit(stated, data):
    cards = in_project(stated)
    if not cards:
        return
    card = data.draw(st.sampled_from(cards))
    made = edited(stated, {**asked(card), "remove": True})[0]

    def everything(project):
        return [
            (one["rule"], one["value"], [s["text"] for s in one["sliders"]])
            for one in in_project(project)
        ]

    left = everything(stated)
    left.pop(cards.index(card))
    assert everything(made) == left


def test_a_card_whose_words_would_not_be_true_shows_the_rule_itself():
    stated = {"require": [{"rule": "safety", "confidence": "1/2", "k": 1, "language": "negations"}]}
    [card] = in_project(stated)
    assert card["example"] is None and card["says"] == str(make_rule(stated["require"][0]))
    assert [one["text"] for one in card["sliders"]] == ["1/2", "1"]
    [usual] = in_project({"require": [{"rule": "safety", "confidence": "1/2", "k": 1}]})
    assert "less than 1/2 certain" in usual["example"]


def test_a_rule_that_no_longer_fits_is_still_shown():
    """Its column was made a quasi-identifier: the rule was in the file and on no card."""
    bare = {**TABLE, "sensitive": None, "values": []}
    shown = shown_cards({"require": [{"rule": "distinct diversity", "l": 3}]}, bare)
    [card] = [one for one in shown if one["number"] == 0]
    assert card["rule"] == "distinct diversity" and "no column is sensitive" in card["misfit"]
    assert not any(one["misfit"] for one in shown if one["number"] is None)


def test_a_limit_for_another_value_is_added_beside_the_first():
    stated = {
        "columns": {},
        "require": [{"rule": "skyline", "points": {"Flu": [[1, 0, 0, "0.9"]]}}],
    }
    [new] = [
        one for one in shown_cards(stated, TABLE) if one["number"] is None and one["takes_value"]
    ]
    made, place = edited(stated, {**asked(new, c="2/3"), "value": "AIDS"})
    assert made["require"][0] == stated["require"][0] and place == 1
    assert made["require"][1]["points"] == {"AIDS": [[1, 2, 1, "2/3"]]}
    moved, _ = edited(stated, {**asked(in_project(stated)[0]), "value": "AIDS"})
    assert moved["require"] == [{"rule": "skyline", "points": {"AIDS": [[1, 0, 0, "0.9"]]}}]
    section = {"rule": "skyline", "points": {"*": [[0, 1, 0, "1"]], "Flu": [[1, 0, 0, "0.9"]]}}
    assert only_point(section, ["*", 0])["points"] == {"*": [[0, 1, 0, "1"]], "Flu": []}


@pytest.mark.parametrize("text", ["", "1/", "x", "nan", "1/0", "2.5"])
def test_a_text_that_is_no_number_is_refused(text):
    with pytest.raises(GygesError, match="k is"):
        edited({}, {"rule": "k-anonymity", "number": None, "numbers": {"k": text}})


def test_every_rule_has_a_card_that_the_project_file_knows():
    without = {rule.plain_name for rule in RULES} - {card.rule for card in CARDS}
    # Shown by their own sentences if a project has them.
    assert without == {"about", "value safety", "interval safety"}
    for card in CARDS:
        made, place = edited({}, {"rule": card.rule, "number": None, "numbers": {}})
        make_rule(made["require"][place])
        [shown] = in_project(made)
        assert shown["example"] and "{" not in shown["example"] + shown["title"] + shown["says"]
        for one in card.parameters:
            least = {one.key: str(one.least)}
            make_rule(edited(made, asked(shown, **least))[0]["require"][0])
        assert not misfit(card, TABLE)
    assert "several" in misfit(card_of("t-closeness"), {**TABLE, "values_per_person": "set"})
    assert not misfit(card_of("safety"), {**TABLE, "values_per_person": "set"})
    assert "no column" in misfit(card_of("safety"), {**TABLE, "sensitive": None})
    assert "households" in misfit(card_of("household anonymity"), {**TABLE, "household": None})


def test_the_first_card_does_not_hide_people_whose_quasi_identifiers_are_unchanged():
    require = [{"rule": "k-anonymity", "k": 7}]
    [card] = in_project({"columns": {}, "require": require})
    assert "look like at least" in card["says"]
    [card] = [
        one
        for one in shown_cards({"require": require}, {**TABLE, "is_exact": True})
        if one["number"] is not None
    ]
    assert "find the row" in card["says"] and "look like" not in card["says"]
    assert "values of at least 7 people" in card["example"]
