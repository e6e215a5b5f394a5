"""Noisy releases: tables, made-up people, files, and what an auditor finds in them."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import gyges as gy
from gyges.data.consistency import ROWS_ARE_PEOPLE
from gyges.dp.inference import MOST_ROWS
from gyges.dp.mechanisms import Change, Noise, Price, add_noise, loss_of
from gyges.errors import ReleaseError, RuleError

VALUES = {
    "age": range(0, 100),
    "sex": ["F", "M"],
    "ill": ["Asthma", "Flu", "Gout", "Rare, and =odd"],
}


def patients(n=400, seed=7):
    rng = np.random.default_rng(seed)
    ages = rng.integers(20, 90, n)
    ills = np.where(ages < 50, "Flu", rng.choice(["Gout", "Rare, and =odd"], n))
    return gy.read(
        {
            "age": ages.tolist(),
            "sex": rng.choice(["F", "M"], n).tolist(),
            "ill": ills.tolist(),
        },
        gy.Schema(
            quasi_identifiers=["age", "sex"],
            sensitive="ill",
            hierarchies={"age": gy.Hierarchy.intervals(10, 50)},
        ),
    )


def noisy(**options):
    terms = {"epsilon": 2, "domains": VALUES, "levels": {"age": 2}, "seed": 3, **options}
    return gy.publish(patients(), method="dp", **terms)


@pytest.fixture(scope="module", params=["csv", "parquet"])
def saved(request, tmp_path_factory):
    place = tmp_path_factory.mktemp("noisy") / "release"
    return noisy().save(place, format=request.param)


@pytest.mark.parametrize("kind", ["discrete Laplace", "discrete Gaussian"])
@pytest.mark.parametrize(("views", "most_changed"), [(1, 1), (3, 1), (2, 2)])
def test_the_loss_of_the_noise_that_was_added_is_within_its_price(kind, views, most_changed):
    price = Price("epsilon" if kind == "discrete Laplace" else "rho", Fraction(1, 3))
    _, noise = add_noise(np.zeros(4, np.int64), price, change=Change(most_changed), views=views)
    assert noise.kind == kind
    loss = loss_of(noise, change=Change(most_changed), views=views)
    assert loss.measure == price.measure
    assert price.amount * Fraction("0.999999") < loss.amount <= price.amount
    less = Noise(noise.kind, noise.scale * 0.9)
    assert loss_of(less, change=Change(most_changed), views=views).amount > price.amount


def test_made_up_people_show_what_the_tables_say():
    release = noisy(epsilon=500, views=[["age", "ill"], ["sex"]])
    people = release.frame()
    assert set(people.column_names) == {"age", "sex", "ill"}
    assert abs(people.num_rows - 400) <= 1
    young = [
        ill
        for age, ill in zip(
            people.column("age").to_pylist(), people.column("ill").to_pylist(), strict=True
        )
        if age == "0-49"
    ]
    assert young and set(young) == {"Flu"}


def test_consistent_counts_agree_between_views_and_are_nowhere_negative():
    release = noisy(epsilon="0.1")
    fitted = {
        frozenset(m.columns): release.fitted.counts(m.columns) for m in release.noisy.marginals
    }
    assert all((counts > -1e-6).all() for counts in fitted.values())
    totals = [counts.sum() for counts in fitted.values()]
    np.testing.assert_allclose(totals, totals[0], rtol=1e-3)


def test_the_steps_pay_the_whole_price_and_no_more():
    for options in ({}, {"delta": "1e-6"}, {"views": [["age"], ["sex", "ill"]]}):
        release = noisy(**options).noisy
        total = sum(step.price.amount for step in release.steps)
        measure = "rho" if "delta" in options else "epsilon"
        assert {step.price.measure for step in release.steps} == {measure}
        assert total == (release.guarantee.rho if measure == "rho" else 2)


def test_frames_come_in_the_callers_kind():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"sex": ["F", "M", "F"], "ill": ["Flu", "Flu", "Gout"]})
    table = gy.read(frame, gy.Schema(quasi_identifiers=["sex"], sensitive="ill"))
    public = {name: VALUES[name] for name in ("sex", "ill")}
    release = gy.publish(table, method="dp", epsilon=1, domains=public)
    assert isinstance(release.frame(), pd.DataFrame)
    with pytest.raises(ReleaseError, match="no table 'x'"):
        release.frame("x")


def test_rules_and_forms_do_not_apply_to_noise():
    with pytest.raises(RuleError, match="no groups"):
        gy.publish(patients(), [gy.KAnonymity(2)], method="dp", epsilon=1)
    with pytest.raises(RuleError, match="needs epsilon"):
        gy.publish(patients(), method="dp")
    with pytest.raises(RuleError, match="no public list of values"):
        gy.publish(patients(), method="dp", epsilon=1)


def test_a_saved_release_is_read_back_and_verified(saved):
    published = gy.load(saved)
    assert published.form == "noisy"
    assert published.guarantee.epsilon == 2
    assert set(published.columns) == {"age", "sex", "ill"}
    finding = gy.verify(saved)
    assert not finding.refuted, str(finding)
    not_checked = [check.claim for check in finding.checks if check.holds is None]
    assert "the noise was drawn as stated, from an unpredictable source" in not_checked
    assert len(not_checked) == 3


def is_refused_or_false(directory):
    try:
        return bool(gy.verify(directory).refuted)
    except ReleaseError:
        return True


def changed(saved, tmp_path, change):
    """A copy whose certificate was changed."""
    shutil.copytree(saved, tmp_path / "copy")
    path = tmp_path / "copy" / "certificate.json"
    stated = json.loads(path.read_text())
    change(stated)
    path.chmod(0o644)
    path.write_text(json.dumps(stated))
    return tmp_path / "copy"


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s["guarantee"].update(epsilon="1"),
        lambda s: s["guarantee"].update(neighbours="change one person"),
        lambda s: s["guarantee"]["steps"].pop(),
        lambda s: s["guarantee"]["views"][0].update(scale=0.1),
        lambda s: s["guarantee"]["views"].pop(),
        lambda s: s["columns"][0]["labels"].append("more"),
        lambda s: s["columns"][1]["labels"].pop(),
        lambda s: s["files"].update({next(iter(s["files"])): "0" * 64}),
        lambda s: s["files"].popitem(),
        lambda s: s.pop("guarantee"),
        lambda s: s["guarantee"].update(epsilon="many"),
        lambda s: s.update(synthetic="../elsewhere.csv"),
    ],
)
def test_an_inflated_or_broken_claim_is_caught(saved, tmp_path, change):
    assert is_refused_or_false(changed(saved, tmp_path, change))


def test_a_changed_table_is_caught(saved, tmp_path):
    shutil.copytree(saved, tmp_path / "copy")
    for path in (tmp_path / "copy").glob("view-1.*"):
        path.chmod(0o644)
        path.write_bytes(path.read_bytes().replace(b"0-49", b"9-49", 1))
    assert not gy.verify(tmp_path / "copy").holds


@pytest.mark.parametrize("named", [False, True])
def test_it_is_said_whether_rows_were_taken_to_be_people(tmp_path, named):
    columns = {"who": [*range(40)], "ill": ["Flu", "Gout"] * 20}
    schema = gy.Schema(
        sensitive="ill", identifiers=["who"] if named else [], dropped=[] if named else ["who"]
    )
    table = gy.read(columns, schema)
    terms = {"epsilon": 1, "views": [["ill"]], "domains": {"ill": ["Flu", "Gout"]}}
    place = gy.publish(table, method="dp", **terms).save(tmp_path / "noisy")
    assert (ROWS_ARE_PEOPLE in gy.verify(place).statements) is not named
    assert (ROWS_ARE_PEOPLE in gy.audit(place).notes) is not named


def test_no_more_people_are_made_up_than_verify_reads(monkeypatch):
    """Nothing is paid for what could not be published."""
    with pytest.raises(gy.GygesError, match="rows is"):
        noisy(rows=MOST_ROWS + 1)
    monkeypatch.setattr("gyges.dp.inference.MOST_ROWS", 399)  # the table has 400 people
    paid = []
    payer = SimpleNamespace(pay=lambda *given: paid.append(given))
    with pytest.raises(gy.GygesError, match="400 people would be made up"):
        noisy(payer=payer)
    assert not paid


def test_views_that_cannot_be_fitted_are_refused_before_they_are_paid_for(monkeypatch):
    """The predicted size is stated, and a way round it."""
    paid = []
    payer = SimpleNamespace(pay=lambda *given: paid.append(given))
    monkeypatch.setattr("gyges.dp.inference.MOST_MEGABYTES", 1e-9)
    with pytest.raises(
        gy.GygesError, match=r"need a model of .* MB.*generalize 'sex'.*remove the view"
    ):
        noisy(views=[["sex", "age"]], payer=payer)
    assert not paid


REFUSED = {
    "no views": {"views": []},
    "an unknown column": {"views": [["height"]]},
    "a column twice": {"views": [["age", "age"]]},
    "no public values": {"domains": {}},
    "a foreign value": {"domains": {**VALUES, "sex": ["F"]}},
    "an impossible person": {"impossible": [{"sex": "F", "ill": ["Flu", "Gout"]}]},
    "an unknown label": {"impossible": [{"sex": "X", "ill": "Flu"}]},
    "an impossible column": {"impossible": [{"sex": "F"}]},
    "everything impossible": {
        "impossible": [{"sex": ["F", "M"], "ill": VALUES["ill"]}],
    },
    "no workload": {"workload": 0},
    "a foreign workload": {"workload": [["height"]]},
    "an empty question": {"workload": [[]]},
    "rows": {"rows": 0},
    "no budget": {"epsilon": 0},
    "delta": {"delta": 1},
}


@pytest.mark.parametrize("why", sorted(REFUSED))
def test_whatever_can_be_known_beforehand_is_refused_before_it_is_paid_for(why):
    paid = []
    payer = SimpleNamespace(pay=lambda *given: paid.append(given))
    with pytest.raises(gy.GygesError):
        noisy(payer=payer, **REFUSED[why])
    assert not paid


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("delta", [0, "1e-6"])
def test_a_plain_count_is_published_and_verified(tmp_path, format, delta):
    release = noisy(views=[[]], delta=delta, domains={}, levels={})
    assert [*release.tables] == ["total"] and release.tables["total"].num_rows == 1
    saved = release.save(tmp_path / "count", format=format)
    assert {path.name for path in saved.iterdir()} == {f"view-1.{format}", "certificate.json"}
    found = gy.verify(saved)
    assert found.refuted == [] and all(
        "trust the publisher" in c.found or "views were" in c.claim for c in found.unchecked
    )
    assert gy.load(saved).published.views[0].counts == [str(release.noisy.marginals[0].counts[()])]
    assert gy.audit(saved).findings
