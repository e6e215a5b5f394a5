"""The list of experiments, and running one of them."""

from __future__ import annotations

import difflib
import time

import gyges as gy
from reproduction import (
    chen_adult,
    chen_merging,
    chen_nursery,
    chen_scale,
    chen_skyline,
    chen_speed,
    ganta,
    ganta_groups,
    ganta_noise,
    ganta_rules,
    kifer,
    kifer_example,
    li,
    li_attack,
    li_cost,
    martin,
)
from reproduction.data import load, sha256_of
from reproduction.experiment import Experiment, Outcome, RunOptions

EXPERIMENTS: tuple[Experiment, ...] = (
    *martin.EXPERIMENTS,
    *chen_skyline.EXPERIMENTS,
    *chen_speed.EXPERIMENTS,
    *chen_scale.EXPERIMENTS,
    *chen_adult.EXPERIMENTS,
    *chen_nursery.EXPERIMENTS,
    *chen_merging.EXPERIMENTS,
    *kifer_example.EXPERIMENTS,
    *kifer.EXPERIMENTS,
    *ganta.EXPERIMENTS,
    *ganta_groups.EXPERIMENTS,
    *ganta_rules.EXPERIMENTS,
    *ganta_noise.EXPERIMENTS,
    *li.EXPERIMENTS,
    *li_attack.EXPERIMENTS,
    *li_cost.EXPERIMENTS,
)


def experiment(name: str) -> Experiment:
    """Return the experiment of that name ("martin-5")."""
    known = {one.name: one for one in EXPERIMENTS}
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        meant = f" (did you mean {near[0]!r}?)" if near else ""
        raise gy.GygesError(
            f"there is no experiment {name!r}{meant}: `python -m reproduction list` lists them"
        )
    return known[name]


def rerun(one: Experiment, options: RunOptions) -> Outcome:
    """Run one experiment; loading its data is not timed."""
    for name in one.data:
        load(name)
    start = time.perf_counter()
    findings = one.run(options)
    seconds = time.perf_counter() - start
    return Outcome(one, findings, options, seconds, {name: sha256_of(name) for name in one.data})
