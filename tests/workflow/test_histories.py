"""Random histories of releases in a ledger: who becomes certain, against every world."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.release.certificate import sha256
from gyges.release.directory import CERTIFICATE
from gyges.release.make_release import make_release
from gyges.release.partition_of_cells import Partition
from gyges.workflow.earlier_releases import join_earlier
from gyges.workflow.ledger import Ledger
from gyges.workflow.ledger_file import folder_of
from gyges.workflow.recorded_people import known_salts, people_file, people_of
from tests.cli.commands import gyges, write_csv
from tests.oracles.joint_worlds import worlds_by_group
from tests.workflow.entries import record

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")


@st.composite
def histories(draw, most=6):
    """Values of people who keep them, and two to four releases: who is in it, in which group."""
    n = draw(st.integers(2, most))
    ills = draw(st.lists(st.sampled_from("uvw"), min_size=n, max_size=n))
    somebody = st.lists(st.integers(-1, 2), min_size=n, max_size=n).filter(lambda g: max(g) >= 0)
    return ills, draw(st.lists(somebody, min_size=2, max_size=4))


def groups_of(ills, group_of):
    """The groups of a release as the oracles have them: lists of (person, value)."""
    used = sorted(set(group_of) - {-1})
    return [[(p, ills[p]) for p, g in enumerate(group_of) if g == one] for one in used]


def table_of(ills, group_of, form="pid"):
    here = [p for p, g in enumerate(group_of) if g >= 0]
    columns = {"age": [20 + p for p in here], "ill": [ills[p] for p in here]}
    if form == "pid":
        columns["pid"] = [f"P{p}" for p in here]
    names = ["pid"] if form == "pid" else []
    schema = gy.Schema(identifiers=names, quasi_identifiers=["age"], sensitive="ill")
    return gy.read(columns, schema), here


def release_of(table, here, group_of):
    place = {g: k for k, g in enumerate(sorted({group_of[p] for p in here}))}
    group_of_cell = np.zeros(len(table.cells), dtype=np.int64)
    group_of_cell[table.cell_of_row] = [place[group_of[p]] for p in here]
    partition = Partition(table.cells, group_of_cell, len(place))
    return make_release(table, partition, "generalized", rng=np.random.default_rng(0))


def enter(ledger, release, name):
    """Save a release beside the ledger; record it, and who is in it."""
    place = ledger.path.parent / name
    release.save(place)
    digest = sha256(place / CERTIFICATE)
    people = people_of(release, known_salts(folder_of(ledger.path)))
    if people is not None:
        people.save(people_file(digest, ledger.path))
    return record(ledger, about="them", place=name, digest=digest, files=place)


def compared(ills, history, form="pid"):
    """The last release of a history, compared with the others by the ledger."""
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger.at(Path(folder) / "ledger.sqlite")
        for number, group_of in enumerate(history[:-1]):
            table, here = table_of(ills, group_of, form)
            enter(ledger, release_of(table, here, group_of), f"r{number}")
        table, here = table_of(ills, history[-1], form)
        release = release_of(table, here, history[-1])
        return join_earlier([release], table, ledger.releases(), ledger.path)


def certain(releases):
    """Everyone who has the same value in all worlds."""
    found = worlds_by_group(releases)
    return {p for p in found[0] if len({world[p] for world in found}) == 1}


@settings(max_examples=60)
@given(histories())
def test_who_becomes_certain_is_what_every_world_says(history):
    """Of those in the table and those who left: nobody was linked through people who left twice."""
    ills, releases = history
    found = compared(ills, releases)
    groups = [groups_of(ills, one) for one in releases]
    alone = {p for one in groups for group in one if len({v for _, v in group}) == 1
             for p, _ in group}  # fmt: skip
    new = certain(groups) - certain(groups[:-1]) - alone
    here = {p for p, g in enumerate(releases[-1]) if g >= 0}
    earlier = {p for one in releases[:-1] for p, g in enumerate(one) if g >= 0}
    assert found.doubts == () and found.unresolved == () and not found.left_alone
    assert found.leavers.n_people == len(earlier - here)
    assert found.leavers.n_certain == len(new - here)
    assert found.n_newly_certain == len(new)
    assert ("(proven)" in str(found)) and found.n_undecided == 0


def test_people_who_left_twice_link_those_who_stayed():
    """{p, L, M} and {q, L, M} have u, v, w each, so p and q have the same value: both u.

    The ledger took those who left the two releases for four people, and proved that nobody's value
    becomes certain.
    """
    ills = ["u", "v", "w", "u", "v"]  # p, L, M, q, and the newcomer r
    found = compared(ills, [[0, 0, 0, -1, -1], [-1, 0, 0, 0, -1], [0, -1, -1, 0, 0]])
    assert found.n_newly_certain == 3 and found.leavers.n_certain == 0
    assert "makes the value of 3 of 3 people certain that was not certain before (proven)" in str(
        found
    )


def test_an_earlier_release_of_which_everyone_left_is_compared_too():
    """It was "not compared": nobody fits it. Yet who left it is known from others."""
    ills = ["u", "v", "w", "u"]
    found = compared(ills, [[0, 0, -1, -1], [0, 0, 0, 0], [-1, -1, 0, 0]])
    assert found.compared_with == (1, 2) and found.leavers.n_people == 2


def test_that_everyone_was_in_an_unrecorded_release_is_said_to_be_assumed():
    """One left and one came: as many people fit as before, and it said "(proven)"."""
    ills = ["u", "v", "v", "w"]
    found = compared(ills, [[0, 0, 0, -1], [0, 0, -1, 0]], form="nobody is named")
    assert "(proven)" not in str(found)
    same = compared(ills, [[0, 0, 1, 1], [0, 0, 1, 1]], form="nobody is named")
    assert "(proven, if everyone in this table and nobody else was in r0" in str(same)


def test_a_counterfeit_of_a_value_that_nobody_has_is_no_error(tmp_path):
    """`--inside` measured utility by the table's values and ended in a traceback."""
    columns = 'identifiers = ["pid"]\nquasi_identifiers = ["age"]\nsensitive = "ill"\n'
    rules = '[publish]\nmethod = "buckets"\n[[require]]\nrule = "m-invariance"\nm = 2\n'
    ledger = '[ledger]\nabout = "them"\n'
    (tmp_path / "p.toml").write_text(
        f'[data]\nsource = "p.csv"\n[columns]\n{columns}{rules}{ledger}'
    )
    for number, here in enumerate(([0, 1, 2, 3, 4, 5], [0, 2, 3, 4, 1])):  # 5 alone had w
        ages, ills = [20 + p for p in here], ["uvuvuw"[p] for p in here]
        write_csv(tmp_path / "p.csv", {"pid": [f"P{p}" for p in here], "age": ages, "ill": ills})
        words = ("publish", "p.toml", "--final", "--out", f"o{number}", "--inside", f"in{number}")
        code, _, notes = gyges(*words, folder=tmp_path)
        assert code == 0, notes
    assert gy.load(tmp_path / "o1").counterfeits


def test_who_is_in_earlier_views_is_known(tmp_path):
    """One left and one came, and the counts stayed the same: it said "(proven)"."""
    for number, here in enumerate(([0, 1, 2], [0, 1, 3])):
        people = {"pid": [f"P{p}" for p in here], "age": [1] * 3, "ill": ["uvvw"[p] for p in here]}
        write_csv(tmp_path / "p.csv", people)
        method = ("marginals", "partition")[number]
        (tmp_path / "p.toml").write_text(
            '[data]\nsource = "p.csv"\n[columns]\nidentifiers = ["pid"]\n'
            'quasi_identifiers = ["age"]\nsensitive = "ill"\n[ledger]\nabout = "them"\n'
            f'[publish]\nmethod = "{method}"\n[[require]]\nrule = "k-anonymity"\nk = 2\n'
        )
        words = ("publish", "p.toml", "--final", "--out", f"o{number}")
        code, _, notes = gyges(*words, folder=tmp_path)
        assert code == number, notes
    assert "the value of 1 of 3 people certain" in notes and "(proven)" in notes, notes
    assert "1 person of earlier releases is not in this table" in notes
    [record_of_views] = (tmp_path / "ledger.sqlite.kept").glob("*.people")
    whole = record_of_views.read_text()
    record_of_views.write_text(whole.replace('"views": [[0]]', '"views": [[0, 0]]'))
    code, _, notes = gyges("publish", "p.toml", "--final", "--out", "o2", folder=tmp_path)
    assert code == 1 and "damaged" in notes and "(proven)" not in notes
