"""Whatever is altered in published views: verify never says yes where the definitions say no."""

from __future__ import annotations

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

MANY = settings(max_examples=max(200, settings().max_examples))
SEEDS = st.integers(0, 2**40)


def answer(directory):
    """True, False or None for "holds", "false" and "not everything checked"; or "refused"."""
    try:
        verdicts = [check.holds for check in verify_files(directory).checks]
    except gy.GygesError:
        return "refused"
    return False if False in verdicts else None if None in verdicts else True


def forge(seed):
    """One forgery: verify's answer, and whether it may be given."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place) / "views"
        case = forger.random_case(rng)
        forger.publish(case, directory)
        if rng.random() < 0.4:
            forger.claim_of_other_people(case, directory, rng)
        else:
            forger.alter(directory, rng)
        found = answer(directory)
        if found is True or found is None:
            assert forger.is_true(directory), f"seed {seed}"
        return found


@MANY
@given(SEEDS)
def test_no_forgery_is_called_true(seed):
    forge(seed)


def test_the_forger_is_caught_in_every_way():
    """Some forgeries are refused, some false, some harmless: the test above can fail."""
    found = Counter(str(forge(seed)) for seed in range(100))
    assert found["refused"] > 20 and found["False"] > 10
    assert found["True"] + found["None"] > 5


@pytest.mark.long
def test_no_forgery_of_many_is_called_true():
    for seed in range(20_000):
        forge(seed)


@settings(max_examples=60)
@given(SEEDS, st.sampled_from(["csv", "parquet"]))
def test_honest_views_hold_and_the_judge_agrees(seed, format):
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place) / "views"
        forger.publish(forger.random_case(rng), directory, format)
        assert answer(directory) in (True, None)
        if format == "csv":
            assert forger.is_true(directory)


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
