"""Priors that are given: against double loops over the people of the other table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries.given_prior import priors_from_table
from gyges.errors import RuleError
from tests.cli.commands import gyges, write_csv

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")


def table(rows, **more):
    columns = {
        "age": [r[0] for r in rows],
        "sex": [r[1] for r in rows],
        "ill": [r[2] for r in rows],
    }
    schema = gy.Schema(quasi_identifiers=["age", "sex"], sensitive="ill", **more)
    return gy.read(columns, schema)


def people(values, most=6):
    return st.lists(
        st.tuples(st.integers(20, 26), st.sampled_from("fm"), st.sampled_from(values)),
        min_size=1,
        max_size=most,
    )


def by_loops(rows, public, values, bandwidth, kernel):
    """(W_v + u_v) / (Σ W_w + 1) for each row, one person of the public table after another."""
    ages = [r[0] for r in (*rows, *public)]
    span = (max(ages) - min(ages)) or 1
    n_used = sum(person[2] in values for person in public)
    found = []
    for age, sex, _ in rows:
        weights = dict.fromkeys(values, 0.0)
        for other_age, other_sex, ill in public:
            if ill not in weights:
                continue
            weight = 1.0
            for distance in (abs(age - other_age) / span, float(sex != other_sex)):
                if kernel == "uniform":
                    weight *= float(distance <= bandwidth)
                else:
                    weight *= max(1 - (distance / bandwidth) ** 2, 0.0)
            weights[ill] += weight
        own = {v: sum(person[2] == v for person in public) + 1 for v in values}
        own = {v: n / (n_used + len(values)) for v, n in own.items()}
        total = sum(weights.values()) + 1
        found.append([(weights[v] + own[v]) / total for v in values])
    return np.array(found)


@settings(max_examples=200)
@given(
    rows=people("abc"),
    public=people("abd"),
    bandwidth=st.sampled_from([0.3, 0.5, 1.0]),
    kernel=st.sampled_from(["epanechnikov", "uniform"]),
)
def test_a_prior_from_another_table_agrees_with_loops_over_its_people(
    rows, public, bandwidth, kernel
):
    """Values and combinations of one table only, too; nothing that occurs is impossible."""
    mine, other = table(rows), table(public)
    found = priors_from_table(mine.cells, other.cells, bandwidth, kernel)[mine.cell_of_row]
    expected = by_loops(rows, public, mine.sensitive_values, bandwidth, kernel)
    assert found == pytest.approx(expected) and (found > 0).all()
    assert found.sum(axis=1) == pytest.approx(1)


@settings(max_examples=50)
@given(rows=people("abc", most=8))
def test_a_matrix_of_the_own_priors_judges_as_the_rule_without_it(rows):
    mine = table(rows)
    matrix = gy.prior_beliefs(mine, 0.4)
    rules = [gy.Beliefs("0.4", 1), gy.Beliefs(None, 1, prior=matrix)]
    risks = [gy.publish(mine, [rule]).claims[0].risk for rule in rules]
    assert float(risks[0]) == pytest.approx(float(risks[1]))


ROWS = [(20, "f", "a"), (20, "f", "b"), (25, "m", "a"), (25, "m", "c")]


def test_what_no_prior_can_be_is_refused_in_words():
    mine, other = table(ROWS), table(ROWS)
    half = np.full((4, 3), 1 / 3)

    def published(matrix):
        return gy.publish(mine, [gy.Beliefs(None, 1, prior=matrix)])

    assert published(half).claims
    for wrong, what in (
        (half[:3], "give one row for each of the 4 rows"),
        (half / 2, "add up to 1"),
        (np.eye(3)[[0, 0, 1, 1]], "probability 0 to a value"),
        (np.vstack([half[:3], [[0.5, 0.25, 0.25]]]), "same quasi-identifiers differ"),
        ([["a"]], "prior"),
    ):
        with pytest.raises(RuleError, match=what):
            published(wrong)
    with pytest.raises(RuleError, match="bandwidth: give one"):
        gy.Beliefs(None, 1, prior=other)
    with pytest.raises(RuleError, match="bandwidth: give one"):
        gy.Beliefs("0.3", 1, prior=half)
    with pytest.raises(RuleError, match="prior"):
        gy.Beliefs("0.3", 1, prior="census.csv")
    lacking = gy.read(
        {"age": [20], "ill": ["a"]}, gy.Schema(quasi_identifiers=["age"], sensitive="ill")
    )
    with pytest.raises(RuleError, match="no quasi-identifier 'sex'"):
        gy.publish(mine, [gy.Beliefs("0.3", 1, prior=lacking)])
    texts = table([("old", "f", "a")])
    with pytest.raises(RuleError, match="another kind of values"):
        gy.publish(mine, [gy.Beliefs("0.3", 1, prior=texts)])
    with pytest.raises(RuleError, match="lists the rows of a table"):
        gy.Beliefs(None, 1, prior=half).bind(gy.publish(mine, [gy.KAnonymity(1)]).partition.groups)


def test_the_certificate_says_that_the_claim_depends_on_a_prior(tmp_path):
    """Nobody without the prior can judge it again: not checked, with the original too."""
    mine = table(ROWS)
    release = gy.publish(mine, [gy.Beliefs("0.4", 1, prior=table([(22, "f", "a")] * 5))])
    assert "from another table, which the publisher chose" in release.claims[0].text
    assert release.claims[0].rule["prior"] == "table"
    release.save(tmp_path / "out")
    for given_original in ({}, {"original": mine}):
        found = gy.verify(tmp_path / "out", **given_original)
        assert not found.refuted and len(found.unchecked) == 1 and not found.holds
    assert "the prior, a table that the publisher gave" in found.unchecked[0].found


def test_an_audit_asks_the_attacker_with_the_given_prior():
    mine = table(ROWS)
    release = gy.publish(mine, [gy.KAnonymity(2)])
    matrix = np.array([[0.9, 0.05, 0.05]] * 2 + [[0.05, 0.05, 0.9]] * 2)
    for prior in (table([(20, "f", "b")] * 9), matrix):
        said = str(gy.audit(release, prior=prior))
        assert "by the prior that was given" in said
    with pytest.raises(gy.errors.ReleaseError, match="give the original"):
        gy.audit(release.groups, prior=matrix)


@pytest.mark.parametrize("name", ["census.csv", "nowhere.csv"])
def test_a_project_names_the_file_of_the_prior(tmp_path, name):
    columns = [list(one) for one in zip(*ROWS * 3, strict=True)]
    write_csv(tmp_path / "data.csv", dict(zip(("age", "sex", "ill"), columns, strict=True)))
    write_csv(tmp_path / "census.csv", {"age": [21, 22], "sex": ["f", "m"], "ill": ["a", "c"]})
    (tmp_path / "gyges.toml").write_text(
        '[data]\nsource = "data.csv"\n[columns]\nquasi_identifiers = ["age", "sex"]\n'
        'sensitive = "ill"\n[[require]]\nrule = "beliefs"\nbandwidth = 0.4\nt = 1\n'
        f'prior = "{name}"\n'
    )
    code, out, notes = gyges("publish", "gyges.toml", "--out", "out", folder=tmp_path)
    if name == "nowhere.csv":
        assert code == 2 and "nowhere.csv" in notes and not (tmp_path / "out").exists()
    else:
        assert code == 0 and "which the publisher chose" in out, notes
        words = ("audit", "out", "--original", "data.csv", "--prior", name)
        code, out, notes = gyges(*words, folder=tmp_path)
        assert "by the prior that was given" in out, notes
