from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries import sentences_worlds
from gyges.adversaries.sentences_parser import parse
from gyges.adversaries.sentences_sampling import estimate_probability
from gyges.adversaries.sentences_syntax import And, Atom, Iff, Implies, Not, Or
from gyges.errors import ImpossibleKnowledgeError, SentenceError
from tests import strategies
from tests.oracles import sentences as oracle
from tests.oracles import worlds

MEN = ["Flu", "Flu", "Lung Cancer", "Lung Cancer", "Mumps"]
WOMEN = ["Flu", "Flu", "Breast Cancer", "Ovarian Cancer", "Heart Disease"]
NAMES = [
    ["Bob", "Charlie", "Dave", "Ed", "Frank"],
    ["Gloria", "Hannah", "Irma", "Jessica", "Karen"],
]


def hospital():
    return gy.Groups.from_lists([MEN, WOMEN], members=NAMES)


def many(n_groups=300, n_people=1000, n_values=20):
    return gy.Groups.from_lists(
        [[f"v{i % n_values}" for i in range(n_people)] for _ in range(n_groups)]
    )


# The paper's examples


@pytest.mark.parametrize(
    ("statement", "known", "answer"),
    [
        ('Ed = "Lung Cancer"', None, Fraction(2, 5)),
        ('Ed = "Lung Cancer"', "Ed != Mumps", Fraction(1, 2)),
        ('Ed = "Lung Cancer"', "not Ed = Mumps and Ed != Flu", 1),
        ("Charlie = Flu", None, Fraction(2, 5)),
        ("Charlie = Flu", "Hannah = Flu -> Charlie = Flu", Fraction(10, 19)),
        ("Charlie = Flu", "Ed = Flu -> Charlie = Flu", Fraction(4, 7)),
        ("Bob = Flu or Bob = Mumps", None, Fraction(3, 5)),
        ("Bob = Flu <-> not Bob != Flu", None, 1),
        ("Bob = Flu and Ed = Flu -> Bob = Mumps or Ed = Mumps", None, Fraction(9, 10)),
        ('Bob = "Heart Disease"', None, 0),  # a value of the release, not of his group
    ],
)
def test_the_sentences_of_the_introduction(statement, known, answer):
    assert gy.probability(hospital(), statement, given=known) == answer


# Enumeration

KINDS = ["one", "set", "multiset"]


def sentences(people, values):
    """Random sentences as the oracle reads them."""
    atom = st.tuples(st.just("has"), st.sampled_from(people), st.sampled_from(values))
    return st.recursive(
        atom,
        lambda part: st.one_of(
            st.tuples(st.just("not"), part),
            st.tuples(
                st.sampled_from(["and", "or", "->", "<->"]), st.lists(part, min_size=2, max_size=3)
            ),
        ),
        max_leaves=6,
    )


@st.composite
def questions(draw):
    """(groups, all worlds by person, statement, knowledge)."""
    kind = draw(st.sampled_from(KINDS))
    values, people, _ = draw(
        strategies.people_and_values(kind, max_groups=2, max_people=3).filter(
            lambda made: made[0][0]
        )
    )
    groups = gy.Groups.from_lists(values, people=people, values_per_person=kind)
    listed = [
        {f"{group + 1}.{person + 1}": held for (group, person), held in world.items()}
        for world in worlds.worlds(values, people, kind)
    ]
    named = sorted(listed[0])
    asked = sentences(named, groups.values)
    return groups, listed, draw(asked), draw(asked)


@given(questions())
def test_the_probability_is_the_share_of_worlds(question):
    groups, listed, statement, _ = question
    answer = worlds.probability(listed, lambda world: oracle.is_true(statement, world))
    assert gy.probability(groups, oracle.text(statement)) == answer


@given(questions())
def test_knowledge_rules_out_worlds(question):
    groups, listed, statement, known = question
    answer = worlds.probability(
        listed,
        lambda world: oracle.is_true(statement, world),
        lambda world: oracle.is_true(known, world),
    )
    if answer is None:
        with pytest.raises(ImpossibleKnowledgeError):
            gy.probability(groups, oracle.text(statement), given=oracle.text(known))
    else:
        found = gy.probability(groups, oracle.text(statement), given=oracle.text(known))
        assert found == answer and isinstance(found, Fraction)


def test_occurrences_are_told_apart_in_multisets():
    """Two people, values s and s: 3/4, where unlabelled multisets would give 2/3."""
    groups = gy.Groups.from_lists([["s", "s"]], people=[2], values_per_person="multiset")
    assert gy.probability(groups, "1.1 = s") == Fraction(3, 4)
    assert gy.probability(groups, "1.1 = s and 1.2 = s") == Fraction(1, 2)


# The language


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a = x", Atom("a", "x")),
        ("a != x", Not(Atom("a", "x"))),
        ("not not a = x", Atom("a", "x")),
        (
            "not a = x and b = y or c = z",
            Or((And((Not(Atom("a", "x")), Atom("b", "y"))), Atom("c", "z"))),
        ),
        (
            "a = x -> b = y -> c = z",
            Implies((Atom("a", "x"), Atom("b", "y"), Atom("c", "z"))),
        ),
        (
            "a = x <-> b = y -> c = z",
            Iff((Atom("a", "x"), Implies((Atom("b", "y"), Atom("c", "z"))))),
        ),
        ("a=x->b=y", Implies((Atom("a", "x"), Atom("b", "y")))),
        ("Al B = Lung  Cancer", Atom("Al B", "Lung Cancer")),
        ('\'Al = B\' = "a \\" b \\\\"', Atom("Al = B", 'a " b \\')),
        ("O'Neil = <40", Atom("O'Neil", "<40")),
        ("x-1 = -5", Atom("x-1", "-5")),
        ("(((a = 'and')))", Atom("a", "and")),
        ("notary = orange", Atom("notary", "orange")),
    ],
)
def test_sentences_are_read_as_written(text, tree):
    assert parse(text) == tree
    assert parse(str(tree)) == tree


@given(st.text(max_size=6), st.text(max_size=6))
@settings(max_examples=50)
def test_any_name_can_be_written(person, value):
    assert parse(str(Atom(person, value))) == Atom(person, value)
    assert parse(str(Not(Atom(person, value)))) == Not(Atom(person, value))


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "expected a person"),
        ("Ed", "expected '=' or '!='"),
        ("Ed =", "expected a value"),
        ("Ed == Flu", "expected a value"),
        ("Ed = Flu and", "expected a person"),
        ("(Ed = Flu", "expected '\\)'"),
        ("Ed = Flu)", "expected 'and'"),
        ("'Ed = Flu", "quote is not closed"),
        ("Ed = Flu AND Bob = Flu", "'and' in lower case"),
        ("Ed = Flu 'x'", "expected 'and'"),
        ("(" * 101 + "Ed = Flu" + ")" * 101, "more than 100 parentheses"),
        (7, "a sentence is a text"),
    ],
)
def test_a_broken_sentence_says_where(text, hint):
    with pytest.raises(SentenceError, match=hint):
        gy.probability(hospital(), text)


def test_unknown_people_and_values_are_errors_with_a_suggestion():
    with pytest.raises(SentenceError, match=r"'Charly'.*did you mean 'Charlie'"):
        gy.probability(hospital(), "Charly = Flu")
    with pytest.raises(SentenceError, match=r"'flu'.*did you mean 'Flu'"):
        gy.probability(hospital(), "Charlie = flu")
    nameless = gy.Groups.from_lists([MEN, WOMEN])
    for person in ("Bob", "0.1", "1.0", "3.1", "1.01", "1"):
        with pytest.raises(SentenceError, match="has no names"):
            gy.probability(nameless, f"{person} = Flu")
    with pytest.raises(SentenceError, match=r"'1.6' is unknown: group 1 has 5 people"):
        gy.probability(nameless, "1.6 = Flu")
    assert gy.probability(nameless, "2.5 = Flu") == Fraction(2, 5)


def test_impossible_knowledge_is_an_error_and_not_zero():
    for known in (
        "Ed = Flu and Ed = Mumps",
        "Bob = Flu and Bob != Flu",
        'Bob = "Breast Cancer"',
        "Bob = Flu and Ed = Flu and Dave = Flu",
    ):
        with pytest.raises(ImpossibleKnowledgeError, match="no world"):
            gy.probability(hospital(), "Bob = Flu", given=known)
    circle = gy.Groups.from_lists([["a", "b"]])
    with pytest.raises(ImpossibleKnowledgeError):
        gy.probability(circle, "1.1 = a", given="(1.1 = a -> 1.1 = b) and (1.1 = b -> 1.1 = a)")


def test_values_are_written_as_their_text():
    groups = gy.Groups.from_lists([[45, 45.0, 4.5, True]])
    assert gy.probability(groups, "1.1 = 45") == Fraction(1, 2)
    assert gy.probability(groups, "1.1 = 4.5 or 1.1 = True") == Fraction(1, 2)
    with pytest.raises(SentenceError, match="two values of the release are '1'"):
        gy.probability(gy.Groups.from_lists([[1, "1"]]), "1.1 = 1")


# Cost


def test_the_cost_grows_with_the_people_named_and_not_with_the_table():
    """A group of ten million people, and questions that tie hundreds together."""
    huge = gy.Groups.from_entries(
        sizes=np.array([10**7]),
        group_of_entry=np.zeros(2, dtype=np.int64),
        value_codes=np.arange(2, dtype=np.int32),
        value_counts=np.array([10**6, 9 * 10**6]),
        values=["a", "b"],
    )
    chain = " and ".join(f"(1.{i} = a -> 1.{i + 1} = a)" for i in range(1, 100))
    first = gy.probability(huge, "1.1 = a", given=chain)
    assert 0 < first < Fraction(1, 10**90)
    everybody = " and ".join(f"1.{i} = b" for i in range(1, 200))
    expected = Fraction(1)
    for i in range(199):
        expected *= Fraction(9 * 10**6 - i, 10**7 - i)
    assert gy.probability(huge, everybody) == expected


def test_conjunctions_over_many_groups_stay_cheap():
    groups = many()
    ties = " and ".join(f"({i}.1 = v1 -> {i + 150}.1 = v2)" for i in range(1, 151))
    assert gy.probability(groups, ties) == (1 - Fraction(1, 20) * Fraction(19, 20)) ** 150
    parity = " <-> ".join(f"{i}.1 = v1" for i in range(1, 101))
    assert gy.probability(groups, parity) == (1 + Fraction(9, 10) ** 100) / 2


def tangle():
    rng = np.random.default_rng(1)
    draws = rng.integers(1, 30, size=(40, 2)), rng.integers(0, 10, size=(40, 2))
    return " and ".join(
        f"(1.{a} = v{x} -> 1.{b} = v{y})" for (a, b), (x, y) in zip(*draws, strict=True)
    )


def test_a_question_that_names_too_many_says_so_and_offers_sampling(monkeypatch):
    monkeypatch.setattr(sentences_worlds, "MOST_WORK", 10_000)
    with pytest.raises(SentenceError, match="estimate_probability"):
        gy.probability(many(1), "1.1 = v1", given=tangle())


# Sampling


@pytest.mark.parametrize("kind", KINDS)
def test_sampling_agrees_with_the_exact_answer(kind):
    """An interval of 99.99 % that misses is a mistake, not bad luck: the seed is fixed."""
    groups = gy.Groups.from_lists(
        [["a", "a", "b", "c"], ["a", "b", "b"]], people=[4, 3], values_per_person=kind
    )
    rng = np.random.default_rng(11)
    for statement, known in [
        ("1.1 = a", None),
        ("1.1 = a and 1.2 = a or 2.1 = b", None),
        ("1.1 = a", "1.2 = a -> 2.1 = b"),
        ("1.1 = b <-> 1.2 = c <-> 2.3 = a", "1.3 != a and (2.1 = b or 2.2 = b)"),
    ]:
        found = estimate_probability(groups, statement, known, rng=rng, confidence="0.9999")
        assert found.low <= gy.probability(groups, statement, given=known) <= found.high
        assert found.high - found.low < 0.05 and found.trials <= found.samples == 100_000


def test_a_tangle_can_be_sampled():
    found = estimate_probability(
        many(1), "1.1 = v1", tangle(), rng=np.random.default_rng(2), samples=20_000
    )
    assert found.low < 0.05 < found.high + 0.05 and found.trials > 1000
    assert "sampled worlds" in str(found)


def test_the_interval_reaches_the_ends():
    groups = hospital()
    rng = np.random.default_rng(3)
    never = estimate_probability(groups, 'Bob = "Heart Disease"', rng=rng, samples=1000)
    always = estimate_probability(groups, "Bob = Flu or Bob != Flu", rng=rng, samples=1000)
    assert (never.probability, never.low) == (0, 0) and 0 < never.high < 0.01
    assert (always.probability, always.high) == (1, 1) and 0.99 < always.low < 1


def test_knowledge_that_no_sample_satisfies_is_an_error():
    with pytest.raises(SentenceError, match="none of 1,000 sampled worlds"):
        estimate_probability(
            hospital(),
            "Bob = Flu",
            "Ed = Flu and Ed = Mumps",
            rng=np.random.default_rng(4),
            samples=1000,
        )
