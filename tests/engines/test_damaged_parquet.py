"""A Parquet file with any bit changed is read, or refused in a sentence, by every reader."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import gyges as gy
from gyges.errors import GygesError

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
ROWS = pa.table({"age": [30, 31, 30, 31], "town": [*"abab"], "ill": ["flu", "flu", "hiv", None]})
SCHEMA = gy.Schema(quasi_identifiers=["age", "town"], sensitive="ill")


def test_a_name_that_is_not_utf8_is_refused(tmp_path):
    path = tmp_path / "people.parquet"
    pq.write_table(ROWS, path)
    path.write_bytes(path.read_bytes().replace(b"town", b"to\xff\xfe"))
    with pytest.raises(GygesError, match="not UTF-8"):
        gy.read(path, SCHEMA)
    with pytest.raises(GygesError, match="not a readable"):
        gy.load(path, SCHEMA)


def test_no_changed_bit_ends_in_an_exception_of_a_library(tmp_path):
    path = tmp_path / "people.parquet"
    pq.write_table(ROWS, path)
    content = path.read_bytes()
    answers = {"read": 0, "refused": 0}
    for place in range(4, len(content)):
        changed = bytearray(content)
        changed[place] ^= 1 << (place * 5 + place // 8) % 8
        path.write_bytes(bytes(changed))
        for reader in (gy.read, gy.load):
            try:
                reader(path, SCHEMA)
                answers["read"] += 1
            except GygesError as problem:
                assert str(problem)
                answers["refused"] += 1
    assert all(answers.values())
