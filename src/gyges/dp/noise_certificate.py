"""The strict model of a noisy release's certificate: which fields and which files it may have."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from gyges.dp.mechanisms import Measure, Neighbours, NoiseKind
from gyges.dp.noisy_marginals import SYNTHETIC
from gyges.release.strict_model import Digest, Files, FractionText, StrictModel, VersionText
from gyges.release.tables import FORMATS

FORM: Final = "noisy"
FORMAT = 2

Name = Annotated[str, Field(max_length=10_000)]
View = Annotated[list[Name], Field(max_length=1_000)]


class StatedNoisyView(StrictModel):
    """The columns of a view, and the noise that was added to its counts."""

    columns: View
    noise: NoiseKind
    scale: Annotated[float, Field(ge=1e-9, le=1e15)]
    file: str


class StatedStep(StrictModel):
    """A part of the price: for the noise on some views, or for their choice (none)."""

    measure: Measure
    amount: FractionText
    views: Annotated[list[View], Field(max_length=10_000)]


class StatedGuarantee(StrictModel):
    """What is promised, and what it is made up of."""

    epsilon: FractionText
    delta: FractionText
    rho: FractionText
    neighbours: Neighbours
    engine: Annotated[str, Field(pattern=r"^OpenDP [0-9][0-9A-Za-z.+-]{0,30}\Z")]
    views: Annotated[list[StatedNoisyView], Field(min_length=1, max_length=10_000)]
    steps: Annotated[list[StatedStep], Field(min_length=1, max_length=3)]


class StatedNoisyColumn(StrictModel):
    """A column, and the labels that it may show."""

    name: Name
    labels: Annotated[list[str], Field(min_length=1)]


class StatedNoise(StrictModel):
    """All that the certificate of a noisy release says."""

    form: Literal["noisy"]
    format: Literal[2]
    gyges: VersionText
    rows_are_people: bool  # each row was taken to be one person: no column says who is who
    guarantee: StatedGuarantee
    meaning: Annotated[str, Field(max_length=100_000)]
    columns: Annotated[list[StatedNoisyColumn], Field(min_length=1, max_length=10_000)]
    synthetic: str
    files: Files


def allowed_files(n_views: int, certified: dict[str, Digest]) -> list[str]:
    """The files of so many views and of the made-up people: all of one kind."""
    kinds = {name.rpartition(".")[2] for name in certified}
    kind = kinds.pop() if len(kinds) == 1 else FORMATS[0]
    names = [SYNTHETIC, *(f"view-{number}" for number in range(1, n_views + 1))]
    return [f"{name}.{kind}" for name in names if kind in FORMATS]
