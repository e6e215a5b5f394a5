"""A release directory: whole or not at all, over nothing else, with nothing but what is public."""

from __future__ import annotations

import csv
import datetime
import os
import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.data.examples import hospital, hospital_schema
from gyges.data.held_folders import held_folder
from gyges.errors import ReleaseError
from gyges.release import directory as directories
from gyges.release.directory import recover, write_whole
from gyges.release.directory_system_calls import exchange
from gyges.release.label_reading import covers_all
from gyges.release.range_ends import range_labels
from gyges.release.tables import read_table, write_table
from gyges.report.page import report_pages

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")


def fill(text):
    def write(beside):
        (beside / "certificate.json").write_text('{"files": {"data.csv": ""}}')
        (beside / "data.csv").write_text(text)

    return write


def content(directory):
    return (directory / "data.csv").read_text()


@pytest.fixture(params=[True, False], ids=["exchanged", "two renames"])
def either_way(request, monkeypatch):
    """With and without a system that exchanges two directories in one step."""
    if not request.param:
        monkeypatch.setattr(directories, "exchange", lambda one, other: False)


@pytest.mark.usefixtures("either_way")
def test_a_new_release_takes_the_place_of_an_older_one(tmp_path):
    target = tmp_path / "out"
    write_whole(target, fill("old"))
    write_whole(target, fill("new"))
    assert content(target) == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_this_system_exchanges_in_one_step(tmp_path):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    if not exchange(tmp_path / "one", tmp_path / "other"):
        pytest.skip("this file system cannot")
    assert (tmp_path / "one" / "other").exists() and (tmp_path / "other" / "one").exists()


@pytest.mark.usefixtures("either_way")
def test_whatever_fails_while_writing_leaves_the_older_one(tmp_path):
    target = tmp_path / "out"
    write_whole(target, fill("old"))

    def broken(beside):
        fill("half")(beside)
        raise OSError(28, "No space left on device")

    with pytest.raises(ReleaseError, match="No space left"):
        write_whole(target, broken)
    assert content(target) == "old" and len(list(tmp_path.iterdir())) == 1


def test_a_crash_between_two_renames_is_healed_by_whoever_comes_next(tmp_path):
    """The older release was moved aside, the new one is not in place yet."""
    target, workshop = tmp_path / "out", tmp_path / ".out.gyges-abcd_123"
    write_whole(workshop / "old", fill("old"))
    write_whole(workshop / "new", fill("new"))
    assert not target.exists()
    recover(target)
    assert content(target) == "old" and not workshop.exists()


def test_loading_heals_too(tmp_path):
    release = gy.publish(gy.read(hospital(40), hospital_schema()), [gy.KAnonymity(4)])
    release.save(tmp_path / "out")
    (tmp_path / ".out.gyges-abcd_123").mkdir()
    (tmp_path / "out").rename(tmp_path / ".out.gyges-abcd_123" / "old")
    assert gy.verify(tmp_path / "out").holds


def test_what_a_living_process_writes_is_left_alone(tmp_path):
    target = tmp_path / "out"
    with held_folder(tmp_path, ".out.gyges-") as workshop:
        write_whole(workshop / "old", fill("old"))
        recover(target)
        assert not target.exists() and (workshop / "old").exists()


def test_only_a_release_is_replaced(tmp_path):
    release = gy.publish(gy.read(hospital(40), hospital_schema()), [gy.KAnonymity(4)])
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "thesis.txt").write_text("mine")
    for name in ("file", "folder", "file/below"):
        with pytest.raises(ReleaseError):
            release.save(tmp_path / name, overwrite=True)
    assert (tmp_path / "file").read_text() == "mine"
    assert (tmp_path / "folder" / "thesis.txt").read_text() == "mine"
    release.save(tmp_path / "out")
    (tmp_path / "out" / "notes.txt").write_text("mine")
    with pytest.raises(ReleaseError, match=r"notes\.txt"):
        release.save(tmp_path / "out", overwrite=True)
    with pytest.raises(ReleaseError, match="inside the release"):
        release.save(tmp_path / "out" / "below")
    (tmp_path / "empty").mkdir()
    release.save(tmp_path / "empty")
    assert gy.verify(tmp_path / "empty").holds


def test_times_and_modes_say_nothing(tmp_path):
    release = gy.publish(gy.read(hospital(40), hospital_schema()), [gy.KAnonymity(4)])
    release.save(tmp_path / "out")
    paths = [tmp_path / "out", *(tmp_path / "out").iterdir()]
    assert {path.stat().st_mtime for path in paths} == {315_532_800.0}
    assert {oct(path.stat().st_mode & 0o777) for path in paths[1:]} == {"0o644"}


FORMULAS = [
    "=1+1",
    "+1+cmd",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "＝1+1",
    "'=1",
    "''=x",
    "-",
]


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_formulas_are_neutralized_and_read_back(tmp_path, format):
    import pyarrow as pa

    rows = pa.table({"=column": FORMULAS, "n": ["-5", "+3", "4.5", "", "a", "b", "c", *"defg"]})
    write_table(rows, tmp_path / f"t.{format}")
    assert read_table(tmp_path / f"t.{format}").to_pydict() == rows.to_pydict()
    if format == "csv":
        with (tmp_path / "t.csv").open(newline="", encoding="utf-8") as file:
            read = list(csv.reader(file))
        starts = {cell[:1] for cell in [*read[0], *(line[0] for line in read[1:])]}
        assert not starts & set("=+-@\t\r\n＝")
        assert [line[1] for line in read[1:3]] == ["-5", "+3"]  # plain numbers stay as they are


@given(st.lists(st.text(alphabet="=+-@\t\r\n'\",;aé ＝", max_size=4), min_size=1, max_size=5))
def test_any_text_reads_back(texts):
    import tempfile
    from pathlib import Path

    import pyarrow as pa

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        write_table(pa.table({"x": texts, "y": texts[::-1]}), path)
        assert read_table(path).to_pydict() == {"x": texts, "y": texts[::-1]}


def people(n, seed):
    """People whose birth, weight and place are their own; places share a beginning."""
    rng = random.Random(seed)
    start = datetime.date(1930, 1, 1)
    places = rng.sample(range(10_000_000, 99_999_999), n)
    return {
        "name": [f"Person-{number:07}-{rng.random():.12f}" for number in range(n)],
        "born": [start + datetime.timedelta(days=d) for d in rng.sample(range(29_000), n)],
        "weight": [round(rng.uniform(40, 120), 6) for _ in range(n)],
        "place": [str(place) for place in places],
        "income": rng.sample(range(10_000, 99_000_000), n),
        "sex": [rng.choice(["F", "M"]) for _ in range(n)],
        "disease": [rng.choice(["Flu", "Gout", "Asthma", "HIV"]) for _ in range(n)],
    }


SCHEMA = gy.Schema(
    identifiers=["name"],
    quasi_identifiers=["born", "weight", "place", "income", "sex"],
    sensitive="disease",
    kinds={"place": "code"},
    hierarchies={"place": gy.Hierarchy.prefixes()},
)


def everything(directory):
    """Every byte that leaves the building, Parquet decoded as well."""
    import pyarrow.parquet
    from plotly.offline import get_plotlyjs

    library = get_plotlyjs().encode()  # the same in every report
    found = b"".join(path.read_bytes().replace(library, b"") for path in directory.iterdir())
    for path in directory.glob("*.parquet"):
        rows = pyarrow.parquet.read_table(path)
        found += repr(rows.to_pydict()).encode() + repr(rows.schema.metadata).encode()
        found += repr(pyarrow.parquet.read_metadata(path).to_dict()).encode()
    return found + "".join(path.name for path in directory.iterdir()).encode()


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("method", ["partition", "lattice"])
def test_no_identifier_and_no_exact_quasi_identifier_leaves_the_building(tmp_path, method, format):
    columns = people(300, seed=3)
    hierarchies = {"place": gy.Hierarchy.prefixes()}
    if method == "lattice":
        hierarchies |= {
            "born": gy.Hierarchy.calendar(),
            "weight": gy.Hierarchy.intervals(20, 40, 80),
            "income": gy.Hierarchy.intervals(10_000_000, 50_000_000),
        }
    schema = gy.Schema(
        identifiers=["name"],
        quasi_identifiers=list(SCHEMA.quasi_identifiers),
        sensitive="disease",
        kinds={"place": "code"},
        hierarchies=hierarchies,
    )
    release = gy.publish(gy.read(columns, schema), [gy.KAnonymity(5)], method=method)
    release.save(tmp_path / "out", format=format, pages=report_pages(release))
    found = everything(tmp_path / "out")
    for name in ("name", "born", "weight", "place", "income"):
        shown = [value for value in map(str, columns[name]) if value.encode() in found]
        if name == "income":  # short numbers may stand in a hash by chance
            shown = [value for value in shown if len(value) >= 7]
        assert not shown, (name, shown[:3])


def test_the_order_of_rows_says_nothing(tmp_path):
    """Two orders of the same people give the same distribution of published orders."""
    columns = hospital(60)
    backwards = {name: values[::-1] for name, values in columns.items()}
    first = []
    for source in (columns, backwards):
        table = gy.read(source, hospital_schema())
        tables = [gy.publish(table, [gy.KAnonymity(5)]).tables["data"] for _ in range(2)]
        rows = [list(zip(*t.to_pydict().values(), strict=True)) for t in tables]
        assert sorted(rows[0]) == sorted(rows[1])
        assert rows[0] != rows[1] and rows[0] != sorted(rows[0])
        first.append(sorted(rows[0]))
    assert first[0] == first[1]


def test_a_seed_makes_the_order_independent_of_the_original_order_up_to_alike_rows():
    """With a seed the shuffle is fixed, and the release says that it is."""
    table = gy.read(hospital(60), hospital_schema())
    assert gy.publish(table, [gy.KAnonymity(5)], seed=1).is_seeded


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_published_columns_carry_no_dictionary_and_no_metadata(tmp_path, format):
    """A pandas categorical holds all its categories, also those of people who are left out."""
    pandas = pytest.importorskip("pandas")
    columns = {
        "age": [1] * 6 + [90],
        "ward": pandas.Categorical(["north"] * 6 + ["TELLTALE"]),
        "disease": list("aabbcca"),
    }
    schema = gy.Schema(
        quasi_identifiers=["age"],
        sensitive="disease",
        published=["ward"],
        hierarchies={"age": gy.Hierarchy.intervals(10, 50)},
    )
    table = gy.read(pandas.DataFrame(columns), schema)
    release = gy.publish(table, [gy.KAnonymity(5)], method="lattice", suppression="0.2")
    assert release.n_left_out == 1
    release.save(tmp_path / "out", format=format, pages=report_pages(release))
    assert b"TELLTALE" not in everything(tmp_path / "out")
    assert "TELLTALE" not in repr(release.frame().to_dict())
    if format == "parquet":
        import pyarrow.parquet

        assert not pyarrow.parquet.read_schema(tmp_path / "out" / "data.parquet").metadata


def test_floats_are_written_alike_however_they_were_read(tmp_path):
    """0.10, 1e-1 and 0.1 are one value: how it was typed is nobody's business."""
    written = []
    for spelled in (["0.10", "1.50"] * 3, ["1e-1", "1.5"] * 3, ["0.1", "1.500"] * 3):
        source = tmp_path / f"{len(written)}.csv"
        lines = [f"{a},{b}" for a, b in zip(spelled, "xyxyxy", strict=True)]
        source.write_text("dose,disease\n" + "\n".join(lines) + "\n")
        table = gy.read(source, gy.Schema(quasi_identifiers=["dose"], sensitive="disease"))
        gy.publish(table, [gy.KAnonymity(3)]).save(tmp_path / f"out{len(written)}")
        lines = (tmp_path / f"out{len(written)}" / "data.csv").read_text().splitlines()
        written.append(sorted(lines))
    assert written[0] == written[1] == written[2]


VALUES = {
    "whole": st.integers(-50, 5_000),
    "number": st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: float(f"{x:.7g}") + 0.0),
    "day": st.dates(datetime.date(1900, 1, 1), datetime.date(2090, 1, 1)),
    "moment": st.datetimes(datetime.datetime(1999, 1, 1), datetime.datetime(2001, 1, 1)),
}


@pytest.mark.parametrize("kind", VALUES)
@given(st.data())
def test_ranges_cover_their_values_and_hardly_anybody_elses(kind, data):
    """Neighbouring ranges meet in the gap between their values; they overlap only without one."""
    drawn = data.draw(st.lists(VALUES[kind], min_size=2, max_size=8, unique=True))
    table = gy.read({"x": drawn}, gy.Schema(quasi_identifiers=["x"]))
    domain = table.cells.domains[0]
    n = len(domain)
    cut = data.draw(st.integers(0, n))
    parts = [(a, b) for a, b in ((0, cut - 1), (cut, n - 1)) if b > a]
    labels = range_labels(domain, *np.array(parts, dtype=int).reshape(-1, 2).T).listed()
    covered = covers_all(labels, domain)
    for (a, b), label in zip(parts, labels, strict=True):
        there = np.flatnonzero(covered[label])
        assert set(range(a, b + 1)) <= set(there.tolist()), label
        ends = domain.positions[[there[0], there[-1]]]
        beyond = max(domain.positions[a] - ends[0], ends[1] - domain.positions[b])
        assert beyond <= domain.range / 50, label


@given(st.lists(st.integers(0, 400), min_size=4, max_size=30, unique=True), st.data())
def test_ranges_of_different_values_never_look_alike(drawn, data):
    table = gy.read({"x": drawn}, gy.Schema(quasi_identifiers=["x"]))
    domain = table.cells.domains[0]
    cuts = [0, *sorted(data.draw(st.sets(st.integers(1, len(domain) - 1)))), len(domain)]
    ranges = [(a, b - 1) for a, b in pairwise(cuts)]
    labels = range_labels(domain, *np.array(ranges, dtype=int).reshape(-1, 2).T).listed()
    assert len(set(labels)) == len(labels)


def test_where_there_is_room_the_ends_are_nobodys_values():
    columns = people(50, seed=1)
    for name in ("born", "weight", "income"):
        table = gy.read({name: columns[name]}, gy.Schema(quasi_identifiers=[name]))
        domain = table.cells.domains[0]
        [label] = range_labels(domain, np.array([10]), np.array([20]))
        assert not [value for value in columns[name] if str(value) in label]


def test_a_directory_that_may_not_be_written_is_one_sentence(tmp_path):
    if os.getuid() == 0:
        target = tmp_path / "file" / "out"
        (tmp_path / "file").write_text("")
    else:
        target = tmp_path / "closed" / "out"
        target.parent.mkdir(mode=0o500)
    release = gy.publish(gy.read(hospital(40), hospital_schema()), [gy.KAnonymity(4)])
    with pytest.raises(ReleaseError):
        release.save(target)


def test_the_working_directory_is_not_replaced(tmp_path, monkeypatch):
    """It would be another directory afterwards, and whoever works in it would be nowhere."""
    release = gy.publish(gy.read(hospital(40), hospital_schema()), [gy.KAnonymity(4)])
    (tmp_path / "here" / "below").mkdir(parents=True)
    for place, target in (("here", "."), ("here/below", ".."), ("here", tmp_path / "here")):
        monkeypatch.chdir(tmp_path / place)
        with pytest.raises(ReleaseError, match="working directory"):
            release.save(target)
    assert release.save("below/out").is_dir()
