"""What an auditor refuses before reading a table."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gyges.errors import ReleaseError
from gyges.release.closed_directory import read_certificate_text, refuse_strange_files

ALLOWED = {"data.csv", "data.parquet", "DATA.CSV", "report.html", "../data.csv", "certificate.json"}


def _release(directory: Path, *names: str) -> Path:
    for name in ("certificate.json", *names):
        (directory / name).write_text("{}")
    return directory


def test_the_certified_files_and_nothing_else_pass(tmp_path: Path) -> None:
    certified = {"data.csv": "0", "report.html": "1"}
    refuse_strange_files(_release(tmp_path, *certified), ALLOWED, certified)


@pytest.mark.parametrize(
    "certified",
    [
        {"raw.txt": "0"},  # not of this form
        {"../data.csv": "0"},  # outside the directory, even if somebody allowed it
        {"certificate.json": "0"},  # cannot hold its own hash
        {"data.csv": "0", "data.parquet": "0"},  # two tables of the same stem
        {"data.csv": "0", "DATA.CSV": "0"},
        {"data.csv": "0", "report.html": "0"},  # listed but missing
    ],
)
def test_a_strange_list_of_files_is_refused(tmp_path: Path, certified: dict[str, str]) -> None:
    _release(tmp_path, *(name for name in certified if name not in ("report.html", "../data.csv")))
    with pytest.raises(ReleaseError):
        refuse_strange_files(tmp_path, ALLOWED, certified)


@pytest.mark.parametrize("kind", ["file", "link", "certified link", "pipe", "directory"])
def test_what_is_beside_the_certified_files_is_refused(tmp_path: Path, kind: str) -> None:
    _release(tmp_path, "data.csv")
    match kind:
        case "file":
            (tmp_path / "raw.txt").write_text("secret")
        case "link":
            (tmp_path / "report.html").symlink_to(tmp_path / "data.csv")
        case "certified link":
            (tmp_path / "data.csv").rename(tmp_path.parent / "elsewhere.csv")
            (tmp_path / "data.csv").symlink_to(tmp_path.parent / "elsewhere.csv")
        case "pipe":
            os.mkfifo(tmp_path / "report.html")
        case "directory":
            (tmp_path / "report.html").mkdir()
    with pytest.raises(ReleaseError):
        refuse_strange_files(tmp_path, ALLOWED, {"data.csv": "0"})


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"\xff",
        b'{"a": 1, "a": 2}',
        b'{"a": {"b": 1, "b": 1}}',
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": 1e999}',
        b'{"a": ' + b"9" * 5_000 + b"}",
        b'{"a": ' + b"[" * 200_000 + b"]" * 200_000 + b"}",
    ],
)
def test_a_certificate_that_is_no_plain_json_object_is_refused(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "certificate.json").write_bytes(text)
    with pytest.raises(ReleaseError, match="is not a certificate"):
        read_certificate_text(tmp_path)


def test_a_certificate_behind_a_link_or_a_pipe_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "elsewhere.json").write_text("{}")
    (tmp_path / "a" / "certificate.json").symlink_to(tmp_path / "elsewhere.json")
    os.mkfifo(tmp_path / "b" / "certificate.json")
    for name in ("a", "b"):
        with pytest.raises(ReleaseError, match="not a regular file"):
            read_certificate_text(tmp_path / name)


def test_a_certificate_is_read_up_to_a_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "certificate.json").write_text('{"a": "0123456789"}')
    assert read_certificate_text(tmp_path) == {"a": "0123456789"}
    monkeypatch.setattr("gyges.release.closed_directory.LARGEST_CERTIFICATE", 10)
    with pytest.raises(ReleaseError, match="too large"):
        read_certificate_text(tmp_path)
