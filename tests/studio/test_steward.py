"""A file as a steward has it: nothing on a page asks them to write keys, options or code."""

from __future__ import annotations

import random
import re

import pytest

from gyges.data.people_words import as_counted
from gyges.studio.page_words import in_page_words
from gyges.studio.rule_cards import derived_words, rounded_up
from gyges.workflow.column_profiles import coded_tree
from gyges.workflow.ledger import Ledger
from tests.studio.served import serving, write_people

pytestmark = pytest.mark.xdist_group("studio")

N = 400
PARTS = ("look", "columns", "state", "values", "limits")
# A key with its value, an option, a name of Python or the project file in a sentence.
WRITTEN_BY_HAND = re.compile(
    r"\b[a-z]+_[a-z_]+ = |\b[a-z_]+ = [\[{\"']|--[a-z]{2,}|\b[a-z_]+=(?:'|True|False|\[)"
    r"|\[\[?(?:data|columns|publish|require)\b"
    r"|keep_row|rows_per_person|do_not_identify|exact_spelling|totals_are_people|`formats`"
)


def messy():
    """Semicolons, dates and numbers as Germans write them, gaps, totals, people with two visits."""
    draw = random.Random(7)
    lines = ["Fall;Patient;Geboren;PLZ;Geschlecht;Größe;Diagnose"]
    for n in range(N):
        born = f"{draw.randint(1, 28):02d}.{draw.randint(1, 12):02d}.{draw.randint(1930, 2015)}"
        height = "" if n == 3 else f"1,{draw.randint(50, 99)}"
        what = draw.choice(("Grippe", "Krebs", "Röntgen", "Bruch"))
        sex = draw.choice(("m", "w", ""))
        zip_ = draw.choice((10115, 10117, 20095))
        lines.append(f"F{n:04d};P{n % 300:03d};{born};{zip_};{sex};{height};{what}")
    return "\n".join([*lines, "Summe;;;;;12,5;", ""]).encode("latin-1")


def drop(served, name, content):
    from urllib.parse import quote

    return served.ask("POST", f"/upload?name={quote(name)}", content)


@pytest.fixture
def served(tmp_path):
    with serving(tmp_path) as running:
        assert drop(running, "Patienten März.csv", messy()).status == 200
        yield running


def shown(text):
    """What a person reads: no tags, and not how the project file says it."""
    for kept in ("details", "script", "pre", "code", "option"):
        text = re.sub(rf"<{kept}\b.*?</{kept}>", " ", text, flags=re.S)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text))


def test_a_name_with_letters_of_other_languages_is_kept_and_the_same_file_is_not_kept_twice(served):
    names = sorted(one.name for one in served.folder.glob("*.csv"))
    assert names == ["Patienten März.csv"]
    decomposed = "Patienten Ma\u0308rz.csv"  # as a Mac sends it
    assert drop(served, decomposed, messy()).status == 200
    assert sorted(one.name for one in served.folder.glob("*.csv")) == names
    assert drop(served, names[0], messy().replace(b"Bruch", b"Riss!")).status == 200
    assert len([*served.folder.glob("*.csv")]) == 2
    assert drop(served, names[0], b"\x00\x01").status == 422  # cannot be read: nothing is left
    assert len([*served.folder.glob("*.csv")]) == 2


def test_nothing_that_a_person_reads_asks_them_to_write_by_hand(served):
    for name in PARTS:
        answer = served.part(name)
        said = shown(answer.text)
        assert answer.status == 200
        assert not WRITTEN_BY_HAND.search(said), said
    asked = {"revision": served.studio.draft.revision, "final": False}
    assert not WRITTEN_BY_HAND.search(shown(served.finished(served.do("publish", **asked)).text))
    for name in ("open", "columns", "rules", "publish"):
        main = re.search(r"<main.*?</main>", served.ask("GET", f"/{name}").text, re.S)[0]
        assert not WRITTEN_BY_HAND.search(shown(main))


def test_the_questions_of_a_file_are_answered_on_the_page_until_it_is_published(served):
    columns = served.part("columns").text
    asked = re.search(r'id="undecided".*?</div>', columns, re.S)[0]
    assert 'href="#totals"' in asked
    assert "1 row looks like" in served.part("state").text
    rows = messy().decode("latin-1").splitlines()
    (served.folder / "Patienten März.csv").write_bytes(
        "\n".join([*rows[:-1], ""]).encode("latin-1")
    )
    proposed = {"Patient": {"kind": None, "format": None, "hierarchy": {}}}
    assert (
        served.change(kind="role", column="Patient", role="person", proposed=proposed).status == 200
    )
    columns = served.part("columns").text
    assert 'href="#rows"' in re.search(r'id="undecided".*?</div>', columns, re.S)[0]
    [by] = re.findall(r'id="rows-by".*?</select>', columns, re.S)
    offered = re.findall(r"<option[^>]*>([^<]*)<", by)
    assert offered[0] == "Geboren" and {"PLZ", "Geschlecht", "Diagnose"}.isdisjoint(offered)
    assert 'data-written="dd.mm.yyyy"' in by
    answer = served.change(kind="rows", to="last", by="Geboren", written="dd.mm.yyyy")
    assert answer.status == 200
    assert 'id="undecided"' not in served.part("columns").text
    state = served.part("state")
    assert state.headers["x-state"] == "done" and "5 or more" in state.text, state.text
    done = served.finished(served.do("publish", revision=served.studio.draft.revision, final=False))
    assert done.headers["x-state"] == "done", done.text


def proposed_in(served, column):
    import html
    import json

    found = re.search(
        rf'data-column="{column}" data-proposed="([^"]*)"', served.part("columns").text
    )
    return {column: json.loads(html.unescape(found[1]))}


def test_a_column_is_read_and_generalized_as_proposed_from_when_it_is_published(served):
    """Dates written 31.12.1950 were taken for texts, and the page called them dates."""
    proposed = proposed_in(served, "Geboren")
    change = {"kind": "role", "column": "Geboren", "role": "quasi-identifier"}
    assert served.change(**change, proposed=proposed).status == 200
    stated = served.studio.draft.stated
    assert stated["columns"]["formats"]["Geboren"] == "dd.mm.yyyy"
    assert stated["columns"]["kinds"]["Geboren"] == "month"
    assert "calendar" in stated["hierarchies"]["Geboren"]
    columns = served.part("columns").text
    card = re.search(r'data-column="Geboren".*?</article>', columns, re.S)[0]
    assert "Generalized by calendar" in card and "no place" not in card
    bars = re.findall(r'class="name" title="([^"]*)"', card)
    months = [one for one in bars if one != "(missing)"]
    assert " to " in months[0] and months == sorted(months) == bars[: len(months)]
    assert served.do("undo", revision=served.studio.draft.revision).status == 200
    assert "Geboren" not in served.studio.draft.stated["columns"].get("formats", {})


def test_what_a_person_stated_is_not_replaced_by_a_proposal(served):
    assert served.change(kind="hierarchy", column="PLZ", how="none").status == 200
    again = {"PLZ": {"kind": "number", "format": "1.234,5", "hierarchy": {"prefixes": True}}}
    change = {"kind": "role", "column": "PLZ", "role": "sensitive", "proposed": again}
    assert served.change(**change).status == 200
    assert served.studio.draft.stated["columns"]["kinds"]["PLZ"] == "code"
    assert "PLZ" not in served.studio.draft.stated["columns"].get("formats", {})


def test_a_proposal_opens_no_file(served):
    other = {"Geboren": {"hierarchy": {"csv": "/etc/passwd"}}}
    change = {"kind": "role", "column": "Geboren", "role": "quasi-identifier", "proposed": other}
    assert served.change(**change).status == 200
    assert "Geboren" not in served.studio.draft.stated.get("hierarchies", {})


def test_formats_encodings_and_several_values_in_a_cell_are_chosen_on_the_page(served):
    assert served.change(kind="format", column="Größe", to="1,234.5").status == 200
    assert served.studio.draft.stated["columns"]["formats"]["Größe"] == "1,234.5"
    assert served.change(kind="format", column="Größe", to="nonsense").status == 422
    assert served.change(kind="encoding", to="cp850").status == 200
    assert "März" in served.part("look").text and "Gr÷" in served.part("look").text
    assert "-several" not in served.part("columns").text  # a person is identified by a column
    assert served.change(kind="role", column="Patient", role="identifier").status == 200
    assert "-several" in served.part("columns").text
    assert served.change(kind="several", to="/").status == 200
    assert served.studio.draft.stated["columns"]["separator"] == "/"
    assert served.change(kind="several", to="").status == 200
    assert "values_per_person" not in served.studio.draft.stated["columns"]


def test_missing_values_are_no_value_of_a_column_and_do_not_end_its_distribution(served):
    columns = served.part("columns").text
    card = re.search(r'data-column="Größe".*?</article>', columns, re.S)[0]
    assert "missing for <strong>1</strong> person" in card
    bars = re.findall(r'class="name" title="([^"]*)"', card)
    assert " to " in bars[0] and bars[-1] == "(missing)"  # intervals, in their order
    sex = re.search(r'data-column="Geschlecht".*?</article>', columns, re.S)[0]
    assert "<strong>2</strong> different values" in sex


def test_a_mark_counts_as_missing_only_where_the_project_says_so(tmp_path):
    """The page said that rows lack a value, and showed their value as one of the others."""
    lines = [
        f"{20 + n % 50},{'n/a' if n % 4 else 'x'},{'Flu' if n % 3 else 'Gout'}" for n in range(90)
    ]
    (tmp_path / "a.csv").write_text("\n".join(["age,note,disease", *lines, ""]))
    with serving(tmp_path) as running:
        assert running.do("open", path="a.csv").status == 200
        assert running.change(kind="marks", to="").status == 200
        card = re.search(r'data-column="note".*?</article>', running.part("columns").text, re.S)[0]
        assert "missing for" not in card and "<strong>2</strong> different values" in card
        assert running.change(kind="marks", to="n/a").status == 200
        card = re.search(r'data-column="note".*?</article>', running.part("columns").text, re.S)[0]
        assert "<strong>67</strong>" in card or "missing for <strong>67</strong>" in card


def test_top_and_bottom_coding_leaves_the_missing_value_alone():
    assert coded_tree(["(missing)", "17", "34"], 10, 18, None) == {
        "below 18": ["17"],
        "30-39": ["34"],
    }


def test_upper_bounds_in_examples_are_rounded_up():
    for text in ("0.1", "0.5", "1", "1.5", "2", "3", "4.9"):
        import math

        said = float(derived_words({"delta": text})["delta_factor"].replace(",", ""))
        assert math.exp(float(text)) <= said <= math.exp(float(text)) + 0.01
    assert rounded_up(2.0) == "2" and rounded_up(1234.561) == "1,234.57"


@pytest.mark.parametrize(
    "said",
    [
        "'release' already exists: choose another directory, or replace it (--overwrite)",
        "one group of all 9 people already breaks the rules: try method='lattice'",
        "x.csv: keep_row_by names 'zip', which holds neither numbers nor dates that can be read: "
        "name another column, or state the format of its dates under `formats`",
        "dates whose days and months can be exchanged: state their format, such as formats = "
        '{ "d" = "dd/mm/yyyy" }',
    ],
)
def test_sentences_of_other_rooms_name_the_fields_of_the_page(said):
    assert WRITTEN_BY_HAND.search(said)
    assert not WRITTEN_BY_HAND.search(in_page_words(said)), in_page_words(said)
    assert in_page_words(as_counted(said, False)) != said


def test_the_command_and_the_project_are_taken_away_and_make_the_same_release(served):
    import subprocess
    import sys
    from pathlib import Path

    rows = messy().decode("latin-1").splitlines()
    (served.folder / "Patienten März.csv").write_bytes(
        "\n".join([*rows[:-1], ""]).encode("latin-1")
    )
    assert served.change(kind="role", column="Patient", role="identifier").status == 200
    assert served.change(kind="role", column="Patient", role="dropped").status == 200
    assert served.change(kind="identifies", column="Patient", identifies=False).status == 200
    assert served.ask("GET", "/download/command").text.endswith("gyges publish gyges.toml\n")
    options = {"final": False, "inside": "kept in", "overwrite": True}
    done = served.finished(served.do("publish", revision=served.studio.draft.revision, **options))
    assert done.headers["x-state"] == "done", done.text
    made = (served.folder / "release" / "data.csv").read_text()
    text = served.ask("GET", "/download/command").text
    lines = text.splitlines()
    assert lines[0] == f"cd {served.folder}" and lines[1].startswith("gyges publish ")
    program = Path(sys.executable).parent / "gyges"
    assert lines[1].endswith("--overwrite --inside 'kept in'")
    command = lines[1].replace("gyges ", f"{program} ", 1)
    subprocess.run(["bash", "-c", f"{lines[0]} && {command}"], check=True, capture_output=True)
    again = (served.folder / "release" / "data.csv").read_text()
    assert sorted(again.splitlines()) == sorted(made.splitlines())


def test_alternatives_are_found_once_for_each_state_of_the_project(served):
    from gyges.studio import tasks
    from gyges.studio.task_memory import Memory
    from gyges.workflow.progress import Progress

    rows = messy().decode("latin-1").splitlines()
    (served.folder / "Patienten März.csv").write_bytes(
        "\n".join([*rows[:-1], ""]).encode("latin-1")
    )
    served.change(kind="role", column="Patient", role="dropped")
    served.change(kind="identifies", column="Patient", identifies=False)
    steps = []

    class Watched(Progress):
        def stage(self, text):
            steps.append(text)

    memory, draft = Memory(), served.studio.draft
    asked = {"stated": draft.stated, "path": str(draft.path)}
    first = tasks.explore(memory, Watched(), **asked)
    assert "trying alternatives" in steps
    steps.clear()
    assert tasks.explore(memory, Watched(), **asked)["points"] == first["points"]
    assert "trying alternatives" not in steps
    changed = draft.stated
    changed["require"][0]["k"] = 9
    tasks.explore(memory, Watched(), **{**asked, "stated": changed})
    assert "trying alternatives" in steps


def test_a_port_that_is_taken_is_named(tmp_path):
    import socket

    from gyges.errors import GygesError
    from gyges.studio.serving import Server
    from gyges.studio.session import Studio

    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        for given, why in (
            (port, "another program uses it"),
            (99_999, "no number from 0 to 65535"),
        ):
            studio = Studio(tmp_path)
            with pytest.raises(GygesError, match=rf"--port {given}: .*{why}"):
                Server(studio, port=given)
            studio.close()


def test_numbers_as_sensitive_values_are_written_as_in_every_sentence(tmp_path):
    lines = [f"{20 + n % 50},{n % 7 * 1000}.0" for n in range(140)]
    (tmp_path / "a.csv").write_text("\n".join(["age,income", *lines, ""]))
    with serving(tmp_path) as running:
        assert running.do("open", path="a.csv").status == 200
        shown_values = running.part("values").text
        assert "1000.0" not in shown_values and "1000" in shown_values


def test_a_name_that_is_too_long_is_refused_in_one_sentence(served):
    answer = drop(served, "a" * 300 + ".csv", messy())
    assert answer.status == 422
    assert answer.json()["error"] == "the name of the file is too long: give it a shorter one"


def test_rows_are_ordered_by_the_number_that_each_visit_has(tmp_path):
    """Only dates and amounts were offered: the last visit of a person could not be chosen."""
    lines = ["visit_id,patient_id,zip,sex,illness"]
    lines += [f"{9000 - n},P{n % 150},{10115 + n % 3},{'mw'[n % 2]},Flu{n % 4}" for n in range(300)]
    with serving(tmp_path) as served:
        assert drop(served, "visits.csv", "\n".join([*lines, ""]).encode()).status == 200
        columns = served.part("columns").text
        [by] = re.findall(r'id="rows-by".*?</select>', columns, re.S)
        assert re.findall(r"<option[^>]*>([^<]*)<", by) == ["visit_id"]
        assert served.change(kind="rows", to="last", by="visit_id", written="").status == 200
        state = served.part("state")
        assert state.headers["x-state"] == "done", state.text
        assert 'id="undecided"' not in served.part("columns").text


def test_days_that_are_read_as_months_are_not_counted_as_months_in_one_line_only(tmp_path):
    """Of a column, months were counted as different values, and days as what singles out."""
    lines = ["born,town,illness"]
    lines += [f"20{n // 120:02d}-{1 + n % 12:02d}-{1 + n // 12 % 10:02d},N,Flu" for n in range(240)]
    with serving(tmp_path) as served:
        assert drop(served, "births.csv", "\n".join([*lines, ""]).encode()).status == 200
        known = {
            "column": "born",
            "role": "quasi-identifier",
            "proposed": proposed_in(served, "born"),
        }
        assert served.change(kind="role", **known).status == 200
        assert served.change(kind="kind", column="born", to="date").status == 200
        card = shown(served.part("columns").text)
        assert "240 different values alone it singles out 240 rows (100%)" in card
        assert "as they are written" not in card
        assert served.change(kind="kind", column="born", to="month").status == 200
        card = shown(served.part("columns").text)
        read = "24 different values as this project reads them, 240 as they are written"
        assert f"{read} as it is written, it singles out alone 240 rows (100%)" in card
        assert "count values as they are written in the file" in card


def test_the_earlier_releases_that_an_attacker_may_hold_are_listed(tmp_path):
    write_people(tmp_path / "people.csv")
    with serving(tmp_path) as served:
        assert served.do("open", path="people.csv").status == 200
        card = shown(served.part("values").text)
        assert "The ledger records no earlier release" in card
        asked = {"final": True, "confirmed": True, "revision": served.studio.draft.revision}
        done = served.finished(served.do("publish", **asked))
        assert done.headers["x-state"] == "done", done.text
        card = shown(served.part("values").text)
        assert re.search(r"release 1, entered on 20\d\d-\d\d-\d\d: release ", card), card
        Ledger.at(tmp_path / "ledger.sqlite").withdraw(1, reason="nobody has it")
        assert "release 1, entered" not in shown(served.part("values").text)
        text = served.studio.draft.path.read_text()
        (tmp_path / "apart.toml").write_text(f"{text}\n[ledger]\nkeep = false\n")
        assert served.do("open", path="apart.toml").status == 200
        assert "Not compared: this project keeps no ledger" in shown(served.part("values").text)
        (tmp_path / "broken.toml").write_text(f'{text}\n[ledger]\nfile = "people.csv"\n')
        assert served.do("open", path="broken.toml").status == 200
        assert "Not compared: " in shown(served.part("values").text)


def test_columns_are_named_as_in_a_sentence(tmp_path):
    rows = [
        ",".join(str((n * p) % 7) for p in (1, 2, 3, 4, 5, 6)) + f",Flu{n % 3}" for n in range(60)
    ]
    text = "\n".join(["age,zip,sex,race,job,town,illness", *rows, ""]).encode()
    with serving(tmp_path) as served:
        assert drop(served, "many.csv", text).status == 200
        said = shown(served.part("columns").text)
        named = re.search(r"Together, (.*?) makes? ", said)[1]
        n = len(served.studio.draft.stated["columns"]["quasi_identifiers"])
        assert n > 4 and named.endswith(f" and {n - 3} other columns") and named.count(", ") == 2
