"""A release that was signed: any byte altered is found, and told apart from a false one."""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.data.examples import hospital, hospital_schema
from gyges.errors import GygesError, ReleaseError
from gyges.release.certificate import sha256
from gyges.release.directory import CERTIFICATE, SIGNATURE

pytest.importorskip("cryptography", reason="signatures need the extra `sign`")

from cryptography.hazmat.primitives import serialization as formats
from cryptography.hazmat.primitives.asymmetric import ec, ed25519


def write_keys(folder: Path, name: str, seed: int) -> tuple[Path, Path]:
    """A key in OpenSSH's format, the same each time."""
    key = ed25519.Ed25519PrivateKey.from_private_bytes(seed.to_bytes(32, "big"))
    private, public = folder / name, folder / f"{name}.pub"
    private.write_bytes(
        key.private_bytes(
            formats.Encoding.PEM, formats.PrivateFormat.OpenSSH, formats.NoEncryption()
        )
    )
    text = key.public_key().public_bytes(formats.Encoding.OpenSSH, formats.PublicFormat.OpenSSH)
    public.write_bytes(text + b" steward\n")
    return private, public


@pytest.fixture(scope="module")
def signed(tmp_path_factory):
    """A folder with a signed release, the key, its public part and another one."""
    folder = tmp_path_factory.mktemp("signed")
    private, _ = write_keys(folder, "key", 1)
    write_keys(folder, "other", 2)
    table = gy.read(hospital(120), hospital_schema())
    release = gy.publish(table, [gy.KAnonymity(4), gy.DistinctDiversity(2)], seed=1)
    release.save(folder / "out", sign=private, pages=gy.report_pages(release))
    return folder


@pytest.fixture
def copy(signed, tmp_path):
    shutil.copytree(signed / "out", tmp_path / "out")
    return tmp_path / "out"


def test_a_signed_release_is_the_one_that_was_signed(signed):
    found = gy.verify(signed / "out", key=signed / "key.pub")
    assert found.holds and found.signature == "valid"
    assert any("signed" in check.claim for check in found.checks)
    without = gy.verify(signed / "out")
    assert without.holds and without.signature is None
    assert any("not checked" in one for one in without.statements)
    gy.load(signed / "out")


@pytest.mark.parametrize("hidden", ["Ann Lee,23,HIV\n", "{}", "changed", "more", "short"])
def test_without_a_key_only_a_signature_of_these_files_may_lie_beside_them(copy, hidden):
    """Its content was read only with a key: rows of people in it passed as part of the release."""
    place = copy / SIGNATURE
    stated = json.loads(place.read_text())
    if hidden == "changed":
        stated["payload"] = base64.b64encode(b"Ann Lee has HIV").decode()
    elif hidden == "more":
        stated["note"] = "Ann Lee has HIV"
    elif hidden == "short":
        stated["signatures"][0]["sig"] = base64.b64encode(b"Ann Lee has HIV").decode()
    else:
        stated = None
    text = hidden if stated is None else json.dumps(stated, indent=2, sort_keys=True) + "\n"
    place.write_text(text)
    found = gy.verify(copy)
    assert [check.claim for check in found.refuted] == [
        "signature.json holds a signature of these files and nothing else"
    ]


def test_another_key_a_missing_signature_and_an_altered_file_are_told_apart(signed, copy):
    assert gy.verify(copy, key=signed / "other.pub").signature == "other key"
    (copy / "report.html").write_bytes(b"")
    found = gy.verify(copy, key=signed / "key.pub")
    assert found.signature == "altered" and "'report.html' changed" in str(found)
    (copy / SIGNATURE).unlink()
    assert gy.verify(copy, key=signed / "key.pub").signature == "unsigned"


def test_a_false_release_that_its_publisher_signed_is_false_not_altered(signed, copy):
    stated = json.loads((copy / CERTIFICATE).read_text())
    rows = (copy / "data.csv").read_text().splitlines()
    (copy / "data.csv").write_text("\n".join(rows[:-1]) + "\n")
    stated["files"]["data.csv"] = sha256(copy / "data.csv")
    (copy / CERTIFICATE).write_text(json.dumps(stated))
    from gyges.release.signature import signing_key

    (copy / SIGNATURE).unlink()
    signing_key(signed / "key").sign(copy)
    found = gy.verify(copy, key=signed / "key.pub")
    assert found.signature == "valid" and found.refuted and not found.holds


def test_a_file_that_is_added_removed_or_renamed_is_named(signed, copy):
    (copy / "more.csv").write_text("1")
    assert "'more.csv' added" in str(gy.verify(copy, key=signed / "key.pub"))
    (copy / "more.csv").unlink()
    (copy / "report.json").unlink()
    assert "'report.json' missing" in str(gy.verify(copy, key=signed / "key.pub"))


@given(st.data())
def test_no_byte_can_be_altered_unseen(signed, data):
    """Of every file, the signature included: flipped, cut off, or put in."""
    original, forged = signed / "out", signed / "forged"
    shutil.rmtree(forged, ignore_errors=True)
    shutil.copytree(original, forged)
    name = data.draw(st.sampled_from(sorted(path.name for path in original.iterdir())))
    path = forged / name
    content = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    match data.draw(st.sampled_from(["flip", "cut", "insert"])):
        case "flip":
            content[at] ^= data.draw(st.integers(1, 255))
        case "cut":
            del content[at:]
        case "insert":
            content[at:at] = data.draw(st.binary(min_size=1, max_size=4))
    path.write_bytes(content)
    found = gy.verify(forged, key=signed / "key.pub")
    assert not found.holds
    assert found.signature == "altered" or (name == SIGNATURE and found.signature == "other key")


@given(st.data())
def test_no_other_signature_is_taken_for_this_one(signed, data):
    """Forged from the parts of the true one: whatever JSON the file holds."""
    forged = signed / "rewritten"
    shutil.rmtree(forged, ignore_errors=True)
    shutil.copytree(signed / "out", forged)
    true = json.loads((forged / SIGNATURE).read_text())
    one = true["signatures"][0]
    texts = [true["payload"], one["sig"], one["keyid"], "", "AAAA"]
    value = st.sampled_from(texts) | st.none() | st.integers() | st.text(max_size=5)
    signature = st.fixed_dictionaries({}, optional={"keyid": value, "sig": value})
    made = data.draw(
        st.fixed_dictionaries(
            {},
            optional={
                "payload": value,
                "payloadType": value,
                "signatures": st.lists(signature, max_size=2) | value,
            },
        )
        | st.just({**true, "more": 1})
        | st.just({**true, "signatures": [one, one]})
        | value
    )
    (forged / SIGNATURE).write_text(json.dumps(made))
    assert gy.verify(forged, key=signed / "key.pub").signature in ("altered", "other key")


def test_the_statement_is_the_one_that_in_toto_defines(signed):
    """Read by hand, as another program would: DSSE's encoding, subjects and their hashes."""
    envelope = json.loads((signed / "out" / SIGNATURE).read_text())
    payload = base64.b64decode(envelope["payload"])
    kind = envelope["payloadType"].encode()
    text = b" ".join([b"DSSEv1", str(len(kind)).encode(), kind, str(len(payload)).encode()])
    key = formats.load_ssh_public_key((signed / "key.pub").read_bytes())
    (one,) = envelope["signatures"]
    key.verify(base64.b64decode(one["sig"]), text + b" " + payload)
    statement = json.loads(payload)
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    digests = {path.name: sha256(path) for path in (signed / "out").iterdir()}
    del digests[SIGNATURE]
    assert {s["name"]: s["digest"]["sha256"] for s in statement["subject"]} == digests


def test_signing_again_gives_the_same_bytes(signed, copy):
    from gyges.release.signature import signing_key

    before = (copy / SIGNATURE).read_bytes()
    signing_key(signed / "key").sign(copy)
    assert (copy / SIGNATURE).read_bytes() == before


def test_pem_keys_are_read_too(signed, copy, tmp_path):
    key = formats.load_ssh_private_key((signed / "key").read_bytes(), None)
    pem = key.private_bytes(
        formats.Encoding.PEM, formats.PrivateFormat.PKCS8, formats.NoEncryption()
    )
    (tmp_path / "key.pem").write_bytes(pem)
    public = key.public_key().public_bytes(
        formats.Encoding.PEM, formats.PublicFormat.SubjectPublicKeyInfo
    )
    (tmp_path / "pub.pem").write_bytes(public)
    from gyges.release.signature import signing_key

    signing_key(tmp_path / "key.pem").sign(copy)
    assert gy.verify(copy, key=tmp_path / "pub.pem").holds


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("missing", "cannot be read"),
        ("text", "is not an Ed25519"),
        ("swapped", "key: give the file of the"),
        ("locked", "passphrase"),
        ("curve", "is not an Ed25519"),
    ],
)
@pytest.mark.parametrize("is_private", [True, False])
def test_what_is_no_key_is_refused_in_a_sentence(signed, tmp_path, name, why, is_private):
    path, key = tmp_path / name, ed25519.Ed25519PrivateKey.generate()
    plain = (formats.Encoding.PEM, formats.PrivateFormat.PKCS8)
    if name == "text":
        path.write_text("hello")
    elif name == "swapped":
        path = signed / ("key.pub" if is_private else "key")
    elif name == "curve":
        curve = ec.generate_private_key(ec.SECP256R1())
        ssh = (formats.Encoding.OpenSSH, formats.PublicFormat.OpenSSH)
        text = (
            curve.private_bytes(*plain, formats.NoEncryption())
            if is_private
            else curve.public_key().public_bytes(*ssh)
        )
        path.write_bytes(text)
    elif name == "locked":
        path.write_bytes(key.private_bytes(*plain, formats.BestAvailableEncryption(b"secret")))
        if not is_private:
            why = "holds a private key"
    with pytest.raises(GygesError, match=why):
        if is_private:
            release = gy.publish(
                gy.read(hospital(60), hospital_schema()), [gy.KAnonymity(3)], seed=1
            )
            release.save(tmp_path / "out", sign=path)
        else:
            gy.verify(signed / "out", key=path)
    assert not (tmp_path / "out").exists()


def test_a_signature_is_in_no_list_and_in_no_other_directory(signed, copy):
    """A certificate cannot list it, and an older signed release can be replaced."""
    stated = json.loads((copy / CERTIFICATE).read_text())
    stated["files"][SIGNATURE] = sha256(copy / SIGNATURE)
    (copy / CERTIFICATE).write_text(json.dumps(stated))
    with pytest.raises(ReleaseError, match="cannot have"):
        gy.verify(copy)
    release = gy.publish(gy.read(hospital(60), hospital_schema()), [gy.KAnonymity(3)], seed=1)
    shutil.rmtree(copy)
    shutil.copytree(signed / "out", copy)
    release.save(copy, overwrite=True)
    assert not (copy / SIGNATURE).exists() and gy.verify(copy).holds


def test_the_command_signs_and_its_exit_codes_tell_what_happened(signed, tmp_path, run):
    from tests.cli.commands import write_csv

    write_csv(tmp_path / "patients.csv", hospital(120))
    words = ("--quasi", "age,zip,sex", "--sensitive", "disease", "--id", "patient", "--k", "4")
    out, key, public = tmp_path / "out", signed / "key", signed / "key.pub"
    code, _, told = run("publish", tmp_path / "patients.csv", *words, "--sign", key, "--out", out)
    assert code == 0, told
    assert run("verify", out, "--key", public)[0] == 0
    code, said, _ = run("verify", out, "--key", signed / "other.pub", "--json")
    assert code == 6 and json.loads(said)["signature"] == "other key"
    (out / "data.csv").write_bytes((out / "data.csv").read_bytes() + b"\n")
    assert run("verify", out, "--key", public)[0] == 7
    assert run("verify", out)[0] == 1
    (out / SIGNATURE).unlink()
    assert run("verify", out, "--key", public)[0] == 5
    assert run("verify", out, "--key", tmp_path / "patients.csv")[0] == 2
