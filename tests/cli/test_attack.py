"""`gyges attack` on tables that others published: read, or refused; never safe by not reading."""

from __future__ import annotations

import json
import re
from itertools import permutations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import gyges as gy
from gyges.errors import GygesError
from gyges.workflow.joined_attack import attack_together
from tests.cli.commands import gyges, write_csv

# [Ganta2008, Table 1], as it is printed.
FIRST = {
    "zip": ["130**"] * 12,
    "age": ["<30"] * 4 + ["≥40"] * 4 + ["3*"] * 4,
    "nationality": ["*"] * 12,
    "condition": ["AIDS", "Heart Disease", "Viral Infection", "Viral Infection", "Cancer",
                  "Heart Disease", "Viral Infection", "Viral Infection", *["Cancer"] * 4],
}  # fmt: skip
SECOND = {
    "zip": ["130**"] * 12,
    "age": ["<35"] * 6 + ["≥35"] * 6,
    "nationality": ["*"] * 12,
    "condition": ["AIDS", "Tuberculosis", "Flu", "Tuberculosis", "Cancer", "Cancer", "Cancer",
                  "Cancer", "Cancer", "Tuberculosis", "Viral Infection", "Viral Infection"],
}  # fmt: skip
ALICE = {"zip": ["13012"], "age": [28], "nationality": ["Canadian"]}
ROLES = ("--quasi", "zip,age,nationality", "--sensitive", "condition")
WORDS = ("attack", "first.csv", "second.csv", "--people", "people.csv", *ROLES)


@pytest.fixture
def folder(tmp_path):
    write_csv(tmp_path / "first.csv", FIRST)
    write_csv(tmp_path / "second.csv", SECOND)
    write_csv(tmp_path / "people.csv", ALICE)
    return tmp_path


def test_table_1_of_the_paper_as_two_files_tells_that_alice_has_aids(folder):
    """It said "expose nobody", exit 0, because no label was read."""
    code, out, notes = gyges(*WORDS, folder=folder)
    assert code == 1, notes
    assert (
        "expose people whom none of them exposes alone" in out
        and "certain for 1 of them (100%, if everyone" in out
    )
    assert "release 1: 1 fit one group, 0 fit several and 0 fit none" in out
    code, out, _ = gyges(*WORDS, "--json", folder=folder)
    found = json.loads(out)
    assert code == 1 and found["people"] == 1
    assert found["exposed"] == {"numerator": 1, "denominator": 1, "value": 1.0}
    assert found["located"] == [{"in_one_group": 1, "in_several": 0, "in_none": 0}] * 2
    schema = gy.Schema(quasi_identifiers=["zip", "age", "nationality"], sensitive="condition")
    releases = [gy.load(folder / name, schema) for name in ("first.csv", "second.csv")]
    people = gy.read(folder / "people.csv", releases[0].roles.schema())
    attack = gy.intersection_attack(releases, people)
    assert attack.prior.tolist() == [[3, 4]] and attack.possible(0) == ["AIDS"]


def test_people_of_every_age_are_where_the_paper_has_them(folder):
    ages = [5, 28, 29, 30, 34, 35, 39, 40, 77]
    write_csv(folder / "people.csv", {"zip": ["13012"] * 9, "age": ages, "nationality": ["x"] * 9})
    code, out, _ = gyges(*WORDS, "--json", folder=folder)
    assert json.loads(out)["located"] == [{"in_one_group": 9, "in_several": 0, "in_none": 0}] * 2
    # Three people under 30 in both hospitals would all have AIDS, which each has once.
    assert code == 3 and json.loads(out)["contradicted"] > 0


def test_bars_show_what_is_certain_and_nothing_depends_on_another_confidence(folder):
    """A group in which half have the flu, and the others six things: the flu is only likely."""
    likely = {"zip": ["1"] * 12, "age": [3] * 12, "nationality": ["x"] * 12}
    for name in ("first.csv", "second.csv"):
        write_csv(folder / name, likely | {"condition": ["Flu"] * 6 + list("abcdef")})
    write_csv(folder / "people.csv", likely)
    _, out, _ = gyges(*WORDS, "--confidence", "0.9", "--json", folder=folder)
    rows = json.loads(out)["by_confidence"]
    code, out, _ = gyges(*WORDS, "--confidence", "0.9", folder=folder)
    bars = [line.count("▒") + line.count("█") for line in out.splitlines()[-len(rows) :]]
    assert bars == [round(30 * row["possible values, joined"]["value"]) for row in rows]
    assert bars != [round(30 * row["shares, joined"]["value"]) for row in rows]
    assert code == 0 and "1/4" not in out


@pytest.mark.parametrize(
    ("column", "label"), [("age", "young"), ("zip", "upstate"), ("nationality", "American")]
)
def test_a_label_that_cannot_be_read_is_refused_by_name(folder, column, label):
    changed = {**SECOND, column: [label] * 6 + SECOND[column][6:]}
    write_csv(folder / "second.csv", changed)
    code, out, notes = gyges(*WORDS, "--picture", "p.html", folder=folder)
    assert code == 2 and out == "" and not (folder / "p.html").exists()
    assert "release 2" in notes and repr(column) in notes and repr(label) in notes
    assert "hierarchy" in notes
    code, out, _ = gyges(*WORDS, "--json", folder=folder)
    assert code == 2 and repr(label) in json.loads(out)["error"]


def test_a_hierarchy_says_what_a_label_means(folder):
    write_csv(folder / "second.csv", {**SECOND, "nationality": ["American"] * 6 + ["*"] * 6})
    (folder / "countries.csv").write_text("Canadian;American;*\nRussian;European;*\n")
    code, out, notes = gyges(*WORDS, "--hierarchy", "nationality=countries.csv", folder=folder)
    assert code == 1 and "certain for 1 of them" in out, notes
    (folder / "countries.csv").write_text("Canadian;Arctic;*\nMexican;American;*\n")
    code, _, notes = gyges(*WORDS, "--hierarchy", "nationality=countries.csv", folder=folder)
    assert code == 2 and "nobody is located" in notes
    code, _, notes = gyges(*WORDS, "--hierarchy", "country=countries.csv", folder=folder)
    assert code == 2 and "COLUMN=FILE" in notes


def test_nobody_located_is_an_error_and_never_safe(folder):
    write_csv(folder / "people.csv", {**ALICE, "zip": ["99999"]})
    code, out, notes = gyges(*WORDS, folder=folder)
    assert code == 2 and out == "" and "nobody is located" in notes and "release 1" in notes
    people = {"zip": ["13012", "99999"], "age": [28, 28], "nationality": ["x", "x"]}
    write_csv(folder / "people.csv", people)
    code, out, _ = gyges(*WORDS, folder=folder)
    assert code == 1 and "1 fit none" in out
    assert "1 of the 2 rows fit no group of at least one release" in out


def test_people_who_fit_no_group_are_not_called_safe(folder):
    """It said "exposes nobody" with exit 0 though one of two people was found nowhere."""
    people = {"zip": ["13012", "99999"], "age": [28, 28], "nationality": ["x", "x"]}
    write_csv(folder / "people.csv", people)
    write_csv(folder / "second.csv", FIRST)
    code, out, _ = gyges(*WORDS, "--confidence", "1", folder=folder)
    assert code == 3 and "exposes nobody" not in out
    assert "exposes none of the people located in every release (1 row)" in out
    assert "1 row could not be located" in out


def test_suppressed_cells_of_other_tools_may_be_anybody(folder):
    """sdcMicro writes NA, a Parquet file a null: whoever is sought may be behind such a row."""
    rows = {**SECOND, "age": [None] * 6 + SECOND["age"][6:]}
    pq.write_table(pa.table(rows), folder / "second.parquet", store_schema=False)
    words = ("attack", "first.csv", "second.parquet", "--people", "people.csv", *ROLES)
    code, out, notes = gyges(*words, "--json", folder=folder)
    assert code == 1, notes
    assert json.loads(out)["located"] == [{"in_one_group": 1, "in_several": 0, "in_none": 0}] * 2


def test_audit_reads_the_same_labels_of_a_population_and_an_original(folder):
    people = {"zip": ["13012"] * 4, "age": [25, 28, 35, 61], "nationality": ["x"] * 4}
    write_csv(folder / "people.csv", people)
    words = ("audit", "first.csv", *ROLES, "--population", "people.csv", "--json")
    code, out, notes = gyges(*words, folder=folder)
    assert code == 3, notes  # 4 people for 12 rows: nobody's presence can be computed
    assert "published people are missing from the population" in out
    found = json.loads(out)["population"]
    assert found["located"] == {"in_one_group": 4, "in_several": 0, "in_none": 0}
    assert found["k_map"] == 1
    write_csv(folder / "original.csv", {**people, "condition": ["AIDS", "Cancer"] * 2})
    code, out, notes = gyges(
        "audit", "first.csv", *ROLES, "--original", "original.csv", folder=folder
    )
    assert code == 3 and "4 fit one group" in out, notes  # 8 of 12 people are not in it
    write_csv(folder / "first.csv", {**FIRST, "age": ["young"] * 12})
    for option, file in (("--population", "people.csv"), ("--original", "original.csv")):
        code, _, notes = gyges("audit", "first.csv", *ROLES, option, file, folder=folder)
        assert code == 2 and "'young'" in notes


def test_our_own_labels_of_a_hierarchy_that_is_not_given_are_refused():
    """They were silently nobody's: the certificate does not list a table's leaves."""
    tree = gy.Hierarchy.from_tree({"office": ["Clerk", "Sales"], "ward": ["Nurse", "Doctor"]})
    columns = {"job": ["Clerk", "Sales", "Nurse", "Doctor"] * 2, "ill": list("abcdabcd")}
    schema = gy.Schema(quasi_identifiers=["job"], sensitive="ill", hierarchies={"job": tree})
    release = gy.publish(gy.read(columns, schema), [gy.KAnonymity(4)], method="lattice")
    assert set(release.labels["job"]) == {"office", "ward"}
    known = gy.read(
        {"job": ["Nurse"]}, gy.Schema(quasi_identifiers=["job"], hierarchies={"job": tree})
    )
    unknown = gy.read({"job": ["Nurse"]}, gy.Schema(quasi_identifiers=["job"]))
    assert release.locate(known).tolist() == [1]
    with pytest.raises(GygesError, match="'office'"):
        release.locate(unknown)


DAYS = {
    "first": {"age": [31, 31, 31, 52, 52], "ill": ["flu", "gout", "mumps", "flu", "gout"]},
    "second": {"age": [31] * 4 + [52] * 2, "ill": ["flu", "gout", "gout", "mumps", "flu", "gout"]},
}
DAYS_WORDS = (
    *("attack", "first.csv", "second.csv", "--people", "people.csv"),
    *("--quasi", "age", "--sensitive", "ill", "--confidence", "1"),
)


def test_a_newcomer_is_exposed_by_the_difference_of_two_groups(folder):
    """It said "exposes nobody", exit 0: flu, gout and mumps occur in both groups."""
    for name, rows in DAYS.items():
        write_csv(folder / f"{name}.csv", rows)
    was_in = {"was_in": ["yes", "yes", "yes", "no", "yes", "yes"], "is_in": ["yes"] * 6}
    write_csv(folder / "people.csv", {"age": DAYS["second"]["age"], **was_in})
    code, out, notes = gyges(*DAYS_WORDS, "--present", "was_in,is_in", folder=folder)
    assert code == 1 and "certain for 1 of them (16.7%, proven)" in out, notes
    code, out, _ = gyges(*DAYS_WORDS, folder=folder)
    assert code == 3 and "exposes nobody" not in out and "Nobody was found" in out
    assert "not excluded for 4 of the 6 rows" in out and "--present" in out
    for wish, why in (
        ("was_in", "one for each release"),
        ("was_in,gone", "gone"),
        ("was_in,age", "yes or no"),
    ):
        code, out, notes = gyges(*DAYS_WORDS, "--present", wish, folder=folder)
        assert code == 2 and out == "" and why in notes, notes


def test_counts_of_groups_expose_someone_whose_sets_stay_the_same(folder):
    """Everyone is in both, and every group has both values: only the person of 35 is certain."""
    first = {"age": ["30-34"] * 3 + ["35-40"] * 3, "ill": list("caccaa")}
    first["ill"][3:] = list("aca")
    write_csv(folder / "first.csv", first)
    write_csv(folder / "second.csv", {"age": ["30-35"] * 4 + ["36-40"] * 2, "ill": list("cacaac")})
    write_csv(folder / "people.csv", {"age": [40, 30, 40, 30, 35, 30]})
    code, out, _ = gyges(*DAYS_WORDS, "--json", folder=folder)
    assert code == 1 and json.loads(out)["certain"] == 1 and json.loads(out)["undecided"] == 0
    write_csv(folder / "second.csv", first)
    code, out, _ = gyges(*DAYS_WORDS, folder=folder)
    assert code == 0 and "exposes nobody" in out and "That holds if everyone who fits" in out


def test_rows_are_not_called_people_and_those_who_are_not_listed_are_mentioned(folder):
    """Two of six rows were "2 people", and nothing was said about the four others."""
    for name, rows in DAYS.items():
        write_csv(folder / f"{name}.csv", rows)
    write_csv(folder / "people.csv", {"age": DAYS["second"]["age"][:2]})
    _, out, _ = gyges(*DAYS_WORDS, folder=folder)
    assert "2 rows in 2 releases" in out and not re.search(r"\d (people|person)\b", out), out
    n_first, n_second = (len(DAYS[name]["age"]) - 2 for name in ("first", "second"))
    for number, n in ((1, n_first), (2, n_second)):
        assert f"release {number} holds {n} more rows: nothing was examined" in out
    _, out, _ = gyges(*DAYS_WORDS, "--json", folder=folder)
    found = json.loads(out)
    assert found["rows_are_people"] and found["not_listed"] == [n_first, n_second]


def test_without_knowing_who_is_in_which_release_nothing_is_proven(folder):
    """A newcomer in place of someone who left "had gout, proven", and more was exposed with exit 3.

    The first group fits as many people as it holds, but one left and another came: her value is not
    in it. The third group contradicts itself, which does not help the others.
    """
    first = {"age": [31] * 3 + [60], "ill": ["flu", "flu", "gout", "flu"]}
    second = {"age": [30] + [31] * 3 + [60], "ill": ["flu", "gout", "gout", "flu", "mumps"]}
    second["age"] = ["<=31"] * 4 + ["60"]
    write_csv(folder / "first.csv", first)
    write_csv(folder / "second.csv", second)
    people = {"age": [30, 31, 31, 31, 60], "was_in": [0, 0, 1, 1, 1], "is_in": [1] * 5}
    write_csv(folder / "people.csv", people)
    code, out, notes = gyges(*DAYS_WORDS, folder=folder)
    assert code == 1 and "contradict each other on 1 row" in out, (out, notes)
    assert (
        "expose people whom none of them exposes alone, if everyone who fits a group is in it"
        in out
    )
    assert "certain for at least 1 of them (20%, if everyone who fits a group is in it)" in out
    assert "proven" not in out
    code, out, _ = gyges(*DAYS_WORDS, "--json", folder=folder)
    assert code == 1 and json.loads(out)["presence"] == "assumed" and "proven" not in out
    known = ("--present", "was_in,is_in")
    code, out, _ = gyges(*DAYS_WORDS, *known, folder=folder)
    assert code == 3 and "expose more" not in out and "(0%, proven)" in out, out
    assert json.loads(gyges(*DAYS_WORDS, *known, "--json", folder=folder)[1])["presence"] == "known"


def certain_people(ills, releases):
    """Whose value every world agrees on that has the values of all groups of these releases."""
    parts = [np.flatnonzero(r.group_of_row == g) for r in releases for g in range(len(r.groups))]
    held = [(part, sorted(ills[i] for i in part)) for part in parts]
    worlds = [
        world
        for world in set(permutations(ills))
        if all(sorted(world[i] for i in part) == values for part, values in held)
    ]
    return {i for i in range(len(ills)) if len({world[i] for world in worlds}) == 1}


def test_what_is_called_proven_holds_for_those_who_know_the_groups(tmp_path):
    """People of one zip in several groups were located in their union, and that was "proven"."""
    ills, zips = [*"daaccadd"], ["10", "20", "10", "11", "11", "21", "11", "11"]
    rows = {"zip": zips, "one": ["yes"] * 8, "two": ["yes"] * 8}
    write_csv(tmp_path / "people.csv", rows)
    table = gy.read(
        {"zip": zips, "ill": ills}, gy.Schema(quasi_identifiers=["zip"], sensitive="ill")
    )
    n_exposed = 0
    for seed in range(12):
        made = []
        for number, rule in enumerate((gy.DistinctDiversity(2), gy.KAnonymity(2))):
            method = "buckets" if number == 0 else "partition"
            made.append(gy.publish(table, [rule], method=method, seed=seed))
            made[-1].save(tmp_path / f"{seed}-{number}")
        found = attack_together(
            [tmp_path / f"{seed}-{number}" for number in (0, 1)],
            str(tmp_path / "people.csv"),
            "1",
            present=["one", "two"],
        )
        alone = set.union(*(certain_people(ills, [one]) for one in made))
        is_exposed = bool(certain_people(ills, made) - alone)
        n_exposed += is_exposed
        assert not (is_exposed and found.is_safe), seed
    assert n_exposed


def test_files_with_columns_that_nobody_named_are_doubtful_like_their_directories(tmp_path):
    """A directory with a published column was undecided, its data.csv safe."""
    rows = {"id": [*"abcdef"], "age": [20, 21, 22, 23, 24, 25], "town": ["T", "T", "U", "U"] * 1
            + ["T", "U"], "ill": ["hiv", "hiv", "flu", "flu", "gout", "gout"]}  # fmt: skip
    write_csv(tmp_path / "p.csv", rows)
    schema = gy.Schema(
        identifiers=["id"], quasi_identifiers=["age"], published=["town"], sensitive="ill"
    )
    table = gy.read(tmp_path / "p.csv", schema)
    for seed, name in enumerate(("one", "two")):
        gy.publish(table, [gy.KAnonymity(2)], method="lattice", seed=seed).save(tmp_path / name)
    code, text, _ = gyges("attack", "one", "two", "--people", "p.csv", folder=tmp_path)
    assert code == 3 and "Release 2 also shows town" in text
    files = ["one/data.csv", "two/data.csv"]
    roles = ["--quasi", "age", "--sensitive", "ill"]
    code, text, _ = gyges("attack", *files, "--people", "p.csv", *roles, folder=tmp_path)
    assert code == 3 and "Release 1 also shows town" in text


@pytest.mark.parametrize(("confidence", "said"), [("0.5", "certain of the value of 1"), ("1", "")])
def test_who_becomes_certain_is_exposed_though_two_values_were_too_few_before(
    tmp_path, confidence, said
):
    write_csv(tmp_path / "a.csv", {"age": ["20-29"] * 2, "ill": ["flu", "hiv"]})
    write_csv(tmp_path / "b.csv", {"age": ["20-25"] * 2, "ill": ["hiv", "gout"]})
    write_csv(tmp_path / "p.csv", {"id": ["1"], "age": [22]})
    code, text, _ = gyges(
        "attack", "a.csv", "b.csv", "--people", "p.csv", "--quasi", "age", "--sensitive", "ill",
        "--confidence", confidence, folder=tmp_path,
    )  # fmt: skip
    assert code == 1 and said in text, text


def test_that_nobody_is_in_a_release_is_no_proof(tmp_path):
    write_csv(tmp_path / "a.csv", {"age": ["20-29"] * 2, "ill": ["flu", "hiv"]})
    write_csv(tmp_path / "p.csv", {"id": ["1"], "age": [22], "i": ["no"], "j": ["no"]})
    (tmp_path / "b.csv").write_text((tmp_path / "a.csv").read_text())
    code, _, said = gyges(
        "attack", "a.csv", "b.csv", "--people", "p.csv", "--quasi", "age", "--sensitive", "ill",
        "--present", "i,j", folder=tmp_path,
    )  # fmt: skip
    assert code == 2 and "nobody of these people is in release 1" in said


def test_a_group_that_holds_fewer_people_than_fit_it_discloses_nothing_alone(tmp_path):
    """Two fit a group of one: both counted as disclosed by it alone, and the exit code was 0."""
    write_csv(tmp_path / "a.csv", {"age": ["20-29"] * 3, "ill": ["c", "d", "b"]})
    write_csv(tmp_path / "b.csv", {"age": ["21", "20"], "ill": ["c", "b"]})
    write_csv(tmp_path / "people.csv", {"age": [20, 21, 20]})
    words = ("attack", "a.csv", "b.csv", "--people", "people.csv", "--quasi", "age")
    words += ("--sensitive", "ill", "--confidence", "0.9")
    code, out, notes = gyges(*words, folder=tmp_path)
    assert code == 3 and "2 rows fit groups of release 2 that hold fewer" in out, (out, notes)
    assert "-0." not in out, "a person does not lose fewer than no values"


def test_people_who_are_not_listed_may_expose_those_who_are(tmp_path):
    """The fourth is certain for whoever knows all six; listed alone, exit 0 called that proven."""
    groups = {"first": [1] * 3 + [2] * 3, "second": [1] * 4 + [2] * 2}
    ills = list("accaac")
    for name, of in groups.items():
        write_csv(tmp_path / f"{name}.csv", {name: of, "ill": ills})
    rows = {**groups, "was_in": ["yes"] * 6, "is_in": ["yes"] * 6}
    words = ("attack", "first.csv", "second.csv", "--people", "people.csv", "--sensitive", "ill")
    words += ("--quasi", "first,second", "--present", "was_in,is_in")
    write_csv(tmp_path / "people.csv", rows)
    code, out, notes = gyges(*words, folder=tmp_path)
    assert code == 1, (out, notes)
    write_csv(tmp_path / "people.csv", {name: held[3:4] for name, held in rows.items()})
    code, out, notes = gyges(*words, folder=tmp_path)
    assert code == 3 and "exposes none of these people" in out, (out, notes)
    assert "nothing of the others in the releases" in out


def test_similar_values_may_be_given_in_parts_and_are_checked(tmp_path):
    """The second --similar replaced the first; a class named like a value swallowed this value."""
    for name, ills in (("a", ["early", "flu"]), ("b", ["late", "flu"])):
        write_csv(tmp_path / f"{name}.csv", {"age": [1, 1], "ill": ills})
    write_csv(tmp_path / "people.csv", {"age": [1, 1]})
    words = ("attack", "a.csv", "b.csv", "--people", "people.csv", "--quasi", "age")
    words += ("--sensitive", "ill", "--similar", "stage=late")
    code, out, notes = gyges(*words, "--similar", "stage=early, lat", folder=tmp_path)
    assert code == 0 and "contradict" not in out, (out, notes)
    assert "No release has the value lat:" in out or "No release has the value 'lat':" in out
    code, _, notes = gyges(*words, "--similar", "flu=early", folder=tmp_path)
    assert code == 2 and "'flu' names a class, and is a value" in notes, notes


def test_no_page_is_written_into_a_release(folder):
    """A picture with what must stay inside was put into a release, which then left with it."""
    people = gy.read(
        {"age": [20, 21, 30, 31], "ill": list("abab")},
        gy.Schema(quasi_identifiers=["age"], sensitive="ill"),
    )
    for name in ("one", "two"):
        gy.publish(people, [gy.KAnonymity(2)]).save(folder / name)
    write_csv(folder / "who.csv", {"age": [20, 21, 30, 31], "is_in": ["yes"] * 4})
    words = ("attack", "one", "two", "--people", "who.csv")
    code, _, notes = gyges(*words, "--picture", "one/page.html", folder=folder)
    assert code == 2 and "lies in the release 'one'" in notes, notes
    code, out, notes = gyges(*words, "--present", "is_in,is_in", folder=folder)
    assert code == 0 and "That is proven" in out, (out, notes)
    code, _, notes = gyges(*words, "--present", "is_in,was_in", folder=folder)
    assert code == 2 and "the people have no column 'was_in'" in notes
