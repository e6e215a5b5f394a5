"""A forger alters releases in every way that comes to mind; `verify` agrees with the slow judge.

An honest release of every method, form and format is altered at random, its hashes are redone, and
the answer of `verify` is compared with that of `tests/oracles/releases.py`, which is written from
the definitions and reads the files row by row.
"""

from __future__ import annotations

import itertools
import random
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

import gyges as gy
from gyges.errors import GygesError
from tests.auditing import forging
from tests.oracles import releases

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
N_SHORT, N_LONG = 3_000, 100_000
RULES = [gy.KAnonymity(3), gy.DistinctDiversity(2), gy.TCloseness("9/10")]


def table(seed=1, n=40, several=False, published=()):
    rng = random.Random(seed)
    columns = {
        "age": [rng.randrange(20, 60) for _ in range(n)],
        "town": [rng.choice(["north", "south", "east"]) for _ in range(n)],
        "disease": [rng.choice(["flu", "gout", "mumps", "cold"]) for _ in range(n)],
    }
    if published:
        columns["ward"] = [rng.choice(published) for _ in range(n)]
    kinds = {"values_per_person": "set"} if several else {}
    if several:
        columns["id"] = list(range(n))
    schema = gy.Schema(
        identifiers=["id"] if several else [],
        quasi_identifiers=["age", "town"],
        sensitive="disease",
        published=["ward"] if published else [],
        hierarchies={"age": gy.Hierarchy.intervals(10, 20)},
        **kinds,
    )
    return gy.read(columns, schema)


WAYS = [
    ("partition", {}, RULES),
    ("partition", {"relaxed": True}, RULES),
    ("partition", {"form": "bucketized"}, RULES),
    ("lattice", {"suppression": "0.2"}, [*RULES, gy.TCloseness("1", ground="ordered")]),
    ("buckets", {}, [gy.KAnonymity(2), gy.ProbabilisticDiversity(2)]),
    ("microaggregation", {}, [gy.KAnonymity(3)]),
]


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """Directories of honest releases."""
    folder = tmp_path_factory.mktemp("honest")
    made = []
    for (method, options, rules), format in itertools.product(WAYS, ["csv", "parquet"]):
        release = gy.publish(table(), rules, method=method, seed=len(made), **options)
        made.append(release.save(folder / f"{len(made)}", format=format))
    several = gy.publish(table(several=True), [gy.KAnonymity(3)], seed=1)
    made.append(several.save(folder / "several"))
    for allowed, wards in ((False, ["I"]), (True, ["I", "II"])):
        shown = gy.publish(table(published=wards), RULES, allow_singling_out=allowed, seed=1)
        made.append(shown.save(folder / f"published {allowed}"))
    return made


def answer(directory):
    try:
        found = gy.verify(directory)
    except GygesError as problem:
        assert str(problem) and "\n" not in str(problem), "one sentence"
        return "refused"
    assert not any(ord(c) < 32 and c != "\n" for c in str(found)), "no control characters"
    assert str(found).count("\n") == len(found.checks) + len(found.statements) + bool(
        found.statements
    )
    return "holds" if found.holds else "refuted" if found.refuted else "unchecked"


ALLOWED = {
    releases.TRUE: {"holds"},
    releases.FALSE: {"refuted", "refused"},
    releases.MALFORMED: {"refuted", "refused"},
    releases.EITHER: {"holds", "refuted", "refused", "unchecked"},
}


# What an alteration raises if an earlier one left nothing for it to alter.
NOTHING_LEFT = (KeyError, TypeError, AttributeError, IndexError, ValueError)


def forge(honest, seed):
    """Alter one release, and compare the two answers; return the judge's."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder) / "out"
        shutil.copytree(rng.choice(honest), directory)
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            with suppress(*NOTHING_LEFT):
                rng.choice(forging.ALTERATIONS)(directory, rng)
        if rng.random() < 0.9:
            forging.rehash(directory)
        judged = releases.judge(directory)
        said = answer(directory)
        assert said in ALLOWED[judged], f"seed {seed}: the judge says {judged}, verify {said}"
        return judged, said


def test_honest_releases_hold_and_the_judge_agrees(honest):
    for directory in honest:
        found = gy.verify(directory)
        assert found.holds or directory.name == "published True", str(found)
        assert found.holds == (releases.judge(directory) == releases.TRUE)
        assert not found.refuted


def test_verify_agrees_with_the_slow_judge_on_forged_releases(honest):
    answers = [forge(honest, seed) for seed in range(N_SHORT)]
    assert {judged for judged, _ in answers} == set(ALLOWED), "every kind of answer occurs"
    either = sum(judged == releases.EITHER for judged, _ in answers)
    assert either < N_SHORT / 5, "most alterations are decided"


@pytest.mark.long
def test_verify_agrees_with_the_slow_judge_on_very_many(honest):
    for seed in range(N_SHORT, N_SHORT + N_LONG):
        forge(honest, seed)
