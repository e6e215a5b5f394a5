"""A new release is joined with earlier ones before it leaves the building."""

from __future__ import annotations

import shutil

import numpy as np

import gyges as gy
from gyges.release.certificate import sha256
from gyges.release.directory import CERTIFICATE
from gyges.release.make_release import make_release
from gyges.release.partition_of_cells import Partition
from gyges.workflow.earlier_releases import join_earlier
from gyges.workflow.kept_releases import state_of
from gyges.workflow.ledger import Ledger
from tests.workflow.entries import record

SCHEMA = gy.Schema(quasi_identifiers=["age"], sensitive="disease")
DATA = {"age": [10, 20, 30, 40], "disease": ["Flu", "Gout", "Cold", "Gout"]}


def release(people, *groups):
    """The table published with these people together, each given by place."""
    group_of_cell = np.zeros(len(people.cells), dtype=np.int64)
    for number, places in enumerate(groups):
        group_of_cell[people.cell_of_row[places]] = number
    partition = Partition(people.cells, group_of_cell, len(groups))
    return make_release(people, partition, "bucketized", rng=np.random.default_rng(0))


def enter(ledger, made, place):
    """Save a release beside the ledger and enter it."""
    made.save(place)
    return record(ledger, about="them", place=place.name, digest=sha256(place / CERTIFICATE))


def test_two_releases_that_tell_nothing_alone_tell_everything_together(tmp_path):
    """{10, 20} and {30, 40}, then {10, 30} and {20, 40}: only the two with Gout stay open."""
    people = gy.read(DATA, SCHEMA)
    ledger = Ledger.at(tmp_path / "ledger.sqlite")
    enter(ledger, release(people, [0, 1], [2, 3]), tmp_path / "first")
    new = release(people, [0, 2], [1, 3])
    joined = join_earlier([new], people, ledger.releases("them"), ledger.path)
    # 10 is Flu, 30 is Cold (newly certain); {20, 40} hold Gout only: certain by one release alone.
    assert joined.n_newly_certain == 2
    assert joined.n_vulnerable == 2
    assert "makes the value of 2 of 4 rows certain" in str(joined)


def test_the_same_groups_again_tell_nothing_more(tmp_path):
    people = gy.read(DATA, SCHEMA)
    ledger = Ledger.at(tmp_path / "ledger.sqlite")
    enter(ledger, release(people, [0, 1], [2, 3]), tmp_path / "first")
    joined = join_earlier([release(people, [0, 1], [2, 3])], people, ledger.releases(), ledger.path)
    assert len(joined.joined) == 1 and joined.n_newly_certain == joined.n_vulnerable == 0


def test_what_cannot_be_joined_is_told_with_its_reason(tmp_path):
    people = gy.read(DATA, SCHEMA)
    ledger = Ledger.at(tmp_path / "ledger.sqlite")
    gone = enter(ledger, release(people, [0, 1], [2, 3]), tmp_path / "gone")
    other = enter(ledger, release(people, [0, 1], [2, 3]), tmp_path / "other")
    wide = gy.read(
        {"zip": ["a", "b", "a", "b"], "disease": DATA["disease"]},
        gy.Schema(quasi_identifiers=["zip"], sensitive="disease"),
    )
    strange = enter(ledger, release(wide, [0, 1, 2, 3]), tmp_path / "strange")
    shutil.rmtree(tmp_path / "gone")
    shutil.rmtree(tmp_path / "other")
    shutil.copytree(tmp_path / "strange", tmp_path / "other")
    states = [state_of(entry, tmp_path) for entry in (gone, other, strange)]
    assert states == ["not there", "another one is there", "there"]
    joined = join_earlier([release(people, [0, 1, 2, 3])], people, ledger.releases(), ledger.path)
    assert joined.attack is None and joined.n_newly_certain == joined.n_vulnerable == 0
    reasons = [why for _, why in joined.left_alone]
    assert "no longer there" in reasons[0] and "taken its place" in reasons[1]
    assert "age" in reasons[2] or "zip" in reasons[2]


def test_a_release_that_adds_nothing_to_the_earlier_ones_is_not_blamed_for_them(tmp_path):
    """The earlier two leave 10 and 30 one value each; the first of them again changes nothing."""
    people = gy.read(DATA, SCHEMA)
    ledger = Ledger.at(tmp_path / "ledger.sqlite")
    enter(ledger, release(people, [0, 1], [2, 3]), tmp_path / "first")
    second = release(people, [0, 2], [1, 3])
    told = str(join_earlier([second], people, ledger.releases(), ledger.path))
    assert "certain that was not certain before" in told
    assert "and 2 of 4 rows, these included, have fewer possible values" in told
    enter(ledger, second, tmp_path / "second")
    joined = join_earlier([release(people, [0, 1], [2, 3])], people, ledger.releases(), ledger.path)
    assert joined.attack.vulnerable.sum() == 2 and joined.n_vulnerable == 0
    assert "no further value is ruled out" in str(joined)
