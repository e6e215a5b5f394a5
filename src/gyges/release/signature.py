"""The signature of a release: who vouches for its certificate and files, checked offline.

A release directory may hold `signature.json`, a DSSE envelope around an in-toto statement. The
statement lists every other file of the directory with its SHA-256; the envelope holds the Ed25519
signature of the statement and the fingerprint of the key. Both are written in one way only, so that
a single changed byte is found, also one that would mean the same.

A signature says who published these bytes. Whether their claims are true, `verify` checks apart.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from gyges.arguments import path as path_of
from gyges.data.plain_files import read_plain_file
from gyges.errors import EngineError, ReleaseError
from gyges.release.certificate import sha256
from gyges.release.closed_directory import plain_files
from gyges.release.directory import SIGNATURE

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

Status = Literal["valid", "unsigned", "other key", "altered"]

_PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
_STATEMENT: Final = "https://in-toto.io/Statement/v1"
_PREDICATE: Final = "urn:gyges:release:1"
_LARGEST = 4 * 1024 * 1024  # bytes of a signature or a key
_NAMED = 3  # files that an answer names
_SIGNATURE_BYTES = 64


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A private Ed25519 key."""

    fingerprint: str  # of its public key, as `ssh-keygen -l` prints it
    _key: Ed25519PrivateKey = field(repr=False)

    def sign(self, directory: Path) -> None:
        """Sign every file of a directory; its signature is one more file."""
        payload = _statement(_digests(directory))
        envelope = _envelope(payload, self.fingerprint, self._key.sign(_encoded(payload)))
        (directory / SIGNATURE).write_bytes(envelope)


@dataclass(frozen=True, slots=True)
class SignatureCheck:
    """Whether a directory is as the holder of a key signed it."""

    status: Status
    fingerprint: str  # of the key that was asked for
    found: str  # in words


@dataclass(frozen=True, slots=True)
class NamedKey:
    """The key that a signature names, which proves nothing."""

    fingerprint: str
    is_of_these_files: bool  # whether the file is an envelope around their statement, no more


def signing_key(given: object) -> SigningKey:
    """The private key in a file: OpenSSH's format or PEM, without a passphrase."""
    if isinstance(given, SigningKey):
        return given
    place = path_of(given, "sign", ReleaseError)
    key = _read_key(place, is_private=True)
    return SigningKey(_fingerprint(key.public_key()), key)


def check_signature(directory: Path, key: object) -> SignatureCheck:
    """Whether a directory holds exactly what the owner of a public key signed.

    Args:
        key: the file with the public key, OpenSSH's format (`id_ed25519.pub`) or PEM.
    """
    public: Ed25519PublicKey = _read_key(path_of(key, "key", ReleaseError), is_private=False)
    fingerprint = _fingerprint(public)
    digests = _digests(directory)
    if not (directory / SIGNATURE).exists():
        return SignatureCheck("unsigned", fingerprint, f"there is no {SIGNATURE}")
    envelope = _read(directory / SIGNATURE)
    named, payload, signature = _parts(envelope)
    if not _is_signed(public, payload, signature):
        if named not in ("", fingerprint):
            return SignatureCheck("other key", fingerprint, f"it is signed with the key {named}")
        return SignatureCheck("altered", fingerprint, f"{SIGNATURE} is not what was signed")
    if envelope != _envelope(payload, fingerprint, signature):
        return SignatureCheck("altered", fingerprint, f"{SIGNATURE} was changed")
    if payload != _statement(digests):
        return SignatureCheck("altered", fingerprint, _difference(payload, digests))
    return SignatureCheck("valid", fingerprint, f"signed with {fingerprint}")


def named_key(directory: Path) -> NamedKey | None:
    """What a signature says without a key to check it with; None if there is none."""
    if not (directory / SIGNATURE).exists():
        return None
    envelope = _read(directory / SIGNATURE)
    named, payload, signature = _parts(envelope)
    is_alike = envelope == _envelope(payload, named, signature)
    is_of_files = bool(named) and is_alike and payload == _statement(_digests(directory))
    return NamedKey(named or "an unknown key", is_of_files and len(signature) == _SIGNATURE_BYTES)


def _digests(directory: Path) -> dict[str, str]:
    """The SHA-256 of each file of a directory but its signature."""
    if not directory.is_dir():
        raise ReleaseError(f"there is no release directory {str(directory)!r}")
    names = sorted(plain_files(directory) - {SIGNATURE})
    return {name: sha256(directory / name) for name in names}


def _statement(digests: Mapping[str, str]) -> bytes:
    """The in-toto statement about files; the predicate adds nothing to their names and hashes."""
    subject = [{"digest": {"sha256": digests[name]}, "name": name} for name in sorted(digests)]
    stated = {
        "_type": _STATEMENT,
        "predicate": {},
        "predicateType": _PREDICATE,
        "subject": subject,
    }
    return json.dumps(stated, sort_keys=True, separators=(",", ":")).encode()


def _encoded(payload: bytes) -> bytes:
    """What is signed: DSSE's pre-authentication encoding, so that no other text means the same."""
    kind = _PAYLOAD_TYPE.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def _envelope(payload: bytes, fingerprint: str, signature: bytes) -> bytes:
    stated = {
        "payload": base64.b64encode(payload).decode(),
        "payloadType": _PAYLOAD_TYPE,
        "signatures": [{"keyid": fingerprint, "sig": base64.b64encode(signature).decode()}],
    }
    return (json.dumps(stated, indent=2, sort_keys=True) + "\n").encode()


def _parts(envelope: bytes) -> tuple[str, bytes, bytes]:
    """The named key, the payload and the signature; of anything else three empty ones."""
    try:
        stated = json.loads(envelope)
        (one,) = stated["signatures"]
        payload, signature = (
            base64.b64decode(text, validate=True) for text in (stated["payload"], one["sig"])
        )
        named = one["keyid"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return "", b"", b""
    return (named if _is_fingerprint(named) else ""), payload, signature


def _is_fingerprint(text: object) -> bool:
    """Whether a text may be shown: the signer of a forged release wants to be believed."""
    if not isinstance(text, str) or not text.startswith("SHA256:") or len(text) != 50:
        return False
    return text.isascii() and text[7:].replace("+", "").replace("/", "").isalnum()


def _is_signed(public: Ed25519PublicKey, payload: bytes, signature: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature

    try:
        public.verify(signature, _encoded(payload))
    except InvalidSignature:
        return False
    return True


def _difference(payload: bytes, digests: Mapping[str, str]) -> str:
    """What a directory has otherwise than the statement that was signed."""
    try:
        signed = {one["name"]: one["digest"]["sha256"] for one in json.loads(payload)["subject"]}
    except (ValueError, KeyError, TypeError):
        return "what was signed is no release"
    changed = sorted(name for name in signed if digests.get(name, signed[name]) != signed[name])
    kinds = {
        "changed": changed,
        "missing": sorted(signed.keys() - digests.keys()),
        "added": sorted(digests.keys() - signed.keys()),
    }
    parts = [
        f"{', '.join(map(repr, names[:_NAMED]))}{', …' if len(names) > _NAMED else ''} {kind}"
        for kind, names in kinds.items()
        if names
    ]
    return f"since it was signed: {'; '.join(parts)}" if parts else "another statement was signed"


def _read(place: Path) -> bytes:
    try:
        return read_plain_file(place, _LARGEST)
    except OSError as problem:
        raise ReleaseError(f"{str(place)!r} cannot be read: {problem.strerror}") from None


def _read_key(place: Path, *, is_private: bool) -> Any:
    """An Ed25519 key; anything else is an error that says what the file is instead."""
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives import serialization as formats
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise EngineError("signatures need cryptography: pip install 'gyges[sign]'") from None
    text, wanted = _read(place), "private" if is_private else "public"
    is_pem = text.lstrip().startswith(b"-----BEGIN")
    has_private = is_pem and b"PRIVATE KEY-----" in text
    if has_private != is_private:
        other = "private" if has_private else "public"
        if is_pem or text.startswith(b"ssh-"):
            raise ReleaseError(f"{str(place)!r} holds a {other} key: give the file of the {wanted}")
    try:
        if is_private:
            is_openssh = b"BEGIN OPENSSH" in text
            load = formats.load_ssh_private_key if is_openssh else formats.load_pem_private_key
            key: Any = load(text, password=None)
        else:
            read = formats.load_pem_public_key if is_pem else formats.load_ssh_public_key
            key = read(text)
    except TypeError:
        raise ReleaseError(
            f"{str(place)!r} is protected by a passphrase, which gyges does not ask for: give a "
            f"copy without one (ssh-keygen -p)"
        ) from None
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, ed25519.Ed25519PrivateKey | ed25519.Ed25519PublicKey):
        raise ReleaseError(
            f"{str(place)!r} is not an Ed25519 {wanted} key: make one with ssh-keygen -t ed25519"
        )
    return key


def _fingerprint(public: Ed25519PublicKey) -> str:
    """The fingerprint of a public key, as OpenSSH writes it."""
    from cryptography.hazmat.primitives import serialization as formats

    text = public.public_bytes(formats.Encoding.OpenSSH, formats.PublicFormat.OpenSSH)
    digest = hashlib.sha256(base64.b64decode(text.split()[1])).digest()
    return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")
