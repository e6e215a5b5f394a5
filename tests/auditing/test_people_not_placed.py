"""Who could not be placed in a group is said to be not checked; nobody is "nobody" by omission."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.auditing.placed_original import differing_groups
from gyges.auditing.prior_knowledge import belief_attackers, within_effort
from gyges.release.mapping import save_mapping
from tests.cli.commands import gyges

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")


def by(audit, attacker):
    return [one for one in audit.findings if one.attacker == attacker]


def test_beliefs_about_people_without_a_group_are_not_checked(tmp_path):
    """It said that nobody is exposed where nobody was examined."""
    n_short = 0
    for seed in range(12):
        rng = random.Random(seed)
        n = rng.choice([8, 10, 12])
        people = {
            "id": [f"p{i}" for i in range(n)],
            "town": [rng.choice("aaabbcde") for _ in range(n)],
            "job": [rng.choice([1, 2, 3, 5, 9, 10]) for _ in range(n)],
            "dis": [rng.choice(["flu", "cold", "hiv"]) for _ in range(n)],
        }
        roles = {"identifiers": ["id"], "quasi_identifiers": ["town", "job"], "sensitive": "dis"}
        table = gy.read(people, gy.Schema(**roles))
        release = gy.publish(table, gy.KAnonymity(2), method="suppression")
        place = tmp_path / str(seed)
        release.save(place)
        save_mapping(release, tmp_path / f"{seed}.json")
        alone = by(gy.audit(place, original=table), "prior beliefs")
        known = gy.audit(place, original=table, mapping=tmp_path / f"{seed}.json")
        for one, truth in zip(alone, by(known, "prior beliefs"), strict=True):
            is_short = "Not checked" in one.sentence
            n_short += is_short
            assert one.is_checked is not is_short
            if one.is_checked:
                assert one.number == truth.number
            assert "about nobody" not in one.sentence or one.is_checked
    assert n_short


HOMES = {
    "id": [f"p{i}" for i in range(12)],
    "town": ["a", "a", *"bcdefghijk"],
    "home": ["h1", "h1", *(f"h{i}" for i in range(2, 12))],
    "w": [1, 1] + [100] * 10,
    "dis": ["x", "y"] * 6,
}


def test_households_and_weights_need_everyone_placed(tmp_path):
    """Two people who fit two groups were left out, and a bound was stated for the others."""
    schema = gy.Schema(
        identifiers=["id"],
        quasi_identifiers=["town"],
        sensitive="dis",
        household="home",
        weight="w",
    )
    table = gy.read(HOMES, schema)
    release = gy.publish(table, gy.KAnonymity(2), method="suppression")
    release.save(tmp_path / "out")
    save_mapping(release, tmp_path / "m.json")
    found = gy.audit(tmp_path / "out", original=table)
    said = [one for one in found.findings if "ouseholds" in one.topic or "weights" in one.topic]
    assert len(said) == 2 and not any(one.is_checked for one in said)
    assert all("Not computed" in one.sentence for one in said)
    known = gy.audit(tmp_path / "out", original=table, mapping=tmp_path / "m.json")
    [homes] = [one for one in by(known, "knows households") if "at least" in one.sentence]
    assert "at least 1 household" in homes.sentence


def averaged(ages, k=2):
    people = {"age": ages, "dis": ["x", "y"] * (len(ages) // 2)}
    table = gy.read(people, gy.Schema(quasi_identifiers=["age"], sensitive="dis"))
    return table, gy.publish(table, gy.KAnonymity(k), method="microaggregation")


def test_averages_do_not_tell_who_is_in_which_group(tmp_path):
    table, release = averaged([20, 22, 40, 50, 50, 50])
    release.save(tmp_path / "out")
    found = gy.audit(tmp_path / "out", original=table)
    [said] = by(found, "prior beliefs")
    assert said.sentence.startswith("Not computed") and not said.is_checked
    assert not found.utility and any("averages" in note for note in found.notes)
    assert gy.audit(release).utility and len(by(gy.audit(release), "prior beliefs")) == 5


def test_averages_do_not_tell_whom_of_a_population_a_row_fits():
    """It bounded by 1/4 what is certain: only two people of the population have such an average."""
    _, release = averaged([20, 22, 40, 50, 50, 50])
    everyone = [20, 22, 40, 50, 50, 50, 20, 30, 33, 33, 33, 33, 44, 50]
    population = gy.read({"age": everyone}, gy.Schema(quasi_identifiers=["age"]))
    found = gy.audit(release, population=population)
    [said] = by(found, "journalist")
    assert not said.is_checked and "Not computed" in said.sentence
    assert not by(found, "presence") and not found.is_complete
    assert not any("list" in one.sentence for one in by(found, "marketer"))


def test_nothing_is_proven_of_people_looked_up_among_averages():
    people = {
        "age": [22, 24, 26, 27, 29, 37],
        "inc": [27, 23, 22, 22, 25, 30],
        "dis": ["gout", "hiv", "gout", "cold", "gout", "cold"],
    }
    table = gy.read(people, gy.Schema(quasi_identifiers=["age", "inc"], sensitive="dis"))
    one = gy.publish(table, gy.KAnonymity(3))
    other = gy.publish(table, gy.KAnonymity(2), method="microaggregation")
    found = gy.audit(one, original=table, others=[other])
    first = by(found, "holds other releases")[0]
    assert not first.is_checked and "(proven)" not in first.sentence
    assert "which may be another" in first.sentence and not found.is_complete


def test_what_takes_too_long_is_not_checked(monkeypatch):
    """The finding said "Not computed", and counted as checked: exit code 0."""
    people = {"age": list(range(40)), "dis": ["x", "y"] * 20}
    table = gy.read(people, gy.Schema(quasi_identifiers=["age"], sensitive="dis"))
    release = gy.publish(table, gy.KAnonymity(4))
    asked = belief_attackers(table)
    assert within_effort(asked, table, False)[0] == asked
    monkeypatch.setattr("gyges.auditing.prior_knowledge._SECONDS_PER_BELIEF", 1e9)
    found = by(gy.audit(release), "prior beliefs")
    assert [one.is_checked for one in found] == [False]
    assert found[0].sentence.startswith("Not computed")


def pairs(ills):
    """A release of pairs of people of one age each, and a table of the same people."""
    n = len(ills)
    people = {"id": [f"p{i}" for i in range(n)], "age": [30 + i // 2 for i in range(n)]}
    schema = gy.Schema(identifiers=["id"], quasi_identifiers=["age"], sensitive="ill")
    table = gy.read({**people, "ill": list(ills)}, schema)
    return table, gy.publish(table, [gy.KAnonymity(2), gy.DistinctDiversity(2)])


@pytest.mark.parametrize("with_mapping", [False, True])
def test_a_table_with_other_values_is_not_taken_for_the_original(tmp_path, with_mapping):
    """Beliefs about another table's values were stated as what the release tells."""
    _, release = pairs("abacbcab")
    release.save(tmp_path / "out")
    mapping = save_mapping(release, tmp_path / "m.json") if with_mapping else None
    other, _ = pairs("abacbcac")
    found = gy.audit(tmp_path / "out", original=other, mapping=mapping)
    beliefs = by(found, "prior beliefs")
    assert beliefs and not any(one.is_checked for one in beliefs)
    assert all("Not checked: 2 more people" in one.sentence for one in beliefs)
    assert any("has other sensitive values than the release in 1 group:" in n for n in found.notes)
    swapped, _ = pairs("babcabca".translate(str.maketrans("abc", "cab")))
    found = gy.audit(tmp_path / "out", original=swapped, mapping=mapping)
    assert not found.utility and any("utility was not measured" in note for note in found.notes)
    assert [one.is_checked for one in by(found, "prior beliefs")] == [False]


def test_an_original_without_the_people_of_a_group_is_not_searched_again(tmp_path):
    """The worlds of a group without people ended in a TypeError."""
    table, release = pairs("abacbcab")
    assert any(one.is_checked for one in by(gy.audit(release), "minimality"))
    release.save(tmp_path / "out")
    fewer = table.fetch(["id", "age", "ill"]).slice(0, 6).to_pydict()
    part = gy.read(fewer, table.schema)
    loaded = replace(gy.load(tmp_path / "out"), options=release.options)
    [one] = by(gy.audit(loaded, original=part), "minimality")
    assert not one.is_checked and "the people and values of every group" in one.sentence


@given(seed=st.integers(0, 10_000))
def test_groups_differ_where_counting_one_by_one_says_so(seed):
    rng = random.Random(seed)
    lists = [[rng.choices([1, 2, 30], k=rng.randint(1, 3)) for _ in range(4)] for _ in range(2)]
    if rng.random() < 0.5:
        lists[1][:3] = [rng.sample(one, len(one)) for one in lists[0][:3]]
    texts = [[str(value) for value in group] for group in lists[1]]
    found = differing_groups(gy.Groups.from_lists(lists[0]), gy.Groups.from_lists(texts))
    plain = [sorted(map(str, a)) != sorted(b) for a, b in zip(lists[0], texts, strict=True)]
    assert found.tolist() == plain


def test_whom_the_figures_are_about_is_said_first(tmp_path):
    """It was the last note: utility had 80 groups where the release has 89."""
    n_short = 0
    for seed in range(12):
        rng = random.Random(seed)
        people = {
            "id": [f"p{i}" for i in range(30)],
            "town": [rng.choice("aaabbcde") for _ in range(30)],
            "job": [rng.choice([1, 2, 3, 5, 9, 10]) for _ in range(30)],
            "dis": [rng.choice(["flu", "cold", "hiv"]) for _ in range(30)],
        }
        roles = {"identifiers": ["id"], "quasi_identifiers": ["town", "job"], "sensitive": "dis"}
        table = gy.read(people, gy.Schema(**roles))
        release = gy.publish(table, gy.KAnonymity(2), method="suppression")
        release.save(tmp_path / str(seed))
        save_mapping(release, tmp_path / f"{seed}.json")
        found = gy.audit(tmp_path / str(seed), original=table)
        said = [one for one in found.findings if "could be placed in a group" in one.sentence]
        if found.utility and found.utility["left_out"] > 30 - release.n_people:
            n_short += 1
            assert said == found.findings[:1] and said[0].place == "first"
            assert str(found).index("Only ") < str(found).index("Utility")
            assert f"in {found.utility['groups']:.0f} of {len(release.groups)} g" in str(found)
            placed = 30 - int(found.utility["left_out"])
            assert said[0].sentence.startswith(f"Only {placed} of the 30 people")
        else:
            assert not said or not found.utility
        known = gy.audit(tmp_path / str(seed), original=table, mapping=tmp_path / f"{seed}.json")
        assert not any("could be placed in a group" in one.sentence for one in known.findings)
    assert n_short


def test_no_sentence_lists_all_of_many_columns(tmp_path):
    rng = random.Random(3)
    names = [f"column{i}" for i in range(60)]
    rows = [[rng.choice("ab") for _ in names] + [rng.choice(["Flu", "Gout"])] for _ in range(40)]
    lines = [",".join([*names, "disease"]), *map(",".join, rows)]
    (tmp_path / "data.csv").write_text("\n".join(lines))
    code, out, notes = gyges("audit", "data.csv", "--sensitive", "disease", folder=tmp_path)
    assert code != 2, notes
    assert not any(line.count("column") > 30 for line in (out + notes).splitlines())
    assert "52 more columns" in out and "52 more columns" in notes
