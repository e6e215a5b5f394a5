"""The slow judge's own closed forms agree with definitions that are slower still."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles import criteria, hierarchies, implications
from tests.oracles.rules import Group, Groups, judge_rule
from tests.oracles.transport import least_cost

VALUES = st.lists(st.sampled_from("abc"), min_size=1, max_size=5)


@settings(max_examples=60)
@given(st.lists(VALUES, min_size=1, max_size=2).filter(lambda g: sum(map(len, g)) < 7))
def test_safety_is_the_worst_of_all_facts(lists):
    """Every set of facts is tried: negations, and implications with one consequent."""
    groups = [Group(list(range(len(one)))) for one in lists]
    for group, one in zip(groups, lists, strict=True):
        group.values.update(one)
    asked = Groups(groups, sorted({v for one in lists for v in one}), "one")
    for k in (0, 1):
        stated = {"name": "Safety", "confidence": "1", "k": k}
        found = judge_rule(stated | {"language": "negations"}, asked)
        assert found.risk == implications.worst_of_negations(lists, k)
        assert judge_rule(stated, asked).risk == implications.worst_of_implications(lists, k)


@given(st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(any), st.data())
def test_the_cheapest_transport_is_the_known_distance(counts, data):
    others = data.draw(st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(any))
    p, q = ([Fraction(n, sum(one)) for n in one] for one in (counts, others))
    equal = [[int(i != j) for j in range(4)] for i in range(4)]
    ordered = [[Fraction(abs(i - j), 3) for j in range(4)] for i in range(4)]
    rows = [["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"], ["d", "y", "*"]]
    heights = hierarchies.read({"rows": rows}).heights("abcd")
    assert least_cost(p, q, equal) == criteria.equal_distance(p, q)
    assert least_cost(p, q, ordered) == criteria.ordered_distance(p, q)
    assert least_cost(p, q, heights) == criteria.tree_distance(p, q, ((0, 1), (2, 3)))
