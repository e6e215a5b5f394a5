"""What a stated purpose buys on Adult: the errors of its questions and its class, and the price.

Eight quasi-identifiers with ARX's hierarchies, salary sensitive, 10-anonymity; the lattice may
suppress 4 %.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import gyges as gy
from benchmarks.adult import adult
from benchmarks.ratio import real_data
from gyges.utility.before_after import before_after

EIGHT = ["age", "sex", "race", "marital-status", "education", "native-country", "workclass",
         "occupation"]  # fmt: skip
QUESTIONS = [["age", "salary"], ["education", "sex", "salary"]]
ASKED = gy.Purpose(questions=QUESTIONS, predict="salary")
PURPOSES = {
    "no purpose": None,
    "both questions": gy.Purpose(questions=QUESTIONS),
    "age has weight 5": gy.Purpose(weights={"age": 5}),
    "predict salary": gy.Purpose(predict="salary"),
}


@dataclass(frozen=True, slots=True)
class Kept:
    """What one release keeps."""

    name: str
    errors: list[float]  # of the questions
    wrong: float  # people who are not of their group's majority class
    loss: float
    k_marginal: float
    seconds: float

    def __str__(self) -> str:
        errors = ", ".join(f"{error:.2%}" for error in self.errors)
        return (
            f"{self.name:<34} questions {errors}; class {self.wrong:.2%} wrong; loss "
            f"{self.loss:.4f}; k-marginal {self.k_marginal:.0f}; {self.seconds:.2f} s"
        )


def rows() -> Iterator[Kept]:
    """Both methods for every purpose."""
    folder = real_data()
    if folder is None:
        return
    hierarchies = {
        name: gy.Hierarchy.from_csv(folder / "hierarchies/adult" / f"adult_hierarchy_{name}.csv")
        for name in EIGHT
    }
    people = adult(folder).select([*EIGHT, "salary"])
    table = gy.read(
        people, gy.Schema(quasi_identifiers=EIGHT, sensitive="salary", hierarchies=hierarchies)
    )
    gy.publish(table, gy.KAnonymity(10), purpose=ASKED)  # compiles
    for method, options in (("partition", {}), ("lattice", {"suppression": "0.04"})):
        for name, purpose in PURPOSES.items():
            start = time.perf_counter()
            release = gy.publish(
                table, gy.KAnonymity(10), method=method, purpose=purpose, **options
            )
            seconds = time.perf_counter() - start
            yield _kept(f"{method}, {name}", table, release, seconds)


def _kept(name: str, table: gy.Table, release: gy.Release, seconds: float) -> Kept:
    measured = gy.measure_utility(table, release.group_of_row, levels=release.levels)
    found = before_after(table, release.group_of_row, levels=release.levels, purpose=ASKED)
    assert found.prediction is not None
    return Kept(
        name=name,
        errors=[question.error for question in found.questions],
        wrong=found.prediction.after,
        loss=measured["loss"],
        k_marginal=measured["k_marginal"],
        seconds=seconds,
    )
