"""Which experiments there are, and running one; a paper's module is loaded when it is asked for."""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator

from gyges.errors import GygesError, suggestion
from gyges.papers.experiment import Asked, Experiment, Outcome

# The papers in the order of the list, and the modules with their `EXPERIMENTS`.
MODULES = {
    "martin": ("gyges.papers.martin",),
    "chen": (
        "gyges.papers.chen_skyline",
        "gyges.papers.chen_speed",
        "gyges.papers.chen_scale",
        "gyges.papers.chen_adult",
        "gyges.papers.chen_nursery",
        "gyges.papers.chen_merging",
    ),
    "kifer": ("gyges.papers.kifer_example", "gyges.papers.kifer"),
    "ganta": (
        "gyges.papers.ganta",
        "gyges.papers.ganta_groups",
        "gyges.papers.ganta_rules",
        "gyges.papers.ganta_noise",
    ),
    "li": ("gyges.papers.li", "gyges.papers.li_attack", "gyges.papers.li_cost"),
}
TITLES = {
    "Martin2007": "Martin et al. 2007, Worst-Case Background Knowledge",
    "Chen2009": "Chen et al. 2009, Adversarial-Knowledge Dimensions",
    "Kifer2006": "Kifer and Gehrke 2006, Injecting Utility into Anonymized Datasets",
    "Ganta2008": "Ganta et al. 2008, Composition Attacks and Auxiliary Information",
    "Li2009": "Li et al. 2009, Modeling and Integrating Background Knowledge",
}


def experiments(paper: str | None = None) -> Iterator[Experiment]:
    """Every experiment, or those of one paper ("martin"), in the order of the papers."""
    for name in MODULES if paper is None else [paper]:
        for module in MODULES.get(name, ()):
            yield from importlib.import_module(module).EXPERIMENTS


def experiment(name: str) -> Experiment:
    """The experiment of that name ("martin-5")."""
    for one in experiments(name.partition("-")[0]):
        if one.name == name:
            return one
    known = [one.name for one in experiments()]
    raise GygesError(
        f"there is no experiment {name!r}{suggestion(name, known)}: `gyges reproduce` lists them"
    )


def rerun(one: Experiment, asked: Asked) -> Outcome:
    """Run one experiment; its data is fetched first, and not timed."""
    from gyges.papers.data import load, sha256_of

    for name in one.data:
        load(name)
    start = time.perf_counter()
    findings = one.run(asked)
    seconds = time.perf_counter() - start
    return Outcome(one, findings, asked, seconds, {name: sha256_of(name) for name in one.data})
