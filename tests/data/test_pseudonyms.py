"""Keyed pseudonyms: the HMAC of a value, another one for each key, and nothing else of it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import stat
import warnings

import ibis
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.data.pseudonyms import opened_key, pseudonym
from gyges.errors import GygesError, GygesWarning
from tests.auditing.forging import rehash
from tests.cli.commands import gyges, write_csv

PEOPLE = {
    "id": [f"P{i}" for i in range(8)],  # a pseudonym has no capital letter
    "age": [30, 31, 30, 31, 50, 51, 50, 51],
    "ill": ["Flu", "Gout", "Flu", "HIV", "Gout", "Flu", "HIV", "Gout"],
}
ROLES = {"person": "id", "quasi_identifiers": ["age"], "sensitive": "ill", "pseudonyms": ["id"]}
COLUMN = "pseudonym of id"


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GygesWarning)
        yield


def key_in(path):
    with opened_key(path) as key:
        return key


def by_hand(key, column, text):
    """RFC 2104 in steps: H(key ⊕ opad ‖ H(key ⊕ ipad ‖ message))."""
    padded = key.ljust(64, b"\0")
    inner, outer = (bytes(one ^ pad for one in padded) for pad in (0x36, 0x5C))
    message = f"{len(column)} {column} {text}".encode()
    digest = hashlib.sha256(outer + hashlib.sha256(inner + message).digest()).digest()
    return base64.b32encode(digest).decode()[:26].lower()


@settings(max_examples=60)
@given(st.binary(min_size=32, max_size=32), st.text(max_size=9), st.integers(-9, 99) | st.text())
def test_a_pseudonym_is_an_hmac(key, column, value):
    try:
        wanted = by_hand(key, column, str(value))
    except UnicodeEncodeError:
        return
    assert pseudonym(key, column, value) == wanted
    assert pseudonym(key, column, value) != pseudonym(key, f"{column}x", value)
    assert hmac.compare_digest(wanted, by_hand(key, column, str(value)))


@pytest.mark.parametrize("where", ["memory", "duckdb"])
def test_each_row_has_the_pseudonym_of_its_person(where):
    key = bytes(range(32))
    source = pa.table(PEOPLE)
    if where == "duckdb":
        source = ibis.duckdb.connect().create_table("people", source)
    table = gy.read(source, gy.Schema(**ROLES), pseudonym_key=key)
    rows = table.fetch(["id", COLUMN]).to_pylist()
    assert {row["id"]: row[COLUMN] for row in rows} == {
        one: by_hand(key, "id", one) for one in PEOPLE["id"]
    }
    release = gy.publish(table, [gy.KAnonymity(2)])
    shown = release.frame()
    names = shown[COLUMN].to_pylist() if hasattr(shown, "column_names") else list(shown[COLUMN])
    assert sorted(names) == sorted(by_hand(key, "id", one) for one in PEOPLE["id"])
    assert "id" not in list(getattr(shown, "column_names", shown))


def test_without_a_key_no_two_releases_share_a_pseudonym():
    seen = [
        set(gy.read(PEOPLE, gy.Schema(**ROLES)).fetch([COLUMN]).column(0).to_pylist())
        for _ in range(2)
    ]
    assert len(seen[0]) == len(seen[1]) == 8 and not seen[0] & seen[1]


def test_a_project_keeps_its_key_inside_and_makes_the_same_pseudonyms_again(tmp_path):
    write_csv(tmp_path / "people.csv", PEOPLE)
    project = """
[data]
source = "people.csv"
pseudonym_key = "people.key"
[columns]
person = "id"
pseudonyms = ["id"]
quasi_identifiers = ["age"]
sensitive = "ill"
[ledger]
keep = false
[[require]]
rule = "k-anonymity"
k = 2
"""
    (tmp_path / "gyges.toml").write_text(project)
    released = []
    for out in ("one", "two"):
        code, _, notes = gyges("publish", "gyges.toml", "--out", out, folder=tmp_path)
        assert code == 0, notes
        lines = (tmp_path / out / "data.csv").read_text().splitlines()
        place = lines[0].split(",").index(COLUMN)
        released.append(sorted(line.split(",")[place] for line in lines[1:]))
        assert not any(one in "".join(lines) for one in PEOPLE["id"])
        assert (tmp_path / "people.key").read_text().strip() not in "".join(
            path.read_text() for path in (tmp_path / out).iterdir() if path.is_file()
        )
    assert released[0] == released[1] and len(set(released[0])) == 8
    key = key_in(tmp_path / "people.key")
    assert released[0] == sorted(by_hand(key, "id", one) for one in PEOPLE["id"])
    if os.name == "posix":
        assert stat.S_IMODE((tmp_path / "people.key").stat().st_mode) == 0o600
    words = ("verify", "one", "--original", "people.csv", "--project", "gyges.toml")
    code, out, _ = gyges(*words, folder=tmp_path)
    assert code == 3 and "pseudonyms that nobody can make without the key" in out
    code, out, notes = gyges(
        "attack", "one", "two", "--people", "people.csv", "--project", "gyges.toml", folder=tmp_path
    )
    assert code in (1, 3), notes  # rows can be linked: nothing is called proven
    (tmp_path / "gyges.toml").write_text(project.replace("people.key", "release/people.key"))
    (tmp_path / "release").mkdir()
    code, _, notes = gyges("publish", "gyges.toml", "--overwrite", folder=tmp_path)
    assert code == 2 and "leaves the building" in notes


@pytest.mark.parametrize(
    ("more", "key", "said"),
    [
        ({"pseudonyms": ["age"]}, None, "must be an identifier or dropped"),
        ({"pseudonyms": []}, bytes(32), "needs `pseudonyms`"),
        ({}, b"short", "5 bytes"),
        ({}, 7, "pseudonym_key is 7"),
        ({}, "no/such/folder.key", "in a folder that exists"),
    ],
)
def test_what_cannot_get_pseudonyms_is_refused(more, key, said):
    with pytest.raises(GygesError, match=said):
        gy.read(PEOPLE, gy.Schema(**{**ROLES, **more}), pseudonym_key=key)


def test_a_key_that_others_can_read_is_refused(tmp_path):
    path = tmp_path / "open.key"
    key_in(path)
    path.chmod(0o644)
    if os.name == "posix":
        with pytest.raises(GygesError, match="chmod 600"):
            key_in(path)
    path.chmod(0o600)
    path.write_text("no key")
    with pytest.raises(GygesError, match="cannot be read"):
        key_in(path)


def test_a_column_that_singles_people_out_is_refused_beside_pseudonyms():
    schema = gy.Schema(**ROLES, published=["ward"])
    rows = {**PEOPLE, "ward": [f"w{i}" for i in range(8)]}
    with pytest.raises(GygesError, match=r"single people out .ward."):
        gy.publish(gy.read(rows, schema), [gy.KAnonymity(2)])


SMALL = {"sex": [*"mf"] * 4, "home": [*"aabbccdd"], "late": [None, *(f"x{i}" for i in range(7))]}


@pytest.mark.parametrize("column", SMALL)
@pytest.mark.parametrize("form", ["generalized", "bucketized"])
def test_pseudonyms_that_people_share_or_lack_are_published_columns(column, form, tmp_path):
    """Two pseudonyms, one of every second person, show everyone's sex without a key."""
    schema = gy.Schema(
        quasi_identifiers=["age"], sensitive="ill", dropped=[column], pseudonyms=[column]
    )
    people = PEOPLE | SMALL | {"age": [30, 30, 30, 30, 50, 50, 50, 50]}
    table = gy.read(people, schema, missing="value")
    rules = [gy.KAnonymity(3)]
    with pytest.raises(GygesError, match="people share one, or have none"):
        gy.publish(table, rules, form=form)
    release = gy.publish(table, rules, form=form, allow_singling_out=True)
    assert any("worst case" in one or "no one else has" in one for one in release.notices)
    saved = release.save(tmp_path / "out")
    stated = json.loads((saved / "certificate.json").read_text())
    stated["allows_singling_out"] = False
    (saved / "certificate.json").write_text(json.dumps(stated))
    assert gy.verify(saved).refuted, "the forger does not say that it singles people out"


def test_names_do_not_pass_for_pseudonyms(tmp_path):
    release = gy.publish(gy.read(PEOPLE, gy.Schema(**ROLES)), [gy.KAnonymity(2)])
    saved = release.save(tmp_path / "out")
    path = saved / "data.csv"
    shown = release.frame().column(COLUMN).to_pylist()
    for number, one in enumerate(shown):
        path.write_text(path.read_text().replace(one, f"Ann Lee {number}"))
    rehash(saved)
    [check] = gy.verify(saved).refuted
    assert "pseudonyms" in check.claim


@pytest.mark.parametrize("kind", ["pipe", "endless", "folder"])
def test_a_key_that_is_no_file_is_refused_at_once(kind, tmp_path):
    """A pipe was waited for, and an endless device read."""
    path = tmp_path / "people.key"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "endless":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    with pytest.raises(GygesError, match="cannot be read"):
        gy.read(PEOPLE, gy.Schema(**ROLES), pseudonym_key=path)


def test_a_key_is_written_only_where_something_is_made_with_it(tmp_path):
    """Exit code 2 says that nothing was written; a new key was."""
    path = tmp_path / "people.key"
    with pytest.raises(GygesError):
        gy.read(
            {"id": ["a", "a"], "age": [1, 2], "ill": [1, 2]}, gy.Schema(**ROLES), pseudonym_key=path
        )
    assert not path.exists()
    write_csv(tmp_path / "people.csv", PEOPLE)
    project = (
        '[data]\nsource = "people.csv"\npseudonym_key = "people.key"\n[columns]\nperson = "id"\n'
        'pseudonyms = ["id"]\nquasi_identifiers = ["age"]\nsensitive = "{}"\n'
        '[[require]]\nrule = "k-anonymity"\nk = 99\n'
    )
    for sensitive, wanted in (("nothing", 2), ("ill", 1)):
        (tmp_path / "gyges.toml").write_text(project.format(sensitive))
        code, _, notes = gyges("publish", "gyges.toml", folder=tmp_path)
        assert code == wanted, notes
        assert not path.exists(), notes
    (tmp_path / "gyges.toml").write_text(project.format("ill").replace("99", "2"))
    code, _, notes = gyges("publish", "gyges.toml", folder=tmp_path)
    assert code == 0 and path.exists(), notes


def test_an_audit_does_not_call_pseudonyms_published_unchanged():
    """Each pseudonym made its row unique, for an attacker who knew what nobody knows."""
    release = gy.publish(gy.read(PEOPLE, gy.Schema(**ROLES)), [gy.KAnonymity(2)])
    said = [one.sentence for one in gy.audit(release).findings]
    assert not any("unchanged" in one and COLUMN in one for one in said), said
    assert not any("8 of 8" in one and "unique row" in one for one in said), said
    [about] = [one for one in said if "keyed pseudonym" in one]
    assert COLUMN in about and "key" in about
