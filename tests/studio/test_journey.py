"""The whole job as a person does it: click, type and drag, in a browser that is alone."""

from __future__ import annotations

import json
import random
import re
import shutil
import sqlite3
import time
import zipfile
from collections import Counter
from contextlib import closing
from pathlib import Path

import pyarrow.csv
import pytest

import gyges as gy
from gyges.studio.rule_cards import derived_words
from tests.cli.commands import gyges, write_csv
from tests.studio.browser import CHROMIUM, Window, chromium
from tests.studio.served import people, serving

pytestmark = [
    pytest.mark.xdist_group("studio"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
N = 400


@pytest.fixture(scope="module")
def browser():
    with chromium() as made:
        yield made


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("journey"), most_uploaded=20_000_000) as running:
        yield running


@pytest.fixture(scope="module")
def window(browser, served):
    return Window(browser, served)


@pytest.fixture(autouse=True)
def quiet(window):
    """No page complains, and none asks anyone else."""
    window.problems.clear()
    yield
    assert window.problems == []
    assert window.strangers() == []


def drop(window, selector, path, kind="text/csv"):
    """Drop a file on a part of the page, as a person drags it there."""
    content = Path(path).read_bytes().decode("latin-1")
    held = window.page.evaluate_handle(
        """([name, content, kind]) => {
            const held = new DataTransfer();
            const bytes = Uint8Array.from(content, (one) => one.charCodeAt(0));
            held.items.add(new File([bytes], name, {type: kind}));
            return held;
        }""",
        [Path(path).name, content, kind],
    )
    window.page.dispatch_event(selector, "dragover", {"dataTransfer": held})
    window.page.dispatch_event(selector, "drop", {"dataTransfer": held})


def drag(window, what, onto):
    """Drag an element; a browser without a screen begins no drag from the mouse alone."""
    held = window.page.evaluate_handle("() => new DataTransfer()")
    for selector, event in ((what, "dragstart"), (onto, "dragover"), (onto, "drop")):
        window.page.dispatch_event(selector, event, {"dataTransfer": held})
    window.page.dispatch_event(f"{onto} >> nth=0", "dragend", {"dataTransfer": held})


def stated(served):
    return served.studio.draft.stated


@pytest.fixture
def opened(served):
    """The clean table's project; it is opened here if the step that opens it failed."""
    if served.studio.draft is None or stated(served)["data"]["source"] != "clean.csv":
        write_csv(served.folder / "clean.csv", people(N))
        assert served.do("open", path="clean.csv").status == 200


@pytest.fixture
def restored(served, opened):
    """The project as it was before a step that others do not build upon."""
    draft = served.studio.draft
    path, text = draft.path, draft.text
    yield text
    if served.studio.draft is not draft:
        assert served.do("open", path=path.name).status == 200
    while served.studio.draft.text != text:
        revision = served.studio.draft.revision
        assert served.do("undo", revision=revision).status == 200


@pytest.fixture
def released(served, opened):
    """A release that left the building; it is published here if the step that does so failed."""
    if not (served.folder / "release").exists():
        revision = served.studio.draft.revision
        done = served.finished(served.do("publish", revision=revision, final=True, confirmed=True))
        assert done.headers["x-state"] == "done", done.text


def test_1_a_dropped_file_is_opened_and_what_is_odd_is_said(window, served, tmp_path):
    table = people(N)
    table["age"][3] = ""
    rows = [*zip(*table.values(), strict=True)]
    lines = [";".join(table), *(";".join(map(str, row)) for row in [*rows, rows[0]])]
    (tmp_path / "patients.csv").write_text("\ufeff" + "\n".join(lines) + "\n", encoding="utf-8")
    drop(window, "#drop", tmp_path / "patients.csv")
    window.see("[data-part=look] table")
    window.settle()
    said = window.text()
    for words in ("separated by ';'", "byte order mark", "1 row repeats another",
                  "patient looks like an identifier", "age: 1 value is missing"):  # fmt: skip
        assert words in said
    assert str(table["patient"][0]) in said, "some rows are shown"
    assert (served.folder / "patients.csv").exists() and (served.folder / "gyges.toml").exists()
    assert "gyges publish gyges.toml" in window.text("#command")
    # The rest of the journey is about a clean table in the same folder, opened by its path.
    write_csv(served.folder / "clean.csv", people(N))
    window.page.fill("section:has-text('working folder') input[name=path]", "clean.csv")
    window.page.click("section:has-text('working folder') form button")
    window.see("[data-part=look] h2:has-text('clean.csv')")
    window.settle()
    assert "Nothing is odd" not in window.text()  # patient looks like an identifier
    assert stated(served)["data"]["source"] == "clean.csv"


def test_1_opening_shows_how_far_it_is_and_can_be_cancelled(window, served, restored, tmp_path):
    """A large table took 20 seconds, and the page showed nothing."""
    write_csv(tmp_path / "visits.csv", people(N))
    before = {one.name for one in served.folder.iterdir()}
    window.go("open")
    with served.studio.quick._lock:  # other work that takes long
        drop(window, "#drop", tmp_path / "visits.csv")
        window.see("#opening progress")
        assert "Looking at the table · waiting for other work" in window.text("#opening")
        window.page.click("#opening [data-cancel]")
        window.see("#message :text('the work was cancelled')")
        assert window.text("#opening") == ""
    window.problems.clear()  # the browser reports the refused request
    assert {one.name for one in served.folder.iterdir()} == before


def test_1_a_table_of_a_database_is_opened_by_its_address(window, served, restored):
    with closing(sqlite3.connect(served.folder / "clinic.db")) as made:
        made.execute("create table visits (age integer, town text, illness text)")
        rows = [(20 + place % 40, "NS"[place % 2], ["Flu", "Gout", "Mumps"][place % 3])
                for place in range(240)]  # fmt: skip
        made.executemany("insert into visits values (?, ?, ?)", rows)
        made.commit()
    window.go("open")
    form = "section:has(h2:text-is('From a database')) form"
    window.page.fill(f"{form} input[name=path]", "sqlite://clinic.db")
    window.page.fill(f"{form} input[name=table]", "visits")
    window.page.click(f"{form} button")
    window.see("[data-part=look] h2:has-text('visits')")
    window.settle()
    assert "240 rows, 3 columns" in window.text()
    assert stated(served)["data"]["table"] == "visits"
    window.go("columns")
    assert "Together, " in window.text() and "of 240 rows unique" in window.text()


def test_2_roles_and_hierarchies_are_chosen(window, served, opened):
    window.go("columns")
    table = people(N)
    known = (table[name] for name in ("age", "zip", "sex", "children"))
    together = Counter(zip(*known, strict=True))
    unique = sum(1 for n in together.values() if n == 1)
    assert f"{unique} of {N}" in window.text(), "people whom the quasi-identifiers single out"
    zip_card = "[data-column=zip]"
    alone = sum(1 for n in Counter(table["zip"]).values() if n == 1)
    assert f"alone it singles out {alone} people" in window.text(zip_card)
    kind = "[data-column=children] select[data-change=kind]"
    window.page.select_option(kind, "number")  # a person corrects a guess
    window.see("#project:has-text('Last: children: number')")
    window.settle()
    assert stated(served)["columns"]["kinds"]["children"] == "number"
    window.page.select_option(f"{zip_card} select[data-change=role]", "dropped")
    window.see(f"{zip_card}.role-dropped")
    window.settle()
    assert "zip" in stated(served)["columns"]["dropped"]
    window.page.click("[data-do=undo]")
    window.see(f"{zip_card}.role-quasi-identifier")
    window.page.click("[data-do=redo]")
    window.see(f"{zip_card}.role-dropped")
    window.page.click("[data-do=undo]")
    window.see(f"{zip_card}.role-quasi-identifier")
    window.settle()


def test_2_values_are_dragged_into_groups_and_one_without_a_place_is_shown(
    window, served, restored
):
    window.go("columns")
    card = "[data-column=disease]"
    window.page.select_option(f"{card} select[data-change=role]", "quasi-identifier")
    window.see(f"{card}.role-quasi-identifier .hierarchy")
    window.settle()
    window.page.click(f"{card} .hierarchy summary")
    window.page.select_option(f"{card} select[name=how]", "groups")
    window.page.fill(f"{card} input[name=group]", "lungs")
    window.page.click(f"{card} .chip:text-is('Asthma')")
    window.page.click(f"{card} [data-group-selected]")
    drag(window, f"{card} .chip:text-is('Flu')", f"{card} .bin[data-group=lungs]")
    window.page.click(f"{card} .hform > button")
    window.see(f"{card} .levels")
    window.settle()
    tree = stated(served)["hierarchies"]["disease"]["tree"]
    assert sorted(tree["lungs"]) == ["Asthma", "Flu"] and tree["Gastritis"] == ["Gastritis"]
    # Groups of groups: by the keyboard, and by dragging.
    window.page.fill(f"{card} input[name=group]", "organs")
    window.page.focus(f"{card} .chip.name:text-is('lungs')")
    window.page.keyboard.press("Space")
    window.page.click(f"{card} [data-group-selected]")
    assert "lungs: now in organs" in window.text(f"{card} [data-said]")
    drag(window, f"{card} .bin[data-group=Gastritis]", f"{card} .bin[data-group=organs]")
    window.page.click(f"{card} .hform > button")
    window.see(f"{card} .levels li:nth-child(4)")
    window.settle()
    tree = stated(served)["hierarchies"]["disease"]["tree"]
    assert sorted(tree["organs"]) == ["Gastritis", "lungs"] and "lungs" not in tree
    assert sorted(tree["organs"]["lungs"]) == ["Asthma", "Flu"]
    assert window.page.locator(f"{card} .bin[data-group=organs] > .bin").count() == 2
    (served.folder / "few.csv").write_text("F,*\n")
    answer = served.change(kind="hierarchy", column="sex", how="csv", path="few.csv")
    assert answer.status == 200
    window.go("columns")
    assert "Without a place: M" in window.text("[data-column=sex]")


def test_3_a_slider_shows_the_exact_worst_case_while_it_moves(window, served, opened):
    assert served.change(kind="policy", policy="researchers").status == 200
    window.go("rules")
    card = "[data-rule=safety]"
    before = served.studio.draft.text
    for numbers in ({"beta": "1/2", "delta": "1.5"}, {"delta": "0.1"}, {"beta": "2"}, {"k": "3"}):
        assert window.page.evaluate("(n) => derived_words(n)", numbers) == derived_words(numbers)
    assert "would hold" in window.text(f"{card} .answer")
    window.page.locator(f"{card} input[type=range][data-key=confidence]").evaluate(
        "(one) => { one.value = 0.6; one.dispatchEvent(new Event('input', {bubbles: true})); }"
    )
    window.see(f"{card} .answer:not(.waiting)")
    window.settle()
    said = window.text(f"{card} .answer")
    assert served.studio.draft.text == before, "moving a slider saves nothing"
    project = gy.Project(served.studio.draft.path)
    rules = [*project.rules, gy.Safety("0.6", 1)]
    release = gy.publish(project.read(), rules)
    worst = gy.max_disclosure(release.groups, k=1).probability
    assert f"{worst.numerator}/{worst.denominator}" in said
    assert "certain" in window.text(f"{card} .witness")
    window.page.click(f"{card} [data-rule-toggle]")
    window.see(f"{card}.on")
    window.settle()
    assert stated(served)["require"][-1] == {"rule": "safety", "confidence": "0.6", "k": 1}
    assert project.path.read_text() == served.studio.draft.text


def test_3_what_would_pass_is_said_if_nothing_does(window, served, opened):
    window.go("rules")
    card = "[data-rule='probabilistic diversity']"
    window.page.fill(f"{card} [data-exact][data-key=l]", "9.5")
    window.see(f"{card} .tag.bad")
    window.settle()
    assert "What would pass: l = " in window.text(f"{card} .answer")


def test_3_counts_with_noise_are_chosen_on_a_card(window, served, restored):
    before = served.studio.draft.text
    window.go("rules")
    window.page.fill("[data-epsilon]", "1/2")
    window.page.click("[data-use-noise]")
    window.see("[data-noise].on")
    window.settle()
    assert stated(served)["publish"]["method"] == "dp" and stated(served)["dp"]["epsilon"] == "1/2"
    window.go("publish")
    assert "Differential privacy with epsilon = 1/2" in window.text()
    assert window.page.input_value("#epsilon") == "1/2"
    window.page.click("[data-do=undo]")
    window.see("#method option[value=partition][selected]", state="attached")
    window.settle()
    assert served.studio.draft.text == before


def test_4_alternatives_are_compared_and_one_is_used(window, served, opened):
    assert served.change(kind="kind", column="children", to="number").status == 200
    window.go("explore")
    window.see("[data-explore] .main-svg")
    rows = window.page.locator("tr[data-number]")
    assert rows.count() > 8 and window.page.locator(".tag:text-is('undominated')").count() > 0
    row = window.page.locator("tr[data-number]:has(th:has-text('groups of at least 8'))")
    row.locator("[data-pin]").check()
    window.page.click("[data-compare]")
    window.see("#compare .sides article:nth-of-type(2)")
    window.settle()
    compared = window.text("#compare")
    for words in ("your project", "groups of at least 8", "Query error", "mean before",
                  "The first rows, before and after", "correlation before"):  # fmt: skip
        assert words.lower() in compared.lower(), words
    row.locator("[data-use]").click()
    window.see("#project:has-text('Last: use groups of at least 8')")
    window.see("tr.current:has-text('your project')")
    window.settle()
    assert {"rule": "k-anonymity", "k": 8} in stated(served)["require"]
    assert not (served.folder / "ledger.sqlite").exists(), "trials enter no ledger"


def test_4_without_any_alternative_the_page_says_what_to_do(window, served, restored):
    """An empty picture was drawn, which ended in an error of the page's script."""
    asked = {"rule": "safety", "number": None, "numbers": {"confidence": "0.001", "k": "1"}}
    assert served.change(kind="rule", **asked).status == 200
    window.go("explore")
    window.see("[data-part=explore] .warn:has-text('nothing to compare')")
    window.settle()
    assert window.page.locator("[data-explore]").count() == 0
    assert "Attackers and rules" in window.text("[data-part=explore]")


def test_5_risk_is_shown_with_a_sentence_for_each_figure(window, served, opened):
    window.go("risk")
    said = window.text()
    for words in ("The worst attacker needs", "The riskiest groups", "What is not promised",
                  "The ledger has no earlier release"):  # fmt: skip
        assert words in said
    figures = window.page.locator("main figure")
    assert figures.count() >= 2
    for place in range(figures.count()):
        assert len(figures.nth(place).locator("figcaption").inner_text()) > 40
    window.page.click("[data-form=skyline] button")
    window.see("#skyline .js-plotly-plot")
    window.settle()
    window.page.click("#skyline details summary")
    window.see("#skyline details .gl-container canvas", state="attached")


def same_release(one, other):
    """Two releases with the same claims and, but for the random order, the same rows."""
    claims = [json.loads((at / "certificate.json").read_text())["claims"] for at in (one, other)]
    rows = [
        Counter(tuple(row.values()) for row in pyarrow.csv.read_csv(at / "data.csv").to_pylist())
        for at in (one, other)
    ]
    return claims[0] == claims[1] and rows[0] == rows[1]


def test_6_the_release_is_the_one_that_the_shown_command_makes(window, served, tmp_path, opened):
    window.go("publish")
    said = window.text()
    [k] = [rule["k"] for rule in stated(served)["require"] if rule["rule"] == "k-anonymity"]
    assert f"every group has at least {k} people" in said and "What is not promised" in said
    button = "button:has-text('Publish: the release leaves the building')"
    window.page.click(button)
    assert not (served.folder / "release").exists(), "the summary must be confirmed first"
    window.page.check("[name=confirmed]")
    window.page.check("[name=inside]")
    window.page.evaluate("() => document.querySelector('#limits').setAttribute('aria-busy', true)")
    window.page.click(button)
    window.see("#message :text('still being computed')")
    assert not (served.folder / "release").exists(), "the summary is not complete yet"
    window.page.evaluate("() => document.querySelector('#limits').removeAttribute('aria-busy')")
    assert "at most" in window.text("#limits")
    window.page.click(button)
    window.see("#published .done")
    window.settle()
    assert "Must stay inside" in window.text("#published")
    with window.page.expect_download() as taken:
        window.page.click("text=Download as a zip")
    with zipfile.ZipFile(taken.value.path()) as archive:
        names = {Path(name).name for name in archive.namelist()}
        archive.extractall(tmp_path / "unpacked")
    assert names == {"data.csv", "certificate.json", "report.html", "report.json"}
    with window.page.expect_download() as inside:
        window.page.click("text=Download the inside files")
    assert inside.value.suggested_filename == "inside-do-not-publish.zip"
    command = window.page.locator("#published code", has_text="gyges publish").inner_text()
    assert re.fullmatch(r"gyges publish \S+ --final --inside inside", command)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    project = served.studio.draft.path.name
    for name in (project, "clean.csv"):
        shutil.copy(served.folder / name, elsewhere / name)
    code, _, notes = gyges(*command.split()[1:], folder=elsewhere)
    assert code == 0, notes
    assert same_release(served.folder / "release", elsewhere / "release")
    assert same_release(tmp_path / "unpacked" / "release", elsewhere / "release")
    assert gy.verify(served.folder / "release").holds
    [entry] = gy.Project(served.folder / project).releases
    assert entry.state == "confirmed"
    again = gy.Project(served.folder / project).publish(trial=True, out=tmp_path / "again")
    assert same_release(tmp_path / "again", elsewhere / "release") and again.claims


def test_6_the_project_opened_later_gives_the_same_page(window, served, released):
    text = served.studio.draft.text
    window.go("open")
    window.page.click(f".files button:text-is('{served.studio.draft.path.name}')")
    window.see("[data-part=look] table")
    window.settle()
    assert served.studio.draft.text == text
    window.go("risk")
    assert "Together with the earlier release" in window.text()


def test_7_an_auditor_drops_a_release_and_any_table(window, served, tmp_path, released):
    packed = shutil.make_archive(str(tmp_path / "release"), "zip", served.folder / "release")
    window.go("check")
    drop(window, "[data-drop=check]", packed, "application/zip")
    window.see("#checked h2")
    window.settle()
    assert re.search(r"All \d+ checks passed", window.text("#checked"))
    assert "The worst attacker needs" in window.text("#checked")
    forged = tmp_path / "forged"
    shutil.copytree(served.folder / "release", forged)
    rows = (forged / "data.csv").read_text().splitlines()
    (forged / "data.csv").write_text("\n".join(rows[:-1]) + "\n")
    packed = shutil.make_archive(str(tmp_path / "forged"), "zip", forged)
    drop(window, "[data-drop=check]", packed, "application/zip")
    window.see("#checked .tag.bad")
    window.settle()
    assert "Refuted" in window.text("#checked")
    drop(window, "[data-drop=check]", served.folder / "clean.csv")
    window.see("[data-form=check-file]")
    window.settle()
    assert window.page.is_checked("[name=quasi][value=age]")
    window.page.uncheck("[name=quasi][value=age]")
    window.page.click("[data-form=check-file] button")
    window.see("[data-form=check-file] [value=age]:not(:checked)")
    window.settle()


def many_different(n=6000):
    """Nearly every row is unique, so that a search for less loss does not end by itself."""
    chance = random.Random(1)
    choices = {
        "age": range(90),
        "zip": range(14000, 14300),
        "sex": "FM",
        "kilograms": range(40, 120),
        "disease": ["Flu", "Gout", "Asthma", "Mumps"],
    }
    return {name: [chance.choice(held) for _ in range(n)] for name, held in choices.items()}


def test_8_long_work_shows_how_far_it_is_and_is_cancelled_within_a_second(window, served, restored):
    """A search for the least loss would take minutes; meanwhile a slider still answers.

    The best of three cancels counts: another process may hold up any one of them.
    """
    before = served.studio.draft.path.name
    write_csv(served.folder / "many.csv", many_different())
    assert served.do("open", path="many.csv").status == 200
    for key, value in (("out", "long"), ("effort", "thorough"), ("seconds", 300)):
        assert served.change(kind="publish", key=key, to=value).status == 200
    window.go("publish")
    took = []
    while len(took) < 3 and min(took, default=1) >= 1:
        took.append(cancelled(window, served))
        assert "Cancelled" in window.text("#published")
        assert not (served.folder / "long").exists()
    assert min(took) < 1
    assert served.do("open", path=before).status == 200
    window.go("risk")  # another process has taken the place of the one that was ended
    assert "The riskiest groups" in window.text()


def cancelled(window, served):
    """How long a search goes on after a person cancels it."""
    window.page.click("button:has-text('Write a trial release')")
    window.see("#published progress[value]")
    assert "Writing a trial release" in window.text("#published .progress")
    [job] = [one for one in served.studio.jobs.values() if one.state == "running"]
    asked = {"rule": "k-anonymity", "number": None, "numbers": {"k": 9}}
    moved = served.finished(served.ask("POST", "/slider", asked))
    assert moved.headers["x-state"] in ("done", "refused") and job.state == "running"
    window.page.click("#published [data-cancel]")
    begun = time.monotonic()
    assert job.finished.wait(60)
    took = time.monotonic() - begun
    window.settle()
    return took


def test_8_closing_the_tab_loses_nothing(browser, served, window, restored):
    other = Window(browser, served)
    other.go("columns")
    other.page.select_option("[data-column=sex] select[data-change=role]", "dropped")
    other.see("[data-column=sex].role-dropped")
    other.context.close()
    assert "sex" in gy.Project(served.studio.draft.path).schema.dropped
    window.go("columns")
    assert window.page.locator("[data-column=sex].role-dropped").count() == 1
    window.page.click("[data-do=undo]")
    window.see("[data-column=sex].role-quasi-identifier")
    window.settle()


def test_a_window_does_not_take_its_own_change_for_that_of_another(window, served, restored):
    """It loaded its parts once more, and what had been put into groups meanwhile was gone."""

    def answer_late(route):
        answer = route.fetch()
        time.sleep(4)  # meanwhile the page asks whether another window changed the project
        route.fulfill(response=answer)

    window.go("columns")
    window.page.route("**/do/change", answer_late)
    window.asked.clear()
    window.page.select_option("[data-column=sex] select[data-change=role]", "dropped")
    window.settle()
    window.page.unroute("**/do/change")
    assert [one for one in window.asked if one.endswith("/part/columns")] == [
        f"{window.place}/part/columns"
    ]


def test_two_windows_show_one_project(browser, served, window, restored):
    """A window notices what another one changed; a change of what it showed before is refused."""
    window.go("columns")
    seen = served.studio.draft.revision
    assert served.change(kind="role", column="sex", role="dropped").status == 200
    stale = served.do("change", revision=seen, kind="role", column="age", role="dropped")
    assert stale.status == 409 and "another window" in stale.json()["error"]
    window.see("[data-column=sex].role-dropped")
    window.settle()
    assert served.change(kind="role", column="sex", role="quasi-identifier").status == 200
