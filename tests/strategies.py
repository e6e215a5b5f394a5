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


HIERARCHIES = {
    "age": gy.Hierarchy.intervals(5, 10, 20),
    "zip": gy.Hierarchy.prefixes(),
    "job": gy.Hierarchy.from_tree({"office": ["clerk", "boss"], "field": ["farmer", "nurse"]}),
}


@st.composite
def columns(draw, min_rows=1, max_rows=12, n_values=3):
    """A small table as a dict of lists: age, zip, job (with hierarchies), pet, disease."""
    n = draw(st.integers(min_rows, max_rows))

    def drawn(values):
        return draw(st.lists(values, min_size=n, max_size=n))

    return {
        "age": drawn(st.integers(0, 25)),
        "zip": drawn(st.sampled_from(["14850", "14853", "13068", "02139"])),
        "job": drawn(st.sampled_from(["clerk", "boss", "farmer", "nurse"])),
        "pet": drawn(st.sampled_from(["cat", "dog", "eel"])),
        "disease": drawn(st.sampled_from(LETTERS[:n_values])),
    }


@st.composite
def tables(draw, quasi=("age", "zip", "job", "pet"), **limits):
    """A small `Table` with some of the columns as quasi-identifiers."""
    made = draw(columns(**limits))
    chosen = draw(st.lists(st.sampled_from(quasi), min_size=1, unique=True))
    kept = {name: made[name] for name in [*chosen, "disease"]}
    hierarchies = {name: HIERARCHIES[name] for name in chosen if name in HIERARCHIES}
    return gy.read(
        kept,
        gy.Schema(quasi_identifiers=chosen, sensitive="disease", hierarchies=hierarchies),
    )
