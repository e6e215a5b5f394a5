"""What an experiment is: its options, its statements, its outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a paper, what we measured, and whether the sentence held.

    `held` is True or False only where it could have been either. It is None (*measured*) where the
    paper gives nothing to compare with, or where the sentence is true by construction.
    """

    says: str  # the paper's words or formula, shortened; words of ours are in brackets
    held: bool | None
    measured: str  # what we found, with the figure
    where: str = ""  # "Sect. 4"
    because: str = ""  # why it did not hold, and who is right; or why it is only measured

    @property
    def is_explained(self) -> bool:
        """Whether it held, or we know why not."""
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
    labels: Sequence[str] = ()  # names of x = 0, 1, 2, …: drawn as bars


@dataclass(frozen=True, slots=True)
class Sheet:
    """A small table of our figures."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Findings:
    """The result of an experiment."""

    statements: Sequence[Statement]
    plots: Sequence[Plot] = ()
    sheets: Sequence[Sheet] = ()
    notes: Sequence[str] = ()  # choices that the paper leaves open


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How an experiment is run."""

    seed: int = 0
    fast: bool = False  # a small sample, for a quick look; its figures are not the paper's


@dataclass(frozen=True, slots=True)
class Experiment:
    """One figure or table of a paper, ready to be rerun."""

    name: str  # "martin-5"
    paper: str  # a key of docs/references.bib
    figure: str  # "Figure 5"
    title: str
    says: str  # what the paper says about it, quoted
    run: Callable[[RunOptions], Findings]
    data: Sequence[str] = ()  # the data sets it needs, by their names in data.py


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
        """The statements that did not hold, and we do not know why."""
        return [one for one in self.failed if not one.is_explained]
