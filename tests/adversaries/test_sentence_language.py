"""Counts, shared values and ranges of numbers, against the enumeration of all worlds."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries.drawing_order import drawing_order
from gyges.adversaries.sentences_parser import parse
from gyges.adversaries.sentences_sampling import estimate_probability
from gyges.adversaries.sentences_syntax import And, AtLeast, Atom, Exactly, InRange, Not, Or, Share
from gyges.errors import ImpossibleKnowledgeError, SentenceError
from tests import strategies
from tests.oracles import sentences as oracle
from tests.oracles import worlds

INCOMES = {"a": 10, "b": 20, "c": 35}  # in place of the letters of other tests


def parts(people):
    """Sentences with each of the additions, as the oracle reads them."""
    person = st.sampled_from(people)
    number = st.sampled_from([5, 10, 15, 20, 35, 40])
    simple = st.one_of(
        st.tuples(st.just("has"), person, st.sampled_from(sorted(INCOMES.values()))),
        st.tuples(st.just(">"), person, number),
        st.tuples(person, number, number).map(lambda one: ("between", one[0], *sorted(one[1:]))),
        st.tuples(st.just("share"), st.lists(person, min_size=1, max_size=3, unique=True)),
    )

    def compound(part):
        listed = st.lists(part, min_size=2, max_size=4)
        amount = st.sampled_from(["at least", "at most", "exactly"])
        counted = st.tuples(amount, st.integers(0, 2), listed)
        joined = st.tuples(st.sampled_from(["and", "or", "->"]), listed)
        return st.one_of(st.tuples(st.just("not"), part), counted, counted, joined)

    return st.recursive(simple, compound, max_leaves=6)


@st.composite
def questions(draw):
    """(groups, all worlds by person, statement, knowledge); values are numbers that all occur."""
    kind = draw(st.sampled_from(["one", "set", "multiset"]))
    made = strategies.people_and_values(kind, max_groups=2, max_people=3, max_values=3)
    letters, people, _ = draw(made.filter(lambda made: made[0][0]))
    values = [[INCOMES[letter] for letter in group] for group in letters]
    groups = gy.Groups.from_lists(values, people=people, values_per_person=kind)
    listed = [
        {f"{group + 1}.{person + 1}": held for (group, person), held in world.items()}
        for world in worlds.worlds(values, people, kind)
    ]
    asked = parts(sorted(listed[0])).filter(lambda sentence: named(sentence) <= set(groups.values))
    return groups, listed, draw(asked), draw(asked)


def named(sentence):
    """The values that atoms of a sentence name."""
    if sentence[0] == "has":
        return {sentence[2]}
    if sentence[0] in (">", "between", "share"):
        return set()
    inner = [sentence[1]] if sentence[0] == "not" else sentence[-1]
    return set().union(*map(named, inner))


@given(questions())
@settings(max_examples=300)
def test_the_probability_is_the_share_of_worlds(question):
    groups, listed, statement, known = question
    answer = worlds.probability(
        listed,
        lambda world: oracle.is_true(statement, world),
        lambda world: oracle.is_true(known, world),
    )
    texts = oracle.text(statement), oracle.text(known)
    assert parse(str(parse(texts[0]))) == parse(texts[0])
    if answer is None:
        with pytest.raises(ImpossibleKnowledgeError):
            gy.probability(groups, texts[0], given=texts[1])
    else:
        assert gy.probability(groups, texts[0], given=texts[1]) == answer


@given(questions())
@settings(max_examples=10)
def test_sampled_worlds_agree(question):
    """Intervals of 99.9999 %: one that misses is a mistake."""
    groups, listed, statement, _ = question
    answer = worlds.probability(listed, lambda world: oracle.is_true(statement, world))
    rng = np.random.default_rng(3)
    found = estimate_probability(
        groups, oracle.text(statement), rng=rng, samples=3000, confidence="0.999999"
    )
    assert found.low <= answer <= found.high


ANN, BOB = Atom("Ann", "Flu"), Atom("Bob", "Flu")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("at least 1 of (Ann, Bob) have Flu", AtLeast(1, (ANN, BOB))),
        ("at least two of (Ann = Flu, Bob = Flu)", AtLeast(2, (ANN, BOB))),
        ("at most one of ('Ann', Bob) have Flu", Not(AtLeast(2, (ANN, BOB)))),
        (
            "exactly one of (Ann, Bob) has Flu",
            Exactly(1, (ANN, BOB)),
        ),
        ("all of (Ann, Bob) have Flu", And((ANN, BOB))),
        ("none of (Ann, Bob) have Flu", Not(Or((ANN, BOB)))),
        ("any of (Ann = Flu, not (Bob = Flu))", Or((ANN, Not(BOB)))),
        ("all of (Ann, Bob) share a value", Share(("Ann", "Bob"))),
        ("all of (Ann) have 'a, b'", Atom("Ann", "a, b")),
        ("any of (Ann = <30, Bob = x)", Or((Atom("Ann", "<30"), Atom("Bob", "x")))),
        ("1.2 < 50000", InRange("1.2", None, Fraction(50000), is_open=True)),
        ("1.2>=-5", InRange("1.2", Fraction(-5), None)),
        ("1.2 within 5 % of 200", InRange("1.2", Fraction(190), Fraction(210))),
        ("1.2 within 5% of -200", InRange("1.2", Fraction(-210), Fraction(-190))),
        ("'Ann B' within 0.5 of 2", InRange("Ann B", Fraction(3, 2), Fraction(5, 2))),
        ("Ann from 1 to 2.5 -> Ann = x", None),
        ("Smith, John = Flu", Atom("Smith, John", "Flu")),
        ("from = to", Atom("from", "to")),
        ("within reach = Flu", Atom("within reach", "Flu")),
        ("at least 2 of = Flu", Atom("at least 2 of", "Flu")),
    ],
)
def test_sentences_are_read_as_written(text, tree):
    assert tree is None or parse(text) == tree
    assert parse(str(parse(text))) == parse(text)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("at least 3 of (Ann, Bob) have Flu", "impossible"),
        ("at least 1 of (Ann, Ann) have Flu", "listed twice"),
        ("at least 1 of (Ann, Bob = Flu)", "people or sentences"),
        ("at least 1 of (Ann, Bob)", "expected 'have'"),
        ("exactly 1 of (Ann, Bob) share a value", "expected 'have'"),
        ("some of (Ann, Bob) have Flu", "an amount"),
        ("at least 1 of (Ann, Bob have Flu", r"expected"),
        ("Ann < much", "'much' is not a number"),
        ("Ann from 1 to x", "'x' is not a number"),
        ("Ann < 1e999999999", "is not a number"),
        ("Ann < 1", "not numbers"),
        ("Ann within 5 % of 3 = Flu", "expected"),
    ],
)
def test_a_broken_sentence_says_where(text, hint):
    groups = gy.Groups.from_lists([["Flu", "Gout"]], members=[["Ann", "Bob"]])
    with pytest.raises(SentenceError, match=hint):
        gy.probability(groups, text)


def test_values_that_nothing_tells_apart_cost_nothing():
    """A thousand incomes in a range are one outcome, also where many people are named."""
    groups = gy.Groups.from_lists([list(range(1000))])
    poor = ", ".join(f"1.{i} < 300" for i in range(1, 41))
    found = gy.probability(groups, f"at least 20 of ({poor})")
    assert 0 < found < Fraction(1, 100)
    assert gy.probability(groups, "1.1 < 300", given="1.2 >= 300") == Fraction(300, 999)


def test_values_that_are_no_numbers_are_in_no_range():
    groups = gy.Groups.from_lists([["10", "20", "none", 30]])
    assert gy.probability(groups, "1.1 < 25") == Fraction(1, 2)
    assert gy.probability(groups, "not 1.1 < 25") == Fraction(1, 2)


# The order of drawing


def implied(pairs):
    return " and ".join(f"(1.{a} = a -> 1.{b} = a)" for a, b in pairs)


def count_by_tree(n, children):
    """How many sets of people can have `a`, by size, if it passes on to all children."""

    def ways(person):
        """[ways with s people having `a` in the subtree], without and with `person` having it."""
        without, with_it = [1], [0, 1]
        for child in children(person):
            lacks, has = ways(child)
            without = product(without, [x + y for x, y in padded(lacks, has)])
            with_it = product(with_it, has)
        return without, with_it

    def product(one, other):
        found = [0] * (len(one) + len(other) - 1)
        for i, x in enumerate(one):
            for j, y in enumerate(other):
                found[i + j] += x * y
        return found

    def padded(one, other):
        length = max(len(one), len(other))
        return zip(
            one + [0] * (length - len(one)), other + [0] * (length - len(other)), strict=True
        )

    lacks, has = ways(1)
    return [x + y for x, y in padded(lacks, has)]


@pytest.mark.parametrize("shape", ["chain", "tree", "star"])
def test_long_chains_and_trees_are_counted_exactly(shape):
    """200 implications in a row, trees and stars, against a count along the tree."""
    n = 60 if shape == "tree" else 200
    children = {
        "chain": lambda i: [i + 1] if i < n else [],
        "tree": lambda i: [c for c in (2 * i, 2 * i + 1) if c <= n],
        "star": lambda i: list(range(2, n + 1)) if i == 1 else [],
    }[shape]
    groups = gy.Groups.from_lists([["a"] * 100 + ["b"] * 150])
    pairs = [(i, c) for i in range(1, n + 1) for c in children(i)]
    shuffled = [pairs[i] for i in np.random.default_rng(5).permutation(len(pairs))]
    total = Fraction(0)
    for size, ways in enumerate(count_by_tree(n, children)):
        if size <= 100 and n - size <= 150:
            total += Fraction(ways * math.comb(250 - n, 100 - size), math.comb(250, 100))
    assert gy.probability(groups, implied(shuffled)) == total


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), min_size=1, max_size=9))
def test_an_order_names_every_variable_once(pairs):
    pool_of = {variable: variable % 3 for variable in range(8)}
    named = {variable for pair in pairs for variable in pair}
    assert sorted(drawing_order([set(pair) for pair in pairs], pool_of)) == sorted(named)


def nested(kind, depth):
    """`kind` of a sentence and another one, of which the first is again so."""
    text = "1.1 = Flu"
    for _ in range(depth):
        text = f"{kind} ({text}, 1.2 = Gout)"
    return text


@pytest.mark.parametrize("kind", ["exactly one of", "at most one of", "at least 1 of"])
def test_counts_inside_one_another_do_not_double_the_work(kind):
    """Of "exactly" every part was looked at twice, and so 2^99 times."""
    groups = gy.Groups.from_lists([["Flu", "Gout", "Gout", "Mumps"]])
    assert 0 <= gy.probability(groups, nested(kind, 90)) <= 1
    some = gy.estimate_probability(
        groups, nested(kind, 90), rng=np.random.default_rng(1), samples=500
    )
    assert some.low <= gy.probability(groups, nested(kind, 90)) <= some.high


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1.1 from 5 to 4", "exchange"),
        ("1.1 within -1 of 4", "margin"),
        ("{a" + " " * 50_000 + "b} = Flu", "no"),
        ("{a=1," + " " * 50_000 + "b} = Flu", "no"),
    ],
    ids=["exchanged", "margin", "blanks", "blanks after a pair"],
)
def test_what_means_nothing_is_refused_at_once(text, said):
    table = gy.read(
        {"age": [1, 1], "ill": ["Flu", "Gout"]},
        gy.Schema(quasi_identifiers=["age"], sensitive="ill"),
    )
    release = gy.publish(table, [gy.KAnonymity(2)])
    with pytest.raises(SentenceError, match=said):
        gy.probability(release, text)


def test_values_are_written_so_that_they_are_read_again():
    for value in ("{a, b}", "a, b", "not", 'say "x"', "-5"):
        sentence = AtLeast(1, (Atom("1.1", value), Not(Atom("1.2", value))))
        assert parse(str(sentence)) == sentence
