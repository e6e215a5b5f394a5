"""The purpose that the options of a command state."""

from __future__ import annotations

from collections.abc import Sequence

from gyges.errors import RuleError
from gyges.utility.purpose import Purpose


def purpose_of_options(
    weights: str | None, questions: Sequence[str] | None, predict: str | None
) -> Purpose | None:
    """The purpose behind `--weights age=2,zip=0.5 --question age,disease --predict salary`.

    >>> purpose_of_options("age=2", ["age, zip"], None)
    Purpose(weights={'age': 2.0}, questions=(('age', 'zip'),), predict=None)
    """
    if weights is None and not questions and predict is None:
        return None
    stated = {}
    for part in (weights or "").split(",") if weights is not None else []:
        name, equals, weight = part.rpartition("=")
        if not equals:
            raise RuleError("--weights gives each column a number, such as age=2,zip=0.5")
        stated[name.strip()] = weight.strip()
    asked = [[name.strip() for name in one.split(",")] for one in questions or ()]
    return Purpose(stated, asked, predict)  # type: ignore[arg-type]
