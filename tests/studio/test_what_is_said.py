"""What pages say is true of the project as it is: limits, names of numbers, states, and words."""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from pathlib import Path

import pytest

import gyges as gy
from gyges.data.people_words import as_counted
from gyges.report.sections import NOT_PROMISED
from gyges.studio.pages import render
from gyges.studio.session import Studio
from gyges.studio.task_memory import Memory, project_at
from gyges.studio.tasks import TASKS
from gyges.workflow import column_profiles
from gyges.workflow.progress import Progress
from gyges.workflow.release_in_memory import release_in_memory
from tests.cli.commands import write_csv
from tests.studio.served import people, serving, write_people

pytestmark = [
    pytest.mark.xdist_group("studio"),
    pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning"),
]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("said")
    write_people(folder / "patients.csv", 200)
    with serving(folder) as running:
        assert running.do("open", path="patients.csv").status == 200
        yield running


def escaped(text):
    return render("refused.html", error=text, notes=[]).partition("<p>")[2].partition("</p>")[0]


def test_the_page_to_confirm_states_every_limit_and_every_worst_case_in_short(served):
    """A steward confirmed without the attacker who knows how the groups were chosen."""
    said = served.ask("GET", "/publish").text + served.part("limits").text
    project = gy.Project(served.studio.draft.path)
    found = gy.audit(gy.publish(project.read(), project.rules))
    for sentence in (*NOT_PROMISED, *found.notes):
        assert escaped(sentence) in said
    main = [one.sentence for one in found.findings if one.place == "summary"]
    assert len(main) > 2
    for sentence in main:
        assert escaped(sentence) in said


def test_the_page_to_confirm_does_not_wait_for_an_effort(served, monkeypatch):
    """The search of five minutes ran for the summary, and publishing waited for it."""
    draft, before = served.studio.draft, served.studio.draft.text
    plain = served.part("limits").text
    asked = []
    monkeypatch.setattr(
        "gyges.studio.task_memory.release_in_memory",
        lambda project, table: (
            asked.append(project.publish.options()) or release_in_memory(project, table)
        ),
    )
    for key, value in (("effort", "thorough"), ("seconds", 300)):
        assert served.change(kind="publish", key=key, to=value).status == 200
    state = {"stated": draft.stated, "path": str(draft.path)}
    found = TASKS["limits"](Memory(), Progress(), **state)
    assert found["summary"] and found["has_effort"] and asked == [{}]
    said = served.part("limits").text
    assert "its groups may differ" in said and "its groups may differ" not in plain
    for _ in range(2):
        assert served.do("undo", revision=draft.revision).status == 200
    assert draft.text == before


def test_nothing_is_said_about_noise_before_it_is_drawn(served):
    draft = served.studio.draft
    assert served.change(kind="use noise", to="1").status == 200
    assert "limits" not in re.findall('data-part="([a-z]+)"', served.ask("GET", "/publish").text)
    asked = {"stated": draft.stated, "path": str(draft.path)}
    found = TASKS["limits"](Memory(), Progress(), **asked)
    assert not any(found.values())
    assert served.do("undo", revision=draft.revision).status == 200


def test_a_chance_to_pick_a_row_is_not_called_a_certainty(served):
    """Without a sensitive column, 1/(smallest group) was called certainty with one fact."""
    assert "Certainty with one fact" in served.part("explore").text
    assert served.change(kind="role", column="disease", role="dropped").status == 200
    assert served.change(kind="policy", policy="inside").status == 200
    said = served.part("explore").text
    assert "Certainty" not in said and "Chance to pick someone&#39;s row" in said
    assert "No column is sensitive" in said
    compared = served.finished(served.ask("GET", "/part/compare?pin=0")).text
    assert "Certainty with one fact" not in compared
    for _ in range(2):
        assert served.do("undo", revision=served.studio.draft.revision).status == 200


def test_the_measure_that_tells_alternatives_apart_is_shown(tmp_path):
    """With two values one fact always makes certain: all points lay on one line."""
    table = people(200)
    table["disease"] = ["Flu" if one < "F" else "Gout" for one in table["disease"]]
    write_csv(tmp_path / "two.csv", table)
    with serving(tmp_path) as running:
        assert running.do("open", path="two.csv").status == 200
        said = running.part("explore").text
    assert '<option value="0" selected>' in said
    points = said.partition('class="points">')[2].partition("</script>")[0]
    assert '"undominated"' not in points and points.count('"is_undominated": true') > 0


def test_methods_that_were_not_tried_are_named(tmp_path):
    table = gy.read(people(300), gy.Schema(quasi_identifiers=["age", "zip"], sensitive="disease"))
    from gyges.workflow import alternatives

    assert alternatives.not_tried(table, "partition") == []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(alternatives, "_MOST_COMPARED", 10)
        [said] = alternatives.not_tried(table, "partition")
        assert "microaggregation" in said and "lattice" not in said
        assert "300 people" in said
        tried = alternatives.alternatives(table, {}, [{"rule": "k-anonymity", "k": 3}], print)
        assert "method microaggregation" not in {one.title for one in tried}
        assert "method lattice" in {one.title for one in tried}


def test_the_result_of_an_older_state_is_not_called_the_projects(tmp_path):
    """The page showed the command as one that makes the same release, which it no longer did."""
    write_people(tmp_path / "patients.csv", 150)
    with serving(tmp_path) as running:
        assert running.do("open", path="patients.csv").status == 200
        asked = {"revision": running.studio.draft.revision, "final": False}
        done = running.finished(running.do("publish", **asked))
        assert done.headers["x-state"] == "done" and "makes the same release" in done.text
        assert running.change(kind="role", column="sex", role="dropped").status == 200
        stale = running.ask("GET", "/publish").text.partition('id="published"')[2]
        assert "has changed since" in stale and "makes the same release" not in stale
        assert running.do("undo", revision=running.studio.draft.revision).status == 200
        assert "has changed since" not in running.ask("GET", "/publish").text
        write_people(tmp_path / "patients.csv", 160)
        assert "its data has changed since" in running.ask("GET", "/publish").text


def test_several_columns_get_one_role_in_one_step(served):
    draft, before = served.studio.draft, served.studio.draft.text
    assert served.change(kind="roles", columns=["zip", "sex"], role="dropped").status == 200
    assert {"zip", "sex"} <= set(draft.stated["columns"]["dropped"])
    assert draft.undo_label == "2 columns: dropped"
    for columns in ([], "zip", None):
        assert served.change(kind="roles", columns=columns, role="dropped").status == 422
    assert served.do("undo", revision=draft.revision).status == 200
    assert draft.text == before


def test_a_change_of_one_column_counts_only_what_it_changes(served, monkeypatch):
    """With fifty columns each change of a role counted all of them again."""
    counted, draft, memory = [], served.studio.draft, Memory()
    profile = column_profiles.column_profile
    monkeypatch.setattr(
        "gyges.studio.tasks.column_profile",
        lambda people, name, project: counted.append(name) or profile(people, name, project),
    )

    def asked():
        counted.clear()
        found = TASKS["columns"](memory, Progress(), stated=draft.stated, path=str(draft.path))
        fresh = TASKS["columns"](Memory(), Progress(), stated=draft.stated, path=str(draft.path))
        assert found == fresh
        return counted[: len(counted) - len(fresh["columns"])]

    assert len(asked()) == 6
    assert served.change(kind="role", column="zip", role="dropped").status == 200
    assert asked() == ["zip"], "its hierarchy went with its role"
    assert served.change(kind="hierarchy", column="age", how="intervals", widths="10").status == 200
    assert asked() == ["age"]
    for _ in range(2):
        assert served.do("undo", revision=draft.revision).status == 200
        assert asked() == []
    project = project_at(draft.stated, str(draft.path))
    with (draft.path.parent / "patients.csv").open("a") as file:
        file.write("P99999,41,13012,F,Flu,1\n")
    assert memory.once(project, "new", compute=lambda: 1) == 1
    assert len(asked()) == 6, "the table has another row"


def test_what_a_killed_studio_left_is_removed_and_a_running_one_is_not(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp" / "gyges-studio-abcd1234" / "check").mkdir(parents=True)
    (tmp_path / "tmp" / "gyges-studio-of-mine").mkdir()
    first = Studio(tmp_path)
    second = Studio(tmp_path)
    names = {one.name for one in (tmp_path / "tmp").iterdir()}
    assert names == {"gyges-studio-of-mine", first.private.name, second.private.name}
    for studio in (first, second):
        assert studio.checked.is_dir() and studio.private.stat().st_mode & 0o077 == 0
        studio.close()
    assert [one.name for one in Path(tempfile.gettempdir()).iterdir()] == ["gyges-studio-of-mine"]


def test_rows_are_not_called_people_in_any_worst_case():
    table = people(200)
    del table["patient"]
    schema = gy.Schema(quasi_identifiers=["age", "zip", "sex"], sensitive="disease")
    found = gy.audit(gy.publish(gy.read(table, schema), gy.KAnonymity(4)))
    said = [one.worst_case for one in found.findings if one.witness is not None]
    assert said and not any(re.search(r"\d people", one) for one in said)
    text = "99% of the pairs of people differ, 3% as many combinations of values as people"
    assert "people" not in as_counted(text, True)


def test_unchanged_quasi_identifiers_are_not_called_hidden(tmp_path):
    """With buckets the panel said that 6 or more people look alike; 227 of 500 were unique."""
    write_people(tmp_path / "patients.csv", 200)
    with serving(tmp_path) as running:
        assert running.do("open", path="patients.csv").status == 200
        assert running.change(kind="publish", key="method", to="buckets").status == 200
        project = gy.Project(running.studio.draft.path)
        release = gy.publish(project.read(), project.rules, method="buckets")
        rows = release.tables["people"].to_pylist()
        quasi = release.roles.quasi_identifiers
        looks = Counter(tuple(row[name] for name in quasi) for row in rows)
        n_unique = sum(n == 1 for n in looks.values())
        state = running.part("state").text
        assert f"{n_unique} still unique" in state and "in every group" not in state
        assert "Detail lost" not in state
        rules = running.part("values").text
        assert "publishes quasi-identifiers unchanged" in rules
        assert "picks the right one with probability" not in rules
        asked = {"rule": "k-anonymity", "number": 0, "numbers": {"k": 5}}
        answer = running.finished(running.ask("POST", "/slider", asked)).text
        assert "does not hide whose row" in answer and "probability" not in answer
        page = running.ask("GET", "/publish").text
        assert "Quasi-identifiers: published unchanged" in page
        assert "They do not hide who is in the table" in page
        limits = running.part("limits").text
        assert "can tell who is in the release" in limits and f"{n_unique} of 200 people" in limits
        points = json.loads(
            re.search(r'class="points">(.*?)</script>', running.part("explore").text)[1]
        )
        own = next(one for one in points if one["is_current"])
        assert own["risks"]["row"]["number"] == 1 / min(looks.values())


def test_what_left_the_building_is_not_said_to_be_inside(tmp_path):
    """After "Publish despite exposure" the page said that the release had not left."""
    write_people(tmp_path / "patients.csv", 150)
    with serving(tmp_path) as running:
        assert running.do("open", path="patients.csv").status == 200
        options = {"final": True, "confirmed": True, "despite_exposure": True}
        assert running.change(kind="policy", policy="inside").status == 200
        for hidden, out in ((["age"], "one"), (["zip", "sex", "children"], "two")):
            every = ["age", "zip", "sex", "children"]
            assert (
                running.change(kind="roles", columns=every, role="quasi-identifier").status == 200
            )
            assert running.change(kind="roles", columns=hidden, role="dropped").status == 200
            assert running.change(kind="publish", key="out", to=out).status == 200
            revision = running.studio.draft.revision
            done = running.finished(running.do("publish", revision=revision, **options))
            assert done.headers["x-state"] == "done", done.text
    assert "people certain" in done.text and "it leaves the building despite that" in done.text
    assert "has not left the building" not in done.text


def test_counts_with_noise_are_finished_without_writing_by_hand(tmp_path):
    """No page had a control for the public values that noise needs."""
    write_people(tmp_path / "patients.csv", 300)
    with serving(tmp_path) as running:
        assert running.do("open", path="patients.csv").status == 200
        for column in ("zip", "children"):
            assert running.change(kind="role", column=column, role="dropped").status == 200
        assert running.change(kind="use noise", to="5").status == 200
        assert "require" not in running.studio.draft.stated
        # e to the power of 5 is 148.413…: a bound is rounded up
        assert "at most 148.42 times as likely" in running.part("values").text
        page = running.ask("GET", "/publish").text
        assert re.findall('data-domain="([a-z]+)"', page) == ["age", "sex", "disease"]
        diseases = sorted(set(people(300)["disease"]))
        for asked in (
            {"column": "age", "first": "0", "last": "120"},
            {"column": "sex", "values": "F, M"},
            {"column": "disease", "values": ", ".join(diseases)},
        ):
            assert running.change(kind="domain", **asked).status == 200, asked
        domains = running.studio.draft.stated["dp"]["domains"]
        assert domains == {"age": {"from": 0, "to": 120}, "sex": ["F", "M"], "disease": diseases}
        page = running.ask("GET", "/publish").text
        assert 'value="120"' in page and 'value="F, M"' in page
        for asked in (
            {"column": "age", "first": "9", "last": "1"},
            {"column": "age", "first": "a", "last": "1"},
            {"column": "sex", "values": " , "},
        ):
            assert running.change(kind="domain", **asked).status == 422
        revision = running.studio.draft.revision
        done = running.finished(running.do("publish", revision=revision, final=False))
        assert done.headers["x-state"] == "done", done.text
    assert gy.verify(tmp_path / "release").refuted == []


def test_identifiers_in_two_spellings_are_decided_on_the_page(tmp_path):
    table = people(120)
    table["patient"][1] = str(table["patient"][0]).lower()
    write_csv(tmp_path / "patients.csv", table)
    with serving(tmp_path) as running:
        assert running.do("open", path="patients.csv").status == 200
        refused = running.part("state")
        assert refused.headers["x-state"] == "refused" and "exact_spelling" in refused.text
        said = running.part("columns").text
        assert "Identifiers in two spellings" in said and "leading zeros" in said
        assert running.change(kind="spelling", is_exact=True).status == 200
        assert running.studio.draft.stated["columns"]["exact_spelling"] is True
        assert running.part("state").headers["x-state"] == "done"
        assert 'data-change="spelling" checked' in running.part("columns").text
        assert running.change(kind="spelling", is_exact=False).status == 200
        assert "exact_spelling" not in running.studio.draft.text.partition("[columns]")[2]
