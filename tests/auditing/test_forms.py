"""Views and noisy tables: what they are asked, and a sentence where a question does not apply."""

from __future__ import annotations

import json
import shutil

import pytest

import gyges as gy
from gyges.cli import main
from gyges.data.examples import hospital, hospital_schema
from gyges.marginals.published_views import publish_marginals


@pytest.fixture(scope="module")
def views(tmp_path_factory):
    table = gy.read(hospital(300), hospital_schema())
    made = gy.Marginals.of(table, [{"sex": 0, "disease": 0}, {"zip": 2}])
    return publish_marginals(made, [gy.KAnonymity(2)]).save(
        tmp_path_factory.mktemp("views") / "out"
    )


@pytest.fixture(scope="module")
def noise(tmp_path_factory):
    pytest.importorskip("opendp")
    pytest.importorskip("mbi")
    columns = {"sex": ["F", "M"] * 20, "ill": ["Flu", "Gout", "Flu", "Flu"] * 10}
    table = gy.read(columns, gy.Schema(quasi_identifiers=["sex"], sensitive="ill"))
    domains = {"sex": ["F", "M"], "ill": ["Flu", "Gout"]}
    release = gy.publish(table, method="dp", epsilon=1, domains=domains, views=[["sex", "ill"]])
    return release.save(tmp_path_factory.mktemp("noise") / "out")


@pytest.mark.parametrize("kind", ["views", "noise"])
def test_questions_about_groups_say_why_they_do_not_apply(
    kind, request, tmp_path, monkeypatch, capsys
):
    directory = request.getfixturevalue(kind)
    with pytest.raises(gy.GygesError, match="has no groups of people"):
        gy.load(directory)
    people = tmp_path / "people.csv"
    people.write_text("sex\nF\nM\n")
    for command in (
        ["ask", str(directory), "1.1 = Flu"],
        ["skyline", str(directory), "--value", "Flu"],
        ["attack", str(directory), str(directory), "--people", str(people)],
        ["audit", str(directory), "--population", str(people)],
    ):
        monkeypatch.setattr("sys.argv", ["gyges", *command])
        with pytest.raises(SystemExit) as stopped:
            main.run()
        assert stopped.value.code == 2, command
        assert "has no groups of people" in capsys.readouterr().err.replace("\n", " "), command


@pytest.mark.parametrize("kind", ["views", "noise"])
def test_an_audit_answers_from_the_files_and_refuses_what_it_cannot_use(kind, request):
    directory = request.getfixturevalue(kind)
    assert str(gy.audit(directory))
    with pytest.raises(gy.GygesError, match="from their files alone"):
        gy.audit(directory, others=[directory])


def test_a_promise_that_is_not_paid_for_is_not_explained(noise, tmp_path):
    shutil.copytree(noise, tmp_path / "copy")
    path = tmp_path / "copy" / "certificate.json"
    path.chmod(0o644)
    stated = json.loads(path.read_text())
    stated["guarantee"]["epsilon"] = "1/10"
    path.write_text(json.dumps(stated))
    with pytest.raises(gy.GygesError, match="do not pay for"):
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
