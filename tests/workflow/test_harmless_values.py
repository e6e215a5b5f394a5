"""`init` asks about sensitive values that nobody may mind, and declares none of them."""

from __future__ import annotations

import pytest

from gyges.workflow.harmless_values import harmless_values
from gyges.workflow.project_file import read_project
from tests.cli.commands import gyges, write_csv


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (["Flu", "none", "HIV"], ["none"]),
        (["Grippe", "Aucune", "Sans objet"], ["Aucune", "Sans objet"]),
        (["none", "Not applicable"], []),  # nothing would be left to protect
        (["Flu", "nonesuch", "no"], []),
        ([], []),
    ],
)
def test_values_are_found_by_their_words(texts, found):
    assert harmless_values(texts) == found


def people(ills):
    n = 60
    return {
        "age": [20 + i % 30 for i in range(n)],
        "sex": ["fm"[i % 2] for i in range(n)],
        "diagnosis": [ills[i % len(ills)] for i in range(n)],
    }


def test_init_proposes_harmless_values_as_a_comment_that_can_be_followed(tmp_path):
    write_csv(tmp_path / "people.csv", people(["not applicable", "Flu", "Gout", "HIV", "Asthma"]))
    code, out, notes = gyges("init", "people.csv", "--policy", "researchers", folder=tmp_path)
    assert code == 0, notes
    assert "Does nobody mind if others learn that they have 'not applicable'" in out
    path = tmp_path / "gyges.toml"
    text = path.read_text()
    assert '# harmless = ["not applicable"]' in text
    stated = [rule for rule in read_project(path).rules() if "harmless" in str(rule)]
    assert not stated  # only asked about
    path.write_text(text.replace("# harmless", "harmless"))
    stated = read_project(path).rules()
    assert any(getattr(rule, "harmless", ()) == ("not applicable",) for rule in stated)


def test_a_code_apart_from_all_others_is_asked_about(tmp_path):
    columns = people([1, 2, 3, 4, 999])
    write_csv(tmp_path / "people.csv", columns)
    code, out, _ = gyges("init", "people.csv", "--policy", "researchers", folder=tmp_path)
    assert code == 0
    assert "999" in out


def test_nothing_is_asked_without_such_values(tmp_path):
    write_csv(tmp_path / "people.csv", people(["Flu", "Gout", "HIV"]))
    code, out, _ = gyges("init", "people.csv", "--policy", "researchers", folder=tmp_path)
    assert code == 0 and "nobody mind" not in out
    assert "harmless" not in (tmp_path / "gyges.toml").read_text()
