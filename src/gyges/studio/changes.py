"""Changes of the project, one for each thing that a person can decide on a page.

Each takes what the project states and what the page sends, and returns what the project states
afterwards, with a label for Undo.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gyges.errors import GygesError
from gyges.exact import fraction
from gyges.studio.rule_cards import edited
from gyges.studio.session import Studio, draft_of
from gyges.workflow import project_edits as edits

Stated = dict[str, Any]
_PUBLISH_KEYS = ("method", "form", "format", "out", "effort", "suppression", "seconds", "labels")
_NUMBER_KEYS = ("seconds",)
_BY_RULE = ("intervals", "prefixes", "calendar")  # hierarchies that no file and no list describes


def _role(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    column, role = str(asked["column"]), str(asked["role"])
    return edits.set_role(stated, column, role, _proposed(asked, column)), f"{column}: {role}"


def _proposed(asked: Stated, column: str) -> Stated:
    """What is proposed for a column when it is published; only rules, which open no file."""
    given = asked.get("proposed")
    found = given.get(column) if isinstance(given, dict) else None
    if not isinstance(found, dict):
        return {}
    hierarchy = found.get("hierarchy")
    rules = hierarchy if isinstance(hierarchy, dict) else {}
    return {**found, "hierarchy": {rule: rules[rule] for rule in _BY_RULE if rule in rules}}


def _roles(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    columns, role = asked["columns"], str(asked["role"])
    if not isinstance(columns, list) or not columns:
        raise GygesError("choose at least one column")
    for column in map(str, columns):
        stated = edits.set_role(stated, column, role, _proposed(asked, column))
    return stated, f"{len(columns)} columns: {role}"


def _identifies(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    column, identifies = str(asked["column"]), bool(asked["identifies"])
    what = "identifies people" if identifies else "does not identify people"
    return edits.set_identifies(stated, column, identifies), f"{column} {what}"


def _rows(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    how = str(asked["to"])
    by, written = (str(asked.get(key) or "") or None for key in ("by", "written"))
    return edits.set_rows(stated, how, by, written), f"rows used: {how}"


def _totals(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    are_people = bool(asked["are_people"])
    what = "people" if are_people else "no people"
    made = edits.set_key(stated, "data", "totals_are_people", are_people or None)
    return made, f"lines of totals are {what}"


def _spelling(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    is_exact = bool(asked["is_exact"])
    what = "different people's" if is_exact else "perhaps one person's"
    made = edits.set_key(stated, "columns", "exact_spelling", is_exact or None)
    return made, f"other spellings are {what}"


def _kind(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    column, kind = str(asked["column"]), str(asked["to"])
    return edits.set_kind(stated, column, kind or None), f"{column}: {kind or 'guessed kind'}"


def _format(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    column, written = str(asked["column"]), str(asked["to"])
    return edits.set_format(stated, column, written), f"{column} is written as {written or 'usual'}"


def _encoding(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    encoding = str(asked["to"])
    made = edits.set_key(stated, "data", "encoding", encoding)
    return made, f"letters are read as {encoding or 'guessed'}"


def _several(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    separator = str(asked["to"])
    how = f"separated by {separator}" if separator else "one in a cell"
    return edits.set_separator(stated, separator or None), f"sensitive values: {how}"


def _hierarchy(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    column, how = str(asked["column"]), str(asked["how"])
    label = f"hierarchy of {column}"
    if how == "coding":
        bottom, top = (_maybe_number(asked.get(key)) for key in ("bottom", "top"))
        values = [str(one) for one in asked["values"]]
        width = float(asked["width"])
        made = edits.set_coding(stated, column, values, width=width, bottom=bottom, top=top)
        return made, f"top and bottom coding of {column}"
    sections: dict[str, Callable[[], Stated | None]] = {
        "none": lambda: None,
        "intervals": lambda: {
            "intervals": [_plain(one) for one in str(asked["widths"]).split(",")]
        },
        "prefixes": lambda: {"prefixes": True},
        "calendar": lambda: {"calendar": [str(one) for one in asked["units"]]},
        "groups": lambda: {"tree": _tree(asked["groups"])},
        "csv": lambda: {"csv": _relative(studio, str(asked["path"]))},
    }
    return edits.set_hierarchy(stated, column, sections[how]()), label


def _tree(groups: object) -> Stated:
    """Groups of values, or of groups; those that hold nothing are left out."""
    if not isinstance(groups, dict) or not groups:
        raise GygesError("make at least one group")
    made: Stated = {}
    for name, held in groups.items():
        if held:
            made[str(name)] = _tree(held) if isinstance(held, dict) else [str(one) for one in held]
    return made


def _relative(studio: Studio, given: str) -> str:
    """A path of the working folder, as the project file names it."""
    path, folder = studio.inside_folder(given), draft_of(studio).path.parent
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)


def _plain(text: str) -> int | float:
    number = float(text)
    return int(number) if number.is_integer() else number


def _maybe_number(given: object) -> float | None:
    return None if given in (None, "") else float(str(given))


def _rule(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    is_new, what = asked.get("number") is None, "limit of the skyline" if asked.get("point") else ""
    done = "removed" if asked.get("remove") else "added" if is_new else "changed"
    return edited(stated, asked)[0], f"{what or asked['rule']} {done}"


def _policy(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    return edits.set_policy(stated, str(asked["policy"])), f"policy {asked['policy']}"


def _publish_key(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    key, value = str(asked["key"]), asked.get("to")
    if key not in _PUBLISH_KEYS:
        raise GygesError(f"{key!r} cannot be changed here")
    if key == "out":
        value = _relative(studio, str(value))
    if key in _NUMBER_KEYS and value not in (None, ""):
        value = float(str(value))
    if key == "method":  # options belong to the method that they were chosen for
        kept = {k: v for k, v in stated.get("publish", {}).items() if k in ("out", "format")}
        stated = {**stated, "publish": kept}
        stated = edits.for_method(stated, str(value))
    return edits.set_key(stated, "publish", key, value), f"{key}: {value or 'default'}"


def _noise(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    key, text = str(asked["key"]), str(asked.get("to") or "").strip()
    if key not in ("epsilon", "delta", "budget"):
        raise GygesError(f"{key!r} cannot be changed here")
    if text:
        fraction(text, key)
    if key == "budget":
        budget = {**stated.get("dp", {}).get("budget", {}), "epsilon": text}
        return edits.set_key(stated, "dp", key, budget if text else None), f"budget: {text}"
    if key == "epsilon" and text:
        stated = edits.set_key(stated, "dp", "error", None)  # which states epsilon in another way
    return edits.set_key(stated, "dp", key, text), f"{key}: {text or 'default'}"


def _use_noise(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    changed = _publish_key(studio, stated, {"key": "method", "to": "dp"})[0]
    return _noise(studio, changed, {"key": "epsilon", "to": asked["to"]})[0], "publish noise"


def _domain(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    column, ends = str(asked["column"]), None
    if asked.get("first") is not None:
        ends = [str(asked["first"]).strip(), str(asked["last"]).strip()]
    values = [one.strip() for one in str(asked.get("values") or "").split(",") if one.strip()]
    return edits.set_domain(stated, column, ends, values), f"public values of {column}"


def _missing(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    value = str(asked["to"])
    return edits.set_key(stated, "data", "missing", value), f"missing values: {value}"


def _marks(studio: Studio, stated: Stated, asked: Stated) -> tuple[Stated, str]:
    marks = [one.strip() for one in str(asked["to"]).split(",") if one.strip()]
    return edits.set_key(stated, "data", "missing_marks", marks), "marks of missing values"


CHANGES: dict[str, Callable[[Studio, Stated, Stated], tuple[Stated, str]]] = {
    "role": _role,
    "roles": _roles,
    "identifies": _identifies,
    "rows": _rows,
    "totals": _totals,
    "spelling": _spelling,
    "kind": _kind,
    "format": _format,
    "encoding": _encoding,
    "several": _several,
    "hierarchy": _hierarchy,
    "rule": _rule,
    "policy": _policy,
    "publish": _publish_key,
    "noise": _noise,
    "use noise": _use_noise,
    "domain": _domain,
    "missing": _missing,
    "marks": _marks,
}
