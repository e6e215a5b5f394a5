"""The one vocabulary of random groups, tables, schemas and hierarchies for property tests."""

from __future__ import annotations

from hypothesis import strategies as st

import gyges as gy

LETTERS = "abcdefgh"


def value_lists(max_groups=3, max_people=4, n_values=3, min_groups=1):
    """Lists of groups with one value per person: [["a", "b"], ["a"]]."""
    values = st.sampled_from(LETTERS[:n_values])
    group = st.lists(values, min_size=1, max_size=max_people)
    return st.lists(group, min_size=min_groups, max_size=max_groups)


def groups_of_one(max_groups=3, max_people=4, n_values=3, min_groups=1):
    """`Groups` with one value per person."""
    return value_lists(max_groups, max_people, n_values, min_groups).map(gy.Groups.from_lists)


@st.composite
def people_and_values(draw, kind, max_groups=3, max_people=3, max_values=4, n_values=3):
    """(values, people, kind) such that `Groups.from_lists` accepts them, for any kind."""
    values, people = [], []
    for _ in range(draw(st.integers(1, max_groups))):
        n = draw(st.integers(1, max_people))
        letters = st.sampled_from(LETTERS[:n_values])
        if kind == "one":
            held = draw(st.lists(letters, min_size=n, max_size=n))
        elif kind == "set":
            held = draw(
                st.lists(letters, max_size=max_values).filter(
                    lambda v, n=n: all(v.count(x) <= n for x in v)
                )
            )
        else:
            held = draw(st.lists(letters, max_size=max_values))
        values.append(held)
        people.append(n)
    return values, people, kind


def groups_of(kind, **limits):
    """`Groups` of any kind."""
    return people_and_values(kind, **limits).map(
        lambda made: gy.Groups.from_lists(made[0], people=made[1], values_per_person=made[2])
    )
