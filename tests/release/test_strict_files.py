"""Published files have one spelling, known types and a bounded size; all else is refused."""

from __future__ import annotations

import hashlib
import io
import json
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import gyges as gy
from gyges.criteria.describe import to_data
from gyges.errors import ReleaseError, RuleError, SourceError
from gyges.release.strict_tables import read_strictly
from gyges.release.tables import write_table

K4 = {"rule": {"name": "KAnonymity", "k": 4}, "text": "every group has at least 4 people",
      "risk": "4"}  # fmt: skip
PLAIN = "age,disease\n20,a\n20,b\n20,c\n20,d\n"


def release(folder, files, claims=(K4,), roles=None, **changes):
    for name, content in files.items():
        content = content.encode() if isinstance(content, str) else content
        (folder / name).write_bytes(content)
    hashes = {n: hashlib.sha256((folder / n).read_bytes()).hexdigest() for n in files}
    known = {"quasi_identifiers": ["age"], "sensitive": "disease", "published": [], "kinds": {},
             "hierarchies": {}}  # fmt: skip
    stated = {"claims": [*claims], "files": hashes, "form": "generalized", "format": 2,
              "gyges": gy.__version__, "is_seeded": False, "method": "partition", "n_groups": 1,
              "n_left_out": 0, "n_people": 4, "rows_are_people": False,
              "allows_singling_out": False, "values_per_person": "one",
              "roles": known | (roles or {})}  # fmt: skip
    (folder / "certificate.json").write_text(json.dumps(stated | changes))
    return folder


def claim(rule, risk):
    return {"rule": to_data(rule), "text": str(rule), "risk": risk}


def parquet(columns):
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, store_schema=False, write_statistics=False)
    return file.getvalue()


def test_the_plain_release_is_true(tmp_path):
    assert gy.verify(release(tmp_path, {"data.csv": PLAIN})).holds


@pytest.mark.parametrize("content", [
    PLAIN.replace("20,a\n", "20,a\r\n"), PLAIN.replace("20,a", '"20",a'), "\ufeff" + PLAIN,
    PLAIN.replace("20,b", "\n20,b"), PLAIN + "\n", PLAIN[:-1], PLAIN.replace("\n", "\r"),
    PLAIN.replace("age,", '"age",'),
])  # fmt: skip
def test_another_spelling_of_the_same_csv_is_refused(tmp_path, content):
    with pytest.raises(ReleaseError, match="not written as gyges"):
        gy.verify(release(tmp_path, {"data.csv": content}))


def test_what_we_write_is_what_we_read(tmp_path):
    texts = ["a", 'say "x", y', "é\nü", "", None, "=1", "'=1", "x\r", " "]
    for column in ([*texts[:3], *texts[5:]], texts[:4], [*texts[:3], None]):
        rows = pa.table({"a,b": pa.array(column, pa.string()), "n": list(range(len(column)))})
        write_table(rows, tmp_path / "t.csv")
        read = read_strictly(tmp_path / "t.csv")
        assert read.column("a,b").to_pylist() == [text or "" for text in column]


@pytest.mark.parametrize("rule", [
    gy.ProbabilisticDiversity(100), gy.Skyline({"*": [(0, 0, 0, "1/100")]}),
    gy.DistinctDiversity(2), gy.EntropyDiversity(2), gy.RecursiveDiversity(2, 2),
    gy.TCloseness("1/2"), gy.Safety("1/2", 0), gy.MInvariance(2), gy.Beliefs("1/2", "1/2"),
], ids=lambda rule: type(rule).__name__)  # fmt: skip
def test_a_rule_about_sensitive_values_needs_some(tmp_path, rule):
    roles = {"sensitive": None, "published": ["disease"]}
    made = release(tmp_path, {"data.csv": "age,disease\n" + "2,HIV\n" * 4}, [claim(rule, "0")],
                   roles, values_per_person="set")  # fmt: skip
    with pytest.raises(ReleaseError, match="names no sensitive column"):
        gy.verify(made)
    schema = gy.Schema(quasi_identifiers=["age"], published=["disease"])
    table = gy.read({"age": [2] * 4, "disease": ["HIV"] * 4}, schema)
    with pytest.raises(RuleError, match="names no sensitive column"):
        gy.publish(table, [gy.KAnonymity(2), rule])


def test_numbers_and_dates_have_one_spelling(tmp_path):
    for kind, one, other in [("number", "1", "1.0"), ("date", "2024-01-01", "2024-01-01T00:00")]:
        content = f"age,disease\n20,{one}\n20,{one}\n30,{other}\n30,{other}\n"
        made = release(tmp_path, {"data.csv": content}, [], {"kinds": {"disease": kind}},
                       n_groups=2)  # fmt: skip
        with pytest.raises(ReleaseError, match="which gyges writes as"):
            gy.verify(made)


def test_an_empty_table_of_values_is_one(tmp_path):
    files = {"people.csv": "age,group\n" + "2,1\n" * 4, "sensitive.csv": "group,disease,count\n"}
    assert gy.verify(release(tmp_path, files, values_per_person="set")).holds


@pytest.mark.parametrize("column", [
    pa.array([b"\xff\xfe"] * 4, pa.binary(2)), pa.array([b"ab"] * 4, pa.binary(2)),
    pa.array([b"ab"] * 4, pa.binary()), pa.array([["a"]] * 4),
    pa.Array.from_buffers(pa.string(), 4, pa.array([b"\xff\xfe"] * 4, pa.binary()).buffers()),
], ids=["bytes", "text as bytes", "binary", "lists", "not UTF-8"])  # fmt: skip
def test_other_types_of_parquet_are_refused_in_a_sentence(tmp_path, column):
    made = release(tmp_path, {"data.parquet": parquet({"age": column, "disease": [*"abcd"]})})
    for ask in (gy.verify, gy.load, gy.audit):
        said = r"neither text nor numbers|not a readable parquet|more than its rows"
        with pytest.raises(ReleaseError, match=said):
            ask(made)


def test_a_source_that_is_not_utf8_is_called_so(tmp_path):
    bad = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff"], pa.binary()).buffers())
    with pytest.raises(SourceError, match="UTF-8"):
        gy.read(pa.table({"age": bad}), gy.Schema(quasi_identifiers=["age"]))


def test_a_small_file_does_not_unpack_to_a_large_one(tmp_path, monkeypatch):
    pages = os.sysconf
    monkeypatch.setattr(os, "sysconf", lambda n: 5_000 if n == "SC_PHYS_PAGES" else pages(n))
    long = parquet({"age": ["a" * 20_000_000], "disease": ["x"]})
    repeated = parquet({"age": ["a" * 20_000] * 1_000, "disease": ["x"] * 1_000})
    for content in (long, repeated):
        assert len(content) < 2_000_000
        with pytest.raises(ReleaseError, match="more than fit into the memory"):
            gy.verify(release(tmp_path, {"data.parquet": content}))


def test_a_dictionary_that_grows_from_batch_to_batch_is_read(tmp_path):
    texts = [f"{i:06}" * 10 for i in range(150_000)]
    rows = pa.table({"age": texts, "n": range(150_000), "d": [*"ab"] * 75_000})
    write_table(rows, tmp_path / "t.parquet")
    read = read_strictly(tmp_path / "t.parquet")
    assert read.column("age").to_pylist() == texts
    write_table(rows.slice(0, 0), tmp_path / "t.parquet")
    assert read_strictly(tmp_path / "t.parquet").num_rows == 0
