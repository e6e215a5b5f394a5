"""Several sensitive columns: every path from the table to the verified files, and the attackers."""

import csv
import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.errors import GygesError, NothingSafeError
from gyges.release.locating import NOWHERE
from gyges.release.part_of_release import part_of_release
from tests.cli.commands import gyges

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
ROW = st.tuples(
    st.sampled_from([20, 30, 40, 50]),
    st.sampled_from("fm"),
    st.sampled_from(["flu", "gout", "hiv"]),
    st.sampled_from([10, 20.5]),
)
NAMES = ("age", "sex", "disease", "income")
METHODS = ("partition", "lattice", "suppression", "buckets", "microaggregation")


def table_of(rows, **more):
    columns = dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True))
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": "disease"}
    hierarchies = {"age": gy.Hierarchy.intervals(20)}
    schema = gy.Schema(**roles, also_sensitive=["income"], hierarchies=hierarchies, **more)
    return gy.read(columns, schema)


def shown_groups(release):
    """The (disease, income) pairs of each group, as the frame shows them."""
    if "people" in release.tables:
        rows = release.frame("sensitive").to_pylist()
        pairs = [(r["group"], [(r["disease"], r["income"])] * r["count"]) for r in rows]
    else:
        rows = release.frame().to_pylist()
        pairs = [
            ((r.get("group"), r["age"], r["sex"]), [(r["disease"], r["income"])]) for r in rows
        ]
    groups = {}
    for key, held in pairs:
        groups.setdefault(key, []).extend(held)
    return list(groups.values())


@given(st.lists(ROW, min_size=4, max_size=14), st.sampled_from(METHODS), st.booleans())
def test_every_method_satisfies_the_rules_of_each_column(rows, method, knows):
    """Counted from the published rows by loops; and nothing is published where a rule fails."""
    rules = [gy.KAnonymity(2), gy.DistinctDiversity(2)]
    if knows:
        rules.append(gy.About(gy.ProbabilisticDiversity("4/3"), "disease", knowing=["income"]))
    try:
        release = gy.publish(table_of(rows), rules, method=method)
    except NothingSafeError:
        return
    shown = shown_groups(release)
    assert sorted(len(held) for held in shown) == sorted(release.groups.sizes.tolist())
    for held in shown:
        assert len(held) >= 2
        assert all(len(set(column)) >= 2 for column in zip(*held, strict=True))
        for income in {income for _, income in held} if knows else ():
            part = [disease for disease, own in held if own == income]
            assert all(part.count(one) * 4 <= 3 * len(part) for one in part)
    if method != "suppression":
        published = sorted(pair for held in shown for pair in held)
        assert published == sorted((d, str(i)) for *_, d, i in rows) or release.n_left_out


@given(st.lists(ROW, min_size=4, max_size=14))
def test_certainty_of_each_column_is_what_a_loop_finds(rows):
    """Attackers who know the group, and the other column or not."""
    release = gy.publish(table_of(rows), gy.KAnonymity(2))
    shown = shown_groups(release)
    for place, (column, other) in enumerate([("disease", "income"), ("income", "disease")]):
        alone = sum(len(held) for held in shown if len({pair[place] for pair in held}) == 1)
        helped = 0
        for held in shown:
            for known in {pair[1 - place] for pair in held}:
                part = [pair[place] for pair in held if pair[1 - place] == known]
                helped += len(part) * (len(set(part)) == 1)
        said = " ".join(release.notices)
        assert (f"reveals the value of '{column}' of {alone} row" in said) == (alone > 0)
        knows = f"knows '{other}' of their target, the release reveals the value of '{column}'"
        assert (f"{knows} of {helped} row" in said) == (helped > alone)
        part = release.about(column)
        assert sum(part.groups.sizes[part.groups.reveals_a_value]) == alone
        assert part.roles.published == (other,)
        found = gy.audit(part).measures["shown"]
        assert found.n_value_shown == helped


def example(n=240):
    kinds = itertools.product(("flu", "gout", "hiv", "cold"), (10, 20.5, 30))
    pairs = list(kinds)
    return [(20 + i * 7 % 50, "fm"[i % 2], *pairs[(i * i + i // 5) % len(pairs)]) for i in range(n)]


RULES = [gy.KAnonymity(5), gy.DistinctDiversity(3)]


@pytest.mark.parametrize("format", ["csv", "parquet", "xlsx"])
@pytest.mark.parametrize("form", ["generalized", "bucketized"])
def test_files_show_each_column_and_are_verified(tmp_path, format, form):
    release = gy.publish(table_of(example()), RULES, form=form)
    pages = {**gy.report_pages(release), **gy.description_pages(release, format)}
    release.save(tmp_path / "out", format=format, pages=pages)
    found = gy.verify(tmp_path / "out")
    assert found.holds, str(found)
    again = gy.load(tmp_path / "out")
    assert again.claims == release.claims and again.roles.parts == ("disease", "income")
    assert str(again.groups) == str(release.groups)
    book = json.loads((tmp_path / "out" / "codebook.json").read_text())
    named = {v["@name"]: v["labl"] for f in book["codeBook"]["dataDscr"] for v in f["var"]}
    assert named["disease"] == named["income"] == "sensitive value"


def test_a_swapped_value_is_found(tmp_path):
    """The rule about one column fails where only its own cells were changed."""
    gy.publish(table_of(example()), RULES).save(tmp_path / "out")
    path = tmp_path / "out" / "data.csv"
    with path.open() as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["income"] = "10"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    certificate = tmp_path / "out" / "certificate.json"
    stated = json.loads(certificate.read_text())
    from tests.auditing import forging

    forging.rehash(tmp_path / "out")
    assert stated["roles"]["sensitive"] == "disease + income"
    failed = [str(check) for check in gy.verify(tmp_path / "out").refuted]
    assert any("(of 'income')" in one for one in failed)
    assert not any("(of 'disease')" in one for one in failed)


def test_an_audit_speaks_of_each_column():
    found = gy.audit(gy.publish(table_of(example()), RULES))
    for column in ("disease", "income"):
        about = [one for one in found.findings if one.sentence.startswith(f"{column!r}: ")]
        topics = {one.topic.partition(":")[0] for one in about}
        assert {"What the rows show", "How much an attacker may know", "The groups"} & topics
        assert set(found.by_column[column]["skylines"]) == (
            {"flu", "gout", "hiv", "cold"} if column == "disease" else {"10", "20.5", "30"}
        )
    assert "income" in str(found) and set(found.to_json()["by_column"]) == {"disease", "income"}


def test_an_attack_on_two_releases_is_about_one_column():
    people = table_of(example())
    releases = [gy.publish(people, RULES), gy.publish(people, RULES, method="lattice")]
    with pytest.raises(GygesError, match="attack one at a time"):
        gy.intersection_attack(releases, people, joint=True)
    found = gy.intersection_attack([one.about("income") for one in releases], people, joint=True)
    assert set().union(*found.possible) == {"10", "20.5", "30"} or len(found.possible) == 240


PROJECT = """
[data]
source = "people.csv"
[columns]
quasi_identifiers = ["age", "sex"]
sensitive = "disease"
also_sensitive = ["income"]
[[require]]
rule = "k-anonymity"
k = 5
[[require]]
rule = "distinct diversity"
l = 2
[[require]]
rule = "distinct diversity"
l = 2
column = "disease"
knowing = ["income"]
harmless = ["cold"]
[publish]
out = "out"
"""


def test_a_project_protects_each_column(tmp_path):
    """A second final release is refused: what both reveal of several columns is not known."""
    with (tmp_path / "people.csv").open("w", newline="") as file:
        csv.writer(file).writerows([NAMES, *example()])
    project = tmp_path / "gyges.toml"
    project.write_text(PROJECT)
    code, said, notes = gyges("publish", project, "--final", folder=tmp_path)
    assert code == 0, said + notes
    assert gyges("verify", "out", folder=tmp_path)[0] == 0
    code, said, _ = gyges("audit", "out", folder=tmp_path)
    assert code == 0 and "'income': " in said
    code, said, _ = gyges("verify", "out", "--original", "people.csv", "--project", "gyges.toml",
                          folder=tmp_path)  # fmt: skip
    assert code in (0, 3) and "fails" not in said
    code, _, notes = gyges("publish", project, "--final", "--out", "more", folder=tmp_path)
    assert code != 0 and not (tmp_path / "more").exists()
    assert "it is not known what several sensitive columns reveal" in " ".join(notes.split())


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"values_per_person": "set", "person": "id"}, "several sensitive columns need one row"),
        ({"rows_per_person": "all", "person": "id"}, "several sensitive columns need one row"),
        ({"dropped": ["income"]}, "'income' has two roles"),
    ],
)
def test_a_schema_that_cannot_be_is_refused(more, said):
    with pytest.raises(GygesError, match=said):
        table_of(example(), **more)


def test_rules_and_methods_that_cannot_be_are_refused():
    people = table_of(example())
    with pytest.raises(GygesError, match="Beliefs cannot be about part"):
        gy.publish(people, gy.Beliefs("0.5", "0.5"))
    with pytest.raises(GygesError, match="'zip', which is not sensitive"):
        gy.publish(people, gy.About(gy.DistinctDiversity(2), "zip"))
    for method in ("dp", "marginals"):
        with pytest.raises(GygesError, match="protects one sensitive column"):
            gy.publish(people, RULES if method == "marginals" else [], method=method)


def test_missing_values_of_either_column():
    rows = [*example(40), (20, "f", None, 10), (30, "m", "flu", None), (30, "m", "?", 10)]
    columns = dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True))
    schema = gy.Schema(
        quasi_identifiers=["age", "sex"], sensitive="disease", also_sensitive=["income"]
    )
    with pytest.raises(GygesError, match="3 in column 'disease \\+ income'"):
        gy.read(columns, schema, missing_marks=["?"])
    assert len(gy.read(columns, schema, missing="drop", missing_marks=["?"])) == 40
    kept = gy.read(columns, schema, missing="value", missing_marks=["?"])
    assert len(kept) == 43
    release = gy.publish(kept, gy.KAnonymity(5))
    assert release.frame().to_pydict()["disease"].count("(missing)") == 2


def test_a_column_called_like_the_number_of_the_group_is_attacked(tmp_path):
    """Seen as a release with one sensitive column, its groups were looked up under another name."""
    rows = {
        "zip": [*"ab"] * 10, "age": [20 + n % 7 for n in range(20)],
        "ill": ["flu", "hiv", "gout", "flu"] * 5, "group": [*"xyzzx"] * 4,
    }  # fmt: skip
    schema = gy.Schema(quasi_identifiers=["zip", "age"], sensitive="ill", also_sensitive=["group"])
    release = gy.publish(gy.read(rows, schema), [gy.DistinctDiversity(2)], method="buckets")
    release.save(tmp_path / "out")
    for column in ("ill", "group"):
        part = part_of_release(gy.load(tmp_path / "out"), column)
        names = {name: table.column_names for name, table in part.tables.items()}
        assert names["people"] == ["zip", "age", part.roles.group_column]
        counted = [part.roles.group_column, column, part.roles.count_column]
        assert sorted(names["sensitive"]) == sorted(counted)
        people = gy.read(rows, gy.Schema(quasi_identifiers=["zip", "age"]))
        assert (part.locate(people) != NOWHERE).all()
    assert gy.audit(gy.load(tmp_path / "out"), original=gy.read(rows, schema)).findings
