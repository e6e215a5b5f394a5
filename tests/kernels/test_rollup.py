from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.rollup import join_groups, join_values, lost_by_suppression


def tables(widths, parents):
    """Two levels a column: the code itself, and the label that `parents` gives it."""
    at, sizes, flat, used = [], [], [], 0
    for width, above in zip(widths, parents, strict=True):
        at.append([used, used + width])
        sizes.append([width, max(above) + 1])
        flat += [*range(width), *above]
        used += 2 * width
    return np.array(flat, dtype=np.int32), np.array(at), np.array(sizes)


@st.composite
def lattices(draw, max_columns=4, max_width=5, max_cells=30):
    n_columns = draw(st.integers(1, max_columns))
    widths = draw(st.lists(st.integers(1, max_width), min_size=n_columns, max_size=n_columns))
    parents = [draw(st.lists(st.integers(0, 2), min_size=w, max_size=w)) for w in widths]
    row = st.tuples(*(st.integers(0, width - 1) for width in widths))
    rows = draw(st.lists(row, min_size=1, max_size=max_cells, unique=True))
    levels = draw(st.lists(st.integers(0, 1), min_size=n_columns, max_size=n_columns))
    return np.array(sorted(rows), dtype=np.int32).reshape(-1, n_columns), widths, parents, levels


def joined(codes, parents, levels):
    """The oracle: labels as tuples, groups in the order in which they appear."""
    labels = [
        tuple(p[x] if level else x for x, p, level in zip(row, parents, levels, strict=True))
        for row in codes.tolist()
    ]
    order = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    return [order[label] for label in labels]


@given(lattices())
def test_groups_with_equal_labels_become_one_in_the_order_of_their_first_cells(case):
    codes, widths, parents, levels = case
    flat, at, sizes = tables(widths, parents)
    people = np.arange(1, len(codes) + 1)
    expected = joined(codes, parents, levels)

    place, first, summed = join_groups(
        np.arange(len(codes)), people, codes, flat, at, sizes, np.array(levels)
    )

    assert place.tolist() == expected
    assert first.tolist() == [expected.index(group) for group in range(max(expected) + 1)]
    assert summed.tolist() == [
        sum(n for n, g in zip(people.tolist(), expected, strict=True) if g == group)
        for group in range(max(expected) + 1)
    ]


@given(st.integers(0, 2**32 - 1), st.integers(2, 30))
def test_keys_beyond_64_bits_are_told_apart_by_their_labels(seed, n_columns):
    """2^64 keys and more: columns of 2^16 codes wrap around after the fourth."""
    rng = np.random.default_rng(seed)
    width = 2**16
    codes = rng.integers(0, 2, size=(40, n_columns)).astype(np.int32) * (width // 2)
    codes = np.unique(codes, axis=0)
    flat = np.arange(width, dtype=np.int32)
    at = np.zeros((n_columns, 1), dtype=np.int64)
    sizes = np.full((n_columns, 1), width)
    place, _, _ = join_groups(
        np.arange(len(codes)),
        np.ones(len(codes), dtype=np.int64),
        codes,
        flat,
        at,
        sizes,
        np.zeros(n_columns, dtype=np.int64),
    )
    assert place.tolist() == list(range(len(codes)))


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=12), st.sampled_from([2, 5, 5000]), st.data()
)
def test_values_of_joined_groups_are_added_up(numbers, n_values, data):
    order = {number: place for place, number in enumerate(dict.fromkeys(numbers))}
    place = [order[number] for number in numbers]
    held = [
        data.draw(st.dictionaries(st.integers(0, n_values - 1), st.integers(1, 9), max_size=5))
        for _ in place
    ]
    starts = np.cumsum([0, *map(len, held)])
    codes = np.array([v for group in held for v in sorted(group)], dtype=np.int32)
    counts = np.array([group[v] for group in held for v in sorted(group)], dtype=np.int64)

    new_starts, new_codes, new_counts = join_values(
        np.array(place, dtype=np.int32), len(order), starts, codes, counts, n_values
    )

    for group in range(len(order)):
        expected = Counter()
        for histogram, g in zip(held, place, strict=True):
            if g == group:
                expected.update(histogram)
        part = slice(new_starts[group], new_starts[group + 1])
        assert new_codes[part].tolist() == sorted(expected)
        assert (
            dict(zip(new_codes[part].tolist(), new_counts[part].tolist(), strict=True)) == expected
        )
    assert new_starts[-1] == len(new_codes) == len(new_counts)


@given(lattices(), st.data())
def test_what_suppressed_groups_lose_is_added_up(case, data):
    codes, widths, parents, levels = case
    flat, at, _ = tables(widths, parents)
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    chosen = np.flatnonzero(rng.random(len(codes)) < 0.5)
    people, tops = rng.integers(1, 5, len(codes)), rng.random(len(widths))
    losses = rng.random(len(flat) + 3)  # of label x of column c at level v: losses[at[c, v] + x]
    found = lost_by_suppression(
        chosen, np.arange(len(codes)), people, codes, flat, at, np.array(levels), tops, losses, at
    )
    expected = sum(
        people[g]
        * sum(
            tops[c] - losses[at[c, levels[c]] + flat[at[c, levels[c]] + codes[g, c]]]
            for c in range(len(widths))
        )
        for g in chosen
    )
    assert np.isclose(found, expected)
