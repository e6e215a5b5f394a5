"""People who are described, not named, against the enumeration of rows and worlds."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries.sentences_sampling import estimate_probability
from gyges.errors import SentenceError
from tests.oracles import worlds

SCHEMA = gy.Schema(quasi_identifiers=["job", "town"], sensitive="ill")


def covers(label, value):
    """How the labels of these tables read: `*`, a value, or a set of values."""
    return label == "*" or value in label.strip("{}").split(", ")


def choices(rows, described):
    """All ways to choose a row that fits each described person, no row twice."""
    return [
        chosen
        for chosen in permutations(range(len(rows)), len(described))
        if all(
            covers(rows[i][1][column], value)
            for i, one in zip(chosen, described, strict=True)
            for column, value in one.items()
        )
    ]


@st.composite
def releases(draw):
    """A release of a small table, and one or two descriptions."""
    n = draw(st.integers(4, 7))

    def column(values):
        return draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))

    made = {"job": column(["nurse", "clerk"]), "town": column(["A", "B", "C"])}
    made["ill"] = ["x", "y", *column("xyz")[2:]]
    release = gy.publish(gy.read(made, SCHEMA), [gy.KAnonymity(2)])
    person = st.fixed_dictionaries(
        {"job": st.sampled_from(["nurse", "clerk"])}, optional={"town": st.sampled_from(["A", "B"])}
    )
    return release, draw(st.lists(person, min_size=1, max_size=2, unique_by=str))


@given(releases())
@settings(max_examples=60)
def test_the_answer_is_the_share_of_rows_and_worlds(case):
    """Any row that fits may be a described person's; no row is two people's."""
    release, described = case
    groups = release.groups
    place = [(g, i) for g, size in enumerate(groups.sizes.tolist()) for i in range(size)]
    labels = [{column: shown[g] for column, shown in release.labels.items()} for g, _ in place]
    held = [
        [value for value, n in zip(groups.values, counts, strict=True) for _ in range(n)]
        for counts in groups.counts.tolist()
    ]
    listed = list(worlds.worlds(held, groups.sizes.tolist()))
    rows = list(zip(place, labels, strict=True))
    pairs = [(chosen, world) for chosen in choices(rows, described) for world in listed]
    texts = ["{" + ", ".join(f"{c}={v}" for c, v in one.items()) + "}" for one in described]
    question, known = f"{texts[0]} = x", None
    if len(texts) == 2:
        known = f"{texts[1]} != x"
        pairs = [(c, world) for c, world in pairs if not world[place[c[1]]]["x"]]
    if pairs:
        share = Fraction(sum(world[place[c[0]]]["x"] for c, world in pairs), len(pairs))
        assert gy.probability(release, question, given=known) == share
    else:
        with pytest.raises(SentenceError):
            gy.probability(release, question, given=known)


def hospital():
    rows = {
        "job": ["nurse"] * 4 + ["clerk"] * 4,
        "town": ["A", "A", "A", "A", "B", "B", "B", "B"],
        "ill": ["x", "x", "y", "z", "x", "y", "y", "y"],
    }
    return gy.publish(gy.read(rows, SCHEMA), [gy.KAnonymity(4)])


def test_a_description_that_fits_two_groups_is_a_mean():
    release = hospital()
    assert gy.probability(release, "{job=nurse} = x") == Fraction(1, 2)
    assert gy.probability(release, "{town=B} = x") == Fraction(1, 4)
    both = gy.publish(
        gy.read({"job": ["a", "b"] * 4, "town": list("ABABABAB"), "ill": list("xyxyzzyy")}, SCHEMA),
        [gy.KAnonymity(2)],
        form="bucketized",
    )
    rows = both.tables["people"].to_pylist()
    n = sum(row["job"] == "a" for row in rows)
    assert n == 4 and 0 < gy.probability(both, '{job="a"} = x') < 1


def test_sampled_worlds_agree():
    release = gy.publish(
        gy.read(
            {"job": ["a", "b", "c"] * 4, "town": list("ABBA" * 3), "ill": list("xyzxyy" * 2)},
            SCHEMA,
        ),
        [gy.KAnonymity(3)],
    )
    exact = gy.probability(release, "{job=a} = x", given="{job=b} != x")
    rng = np.random.default_rng(2)
    found = estimate_probability(
        release, "{job=a} = x", "{job=b} != x", rng=rng, confidence="0.999999"
    )
    assert found.low <= exact <= found.high


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("{} = x", "fits everyone"),
        ("{age=3} = x", "not a quasi-identifier"),
        ("{job=nurse, job=clerk} = x", "states 'job' twice"),
        ("{job=pilot} = x", "nobody in the release fits"),
        ("{job} = x", "no description"),
        ("{job=nurse} = x and 1.1 = x and 1.2 = x and 1.3 = x and 1.4 = x", "more people"),
    ],
)
def test_a_description_that_means_nobody_is_refused(text, hint):
    release = hospital()
    if "1.1" in text and release.labels["job"][0] != "nurse":
        text = text.replace("{job=nurse}", "{job=clerk}")
    with pytest.raises(SentenceError, match=hint):
        gy.probability(release, text)


def test_groups_alone_and_averages_describe_nobody():
    with pytest.raises(SentenceError, match="describe people in a release"):
        gy.probability(hospital().groups, "{job=nurse} = x")
    table = gy.read(
        {"age": [1, 2, 3, 4, 5, 6], "ill": list("xyxyxy")},
        gy.Schema(quasi_identifiers=["age"], sensitive="ill"),
    )
    release = gy.publish(table, [gy.KAnonymity(3)], method="microaggregation")
    with pytest.raises(SentenceError, match="averages"):
        gy.probability(release, "{age=1} = x")


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("AB")), min_size=6, max_size=6),
    st.lists(
        st.sampled_from(["{job=a}", "{town=A}", "{job=a, town=A}"]), min_size=2, max_size=2,
        unique=True,
    ),
    st.integers(0, 2),
)  # fmt: skip
@settings(max_examples=40)
def test_no_row_of_a_bucketized_release_is_two_people(held, described, n_numbered):
    """Two descriptions that fit one row were both given it."""
    made = {"job": [j for j, _ in held], "town": [t for _, t in held], "ill": list("xyxyzz")}
    table = gy.read(made, SCHEMA)
    release = gy.publish(table, [gy.ProbabilisticDiversity(2)], method="buckets", seed=1)
    rows = release.tables["people"].to_pylist()
    group = [int(row[release.roles.group_column]) for row in rows]
    wanted = [dict(part.split("=") for part in one[1:-1].split(", ")) for one in described]

    def fits(i, one):
        return all(rows[i][column] == value for column, value in one.items())

    chosen = [
        found
        for found in permutations(range(6), 2 + n_numbered)
        if all(fits(i, one) for i, one in zip(found, wanted, strict=False))
        and all(group[i] == 1 for i in found[2:])
    ]
    numbered = "".join(f" or 1.{i + 1} = x" for i in range(n_numbered))
    question = f"{described[0]} = x or {described[1]} = x{numbered}"
    sizes = release.groups.sizes.tolist()
    values = [
        [value for value, n in zip(release.groups.values, counts, strict=True) for _ in range(n)]
        for counts in release.groups.counts.tolist()
    ]
    place, seen = [], [0] * len(sizes)
    for number in group:
        place.append((number - 1, seen[number - 1]))
        seen[number - 1] += 1
    listed = list(worlds.worlds(values, sizes))
    if n_numbered > sizes[0] or not chosen:
        with pytest.raises(SentenceError):
            gy.probability(release, question)
        return
    hits = sum(any(world[place[i]]["x"] for i in found) for found in chosen for world in listed)
    assert gy.probability(release, question) == Fraction(hits, len(chosen) * len(listed))
