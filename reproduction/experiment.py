"""The nouns of the papers room: an experiment, what is asked of it, and what it found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a paper that can be checked, and whether it held."""

    says: str  # the paper's words, or its formula, short
    held: bool | None  # None: it cannot be decided from what the paper gives, only measured
    measured: str  # what we found, with the figure
    where: str = ""  # "Sect. 4"
    because: str = ""  # where it did not hold or was not decided: who is right, and why

    @property
    def is_explained(self) -> bool:
        """Whether nothing is left open: it held, or it is known why not."""
        return self.held is True or bool(self.because)


@dataclass(frozen=True, slots=True)
class Curve:
    """One line of a plot; a value may be missing (NaN)."""

    name: str
    x: Sequence[float]
    y: Sequence[float]

    def __post_init__(self) -> None:
        if len(self.x) != len(self.y):
            raise ValueError(f"curve {self.name!r} has {len(self.x)} x and {len(self.y)} y")


@dataclass(frozen=True, slots=True)
class Plot:
    """Curves in one pair of axes."""

    title: str
    x: str  # what the axes show
    y: str
    curves: Sequence[Curve]
    log_x: bool = False
    log_y: bool = False
    points: bool = False  # marks without lines between them
    labels: Sequence[str] = ()  # names of x = 0, 1, 2, …: drawn as bars


@dataclass(frozen=True, slots=True)
class Sheet:
    """A small table of ours, to be read beside the paper's."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Findings:
    """What an experiment brings back."""

    statements: Sequence[Statement]
    plots: Sequence[Plot] = ()
    sheets: Sequence[Sheet] = ()
    notes: Sequence[str] = ()  # choices that the paper leaves open


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How an experiment is to be run."""

    seed: int = 0
    fast: bool = False  # a small sample, for a quick look; its figures are not the paper's


@dataclass(frozen=True, slots=True)
class Experiment:
    """One figure or table of a paper, ready to be rerun."""

    name: str  # "martin-5"
    paper: str  # a key of docs/references.bib
    figure: str  # "Figure 5"
    title: str
    says: str  # what the paper says of it, word for word and short
    run: Callable[[RunOptions], Findings]
    data: Sequence[str] = ()  # the data sets it needs, by their names in `reproduction.data`


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run of an experiment: what was found, from what, how long it took."""

    experiment: Experiment
    findings: Findings
    options: RunOptions
    seconds: float
    data: dict[str, str] = field(default_factory=dict)  # SHA-256 of each data set

    @property
    def n_held(self) -> int:
        """How many statements held."""
        return sum(one.held is True for one in self.findings.statements)

    @property
    def failed(self) -> list[Statement]:
        """The statements that did not hold."""
        return [one for one in self.findings.statements if one.held is False]

    @property
    def unexplained(self) -> list[Statement]:
        """The statements that did not hold though nobody knows why: ours to look into."""
        return [one for one in self.failed if not one.is_explained]
