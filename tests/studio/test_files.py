"""Files as people have them: workbooks, other encodings and separators, dropped on the page."""

from __future__ import annotations

import pytest
import xlsxwriter

from tests.studio.served import people, serving

pytestmark = pytest.mark.xdist_group("studio")


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("files")) as running:
        yield running


def workbook(path, *sheets):
    table = people(60)
    with xlsxwriter.Workbook(path) as book:
        for name in sheets:
            sheet = book.add_worksheet(name)
            sheet.write_row(0, 0, list(table))
            for place, row in enumerate(zip(*table.values(), strict=True)):
                sheet.write_row(place + 1, 0, row)
    return path.read_bytes()


def drop(served, name, content):
    return served.ask("POST", f"/upload?name={name}", content)


def published(served, out):
    assert served.change(kind="publish", key="out", to=out).status == 200
    asked = {"revision": served.studio.draft.revision, "final": False}
    done = served.finished(served.do("publish", **asked))
    assert done.headers["x-state"] == "done", done.text
    return {one.name for one in (served.folder / out).iterdir()}


def test_a_workbook_is_dropped_and_published_as_one(served, tmp_path):
    assert drop(served, "clinic.xlsx", workbook(tmp_path / "a.xlsx", "Patients")).status == 200
    look = served.part("look")
    assert look.headers["x-state"] == "done" and "60 rows, 6 columns" in look.text
    assert served.studio.draft.stated["data"]["source"] == "clinic.xlsx"
    assert {"data.csv", "data.xlsx"} <= published(served, "sheets")
    assert served.change(kind="publish", key="format", to="csv").status == 200
    assert "data.xlsx" not in published(served, "plain")


def test_a_workbook_with_several_sheets_asks_for_one_and_is_kept(served, tmp_path):
    refused = drop(served, "two.xlsx", workbook(tmp_path / "b.xlsx", "Patients", "Staff"))
    assert refused.status == 422 and "working folder" in refused.json()["error"]
    assert refused.json()["sheets"] == ["Patients", "Staff"]
    assert refused.json()["path"] == "two.xlsx"
    assert served.do("open", path="two.xlsx").json()["sheets"] == ["Patients", "Staff"]
    assert (served.folder / "two.xlsx").exists()
    assert served.do("open", path="two.xlsx", table="Staff").status == 200
    assert served.studio.draft.stated["data"]["table"] == "Staff"
    assert "60 rows" in served.part("look").text
    assert drop(served, "no.xlsx", b"no workbook").status == 422
    assert not (served.folder / "no.xlsx").exists()


def test_what_is_odd_about_a_file_is_said(served):
    table = people(80)
    table["town"] = ["Zürich" if place % 2 else "Genève" for place in range(80)]
    lines = [
        ";".join(table),
        *(";".join(map(str, row)) for row in zip(*table.values(), strict=True)),
    ]
    content = ("\r\n".join(lines) + "\r\n").encode("cp1252")
    assert drop(served, "towns.csv", content).status == 200
    said = served.part("look").text
    assert "separated by &#39;;&#39;" in said and "cp1252" in said and "Zürich" in said
    assert served.studio.draft.stated["data"]["encoding"] == "cp1252"
    assert served.part("columns").headers["x-state"] == "done"
    assert served.part("state").headers["x-state"] == "done"


def test_the_page_offers_every_format_that_can_be_read(served):
    page = served.ask("GET", "/open").text
    for ending in (".csv", ".parquet", ".xlsx", ".ods", ".sav", ".dta", ".gz"):
        assert f"{ending}," in page or f'{ending}"' in page, ending
    assert "two.xlsx" in page
