"""Strict models of certificates: every field foreseen, of its own type, bounded and finite.

A certificate comes from whoever wants to be believed. A model forbids fields that it does not name
and never converts one type into another; what it reads is data, never text to show.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gyges.errors import ReleaseError

_DIGITS = 2_000  # of a numerator or denominator

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}\Z")]
VersionText = Annotated[str, Field(pattern=r"^[0-9][0-9A-Za-z.+!-]{0,40}\Z")]
FractionText = Annotated[
    str, Field(pattern=rf"^[0-9]{{1,{_DIGITS}}}(/[1-9][0-9]{{0,{_DIGITS}}})?\Z")
]  # what str(Fraction) writes of a number that is not negative
Files = Annotated[dict[str, Digest], Field(max_length=10_000)]


class StrictModel(BaseModel):
    """The base of all parts of a certificate."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, allow_inf_nan=False, regex_engine="python-re"
    )


Model = TypeVar("Model", bound=StrictModel)


def strictly(model: type[Model], stated: Mapping[str, object], *, form: str, format: int) -> Model:
    """Read a certificate by its model; an error names the first field that does not fit.

    Its content is not repeated: it may be made to look like an answer.
    """
    if stated.get("form") != form:
        raise ReleaseError(f"the certificate is not of the form {form!r}")
    if stated.get("format") != format:
        raise ReleaseError(
            f"the certificate has another format than the {format} that this gyges reads: use the "
            f"version that wrote it"
        )
    try:
        return model.model_validate(dict(stated))
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part)[:40] for part in first["loc"])
        raise ReleaseError(
            f"the certificate does not fit its form at {where!r}: {first['msg']}"
        ) from None
    except RecursionError:
        raise ReleaseError("the certificate does not fit its form: it nests too deeply") from None


def quoted(text: str) -> str:
    """Foreign text so that it can be shown: on one line, escaped, not long."""
    return repr(text if len(text) <= 80 else text[:77] + "...")
