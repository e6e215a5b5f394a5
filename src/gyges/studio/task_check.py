"""Tasks of the page "Check": an auditor's view of a release, or of any published table."""

from __future__ import annotations

from pathlib import Path

import gyges as gy
from gyges.release.release import Release
from gyges.studio.shown import Shown
from gyges.studio.task_memory import Memory, Stated
from gyges.studio.task_risk import shown_audit, shown_groups
from gyges.workflow.progress import Progress
from gyges.workflow.published_file import published_columns
from gyges.workflow.releases_together import schema_of_file


def check(memory: Memory, progress: Progress, *, release: str) -> Stated:
    """Recompute every claim of a release, and ask every attacker about it."""
    progress.stage("recomputing every claim")
    verified = gy.verify(release)
    shown: Shown = {
        "verified": {
            "holds": verified.holds,
            "answer": verified.answer,
            "is_refuted": bool(verified.refuted),
            "checks": [{"text": str(one), "holds": one.holds} for one in verified.checks],
            "statements": list(verified.statements),
        }
    }
    if verified.refuted:  # what attackers gain from other files than the certified ones is no news
        return {**shown, "audit": None}
    progress.stage("asking the attackers")
    loaded = gy.load(release)
    shown["audit"] = shown_audit(gy.audit(loaded, utility=False, progress=progress.step))
    if isinstance(loaded, Release):
        shown["groups"] = shown_groups(loaded)
    return shown


def check_file(
    memory: Memory,
    progress: Progress,
    *,
    file: str,
    quasi: list[str] | None,
    sensitive: str | None,
) -> Stated:
    """Ask every attacker about a published file; its columns are guessed unless they are given."""
    progress.stage("looking at the columns")
    guessed = published_columns(file)
    if quasi is None:
        quasi = guessed.quasi
        sensitive = guessed.sensitive
    shown: Shown = {
        "columns": guessed.names,
        "quasi": quasi,
        "sensitive": sensitive,
        "reasons": guessed.reasons,
    }
    loaded = gy.load(file, schema_of_file(Path(file), quasi, sensitive))
    progress.stage("asking the attackers")
    shown["audit"] = shown_audit(gy.audit(loaded, utility=False, progress=progress.step))
    if isinstance(loaded, Release):
        shown["groups"] = shown_groups(loaded)
    return shown
