"""The data sets of the papers: found, checked, downloaded; or one sentence that says what to do."""

from __future__ import annotations

import dataclasses
import gzip
import hashlib

import pytest

import gyges as gy
from reproduction import data


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("GYGES_DATA", str(tmp_path / "kept"))
    return tmp_path


def with_parts(monkeypatch, name, folder, parts, sha256=None):
    """The data set as if its source were files of this folder."""
    urls = []
    for number, part in enumerate(parts):
        (folder / f"part{number}").write_bytes(part)
        urls.append((folder / f"part{number}").as_uri())
    known = data.DATA_SETS[name]
    changed = dataclasses.replace(known, urls=tuple(urls), sha256=sha256 or known.sha256)
    monkeypatch.setitem(data.DATA_SETS, name, changed)


def test_a_missing_data_set_that_cannot_be_downloaded_says_what_to_do(elsewhere, monkeypatch):
    gone = dataclasses.replace(data.DATA_SETS["adult"], urls=((elsewhere / "no").as_uri(),))
    monkeypatch.setitem(data.DATA_SETS, "adult", gone)
    with pytest.raises(gy.GygesError, match=r"adult data set is not in .* set GYGES_DATA"):
        data.load("adult")


def test_another_file_of_that_name_is_refused(elsewhere):
    (elsewhere / "kept").mkdir()
    (elsewhere / "kept" / "nursery.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n"))
    with pytest.raises(gy.GygesError, match="SHA-256 differs"):
        data.load("nursery")
    (elsewhere / "kept" / "nursery.csv.gz").write_bytes(b"no gzip")
    with pytest.raises(gy.GygesError, match="cannot be read"):
        data.load("nursery")


def test_a_download_is_converted_checked_and_kept(elsewhere, monkeypatch):
    """The blanks, the dots behind the labels and the first line of the test part go away."""
    train = (
        b"39, Private, 7, HS-grad, 9, Divorced, Sales, Wife, White, Male, 0, 0, 40, Peru, <=50K\n\n"
    )
    test = b"|1x3 Cross validator\n" + train.replace(b"K\n", b"K.\n").replace(b"39", b"41")
    row = "{},Private,7,HS-grad,9,Divorced,Sales,Wife,White,Male,0,0,40,Peru,<=50K,{}\n"
    text = data._ADULT + "\n" + row.format(39, "train") + row.format(41, "test")
    digest = hashlib.sha256(text.encode()).hexdigest()
    with_parts(monkeypatch, "adult", elsewhere, [train, test], digest)
    assert data.load("adult").column("age").to_pylist() == ["39", "41"]
    assert gzip.decompress((elsewhere / "kept" / "adult.csv.gz").read_bytes()).decode() == text
    assert data.sha256_of("adult") == digest


def test_a_download_of_something_else_is_refused_and_not_kept(elsewhere, monkeypatch):
    with_parts(monkeypatch, "nursery", elsewhere, [b"usual,proper\n"])
    with pytest.raises(gy.GygesError, match="is not the nursery data set"):
        data.load("nursery")
    assert not (elsewhere / "kept").exists()


@pytest.mark.parametrize("name, n_rows", [("adult", 48842), ("nursery", 12960), ("ipums", 70187)])
def test_the_real_files_are_the_ones_of_the_papers(real_data, monkeypatch, name, n_rows):
    monkeypatch.setenv("GYGES_DATA", str(real_data))
    assert data.load(name).num_rows == n_rows


def test_a_real_file_comes_out_of_its_source_format(real_data, elsewhere, monkeypatch):
    """Nursery is the source's lines under a header: taken apart, put together, the hash agrees."""
    text = gzip.decompress((real_data / data.DATA_SETS["nursery"].file).read_bytes())
    with_parts(monkeypatch, "nursery", elsewhere, [text.partition(b"\n")[2]])
    assert data.load("nursery").num_rows == 12960


def test_ipums_comes_gzipped(elsewhere, monkeypatch):
    row = ",".join(["07"] * 61)
    digest = hashlib.sha256(f"{data._IPUMS}\n{row}\n".encode()).hexdigest()
    with_parts(monkeypatch, "ipums", elsewhere, [gzip.compress(f"{row}\n".encode())], digest)
    assert data.load("ipums").column("occ1950").to_pylist() == ["07"]
