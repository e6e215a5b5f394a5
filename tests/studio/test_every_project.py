"""Every page and part of every kind of project: none is an error, and none says what is not so."""

from __future__ import annotations

import pytest

from tests.studio.served import serving, write_people

pytestmark = pytest.mark.xdist_group("studio")
PARTS = ("look", "columns", "state", "values", "explore", "risk")
PAGES = ("open", "columns", "rules", "explore", "risk", "publish", "check")
COLUMNS = """[columns]
identifiers = ["patient"]
quasi_identifiers = ["age", "sex"]
"""
SENSITIVE = COLUMNS + 'sensitive = "disease"\ndropped = ["zip", "children"]\n'
K = '[[require]]\nrule = "k-anonymity"\nk = 3\n'
PROJECTS = {
    "nothing but columns": COLUMNS,
    "no rule": SENSITIVE,
    "no publish section": SENSITIVE + K,
    "no sensitive column": COLUMNS + K,
    "rows are people": SENSITIVE.replace('identifiers = ["patient"]\n', "") + K,
    "marginals": SENSITIVE + K + '[publish]\nmethod = "marginals"\n',
    "noise": SENSITIVE + '[publish]\nmethod = "dp"\n[dp]\nepsilon = 1\n',
    "noise without epsilon": SENSITIVE + '[publish]\nmethod = "dp"\n',
    "buckets": SENSITIVE + K + '[publish]\nmethod = "buckets"\n',
    "microaggregation": SENSITIVE + K + '[publish]\nmethod = "microaggregation"\n',
    "m-invariance": SENSITIVE
    + '[[require]]\nrule = "m-invariance"\nm = 2\n[publish]\nmethod = "buckets"\n',
    "households": COLUMNS + 'household = "zip"\n[[require]]\nrule = "household anonymity"\nk = 2\n',
    "no ledger": SENSITIVE + K + "[ledger]\nkeep = false\n",
    "nothing can hold": SENSITIVE + '[[require]]\nrule = "distinct diversity"\nl = 99\n',
}


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("every")
    write_people(folder / "patients.csv", 120)
    for number, text in enumerate(PROJECTS.values()):
        made = folder / f"project{number}.toml"
        made.write_text('[data]\nsource = "patients.csv"\n' + text)
    with serving(folder) as running:
        yield running


@pytest.fixture(params=[*PROJECTS])
def opened(request, served):
    answer = served.do("open", path=f"project{[*PROJECTS].index(request.param)}.toml")
    assert answer.status == 200, answer.text
    return request.param


def test_every_page_and_part_answers(served, opened):
    """Marginals, a project without [publish] and one without a sensitive column gave errors."""
    for name in PAGES:
        answer = served.ask("GET", f"/{name}")
        assert answer.status == 200, (name, answer.text)
    for name in PARTS:
        answer = served.part(name)
        assert answer.status == 200 and "error in Gyges" not in answer.text, (name, answer.text)
        if name in ("look", "columns", "state", "values"):
            assert answer.headers["x-state"] == "done", (name, answer.text)
    state = served.part("state").text
    assert ("no rule" in state) == (opened in ("nothing but columns", "no rule"))
    moved = {"rule": "k-anonymity", "number": None, "numbers": {"k": "3"}}
    answer = served.finished(served.ask("POST", "/slider", moved))
    assert answer.status == 200 and "error in Gyges" not in answer.text, answer.text
    for number, _ in enumerate(served.studio.draft.stated.get("require", [])):
        rule = served.studio.draft.stated["require"][number]["rule"]
        own = {"rule": rule, "number": number, "numbers": {}}
        answer = served.finished(served.ask("POST", "/slider", own))
        assert answer.status == 200 and "error in Gyges" not in answer.text, answer.text
    risk = served.part("risk")
    assert risk.headers["x-state"] in ("done", "refused")
    if opened == "no ledger":
        assert "keeps no ledger" in risk.text
