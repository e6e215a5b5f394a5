"""The strict model of a noisy release's certificate."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from gyges.data.rows_of_people import MOST_ROWS_OF_A_PERSON
from gyges.dp.mechanisms import Measure, Neighbours, NoiseKind
from gyges.release.strict_model import Files, FractionText, StrictModel, VersionText

FORM: Final = "noisy"
FORMAT = 4
# Those that are read: 2 has no coarser columns and was fitted otherwise, 3 counts one row a person.
FORMATS = (2, 3, FORMAT)

Name = Annotated[str, Field(max_length=10_000)]
View = Annotated[list[Name], Field(max_length=1_000)]


class StatedNoisyView(StrictModel):
    """The columns of a view, and the noise that was added to its counts."""

    columns: View
    noise: NoiseKind
    scale: Annotated[float, Field(ge=1e-9, le=1e15)]
    file: str


class StatedStep(StrictModel):
    """A part of the price: for the noise on some views, or (without views) for choosing them."""

    measure: Measure
    amount: FractionText
    views: Annotated[list[View], Field(max_length=10_000)]


class StatedGuarantee(StrictModel):
    """The guarantee, and its parts."""

    epsilon: FractionText
    delta: FractionText
    rho: FractionText
    neighbours: Neighbours
    rows: Annotated[int, Field(ge=1, le=MOST_ROWS_OF_A_PERSON)] = 1  # of a person, at most
    engine: Annotated[str, Field(pattern=r"^OpenDP [0-9][0-9A-Za-z.+-]{0,30}\Z")]
    views: Annotated[list[StatedNoisyView], Field(min_length=1, max_length=10_000)]
    steps: Annotated[list[StatedStep], Field(min_length=1, max_length=10_000)]


class StatedNoisyColumn(StrictModel):
    """A column, and its possible labels."""

    name: Name
    labels: Annotated[list[str], Field(min_length=1)]


class StatedCoarser(StrictModel):
    """A column that shows another one coarsely: for each label of that one, its own label."""

    name: Name
    of: Name
    labels: Annotated[list[str], Field(min_length=1)]
    part_of: Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=1)]


class StatedImpossible(StrictModel):
    """Labels that cannot occur together: their places, for each column."""

    columns: View
    places: Annotated[list[list[Annotated[int, Field(ge=0)]]], Field(max_length=1_000)]


class StatedNoise(StrictModel):
    """Everything that the certificate of a noisy release states."""

    form: Literal["noisy"]
    format: Literal[2, 3, 4]
    gyges: VersionText
    rows_are_people: bool  # each row was counted as one person: no column identifies people
    guarantee: StatedGuarantee
    meaning: Annotated[str, Field(max_length=100_000)]
    columns: Annotated[list[StatedNoisyColumn], Field(max_length=10_000)]
    coarser: Annotated[tuple[StatedCoarser, ...], Field(max_length=10_000)] = ()
    impossible: Annotated[tuple[StatedImpossible, ...], Field(max_length=1_000)] = ()
    synthetic: str | None  # None where only people were counted
    files: Files

    @property
    def claims(self) -> tuple[StatedGuarantee]:
        """The guarantee is the only claim."""
        return (self.guarantee,)
