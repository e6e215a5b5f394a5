"""A file that somebody else chose is read whole, or refused: no hang, no memory without end."""

from __future__ import annotations

import os

import pytest

import gyges as gy
from gyges.data.plain_files import read_plain_file
from gyges.errors import GygesError
from gyges.release.mapping import load_mapping


@pytest.fixture(params=["pipe", "/dev/zero", "folder"])
def strange(request, tmp_path):
    """A pipe that nobody writes to, a device without an end, and a folder."""
    if request.param.startswith("/"):
        return request.param
    path = tmp_path / request.param
    os.mkfifo(path) if request.param == "pipe" else path.mkdir()
    return path


@pytest.mark.parametrize("read", [gy.Hierarchy.from_csv, gy.Project, load_mapping])
def test_what_is_no_plain_file_is_refused_at_once(strange, read):
    with pytest.raises(GygesError, match=r"cannot be read|is a directory|not a regular file"):
        read(strange)


def test_a_file_is_read_up_to_a_size(tmp_path):
    path = tmp_path / "some"
    path.write_bytes(b"12345")
    assert read_plain_file(path, 5) == b"12345"
    with pytest.raises(OSError, match="at most 4 bytes"):
        read_plain_file(path, 4)
