"""With the original at hand the claims that need it are judged too."""

from __future__ import annotations

import pytest

import gyges as gy
from gyges.auditing.against_original import PEOPLE
from gyges.data.consistency import ROWS_ARE_PEOPLE
from gyges.data.examples import hospital, hospital_schema
from gyges.errors import ReleaseError
from gyges.release.mapping import save_mapping
from tests.auditing import forging

SCHEMA = hospital_schema()
RULES = [gy.KAnonymity(5), gy.Beliefs(bandwidth="0.3", t="1")]
BELIEFS = f"{RULES[1]}; smoothing over sensitive values 0"  # as the certificate states it


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A release with a claim about beliefs, its mapping, and its table."""
    folder = tmp_path_factory.mktemp("verified")
    table = gy.read(hospital(200), SCHEMA)
    release = gy.publish(table, RULES, method="lattice")
    release.save(folder / "out")
    save_mapping(release, folder / "map.json")
    return folder, table


def answers(finding):
    return {check.claim: check.holds for check in finding.checks}


def test_the_claims_that_need_the_original_are_named(made):
    folder, _ = made
    finding = gy.verify(folder / "out")
    assert not finding.holds and not finding.refuted
    assert [c.claim for c in finding.checks if c.holds is None] == [BELIEFS]
    assert "needs the original" in str(finding)


@pytest.mark.parametrize("with_mapping", [False, True])
def test_with_the_original_they_are_judged(made, with_mapping):
    folder, table = made
    mapping = folder / "map.json" if with_mapping else None
    finding = gy.verify(folder / "out", original=table, mapping=mapping)
    assert finding.holds and None not in answers(finding).values()
    assert answers(finding)[BELIEFS] is True
    assert answers(finding)[PEOPLE] is True


def test_another_table_is_not_taken_for_the_original(made):
    folder, _ = made
    columns = hospital(200)
    columns["disease"] = columns["disease"][1:] + columns["disease"][:1]
    finding = gy.verify(folder / "out", original=gy.read(columns, SCHEMA))
    assert answers(finding)[PEOPLE] is False
    few = {name: values[:90] for name, values in hospital(200).items()}
    assert not gy.verify(folder / "out", original=gy.read(few, SCHEMA)).holds


def test_people_who_fit_several_groups_need_the_mapping(tmp_path):
    table = gy.read(hospital(600), SCHEMA)
    release = gy.publish(table, RULES)
    release.save(tmp_path / "out")
    save_mapping(release, tmp_path / "map.json")
    finding = gy.verify(tmp_path / "out", original=table)
    assert not finding.refuted and answers(finding)[BELIEFS] is None
    assert "several groups" in str(finding)
    finding = gy.verify(tmp_path / "out", original=table, mapping=tmp_path / "map.json")
    assert finding.holds and answers(finding)[BELIEFS] is True


def test_a_hierarchy_that_is_a_table_must_be_the_same_one(tmp_path):
    columns = {"job": ["clerk", "boss", "nurse", "cook"] * 3, "disease": list("abcdab") * 2}

    def table(tree):
        hierarchies = {"job": gy.Hierarchy.from_tree(tree)}
        return gy.read(columns, gy.Schema(quasi_identifiers=["job"], sensitive="disease",
                                          hierarchies=hierarchies))  # fmt: skip

    same = table({"office": ["clerk", "boss"], "field": ["nurse", "cook"]})
    gy.publish(same, [gy.KAnonymity(4)], method="lattice").save(tmp_path / "out")
    assert b"clerk" not in (tmp_path / "out" / "certificate.json").read_bytes()
    assert gy.verify(tmp_path / "out", original=same).holds
    other = table({"office": ["clerk", "nurse"], "field": ["boss", "cook"]})
    assert gy.verify(tmp_path / "out", original=other).refuted, "its people are in other groups"
    without = gy.read(columns, gy.Schema(quasi_identifiers=["job"], sensitive="disease"))
    with pytest.raises(ReleaseError, match="same hierarchy"):
        gy.verify(tmp_path / "out", original=without)


def test_an_audit_judges_a_claim_with_the_distances_that_it_states(tmp_path):
    """The table that is given may lack the hierarchy by which the release was judged."""
    columns = {
        "age": [20 + i % 7 for i in range(70)],
        "disease": [["flu", "cold", "gout", "ulcer"][(i // 3 + i % 5) % 4] for i in range(70)],
    }
    tree = gy.Hierarchy.from_tree({"lung": ["flu", "cold"], "other": ["gout", "ulcer"]})
    roles = {"quasi_identifiers": ["age"], "sensitive": "disease"}
    table = gy.read(columns, gy.Schema(**roles, hierarchies={"disease": tree}))
    rule = gy.Beliefs("0.2", "0.3", smoothing="0.6")
    gy.publish(table, [gy.KAnonymity(2), rule], method="lattice").save(tmp_path / "out")
    with_tree = gy.audit(tmp_path / "out", original=table).measures["beliefs"][0]
    without = gy.audit(tmp_path / "out", original=gy.read(columns, gy.Schema(**roles))).measures[
        "beliefs"
    ][0]
    assert "as the release claims it" in with_tree.bandwidth and with_tree.n_exposed == 0
    assert without == with_tree


def test_labels_that_cover_nobody_are_refuted_also_with_the_mapping(tmp_path):
    """The mapping's groups were taken for the published ones, whatever their labels."""
    columns = {"pid": [1, 2, 3, 4], "age": [20, 21, 40, 41], "ill": ["Flu", "Gout", "HIV", "Flu"]}
    schema = gy.Schema(identifiers=["pid"], quasi_identifiers=["age"], sensitive="ill")
    table = gy.read(columns, schema)
    release = gy.publish(table, [gy.KAnonymity(2)])
    save_mapping(release, tmp_path / "map.json")
    release.save(tmp_path / "out")
    assert gy.verify(tmp_path / "out", original=table, mapping=tmp_path / "map.json").holds
    data, old = tmp_path / "out" / "data.csv", max(release.labels["age"])
    data.write_text(data.read_text().replace(old, "80-89"))
    forging.rehash(tmp_path / "out")
    assert gy.verify(tmp_path / "out").holds  # the files alone do not show it
    assert gy.verify(tmp_path / "out", original=table, mapping=tmp_path / "map.json").refuted
    stated = (tmp_path / "map.json").read_text().replace(old, "80-89")  # and a forged mapping
    (tmp_path / "map.json").write_text(stated)
    assert gy.verify(tmp_path / "out", original=table, mapping=tmp_path / "map.json").refuted


def test_a_mapping_that_does_not_say_who_is_where_decides_nothing(tmp_path):
    """Honest releases that divide people with equal quasi-identifiers were refuted."""
    columns = {"pid": range(5), "age": [3, 3, 3, 3, 9], "ill": list("abcab")}
    schema = gy.Schema(identifiers=["pid"], quasi_identifiers=["age"], sensitive="ill")
    table = gy.read({name: list(values) for name, values in columns.items()}, schema)
    release = gy.publish(table, [gy.KAnonymity(2)], relaxed=True)
    save_mapping(release, tmp_path / "map.json")
    release.save(tmp_path / "out")
    found = gy.verify(tmp_path / "out", original=table, mapping=tmp_path / "map.json")
    assert not found.refuted and any("does not say" in one.found for one in found.unchecked)
    with pytest.raises(gy.GygesError, match="does not say who"):
        gy.audit(tmp_path / "out", original=table, mapping=tmp_path / "map.json")


@pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
def test_what_the_auditor_assumes_is_not_called_the_publishers_word(tmp_path):
    columns = {"pid": [1, 2, 3, 4], "age": [20, 21, 40, 41], "ill": ["Flu", "Gout", "HIV", "Flu"]}
    schema = gy.Schema(identifiers=["pid"], quasi_identifiers=["age"], sensitive="ill")
    gy.publish(gy.read(columns, schema), [gy.KAnonymity(2)]).save(tmp_path / "out")
    plain = gy.read(columns, gy.Schema(quasi_identifiers=["age"], sensitive="ill"))
    found = gy.verify(tmp_path / "out", original=plain)
    assert found.holds and ROWS_ARE_PEOPLE not in found.statements


def test_columns_published_unchanged_are_not_called_the_originals(tmp_path):
    """Every job was replaced by "doctor", and everything was called as in the original."""
    rows = {"id": list("abcdefgh"), "age": [20] * 4 + [40] * 4, "job": list("xyxyxyxy"),
            "ill": list("uvvuuvvu")}  # fmt: skip
    roles = {"person": "id", "quasi_identifiers": ["age"], "sensitive": "ill"}
    table = gy.read(rows, gy.Schema(published=["job"], **roles))
    release = gy.publish(table, [gy.KAnonymity(4)], allow_singling_out=True)
    release.save(tmp_path / "out")
    found = gy.verify(tmp_path / "out", original=table)
    assert not found.holds and not found.refuted
    assert any(
        "'job'" in check.claim and "not compared" in check.found for check in found.unchecked
    )
