"""Sensitive values that nobody may mind, such as "none": found by their words, and asked about.

Such values force groups to be large although nobody needs to be protected from them. That nobody
minds is for the user to say, so they are proposed as a comment and never declared.
"""

from __future__ import annotations

from collections.abc import Collection

_WORDS = frozenset(
    """
    none|nothing|not applicable|n/a|does not apply|not in universe|no diagnosis|no disease
    |no condition|no finding|healthy|keine|kein|keiner|nicht zutreffend|entfällt|ohne befund|gesund
    |aucun|aucune|néant|sans objet|non applicable|ninguno|ninguna|no aplica|nessuno|nessuna
    |non applicabile|geen|niet van toepassing|n.v.t.|nenhum|nenhuma|não se aplica|não aplicável
    |brak|nie dotyczy|ingen|inget|ikke relevant|ej tillämpligt
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
)
RULES = (  # that take `harmless`
    "distinct diversity", "entropy diversity", "recursive diversity", "probabilistic diversity",
)  # fmt: skip


def harmless_values(texts: Collection[str]) -> list[str]:
    """The values that nobody may mind, by their words, unless they are all there is.

    >>> harmless_values(["Flu", "None", "Not applicable ", "HIV"])
    ['None', 'Not applicable ']
    """
    found = sorted(text for text in texts if text.strip().casefold() in _WORDS)
    return found if len(found) < len(set(texts)) else []


def asked_about(column: str, values: list[str]) -> str:
    """The question whether they are harmless."""
    listed = ", ".join(map(repr, values))
    return (
        f"Does nobody mind if others learn that they have {listed} in {column}? If so, list such "
        f"values as harmless under the rules, so that they do not make groups larger."
    )
