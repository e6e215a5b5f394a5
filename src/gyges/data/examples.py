"""A made-up hospital: the small table of the demo and the documentation.

All patients are drawn from a seeded generator. Diseases depend on age and sex roughly as one would
expect, so that an attacker has something to infer.
"""

from __future__ import annotations

import numpy as np

from gyges.data.hierarchy import Hierarchy
from gyges.data.schema import Schema

_ZIPS = [f"{area}{place}" for area in ("130", "148", "149") for place in ("12", "50", "53", "68")]
_DISEASES = {  # the weight of each disease, added for each decade of age, added for women
    "Flu": (9.0, -0.4, 0.0),
    "Asthma": (4.0, -0.2, 0.3),
    "Diabetes": (2.0, 0.9, 0.0),
    "Hypertension": (2.0, 1.4, 0.0),
    "Heart disease": (0.5, 1.1, -0.2),
    "Breast cancer": (0.1, 0.3, 1.0),
    "Depression": (3.0, 0.0, 0.5),
    "Gastritis": (3.0, 0.1, 0.0),
    "Hepatitis": (0.7, 0.0, -0.1),
    "HIV": (0.5, 0.0, -0.1),
}


def hospital(n_people: int = 3000) -> dict[str, list[object]]:
    """One row for each person: number, age, zip, sex and one disease."""
    rng = np.random.default_rng(2007)
    numbers = [f"P{number:05}" for number in rng.permutation(n_people)]
    age = np.clip(rng.gamma(4.2, 11.0, n_people), 0, 99).astype(int)
    is_woman = rng.random(n_people) < 0.52
    zips = rng.choice(_ZIPS, n_people, p=_falling(len(_ZIPS)))
    disease = _draw_diseases(rng, age, is_woman)
    return {
        "patient": list(numbers),
        "age": [int(a) for a in age],
        "zip": [str(z) for z in zips],
        "sex": ["F" if woman else "M" for woman in is_woman],
        "disease": [str(d) for d in disease],
    }


def hospital_with_several_diseases(n_people: int = 3000) -> dict[str, list[object]]:
    """The same people, each with a set of up to three diseases in one cell ("Flu; Asthma")."""
    columns = hospital(n_people)
    rng = np.random.default_rng(2009)
    age = np.array(columns["age"], dtype=np.int64)
    is_woman = np.array([sex == "F" for sex in columns["sex"]])
    second, third = (_draw_diseases(rng, age, is_woman) for _ in range(2))
    more = rng.integers(1, 4, n_people)
    held = [
        list(dict.fromkeys([first, str(second[i]), str(third[i])][: more[i]]))
        for i, first in enumerate(columns["disease"])
    ]
    return {**columns, "disease": ["; ".join(map(str, values)) for values in held]}


def hospital_schema(*, several: bool = False) -> Schema:
    """The roles of the hospital's columns, and hierarchies for age, zip and sex."""
    return Schema(
        identifiers=["patient"],
        quasi_identifiers=["age", "zip", "sex"],
        sensitive="disease",
        hierarchies={
            "age": Hierarchy.intervals(5, 10, 20, 40),
            "zip": Hierarchy.prefixes(),
            "sex": Hierarchy.from_tree(["F", "M"]),
        },
        values_per_person="set" if several else "one",
        separator=";" if several else None,
    )


def _falling(n: int) -> list[float]:
    weights = 1.0 / np.arange(1, n + 1)
    return list(weights / weights.sum())


def _draw_diseases(
    rng: np.random.Generator,
    age: np.ndarray[tuple[int], np.dtype[np.int64]],
    is_woman: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> np.ndarray[tuple[int], np.dtype[np.str_]]:
    names = np.array(list(_DISEASES))
    base, by_age, by_sex = np.array(list(_DISEASES.values())).T
    weight = base + np.outer(age / 10.0, by_age) + np.outer(is_woman, by_sex)
    weight = np.maximum(weight, 0.02)
    chance = np.cumsum(weight / weight.sum(axis=1, keepdims=True), axis=1)
    drawn = (rng.random((len(age), 1)) > chance).sum(axis=1)
    return np.asarray(names[np.minimum(drawn, len(names) - 1)], dtype=np.str_)
