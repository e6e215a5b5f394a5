"""Whatever is altered in published views: verify says yes exactly where the definitions do."""

from __future__ import annotations

import os
import random
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.auditing.forms import verify_files
from gyges.marginals.published_views import publish_marginals
from tests.marginals import forger

N_SHORT, N_LONG = 1_000, 20_000
SEEDS = st.integers(0, 2**40)
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # no disk has to forget the files


def answer(directory):
    try:
        found = verify_files(directory)
    except gy.GygesError:
        return "refused"
    return "holds" if found.holds else "refuted" if found.refuted else "unchecked"


def forge(seed):
    """One forgery, on which verify and the slow judge agree; verify's answer.

    The judge does not tell what is no release from what is a false one. It has no answer where its
    fit does not come to rest, and there verify may have one or not.
    """
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(dir=MEMORY) as place:
        directory = Path(place) / "views"
        case = forger.random_case(rng)
        forger.publish(case, directory)
        if rng.random() < 0.4:
            forger.claim_of_other_people(case, directory, rng)
        else:
            forger.alter(directory, rng)
        found = answer(directory)
        try:
            is_true = forger.stands(directory)
        except forger.NotAtRestError:
            return "no answer"
        if not is_true:
            assert found in ("refused", "refuted"), f"seed {seed}"
        else:
            expected = "unchecked" if forger.rests_on_trust(directory) else "holds"
            assert found == expected, f"seed {seed}"
        return found


def test_no_forgery_is_called_true():
    """Every answer occurs, so that the two can differ."""
    found = Counter(forge(seed) for seed in range(N_SHORT))
    assert min(found[one] for one in ("refused", "refuted", "holds", "unchecked")) > N_SHORT / 20
    assert found["no answer"] < N_SHORT / 100


@pytest.mark.long
def test_no_forgery_of_many_is_called_true():
    for seed in range(N_SHORT, N_SHORT + N_LONG):
        forge(seed)


@settings(max_examples=60)
@given(SEEDS, st.sampled_from(["csv", "parquet"]))
def test_honest_views_hold_and_the_judge_agrees(seed, format):
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place) / "views"
        forger.publish(forger.random_case(rng), directory, format)
        assert answer(directory) in ("holds", "unchecked")
        if format == "csv":
            assert forger.stands(directory)


NASTY = 'group|count|value|count of people|a,b|say "x"|=1+1|\'=1|*|ünïcode| |certificate.json|-|+'
HOSTILE = st.one_of(
    st.sampled_from([*NASTY.split("|"), "line\nbreak", "\u202e", "0", "1.0", "\t", "'\n"]),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8),
)


@settings(max_examples=100)
@given(
    st.lists(HOSTILE, min_size=3, max_size=3, unique=True),
    st.lists(HOSTILE, min_size=4, max_size=4, unique=True),
    st.sampled_from(["csv", "parquet"]),
    st.integers(0, 2**20),
)
def test_honest_views_with_hostile_names_and_values_hold(names, values, format, seed):
    rng = random.Random(seed)
    columns = {name: [rng.choice(values) for _ in range(12)] for name in names}
    kinds = dict.fromkeys(names[:2], "category")
    schema = gy.Schema(quasi_identifiers=names[:2], sensitive=names[2], kinds=kinds)
    made = gy.Marginals.of(gy.read(columns, schema), [{names[0]: 0, names[2]: 0}, {names[1]: 0}])
    with tempfile.TemporaryDirectory() as place:
        published = publish_marginals(made, [gy.DistinctDiversity(1)])
        published.save(Path(place) / "views", format=format)
        finding = gy.verify(Path(place) / "views")
        assert finding.holds, str(finding)
