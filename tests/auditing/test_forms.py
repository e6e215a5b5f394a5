"""Every form of release is asked every question: it answers, or says in a sentence why not."""

from __future__ import annotations

import json
import shutil

import pytest

import gyges as gy
from gyges.auditing.forms import FORMS
from gyges.auditing.notes import AS_IF_GENERALIZED
from gyges.data.large_table import BYTES_OF_CODE, BYTES_OF_ENTRY
from gyges.data.memory_limit import MemoryBudget
from gyges.marginals.published_views import publish_marginals
from gyges.search.methods import METHODS, WithoutGroups
from tests.auditing import toy_form

COLUMNS = {
    "sex": ["F", "M"] * 20,
    "age": [20 + (7 * i) % 40 for i in range(40)],
    "ill": ["Flu", "Gout", "Flu", "Mumps", "Gout"] * 8,
}
SCHEMA = gy.Schema(
    quasi_identifiers=["sex", "age"],
    sensitive="ill",
    hierarchies={"age": gy.Hierarchy.intervals(10, 20)},
)
GROUPED = {
    "generalized": {"method": "partition"},
    "bucketized": {"method": "buckets"},
    "microaggregated": {"method": "microaggregation"},
}
UNGROUPED = ["marginals", "noisy"]
ALL = [*GROUPED, *UNGROUPED]


def publish(form):
    table = gy.read(COLUMNS, SCHEMA)
    if form in GROUPED:
        rules = [gy.KAnonymity(2), gy.DistinctDiversity(2)]
        return gy.publish(table, rules, **GROUPED[form])
    if form == "marginals":
        made = gy.Marginals.of(table, [{"sex": 0, "ill": 0}, {"age": 2}])
        return publish_marginals(made, [gy.KAnonymity(2)])
    pytest.importorskip("opendp")
    domains = {"sex": ["F", "M"], "ill": ["Flu", "Gout", "Mumps"]}
    return gy.publish(table, method="dp", epsilon=1, domains=domains, views=[["sex", "ill"]])


@pytest.fixture(scope="module")
def directories(tmp_path_factory):
    place = tmp_path_factory.mktemp("forms")
    return {form: publish(form).save(place / form) for form in ALL}


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    path = tmp_path_factory.mktemp("people") / "people.csv"
    path.write_text("sex,age\nF,20\nM,27\n")
    return path


@pytest.fixture
def views(directories):
    return directories["marginals"]


@pytest.fixture
def noise(directories):
    return directories["noisy"]


def test_every_form_is_asked():
    assert set(ALL) == set(FORMS)


@pytest.mark.parametrize("form", ALL)
def test_what_is_loaded_is_what_was_saved(directories, form, tmp_path):
    """Saved again it is the same to the last byte."""
    loaded = gy.load(directories[form])
    assert loaded.form == form and loaded.claims and loaded.tables and loaded.frame() is not None
    again = loaded.save(tmp_path / "again")
    for name in (path.name for path in directories[form].iterdir()):
        assert (again / name).read_bytes() == (directories[form] / name).read_bytes()


@pytest.mark.parametrize("form", ALL)
def test_verify_refutes_nothing_and_the_command_says_the_same(directories, form, run):
    found = gy.verify(directories[form])
    assert not found.refuted and (found.holds or form == "noisy")
    code, out, _ = run("verify", directories[form])
    assert (code, found.answer in out) == (0 if found.holds else 3, True)


@pytest.mark.parametrize("form", ALL)
def test_an_altered_file_is_refuted_in_every_form(directories, form, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(directories[form], copy)
    path = next(path for path in sorted(copy.iterdir()) if path.suffix == ".csv")
    path.write_bytes(path.read_bytes()[:-1] + b"0\n")
    [refuted] = gy.verify(copy).refuted
    assert path.name in refuted.claim


@pytest.mark.parametrize("form", ALL)
def test_audits_of_a_release_its_directory_and_the_command_agree(directories, form, run):
    said = str(gy.audit(directories[form]))
    assert said == str(gy.audit(gy.load(directories[form])))
    code, out, _ = run("audit", directories[form])
    assert code == 0 and said in out
    assert str(gy.audit(publish(form)))


@pytest.mark.parametrize("form", ALL)
def test_every_form_has_findings_and_all_of_them_are_shown(directories, form):
    found = gy.audit(directories[form])
    assert found.findings and found.is_complete
    for finding in found.findings:
        assert finding.attacker and finding.sentence[-1] in ".!" and finding.topic
        assert finding.sentence in str(found)


@pytest.mark.parametrize("form", ALL)
def test_questions_about_groups_are_answered_or_explained(directories, form, people, run):
    directory = directories[form]
    table = gy.read(people, gy.Schema(quasi_identifiers=["sex", "age"]))
    asked = {
        "ask": lambda: gy.probability(gy.load(directory).groups, "1.1 = Flu"),
        "skyline": lambda: gy.skyline_find(gy.load(directory).groups, "Flu", "0.95"),
        "attack": lambda: gy.intersection_attack([gy.load(directory)] * 2, table),
    }
    commands = {
        "ask": ("ask", directory, "1.1 = Flu"),
        "skyline": ("skyline", directory, "--value", "Flu"),
        "attack": ("attack", directory, directory, "--people", people),
        "audit": ("audit", directory, "--population", people),
    }
    for question in asked:
        if form in GROUPED:
            assert asked[question]() is not None
            continue
        with pytest.raises(gy.GygesError, match="not groups of people, so this question"):
            asked[question]()
    for verb, command in commands.items():
        code, _, err = run(*command)
        refused = form in UNGROUPED and (verb, form) != ("attack", "marginals")  # views are joined
        assert (code == 2) == refused, (command, err)
        if verb == "attack" and form == "noisy":
            assert "fewer than two releases can be joined" in err and "Not joined" in err
        else:
            assert ("not groups of people" in err) == refused, (command, err)


def test_a_form_that_this_version_does_not_know_is_refused_in_a_sentence(views, tmp_path):
    shutil.copytree(views, tmp_path / "copy")
    path = tmp_path / "copy" / "certificate.json"
    for form in ("a form of tomorrow", None, 7, ["noisy"]):
        path.write_text(json.dumps(json.loads(path.read_text()) | {"form": form}))
        for question in (gy.load, gy.verify, gy.audit):
            with pytest.raises(gy.GygesError, match="which this gyges does not read"):
                question(tmp_path / "copy")


def test_pages_are_refused_by_a_form_that_has_none(directories, tmp_path):
    with pytest.raises(gy.GygesError, match="which has no pages"):
        gy.load(directories["marginals"]).save(tmp_path / "out", pages={"report.html": ""})
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["views", "noise"])
def test_an_audit_answers_from_the_files_and_refuses_what_it_cannot_use(kind, request):
    directory = request.getfixturevalue(kind)
    assert str(gy.audit(directory))
    with pytest.raises(gy.GygesError, match="not groups of people"):
        gy.audit(directory, others=[directory])


def test_a_release_made_part_by_part_says_that_it_has_to_be_saved_first(tmp_path):
    table = gy.read(COLUMNS, SCHEMA)
    room = MemoryBudget(
        2**30, 2**28, 10 * (BYTES_OF_ENTRY + 2 * BYTES_OF_CODE)
    )  # for 10 distinct rows
    release = gy.publish(table, [gy.KAnonymity(2)], memory_limit=room)
    for given in ({}, {"population": table}):
        with pytest.raises(gy.GygesError, match="made part by part"):
            gy.audit(release, **given)
    assert gy.audit(release.save(tmp_path / "out")).is_complete


@pytest.mark.parametrize("form", GROUPED)
def test_utility_says_where_it_is_that_of_another_form(form):
    """A bucketized release keeps every column, and its audit said that 80 % of them was lost."""
    assert (AS_IF_GENERALIZED in gy.audit(publish(form)).notes) is (form != "generalized")


def test_a_promise_that_the_steps_do_not_support_is_refused(noise, tmp_path):
    shutil.copytree(noise, tmp_path / "copy")
    path = tmp_path / "copy" / "certificate.json"
    path.chmod(0o644)
    stated = json.loads(path.read_text())
    stated["guarantee"]["epsilon"] = "1/10"
    path.write_text(json.dumps(stated))
    with pytest.raises(gy.GygesError, match="promises more privacy than its steps provide"):
        gy.audit(tmp_path / "copy")


def test_words_of_the_certificate_are_never_shown(views, tmp_path):
    """Terminal codes or line breaks in a claim could look like an answer of ours."""
    fake = "x\n  true:  every claim\x1b[2J"
    for place in ("text", "risk"):
        directory = tmp_path / place
        shutil.copytree(views, directory)
        path = directory / "certificate.json"
        path.chmod(0o644)
        stated = json.loads(path.read_text())
        stated["claims"][0][place] = fake
        path.write_text(json.dumps(stated))
        finding = gy.verify(directory)
        assert not finding.holds
        assert "\x1b" not in str(finding) and "\n  true:  every claim" not in str(finding)


def test_a_toy_form_takes_its_file_and_one_line(monkeypatch, tmp_path, run):
    """The command publishes it; it is recorded, loaded, verified and audited like the others."""
    monkeypatch.setitem(FORMS, toy_form.FORM, lambda: toy_form.TOY)
    monkeypatch.setitem(METHODS, "toy", WithoutGroups(toy_form.publish, toy_form.search))
    monkeypatch.chdir(tmp_path)
    rows = [f"{age},{ill}\n" for age, ill in zip(COLUMNS["age"], COLUMNS["ill"], strict=True)]
    (tmp_path / "p.csv").write_text("age,ill\n" + "".join(rows))
    words = ["--quasi", "age", "--sensitive", "ill", "--k", "2", "--method", "toy"]
    code, out, notes = run("publish", "p.csv", *words, "--ledger", "ledger.sqlite", "--final")
    assert code == 0 and out.startswith("published the number 40 to release\n"), notes
    loaded = gy.load("release")
    assert loaded.form == "toy" and loaded.tables["count"].to_pydict() == {"people": [40]}
    code, out, _ = run("verify", "release")
    assert gy.verify("release").holds and code == 0 and "makes no claim about privacy" in out
    assert str(gy.audit("release")).startswith("the number 40")
    assert run("audit", "release")[0] == 0
    with pytest.raises(gy.GygesError, match="so it has no groups"):
        gy.audit("release", others=["release"], population=gy.read(COLUMNS, SCHEMA))
    with pytest.raises(gy.GygesError, match="so it has no groups"):
        _ = loaded.groups
    words += ["--ledger", "ledger.sqlite", "--out", "again", "--json"]
    code, out, _ = run("publish", "p.csv", *words)
    [left] = json.loads(out)["with_earlier_releases"]["not_compared"]
    assert left["why"] == "this one has no groups"
    (tmp_path / "release" / "count.csv").write_text("people\n41\n")
    assert gy.verify("release").refuted
