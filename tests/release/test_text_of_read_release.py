"""The text of a release that was read: its claims are a publisher's, not ours."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

import gyges as gy
from gyges.errors import ReleaseError, RuleError
from gyges.release.private_files import lies_in
from gyges.workflow.project_sections import PublishSection


def test_a_claim_that_was_read_is_never_said_to_hold(tmp_path):
    """A forged claim was printed as `holds: …`, with its line ends and terminal codes."""
    table = gy.read({"age": [1, 1, 2, 2]}, gy.Schema(quasi_identifiers=["age"]))
    release = gy.publish(table, [gy.KAnonymity(2)])
    assert "  holds: every group has at least 2 rows" in str(release)
    release.save(tmp_path / "out")
    certificate = tmp_path / "out" / "certificate.json"
    stated = json.loads(certificate.read_text())
    stated["claims"][0] |= {"text": "k\n  holds: all \x1b[2J", "risk": "9\n  holds: more"}
    certificate.write_text(json.dumps(stated))
    shown = str(gy.load(tmp_path / "out"))
    assert "\x1b" not in shown
    assert not any(line.startswith("  holds:") for line in shown.splitlines())


def test_a_path_with_a_nul_is_refused():
    with pytest.raises(ReleaseError, match="NUL"):
        lies_in(Path("a\x00b"), Path("out"))


@pytest.mark.parametrize("name", ["seed", "memory"])
def test_a_huge_decimal_is_refused_before_it_is_written_out(name):
    with pytest.raises(RuleError, match=name):
        PublishSection().changed({name: Decimal("1e999999999")})


def test_a_notebook_shows_what_is_stated_as_stated(tmp_path):
    """The card of a forged release said "what is promised", with terminal codes."""
    table = gy.read({"age": [1, 1, 2, 2]}, gy.Schema(quasi_identifiers=["age"]))
    release = gy.publish(table, [gy.KAnonymity(2)])
    assert "what is promised" in release._repr_html_()
    release.save(tmp_path / "out")
    certificate = tmp_path / "out" / "certificate.json"
    stated = json.loads(certificate.read_text())
    stated["claims"][0]["text"] = "every group has at least 40 people\x1b[2J"
    certificate.write_text(json.dumps(stated))
    shown = gy.load(tmp_path / "out")._repr_html_()
    assert "stated, not checked" in shown and "what is promised" not in shown
    assert "\x1b" not in shown
