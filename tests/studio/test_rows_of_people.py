"""Tables as they come: people with several rows, lines of totals, one value spelled in two ways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.studio.task_memory import Memory
from gyges.studio.tasks import TASKS
from gyges.workflow import project_edits as edits
from gyges.workflow.progress import Progress
from gyges.workflow.project_file import project_of
from gyges.workflow.project_lines import Place
from gyges.workflow.source_facts import spelled_alike
from tests.cli.commands import write_csv
from tests.studio.browser import CHROMIUM, Window, chromium
from tests.studio.served import serving

pytestmark = [
    pytest.mark.xdist_group("studio"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning"),
]


def visits(n=240):
    """Two visits for every third patient, at another age; a diagnosis in two spellings."""
    people = [place for place in range(n) for _ in range(2 if place % 3 == 0 else 1)]
    again = [place > 0 and people[place - 1] == one for place, one in enumerate(people)]
    stays = [*zip(people, again, strict=True)]
    return {
        "patient_id": [f"P{10_000 + 7 * one}" for one in people],
        "age": [20 + one * 13 % 60 + late for one, late in stays],
        "sex": ["FM"[one % 2] for one in people],
        "admitted": [f"2023-0{1 + one % 5 + late}-1{one % 9}" for one, late in stays],
        "diagnosis": [("Flu", "flu", "Gout", "Asthma", "Mumps")[one % 5] for one in people],
    }


def with_totals(table):
    """The same, with a last line that is no person."""
    last = {"patient_id": "Total", "age": sum(table["age"])}
    return {name: [*held, last.get(name, "")] for name, held in table.items()}


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_a_steward_decides_about_rows_on_the_page_and_publishes(tmp_path):
    """The advice named keys of the project file, and the page had no choice for them."""
    write_csv(tmp_path / "visits.csv", with_totals(visits()))
    with serving(tmp_path) as served, chromium() as browser:
        window = Window(browser, served)
        window.page.click(".files button:text-is('visits.csv')")
        window.see("[data-part=look] table")
        window.settle()
        said = window.text()
        assert "looks like a line of totals" in said and "Decide this first" in said
        assert "'Flu' and 'flu' differ only in spaces or capitals" in said
        window.go("rules")
        assert "nothing has to be written by hand" in window.text()
        window.page.click("[data-part=values] a[href='/columns']")
        window.see("#totals")
        window.settle()
        assert window.page.input_value("#rows") == "one"
        window.page.check("#totals")
        window.settle()
        assert served.studio.draft.stated["data"]["totals_are_people"] is True
        write_csv(tmp_path / "visits.csv", visits())  # the line was removed after all
        window.page.uncheck("#totals")
        window.settle()
        assert "totals_are_people" not in served.studio.draft.text
        assert window.page.locator("#totals").count() == 0
        window.page.select_option("#rows-by", "admitted")
        window.page.select_option("#rows", "last")
        window.settle()
        columns = served.studio.draft.stated["columns"]
        assert (columns["keep_row"], columns["keep_row_by"]) == ("last", "admitted")
        assert gy.Project(served.studio.draft.path).read().n_rows == 240
        window.go("publish")
        window.page.click("button:has-text('Write a trial release')")
        window.see("#published .done")
        assert gy.verify(tmp_path / "release").holds
        window.page.click("[data-do=undo]")
        window.settle()
        assert "keep_row" not in served.studio.draft.stated["columns"]
        assert window.problems == []


def test_all_rows_of_a_person_are_described_together(tmp_path):
    write_csv(tmp_path / "visits.csv", visits())
    with serving(tmp_path) as served:
        assert served.do("open", path="visits.csv").status == 200
        refused = served.part("state")
        assert refused.headers["x-state"] == "refused" and 'href="/columns"' in refused.text
        assert served.change(kind="rows", to="all", by="").status == 200
        columns = served.studio.draft.stated["columns"]
        assert columns["rows_per_person"] == "all" and columns["values_per_person"] == "set"
        assert "240" in served.part("state").text
        shown = served.part("columns").text
        assert '<option value="all" selected>' in shown and "<option>age</option>" in shown
        refused = served.change(kind="rows", to="first", by="")
        assert refused.status == 422 and "keep_row" in refused.text
        assert served.change(kind="rows", to="first", by="age").status == 200
        assert "values_per_person" not in served.studio.draft.stated["columns"]
        assert served.change(kind="rows", to="middle").status == 422
        assert served.change(kind="role", column="patient_id", role="dropped").status == 200
        assert not {"person", "keep_row", "keep_row_by"} & {*served.studio.draft.stated["columns"]}


_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("rows"), st.sampled_from(edits.ROWS), st.sampled_from(["age", "day"])),
        st.tuples(
            st.just("role"),
            st.sampled_from(["who", "age", "day", "ill"]),
            st.sampled_from(["person", "sensitive", "quasi-identifier", "dropped"]),
        ),
    ),
    max_size=8,
)


@given(steps=_STEPS)
def test_after_any_choices_the_rows_are_used_as_was_chosen_last(steps, tmp_path_factory):
    """A choice about rows ends with the person that it is about, and never leads to a dead end."""
    columns = {"person": "who", "quasi_identifiers": ["age", "day"], "sensitive": "ill"}
    stated = {"data": {"source": "x.csv"}, "columns": columns}
    chosen, by = "one", None
    for kind, *words in steps:
        if kind == "role":
            stated = edits.set_role(stated, *words)
            chosen = chosen if stated["columns"].get("person") else "one"
        elif stated["columns"].get("person") not in (None, words[1]):
            stated = edits.set_rows(stated, *words)
            chosen, by = words
        if stated["columns"].get("person") == by and chosen in ("first", "last"):
            return  # refused in a sentence: the order is that of the person
        held = stated["columns"]
        assert (held.get("keep_row") or held.get("rows_per_person", "one")) == chosen
        if "person" in held:
            schema = project_of(stated, Place(tmp_path_factory.getbasetemp() / "x.toml"))
            assert schema.schema_of_columns().person == held["person"]


@given(values=st.lists(st.one_of(st.text("aA b", max_size=3), st.integers(0, 2)), max_size=12))
def test_values_spelled_alike_are_found_by_comparing_every_two(values):
    def same(one, other):
        return [word.lower() for word in one.split()] == [word.lower() for word in other.split()]

    texts = [one for one in dict.fromkeys(values) if isinstance(one, str)]
    twins = {one for one in texts if any(one != other and same(one, other) for other in texts)}
    found = spelled_alike(dict.fromkeys(values))
    assert {one for together in found for one in together} == twins
    assert all(len(together) > 1 for together in found)


def test_nothing_found_is_not_called_impossible(tmp_path):
    """A rule that merging breaks may hold in smaller groups; the page said that nothing does."""
    write_csv(
        tmp_path / "x.csv",
        {"age": [*range(40)], "ill": ["Flu"] * 30 + [f"d{one}" for one in range(10)]},
    )
    columns = {"quasi_identifiers": ["age"], "sensitive": "ill"}
    rules = {"m-invariance": {"m": 2}, "distinct diversity": {"l": 20}}
    for rule, is_proven in zip(rules, (False, True), strict=True):
        required = [{"rule": rule, **rules[rule]}]
        stated = {"data": {"source": "x.csv"}, "columns": columns, "require": required}
        found = TASKS["answer"](
            Memory(), Progress(), stated=stated, path=str(tmp_path / "x.toml"), number=0, point=None
        )
        assert found["trial"]["safe"] is False and found["trial"]["is_proven"] is is_proven
