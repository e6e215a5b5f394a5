"""Views on disk: they verify as they are, and whatever is changed in them is caught."""

from __future__ import annotations

import json

import pytest

import gyges as gy
from gyges.data.examples import hospital, hospital_schema
from gyges.errors import ReleaseError
from gyges.marginals.files import load_marginals, save_marginals
from gyges.release.certificate import sha256

RULES = [gy.KAnonymity(5), gy.DistinctDiversity(3)]
VIEWS = [{"age": 4, "disease": 0}, {"sex": 0, "disease": 0}, {"zip": 2}]


@pytest.fixture
def published(tmp_path):
    table = gy.read(hospital(800), hospital_schema())
    made = gy.Marginals.of(table, VIEWS)
    save_marginals(made, RULES, tmp_path / "views")
    return made, tmp_path / "views"


def is_refused_or_false(directory):
    try:
        return not gy.verify(directory).holds
    except ReleaseError:
        return True


def test_views_read_back_as_they_were(published):
    made, directory = published
    again = load_marginals(directory).marginals
    assert [view.frame() for view in again.views] == [view.frame() for view in made.views]
    assert again.judge(RULES).risks == made.judge(RULES).risks
    assert gy.verify(directory).holds


def test_the_certificate_names_no_value_that_the_views_do_not_show(published):
    """The exact ages and zip codes that occur are not public: the hierarchies make any."""
    _, directory = published
    columns = json.loads((directory / "certificate.json").read_text())["columns"]
    shown = {column["name"]: {row[0] for row in column["rows"]} for column in columns}
    assert not any(label.isdigit() for label in shown["age"] | shown["zip"])
    assert shown["sex"] == {"F", "M"}


def test_a_changed_count_is_caught_by_its_hash_and_after_rehashing_too(published):
    _, directory = published
    path = directory / "view-1.csv"
    lines = path.read_text().splitlines()
    first, n = lines[1].rsplit(",", 1)
    second, m = lines[2].rsplit(",", 1)
    lines[1:3] = [f"{first},{int(n) + 1}", f"{second},{int(m) - 1}"]
    path.write_text("\n".join(lines) + "\n")
    assert not gy.verify(directory).holds
    stated = json.loads((directory / "certificate.json").read_text())
    stated["files"]["view-1.csv"] = sha256(path)
    (directory / "certificate.json").write_text(json.dumps(stated))
    assert is_refused_or_false(directory)


@pytest.mark.parametrize(
    "inflate",
    [
        lambda s: s["claims"][0]["rule"].update(k=400),
        lambda s: s["claims"][0].update(text="every group has at least 400 people"),
        lambda s: s["claims"][1].update(risk="99"),
        lambda s: s.update(n_people=801),
        lambda s: s["claims"][0]["rule"].update(name="eval"),
    ],
)
def test_an_inflated_claim_is_caught(published, inflate):
    _, directory = published
    stated = json.loads((directory / "certificate.json").read_text())
    inflate(stated)
    (directory / "certificate.json").write_text(json.dumps(stated))
    assert is_refused_or_false(directory)


def test_nothing_is_written_of_views_that_are_not_safe(tmp_path):
    table = gy.read(hospital(800), hospital_schema())
    made = gy.Marginals.of(table, [{"age": 0, "zip": 0, "disease": 0}])
    with pytest.raises(ReleaseError, match="do not satisfy"):
        save_marginals(made, RULES, tmp_path / "views")
    assert not any(tmp_path.iterdir())
