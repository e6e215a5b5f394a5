"""Similar values named by the sensitive column's hierarchy, against lists of the values."""

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.criteria.about import About
from gyges.criteria.describe import to_data
from gyges.criteria.similar_values import with_listed_values
from gyges.errors import NothingSafeError, RuleError
from tests.cli.commands import gyges, write_csv

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
TREE = {
    "illness": {"any cancer": ["lung cancer", "breast cancer"], "infection": ["flu", "HIV"]},
    "other": {"chronic": ["gout", "asthma"]},
}
TERM = {leaf: term for top in TREE.values() for term, held in top.items() for leaf in held}
TOP = {leaf: top for top, below in TREE.items() for held in below.values() for leaf in held}
DISEASE = gy.Hierarchy.from_tree(TREE)
ROWS = st.lists(
    st.tuples(st.sampled_from([20, 30, 40]), st.sampled_from(sorted(TERM))), min_size=4, max_size=14
)


def table_of(rows, hierarchy=DISEASE, **more):
    columns = {"age": [a for a, *_ in rows], "disease": [d for _, d, *_ in rows]}
    columns |= {"income": [i for _, _, i in rows]} if len(rows[0]) > 2 else {}
    hierarchies = {"age": gy.Hierarchy.intervals(20)}
    hierarchies |= {"disease": hierarchy} if hierarchy else {}
    schema = gy.Schema(
        quasi_identifiers=["age"], sensitive="disease", hierarchies=hierarchies, **more
    )
    return gy.read(columns, schema)


def groups_of(release):
    held = {}
    for row in release.frame().to_pylist():
        held.setdefault(row["age"], []).append(row["disease"])
    return list(held.values())


@given(ROWS, st.sampled_from(["level 1", "level 2", ["any cancer"], ["illness", "chronic"]]))
def test_every_group_has_values_of_different_terms(rows, similar):
    """Counted from the published rows, with the terms written out above."""
    rule = gy.About(gy.DistinctDiversity(2), similar=similar)
    counts_as = {
        "level 1": TERM.get,
        "level 2": TOP.get,
        "any cancer": lambda v: TERM[v] if TERM[v] == "any cancer" else v,
        "illness": lambda v: TOP[v] if TOP[v] == "illness" else TERM[v],
    }[similar if isinstance(similar, str) else similar[0]]
    everybody = {counts_as(disease) for _, disease in rows}
    try:
        release = gy.publish(table_of(rows), rule)
    except NothingSafeError:
        assert len(everybody) < 2
        return
    assert len(everybody) > 1
    assert all(len(set(map(counts_as, held))) > 1 for held in groups_of(release))


@given(ROWS)
def test_a_level_is_the_list_of_its_values(rows):
    """The same rule as the one that lists the values of each term, where two people differ."""
    there = sorted({disease for _, disease in rows})
    classes = {
        term: sorted(held)
        for term, held in itertools.groupby(sorted(there, key=TERM.get), TERM.get)
    }
    classes = {term: held for term, held in classes.items() if len(held) > 1}
    inside = gy.DistinctDiversity(2)
    expected = gy.About(inside, similar=classes) if classes else inside
    rules = [gy.About(inside, similar="level 1"), gy.KAnonymity(2)]
    [found, other] = with_listed_values(rules, {"disease": DISEASE}, "disease", there)
    assert to_data(found) == to_data(expected) and other is rules[1]


def test_harmless_values_are_no_part_of_a_term():
    rule = gy.About(gy.DistinctDiversity(2), similar="level 1", harmless=["gout"])
    [found] = with_listed_values([rule], {"disease": DISEASE}, "disease", sorted(TERM))
    assert isinstance(found, About) and "chronic" not in found.similar
    assert found.harmless == ("gout",)


def test_numbers_are_similar_within_an_interval():
    rule = gy.About(gy.DistinctDiversity(2), similar="level 1")
    [found] = with_listed_values([rule], {"x": gy.Hierarchy.intervals(10, 20)}, "x", [1, 5, 12])
    assert found.similar == {"0-9": (1, 5)}


def test_each_of_several_columns_has_its_own_hierarchy():
    rows = [(20 + i % 2 * 10, sorted(TERM)[i % 6], i % 3) for i in range(24)]
    table = table_of(rows, also_sensitive=["income"])
    release = gy.publish(table, gy.About(gy.DistinctDiversity(2), "disease", similar="level 1"))
    assert any("count as 'any cancer'" in claim.text for claim in release.claims)
    with pytest.raises(RuleError, match="'income' has none"):
        gy.publish(table, gy.About(gy.DistinctDiversity(2), similar="level 1"))


def test_the_certificate_lists_the_values_and_is_verified(tmp_path):
    columns = {
        "age": [20 + i % 4 for i in range(40)],
        "disease": [sorted(TERM)[i % 6] for i in range(40)],
    }
    write_csv(tmp_path / "data.csv", columns)
    (tmp_path / "gyges.toml").write_text(
        '[data]\nsource = "data.csv"\n[columns]\nquasi_identifiers = ["age"]\n'
        'sensitive = "disease"\n[hierarchies.disease]\ntree = {"any cancer" = '
        '["lung cancer", "breast cancer"], rest = {infection = ["flu", "HIV", "never"], '
        'chronic = ["gout", "asthma"]}}\n'
        '[[require]]\nrule = "distinct diversity"\nl = 2\nsimilar = "level 1"\n'
    )
    code, out, notes = gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)
    assert code == 0, out + notes
    assert "never" not in out + notes and "spelled" not in out + notes
    path = tmp_path / "release" / "certificate.json"
    stated = json.loads(path.read_text())
    assert "breast cancer" in json.dumps(stated["claims"]) and "level 1" not in path.read_text()
    assert gy.verify(tmp_path / "release").holds
    changed = path.read_text().replace('"flu"', '"gout"', 1)
    path.write_text(changed)
    code, *_ = gyges("verify", "release", folder=tmp_path)
    assert code != 0


@pytest.mark.parametrize(
    ("similar", "said"),
    [
        ("level 3", "has the levels 1 to 2"),
        ("level 0", "has the levels 1 to 2"),
        ("any cancr", "did you mean 'any cancer'"),
        (["flu"], "no general term"),
        ([], "similar is"),
        (["any cancer", "any cancer"], "similar is"),
        (["illness", "infection"], "in two classes"),
    ],
)
def test_terms_that_are_not_there_are_refused(similar, said):
    table = table_of([(20, value) for value in TERM])
    with pytest.raises(RuleError, match=said):
        gy.publish(table, gy.About(gy.DistinctDiversity(2), similar=similar))


def test_without_a_hierarchy_the_values_are_asked_for():
    rule = gy.About(gy.DistinctDiversity(2), similar="level 1")
    with pytest.raises(RuleError, match="list the values"):
        gy.publish(table_of([(20, value) for value in TERM], hierarchy=None), rule)
    with pytest.raises(RuleError, match="list the values"):
        gy.judge(rule, gy.Groups.from_lists([["flu", "gout"]]))


def test_a_term_of_two_meanings_is_refused():
    rows = (("a", "x", "mixed", "*"), ("b", "mixed", "y", "*"), ("c", "x", "mixed", "*"))
    table = table_of([(20, "a"), (20, "b"), (30, "c")], gy.Hierarchy(rows))
    with pytest.raises(RuleError, match="different values at different levels"):
        gy.publish(table, gy.About(gy.DistinctDiversity(2), similar=["mixed"]))


def test_many_values_that_nobody_has_are_one_notice():
    groups = gy.Groups.from_lists([["flu", "gout"]])
    rule = gy.About(gy.DistinctDiversity(2), similar={"x": [f"v{i}" for i in range(500)]})
    [said] = gy.judge(rule, groups).notices
    assert "500 values" in said and len(said) < 200
