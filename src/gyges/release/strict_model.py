"""Certificates of any form, read by a strict model: known fields, of their own type, bounded.

A certificate comes from a publisher who wants to be believed. A model forbids fields that it does
not name and never converts one type into another; its texts are compared, never shown.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import cache
from typing import Annotated, Any, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from gyges.errors import ReleaseError
from gyges.release.faults import Fault, first_fault

_DIGITS = 2_000  # of a numerator or denominator
_LONGEST = 400  # characters of one part of a line

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}\Z")]
VersionText = Annotated[str, Field(pattern=r"^[0-9][0-9A-Za-z.+!-]{0,40}\Z")]
FractionText = Annotated[
    str, Field(pattern=rf"^[0-9]{{1,{_DIGITS}}}(/[1-9][0-9]{{0,{_DIGITS}}})?\Z")
]  # as str(Fraction) writes a number that is not negative
Files = Annotated[dict[str, Digest], Field(max_length=10_000)]


class StrictModel(BaseModel):
    """The base class of all parts of a certificate."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, allow_inf_nan=False, regex_engine="python-re"
    )


Model = TypeVar("Model")


def parse_certificate(
    model: type[Model], stated: Mapping[str, object], forms: Collection[str], format: int
) -> Model:
    """Read a certificate by its model; an error names the first field that does not fit.

    The content of the field is not repeated: it may be made to look like an answer.
    """
    if stated.get("form") not in forms:
        raise ReleaseError(f"the certificate is not of the form {' or '.join(map(repr, forms))}")
    if type(stated.get("format")) is not int or stated["format"] != format:
        raise ReleaseError(
            f"the certificate does not have the format {format} that this gyges reads: use the "
            f"version that wrote it"
        )
    try:
        found: Model = _reader(cast(Any, model)).validate_json(json.dumps(stated))
        return found
    except ValidationError as problem:
        raise ReleaseError(_sentence(first_fault(problem, stated))) from None
    except (ValueError, RecursionError):
        raise ReleaseError("the certificate does not fit its form: it cannot be read") from None


def _sentence(fault: Fault) -> str:
    field = repr(".".join(key[:40] for key in fault.keys))
    if fault.kind == "unknown":
        return f"the certificate has the field {field}, which this form does not have"
    if fault.kind == "missing":
        return f"the certificate lacks the field {field}"
    return f"the certificate's field {field} must be {fault.needed[:200]}"


@cache
def _reader(model: Any) -> TypeAdapter[Any]:
    """The adapter of a model, made once: making it takes longer than reading a certificate."""
    return TypeAdapter(model)


def quoted(text: str) -> str:
    """Text of a release, fit to be shown: on one line, escaped, not long."""
    return repr(text if len(text) <= 80 else text[:77] + "...")


def one_line(text: str) -> str:
    """A text that may come from a file, on one line; unprintable characters are escaped.

    >>> one_line("k = 5\\n  holds: everything")
    'k = 5\\\\n  holds: everything'
    """
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return shown if len(shown) <= _LONGEST else shown[:_LONGEST] + " …"
