"""Releases of older versions, kept as files: they load, and verify as they did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gyges as gy
from gyges.errors import ReleaseError
from tests.formats.make import HERE

KEPT = sorted(path.parent for path in HERE.glob("*/*/certificate.json"))


def test_every_form_is_kept():
    from gyges.auditing.forms import FORMS

    forms = {json.loads((one / "certificate.json").read_text())["form"] for one in KEPT}
    assert forms >= {*FORMS}
    assert sum(file.stat().st_size for one in KEPT for file in one.iterdir()) < 100_000


@pytest.mark.parametrize("kept", KEPT, ids=lambda one: f"{one.parent.name}-{one.name}")
def test_an_older_release_loads_and_verifies(kept):
    found = gy.verify(kept)
    assert found.refuted == [], str(found)
    known = ("trust the publisher", "an earlier version of gyges fitted them")  # since format 3
    trusted = [one for one in found.unchecked if not any(why in one.found for why in known)]
    assert trusted == [] and (found.holds or kept.name == "noisy"), str(found)
    assert gy.load(kept).claims or kept.name == "noisy"


def test_an_older_signature_is_valid():
    signed = [one for one in KEPT if (one / "signature.json").exists()]
    pytest.importorskip("cryptography", reason="signatures need the extra `sign`")
    for one in signed:
        assert gy.verify(one, key=one.parent / "key.pub").signature == "valid"
    assert signed


def test_a_format_of_the_future_is_refused_in_a_sentence(tmp_path):
    stated = json.loads((KEPT[0] / "certificate.json").read_text())
    (tmp_path / "certificate.json").write_text(json.dumps({**stated, "format": 3}))
    with pytest.raises(ReleaseError, match="use the version that wrote it"):
        gy.verify(tmp_path)


def test_the_version_is_the_same_everywhere():
    root = Path(__file__).resolve().parents[2]
    for file, text in {"pyproject.toml": 'version = "{}"', "CITATION.cff": "version: {}"}.items():
        assert text.format(gy.__version__) in (root / file).read_text().splitlines()
