"""The strict model of a certificate of views."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from gyges.marginals.views import MOST_PEOPLE
from gyges.release.statements import Claim
from gyges.release.strict_model import Files, StrictModel, VersionText

FORM: Final = "marginals"
FORMAT = 2
SCOPE = (
    "the attackers of safety and of skylines are defined for one table of groups; what they gain "
    "from several views together is outside this certificate"
)
MOST_VIEWS = 1_000

Name = Annotated[str, Field(max_length=10_000)]
Positive = Annotated[int, Field(ge=1, le=MOST_PEOPLE)]


class StatedColumn(StrictModel):
    """See `PublishedColumn`."""

    name: Name
    sensitive: bool
    rows: list[list[str]]


class StatedView(StrictModel):
    """A file, and the place of each of its columns among the published labels."""

    file: str
    levels: Annotated[dict[str, Annotated[int, Field(ge=0, le=100)]], Field(min_length=1)]


class StatedViews(StrictModel):
    """Everything that a certificate of views states."""

    form: Literal["marginals"]
    format: Literal[2]
    gyges: VersionText
    n_people: Positive
    rows_are_people: bool  # each row was counted as one person: no column identifies people
    columns: Annotated[list[StatedColumn], Field(min_length=1, max_length=10_000)]
    views: Annotated[list[StatedView], Field(min_length=1, max_length=MOST_VIEWS)]
    claims: Annotated[list[Claim], Field(max_length=1_000)]
    files: Files
    scope: Literal[SCOPE]  # type: ignore[valid-type]
