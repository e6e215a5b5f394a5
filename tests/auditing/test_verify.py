"""An auditor holds only the release: whatever was changed in it is caught."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

import gyges as gy
from gyges.criteria.base import bind_all
from gyges.criteria.verdict import judge
from gyges.data.examples import hospital, hospital_schema
from gyges.errors import ReleaseError
from gyges.release.certificate import sha256
from gyges.release.make_release import make_release
from gyges.release.partition_of_cells import Partition
from gyges.search.publish import claims_of


@pytest.fixture
def release(tmp_path):
    """A small hospital in decades of age, with its claims."""
    table = gy.read(hospital(300), hospital_schema())
    decade = np.array([int(age) // 10 for age in table.cells.domains[0].values])
    _, group = np.unique(decade[table.cells.codes[:, 0]] // 3, return_inverse=True)
    partition = Partition(table.cells, group.astype(np.int64), int(group.max()) + 1)
    made = make_release(table, partition, "generalized", rng=np.random.default_rng(1))
    rules = [
        gy.KAnonymity(int(made.groups.sizes.min())),
        gy.DistinctDiversity(3),
        gy.TCloseness("0.9"),
        gy.ProbabilisticDiversity("1.1"),
    ]
    from dataclasses import replace

    verdict = judge(rules, made.groups)
    assert verdict.safe, str(verdict)
    replace(made, claims=claims_of(bind_all(rules, made.groups), verdict, made.groups)).save(
        tmp_path / "out"
    )
    return tmp_path / "out"


def false_claims(directory):
    return [check.claim for check in gy.verify(directory).checks if check.holds is False]


def rewrite(directory, change):
    """Change the certificate as a forger would."""
    path = directory / "certificate.json"
    stated = json.loads(path.read_text())
    change(stated)
    path.write_text(json.dumps(stated))


def rehash(directory):
    """Make the certificate's hash fit a changed file."""
    rewrite(directory, lambda s: s["files"].update({"data.csv": sha256(directory / "data.csv")}))


def test_an_untouched_release_holds(release):
    finding = gy.verify(release)
    assert finding.holds and len(finding.checks) >= 6
    assert str(finding).startswith(f"All {len(finding.checks)} checks passed.")


def test_changed_values_are_caught_by_the_hash_and_after_rehashing_by_the_claims(release):
    path = release / "data.csv"
    head, *lines = path.read_text().splitlines()
    lines = [line.rsplit(",", 1)[0] + ",Flu" for line in lines]
    path.write_text("\n".join([head, *lines]) + "\n")
    assert any("data.csv" in claim for claim in false_claims(release))
    rehash(release)
    assert any("different sensitive values" in claim for claim in false_claims(release))


def test_a_removed_row_is_caught_even_after_rehashing(release):
    path = release / "data.csv"
    path.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")
    rehash(release)
    assert any("people are published" in claim for claim in false_claims(release))


def test_a_changed_hash_is_caught(release):
    rewrite(release, lambda s: s["files"].update({"data.csv": "0" * 64}))
    assert len(false_claims(release)) == 1


@pytest.mark.parametrize(
    "inflate",
    [
        lambda s: s["claims"][0]["rule"].update(k=s["claims"][0]["rule"]["k"] + 1),
        lambda s: s["claims"][0].update(risk="1000"),
        lambda s: s["claims"][0].update(text="every group has at least 1000 people"),
        lambda s: s["claims"][2]["rule"].update(t="1/1000"),
        lambda s: s["claims"][2].update(risk=str(Fraction(1, 1000))),
    ],
)
def test_an_inflated_claim_is_caught(release, inflate):
    rewrite(release, inflate)
    assert len(false_claims(release)) == 1


def test_a_file_that_nobody_certified_is_refused(release):
    (release / "names.csv").write_text("name\n")
    with pytest.raises(ReleaseError, match="does not list"):
        gy.verify(release)


def test_a_missing_file_is_refused(release):
    (release / "data.csv").unlink()
    with pytest.raises(ReleaseError, match="missing"):
        gy.verify(release)


def test_a_rule_that_nobody_knows_is_not_checked(release):
    rewrite(release, lambda s: s["claims"][0].update(rule={"name": "os.system", "x": 1}))
    found = gy.verify(release)
    assert not found.holds and not found.refuted
    assert ["os.system" in check.claim for check in found.unchecked] == [True]


@pytest.mark.parametrize("text", ["", "{}", "[]", "not json", '{"format": 1}'])
def test_a_certificate_that_is_none_is_refused(release, text):
    (release / "certificate.json").write_text(text)
    with pytest.raises(ReleaseError):
        gy.verify(release)


def test_a_certificate_may_not_point_outside_its_directory(release):
    rewrite(release, lambda s: s["files"].update({"../secret.csv": "0" * 64}))
    with pytest.raises(ReleaseError):
        gy.verify(release)


def test_a_directory_without_a_certificate_is_no_release(tmp_path):
    with pytest.raises(ReleaseError, match="no release"):
        gy.verify(tmp_path / "nowhere")
    with pytest.raises(ReleaseError, match="certificate"):
        gy.verify(tmp_path)


def test_the_release_directory_holds_no_identifier(release):
    content = b"".join(path.read_bytes() for path in release.iterdir())
    for patient in hospital(300)["patient"]:
        assert str(patient).encode() not in content


def test_a_reworded_claim_fails_and_the_rule_itself_is_judged(release):
    """It said "fails: every group has at least 5 people" of groups that all have 5."""
    rewrite(release, lambda s: s["claims"][1].update(text="every group has 50 values"))
    [check] = gy.verify(release).refuted
    assert check.claim.startswith("the claim is worded as its rule: every group has at least 3")
    assert "the rule itself holds, worst case: " in check.found
