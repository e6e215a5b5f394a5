"""[Ganta2008, Sect. 4]: the same two halves of Adult, published with noise and attacked.

Two attackers. The reader multiplies what both releases say about people of the target's age, sex
and so on. The strongest attacker knows everyone else's row, so that only the noise protects the
target; ε bounds what they can learn.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import gyges as gy
from reproduction.arrays import FloatArray, IntArray
from reproduction.experiment import Curve, Experiment, Findings, Plot, RunOptions, Sheet, Statement
from reproduction.ganta import SCENARIOS
from reproduction.ganta_data import OVERLAP, QUASI, SENSITIVE, Setting, joined, subsets

LEVELS = {"age": 2}  # ranges of ten years
JOB = SENSITIVE["adult"]
_CERTAIN, _SURE, _LIKELY = 0.99, 0.5, 0.25
_ALIKE = 0.05  # right guesses that noise alone may gain or lose


def columns(options: RunOptions) -> tuple[str, ...]:
    """The quasi-identifiers that are published with the occupation; three for a quick look."""
    return QUASI["adult"][: 3 if options.fast else None]


@dataclass(frozen=True, eq=False)
class Guesses:
    """Beliefs about the people in both halves, and their true values."""

    beliefs: FloatArray  # people × values
    truth: IntArray

    def share(self, confidence: float) -> float:
        """Of how many some value is believed with at least this confidence."""
        return float((self.beliefs.max(axis=1) >= confidence).mean())

    @property
    def right(self) -> float:
        """How often the value believed most is the true one."""
        return float((self.beliefs.argmax(axis=1) == self.truth).mean())


def two_noisy_releases(options: RunOptions) -> Findings:
    """Both halves with noise, next to both halves in groups."""
    epsilons = ("1",) if options.fast else ("0.1", "0.5", "1", "2")
    rows = [_grouped(options, "Mondrian"), _grouped(options, "microaggregation")]
    rows.append(_grouped_without(options))
    strongest, readers = {}, {}
    for epsilon in epsilons:
        inside = reader(options, _released(options, epsilon, with_them=True))
        outside = reader(options, _released(options, epsilon, with_them=False))
        readers[epsilon] = (inside, outside)
        strongest[epsilon] = strong(options, _released(options, epsilon, with_them=True), epsilon)
        rows += [
            _row(f"noise, ε = {epsilon} each, a reader", inside),
            _row(f"the same, but without the {OVERLAP:,}", outside),
            _row(f"noise, ε = {epsilon} each, the strongest attacker", strongest[epsilon][1]),
        ]
    statements = [_beliefs_move(strongest), _semantic(strongest), _nothing_of_them(readers)]
    heads = ("both halves by", "at 99 %", "at 50 %", "at 25 %", "the guess is right")
    sheet = Sheet("Adult, the people in both halves", heads, rows)
    return Findings(statements, [_moved(strongest)], [sheet], _NOTES)


_NOTES = (
    "Noise comes from the operating system and has no seed: these figures differ a little from run "
    "to run. The seed decides who is in which half.",
    "Each half is published by gy.publish(method='dp') as the noisy counts of each "
    "quasi-identifier with occupation (age in ranges of ten years), at ε for all of them together.",
    "Two releases of ε each are 2ε for adding or removing a person. The log of a likelihood then "
    "lies within ±2ε of what it is without the person, so a log belief moves by 4ε at most.",
    "In groups, the belief is that of an attacker who multiplies shares and knows everyone's "
    "group.",
)


def _row(name: str, one: Guesses) -> tuple[str, ...]:
    shares = (f"{one.share(confidence):.1%}" for confidence in (_CERTAIN, _SURE, _LIKELY))
    return (name, *shares, f"{one.right:.1%}")


def _grouped(options: RunOptions, scenario: str) -> tuple[str, ...]:
    """The attacker who multiplies, on groups with k = 5."""
    made = joined(Setting("adult", options.seed), SCENARIOS[scenario], [gy.KAnonymity(5)])
    return _multiplied(options, f"groups, k = 5, {scenario}", made.attack)


def _grouped_without(options: RunOptions) -> tuple[str, ...]:
    """Mondrian on the others only; the people are looked up by their quasi-identifiers."""
    setting = Setting("adult", options.seed)
    schema, columns = gy.Schema(**setting.schema_words), [*QUASI["adult"], JOB]
    releases = [
        gy.publish(half, [gy.KAnonymity(5)], seed=options.seed) for half in _without(setting)
    ]
    people = gy.read(subsets(setting)[0].fetch(columns).slice(0, OVERLAP), schema)
    attack = gy.intersection_attack(releases, people)
    return _multiplied(options, f"the same with Mondrian, but without the {OVERLAP:,}", attack)


def _multiplied(options: RunOptions, name: str, joining: Any) -> tuple[str, ...]:
    attack = joining.bayesian
    values = [str(attack.located.values[code]) for code in attack.guess]
    true = subsets(Setting("adult", options.seed))[0].fetch([JOB]).column(0).to_pylist()[:OVERLAP]
    right = sum(a == b for a, b in zip(values, true, strict=True)) / OVERLAP
    shares = (f"{float(attack.exposed(c)):.1%}" for c in ("0.99", "0.5", "0.25"))
    return (name, *shares, f"{right:.1%}")


def _without(setting: Setting) -> tuple[gy.Table, ...]:
    """What is left of the halves without the people in both."""
    columns, schema = [*QUASI["adult"], JOB], gy.Schema(**setting.schema_words)
    return tuple(gy.read(half.fetch(columns).slice(OVERLAP), schema) for half in subsets(setting))


@cache
def _halves(options: RunOptions, with_them: bool) -> tuple[gy.Table, ...]:
    """The halves with hierarchies, or what is left of them without the people in both."""
    setting = Setting("adult", options.seed, has_hierarchies=True, is_numeric=False)
    return subsets(setting) if with_them else _without(setting)


def _domains(options: RunOptions) -> dict[str, list[Any]]:
    """The values that Adult's documentation lists; here they are read off the whole file."""
    listed: dict[str, list[Any]] = {"age": list(range(17, 91))}
    for column in ("education", "native-country", JOB):
        found = {
            v for half in _halves(options, True) for v in half.fetch([column]).column(0).to_pylist()
        }
        listed[column] = sorted(found)
    return listed


@cache
def _released(options: RunOptions, epsilon: str, *, with_them: bool) -> tuple[Any, ...]:
    return tuple(
        gy.publish(
            half,
            method="dp",
            epsilon=epsilon,
            views=[[column, JOB] for column in columns(options)],
            domains=_domains(options),
            levels=LEVELS,
            seed=options.seed,
        )
        for half in _halves(options, with_them)
    )


@dataclass(frozen=True, eq=False)
class Counts:
    """A published table, labels × occupations: the noisy counts and the consistent ones."""

    labels: list[str]
    jobs: list[str]
    noisy: IntArray
    fitted: FloatArray  # above 0

    @classmethod
    def of(cls, release: Any, column: str) -> Counts:
        """Read the table of one column with the occupation."""
        rows = release.tables[f"{column}-{JOB}"]
        labels, jobs = (
            list(dict.fromkeys(rows.column(name).to_pylist())) for name in (column, JOB)
        )
        noisy, fitted = (
            rows.column(name).to_numpy().reshape(len(labels), len(jobs))
            for name in ("count", "fitted")
        )
        return cls(labels, jobs, noisy, np.maximum(fitted, 1e-9))

    def exact(self, half: gy.Table, column: str) -> IntArray:
        """The true counts of the same table."""
        pairs = _places(half, column, self.labels) * len(self.jobs) + _places(half, JOB, self.jobs)
        return np.bincount(pairs, minlength=self.noisy.size).reshape(self.noisy.shape)


def _places(half: gy.Table, column: str, labels: list[str]) -> IntArray:
    """The place of each row's label; ages are in ranges of ten years."""
    values = half.fetch([column]).column(0).to_pylist()
    if column == "age":
        values = [f"{age // 10 * 10}-{age // 10 * 10 + 9}" for age in values]
    place = {label: code for code, label in enumerate(labels)}
    return np.array([place[str(value)] for value in values], dtype=np.int64)


def _person(options: RunOptions, column: str, labels: list[str]) -> IntArray:
    """The places of the labels of the people in both halves."""
    return _places(_halves(options, True)[0], column, labels)[:OVERLAP]


def reader(options: RunOptions, releases: tuple[Any, ...]) -> Guesses:
    """P(v) ∝ π(v) Π_j p_j(v | q)/π(v), where p_j is what release j's fitted tables say.

    These tables are occupation with one other column each, so that the columns are independent
    given the occupation: p(v | q) ∝ p(v) Π_i p(q_i | v).
    """
    tables = [{name: Counts.of(one, name) for name in columns(options)} for one in releases]
    alone = [next(iter(views.values())).fitted.sum(axis=0) for views in tables]
    prior = np.sum(alone, axis=0)
    log_belief = np.tile((1 - len(releases)) * np.log(prior / prior.sum()), (OVERLAP, 1))
    for views, jobs in zip(tables, alone, strict=True):
        log_alone = np.tile(np.log(jobs), (OVERLAP, 1))
        for name, view in views.items():
            log_alone += np.log(view.fitted / jobs)[_person(options, name, view.labels)]
        log_belief += log_alone - np.logaddexp.reduce(log_alone, axis=1, keepdims=True)
    return Guesses(_normalized(log_belief), _person(options, JOB, view.jobs))


def strong(
    options: RunOptions, releases: tuple[Any, ...], epsilon: str
) -> tuple[FloatArray, Guesses]:
    """(prior, posterior) of an attacker who knows everyone else's row.

    Of each noisy table they know all but the noise and one count: with the person's own row taken
    off, P(v | noisy) ∝ π(v) Π exp((|u| - |u - 1|)/scale) over the cells (q_i, v) of all views.
    Each of the n views has ε/n, so that the scale of its Laplace noise is n/ε.
    """
    halves, scale = _halves(options, True), len(columns(options)) / float(epsilon)
    jobs = Counts.of(releases[0], columns(options)[0]).jobs
    truth = _person(options, JOB, jobs)
    counts = np.bincount(np.concatenate([_places(half, JOB, jobs) for half in halves]))
    prior = counts / counts.sum()
    log_belief = np.tile(np.log(prior), (OVERLAP, 1))
    for half, release in zip(halves, releases, strict=True):
        for name in columns(options):
            view = Counts.of(release, name)
            own = _person(options, name, view.labels)
            unknown = (view.noisy - view.exact(half, name))[own].astype(np.float64)
            unknown[np.arange(OVERLAP), truth] += 1  # the others are taken off, not the person
            log_belief += (np.abs(unknown) - np.abs(unknown - 1)) / scale
    return prior, Guesses(_normalized(log_belief), truth)


def _normalized(log_belief: FloatArray) -> FloatArray:
    return np.asarray(np.exp(log_belief - np.logaddexp.reduce(log_belief, axis=1, keepdims=True)))


def _largest(one: tuple[FloatArray, Guesses]) -> tuple[float, float]:
    """The largest change of a log belief, and of the probability of any event."""
    prior, after = one
    moved = float(np.abs(np.log(after.beliefs) - np.log(prior)).max())
    return moved, float(np.abs(after.beliefs - prior).sum(axis=1).max() / 2)


def _beliefs_move(strongest: dict[str, tuple[FloatArray, Guesses]]) -> Statement:
    moved = {epsilon: _largest(one)[0] for epsilon, one in strongest.items()}
    return Statement(
        "[differential privacy does] provide guarantees against composition attacks",
        None,
        "an attacker who knows everyone else's row changes a log belief by at most "
        + "; ".join(
            f"{most:.3f} of {4 * float(e):g} allowed (ε = {e})" for e, most in moved.items()
        ),
        "Sect. 1.1.2",
        "It cannot fail: the attacker's own formula keeps within 4ε whatever the noise is.",
    )


def _semantic(strongest: dict[str, tuple[FloatArray, Guesses]]) -> Statement:
    differences = []
    for epsilon, one in strongest.items():
        together = gy.compose([(epsilon, 0), (epsilon, 0)])
        allowed = gy.semantic_privacy(*together, people=OVERLAP)
        moved = _largest(one)[1]
        assert allowed.tight is not None and allowed.bound is not None
        differences.append(
            f"{moved:.3f} ≤ {allowed.tight:.3f} ≤ {allowed.bound:.3f} (ε = {epsilon})"
        )
    return Statement(
        "ε-differential privacy implies ε̂-semantic privacy, where ε̂ = e^ε − 1",
        None,
        "the largest statistical difference to a release without the person, what is possible at "
        f"worst (tanh of half of 2ε), the paper's bound: {'; '.join(differences)}",
        "Prop. 15, Lemma 12",
        "It cannot fail either: a change of log beliefs within 4ε implies it.",
    )


def _nothing_of_them(readers: dict[str, tuple[Guesses, Guesses]]) -> Statement:
    right = {e: (inside.right, outside.right) for e, (inside, outside) in readers.items()}
    return Statement(
        "an adversary with access to the sanitized database draws the same conclusions whether or "
        "not my data is included in the original data",
        all(a - b <= _ALIKE for a, b in right.values()),
        "a reader's guess is right with them in the data, and without: "
        + "; ".join(f"{a:.1%}, {b:.1%} (ε = {e})" for e, (a, b) in right.items()),
        "Sect. 4.1",
        "The reader guesses a person's occupation as well when that person is in neither half: it "
        "is what age, education and sex say about anyone's occupation.",
    )


def _moved(strongest: dict[str, tuple[FloatArray, Guesses]]) -> Plot:
    epsilons = [float(epsilon) for epsilon in strongest]
    curves = [
        Curve("measured", epsilons, [_largest(one)[0] for one in strongest.values()]),
        Curve("allowed, 4ε", epsilons, [4 * epsilon for epsilon in epsilons]),
    ]
    title = "Two noisy releases: how far the strongest attacker's beliefs move"
    return Plot(title, "ε of each release", "largest change of a log belief", curves)


EXPERIMENTS = (
    Experiment(
        "ganta-noise",
        "Ganta2008",
        "Section 4",
        "two releases with noise under the same attack",
        "Regardless of external knowledge, an adversary with access to the sanitized database "
        "draws the same conclusions whether or not my data is included in the original data.",
        two_noisy_releases,
        ("adult",),
    ),
)
