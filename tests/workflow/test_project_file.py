"""What [publish] asks of a search: taken where it means something, refused elsewhere."""

from __future__ import annotations

import re
from typing import get_args

import pytest

import gyges as gy
from gyges.errors import RuleError
from gyges.release.group_forms import Form
from gyges.search.methods import METHODS, Method
from gyges.utility.known_measures import monotone_measures
from gyges.workflow.choices import choices
from gyges.workflow.project_sections import PublishSection
from tests.cli.commands import PATIENTS

EXAMPLES = {
    "suppression": "0.05",
    "utility": "gcp",
    "weights": {"age": 2.0},
    "seconds": 3.0,
    "effort": "quick",
    "labels": "sets",
    "order": "gain",
    "relaxed": True,
    "tries": 3,
    "algorithm": "mdav",
    "form": "generalized",
    "memory": "1GB",
}
TAKEN = {
    "lattice": {"suppression", "utility", "weights", "seconds", "form", "memory"},
    "suppression": {"weights", "tries", "form", "memory"},
    "partition": {"order", "relaxed", "seconds", "effort", "labels", "form", "memory"},
    "buckets": {"form", "memory"},
    "microaggregation": {"algorithm", "form", "memory"},
    "marginals": {"seconds"},
    "dp": set(),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("key", EXAMPLES)
def test_a_method_takes_what_it_knows_and_refuses_the_rest(method, key):
    section = PublishSection(method=method, **{key: EXAMPLES[key]})
    if key not in TAKEN[method]:
        with pytest.raises(RuleError, match=f"{key} does not apply to the method {method}"):
            section.options()
    elif key not in ("form", "memory"):
        assert list(section.options().values()) == [EXAMPLES[key]]


def test_nothing_asked_is_nothing_given():
    assert PublishSection().options() == {}


def test_seconds_may_be_called_a_time_limit_as_in_python():
    assert PublishSection(time_limit=2).options() == {"time_limit": 2.0}
    assert PublishSection(time_limit=2).changed({"seconds": 3}).options() == {"time_limit": 3.0}


def test_a_method_that_is_added_can_be_named_in_a_project_file(tmp_path, monkeypatch):
    """One line in METHODS is all that it takes; another name is refused with the line it is on."""
    (tmp_path / "patients.csv").write_text("patient,age,sex,disease\n1,3,F,Flu\n2,3,F,Gout\n")
    rules = '[[require]]\nrule = "k-anonymity"\nk = 2\n[publish]\nmethod = "toy"\nrelaxed = true\n'
    (tmp_path / "gyges.toml").write_text(PATIENTS + rules)
    with pytest.raises(gy.GygesError, match=r"line 12: publish.method must be .*'dp', not 'toy'"):
        gy.Project(tmp_path / "gyges.toml")

    def search(cells, rules, *, relaxed=False):
        assert relaxed
        return METHODS["partition"].search(cells, rules)

    monkeypatch.setitem(METHODS, "toy", Method(search))
    release = gy.Project(tmp_path / "gyges.toml").publish(trial=True, report=False)
    assert release.method == "toy" and gy.verify(tmp_path / "release").holds


def test_a_nul_in_any_text_is_refused_by_its_key(tmp_path):
    path = tmp_path / "gyges.toml"
    path.write_text('[data]\nsource = "a.csv"\n[publish]\nout = "\\u0000"\n')
    with pytest.raises(gy.GygesError, match=r"'publish.out' contains NUL"):
        gy.Project(path)


def test_the_options_of_an_added_method_are_keys_of_the_file_and_options_of_the_command(
    tmp_path, monkeypatch, run
):
    """A search's keyword-only parameters are all that names them."""

    def search(cells, rules, *, parts):
        assert parts == 3
        return METHODS["partition"].search(cells, rules)

    (tmp_path / "patients.csv").write_text("patient,age,sex,disease\n1,3,F,Flu\n2,3,F,Gout\n")
    rules = '[[require]]\nrule = "k-anonymity"\nk = 2\n[publish]\nmethod = "toy"\n'
    path = tmp_path / "gyges.toml"
    monkeypatch.setitem(METHODS, "toy", Method(search))
    monkeypatch.chdir(tmp_path)
    path.write_text(PATIENTS + rules + "parts = 3\n")
    assert gy.Project(path).publish(trial=True, report=False).method == "toy"
    path.write_text(PATIENTS + rules + "part = 3\n")
    with pytest.raises(gy.GygesError, match=r"line 13: there is no key 'publish.part'.*parts"):
        gy.Project(path)
    path.write_text(PATIENTS + rules)
    code, _, notes = run("publish", "gyges.toml", "--overwrite", "--option", "parts=3")
    assert code == 0, notes
    code, _, notes = run("publish", "gyges.toml", "--overwrite", "--option", "part=3")
    assert code == 2 and "there is no key 'part'" in notes and "parts" in notes
    code, _, notes = run("publish", "gyges.toml", "--overwrite", "--option", "parts")
    assert code == 2 and "NAME=VALUE" in notes
    code, out, _ = run("publish", "--help")
    assert code == 0 and "or toy" in " ".join(out.replace("│", " ").split())


def test_the_help_names_every_method_form_and_measure():
    stated = choices()
    assert set(re.split(", | or ", stated["methods"])) == set(METHODS)
    assert set(re.split(", | or ", stated["forms"])) == set(get_args(Form))
    assert {"loss", *monotone_measures()} <= set(re.split(", | or ", stated["utilities"]))


def test_an_option_of_noise_belongs_into_its_own_section():
    with pytest.raises(RuleError, match=r"epsilon does not apply .* in the section \[dp\]"):
        PublishSection(method="dp", epsilon=1).options()


def test_a_purpose_is_not_a_key_of_publish():
    """It ended in a traceback: the search got two of them."""
    with pytest.raises(RuleError, match="a purpose has its own section"):
        PublishSection(method="partition", purpose="x").options()


def test_an_option_of_the_command_is_not_lost_to_a_flag_that_is_absent(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "patients.csv").write_text("patient,age,sex,disease\n1,3,F,Flu\n2,3,F,Gout\n")
    (tmp_path / "gyges.toml").write_text(PATIENTS + '[[require]]\nrule = "k-anonymity"\nk = 2\n')
    code, _, notes = run("publish", "gyges.toml", "--option", "choice=nonsense")
    assert code == 2 and "choice" in notes and not (tmp_path / "release").exists()
