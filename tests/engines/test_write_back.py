"""A release goes back into the database that its table came from."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest

import gyges as gy
from gyges.data.examples import hospital, hospital_schema
from gyges.engines.read import open_source
from gyges.engines.write_back import write_back
from gyges.errors import EngineError
from tests.engines.conftest import make_place

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")


def counted(rows):
    return Counter(tuple(map(str, row.values())) for row in rows.to_pylist())


@pytest.mark.xdist_group("postgres")
@pytest.mark.parametrize("form", ["generalized", "bucketized"])
def test_a_release_is_written_back_to_postgres(request, tmp_path, postgres, form):
    place = make_place("postgres", request, tmp_path)
    location, options = place.put(pa.table(hospital(200)))
    table = gy.read(location, hospital_schema(), **options)
    release = gy.publish(table, [gy.KAnonymity(4)], form=form)
    name = f"published_{form}"
    written = write_back(table.source, release.tables, name)
    assert written == ([name] if form == "generalized" else [f"{name}_people", f"{name}_sensitive"])
    for part, there in zip(release.tables, written, strict=True):
        source, _ = open_source(location, there)
        names = release.tables[part].column_names
        assert counted(source.fetch(names)) == counted(release.tables[part])
    with pytest.raises(EngineError, match="already"):
        write_back(table.source, release.tables, name)


def test_a_frame_in_memory_takes_no_tables():
    table = gy.read(hospital(50), hospital_schema())
    release = gy.publish(table, [gy.KAnonymity(4)])
    with pytest.raises(EngineError, match="save the release to files"):
        write_back(table.source, release.tables, "published")


@pytest.mark.xdist_group("postgres")
def test_the_command_publishes_a_database_table_and_writes_it_back(request, tmp_path, postgres):
    from tests.cli.commands import gyges

    place = make_place("postgres", request, tmp_path)
    url, options = place.put(pa.table(hospital(200)))
    code, _, notes = gyges(
        "publish", url, "--table", options["table"], "--quasi", "age,zip,sex", "--id", "patient",
        "--sensitive", "disease", "--k", 4, "--out", "out", "--to-table", "back", "--no-report",
        folder=tmp_path,
    )  # fmt: skip
    assert code == 0, notes
    assert "created in the database: back" in notes
    source, _ = open_source(url, "back")
    assert source.count([]).column(0)[0].as_py() == 200
