"""The reference page of the project file, written from its model: docs/project_file.md."""

from __future__ import annotations

import types
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from gyges.search.methods import METHODS
from gyges.workflow.project_file import ProjectFile
from gyges.workflow.project_sections import SECONDS, BudgetSection, Section

INTRODUCTION = """\
# The project file

`gyges.toml` says what to publish and how. `gyges init DATA` writes one with a reason for every
guess; `gyges publish gyges.toml` and `gy.Project("gyges.toml")` follow it. Paths are relative to
the file. A key that does not exist is refused, and the message lists the keys that do.
"""
EXAMPLE = """\
```toml
[data]
source = "visits.csv"
missing = "value"

[columns]
person = "patient"
keep_row = "last"
keep_row_by = "admitted"
quasi_identifiers = ["age", "zip", "sex"]
sensitive = "diagnosis"
[columns.formats]
admitted = "dd.mm.yyyy"

[hierarchies]
age = { intervals = [5, 10, 20] }
zip = { prefixes = true }

[publish]
method = "partition"

[[require]]
rule = "k-anonymity"
k = 5
```
"""
_NOT_HERE = (SECONDS, "purpose", "progress")  # keys with another name, a section, a function
_KINDS = {str: "text", int: "whole number", float: "number", bool: "true or false", Any: "any"}


def reference_page() -> str:
    """Every section and key of the project file as Markdown."""
    return "\n".join([INTRODUCTION, EXAMPLE, *_sections(), *_options()])


def _sections() -> list[str]:
    lines = []
    for name, field in ProjectFile.model_fields.items():
        if name == "require":
            lines += [
                "## [[require]]: a rule that the release must satisfy; repeatable",
                "",
                "`rule` is its name, and its numbers are keys. [rules.md](rules.md) lists them.",
                "",
            ]
        else:
            lines += _section(_model_of(field))
            lines += _section(BudgetSection) if name == "dp" else []
    return lines


def _section(model: type[Section]) -> list[str]:
    title = (model.__doc__ or "").split("\n\n")[0].split(";")[0]
    rows = [_row(key, field) for key, field in model.model_fields.items()]
    head = ["| key | value | default | meaning |", "|---|---|---|---|"]
    return [f"## {' '.join(title.split()).rstrip('.')}", "", *head, *rows, ""]


def _row(key: str, field: FieldInfo) -> str:
    default = "" if field.default is None or field.default_factory else _written(field.default)
    stated = "required" if field.is_required() else default
    return (
        f"| `{field.alias or key}` | {_kind(field.annotation)} | {stated} | {field.description} |"
    )


def _options() -> list[str]:
    lines = ["## Options of the methods", "", "Further keys of [publish].", ""]
    lines += ["| method | options |", "|---|---|"]
    for name, method in METHODS.items():
        listed = [] if method.spends_budget else [o for o in method.options if o not in _NOT_HERE]
        named = ", ".join(f"`{option}`" for option in listed)
        lines.append(f"| `{name}` | {named or 'none here'} |")
    return [*lines, "", "[methods.md](methods.md) explains the methods.", ""]


def _model_of(field: FieldInfo) -> type[Section]:
    """The section that a key of the file holds, by itself, optional or in a table."""
    kinds = [field.annotation, *get_args(field.annotation)]
    return next(k for k in kinds if isinstance(k, type) and issubclass(k, Section))


def _kind(annotation: Any) -> str:
    """What a value may be, in words."""
    parts = [part for part in get_args(annotation) if part is not types.NoneType]
    origin = get_origin(annotation)
    if origin is Literal:
        return " or ".join(_written(part) for part in parts)
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(_kind(part) for part in parts))
    if origin is list:
        return f"list of: {_kind(parts[0])}"
    if origin is dict:
        return f"a table, column = {_kind(parts[1])}"
    if origin is not None:  # Annotated
        return _kind(parts[0])
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "a table"
    return _KINDS[annotation]


def _written(value: object) -> str:
    return f"`{str(value).lower() if isinstance(value, bool) else repr(value)}`".replace("'", '"')
