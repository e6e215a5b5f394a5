"""`select_marginals`: which views to publish. Greedy steps with restarts, each step checked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from gyges.arguments import called, generator, items
from gyges.data.table import Table, check_table
from gyges.errors import NothingSafeError, RuleError
from gyges.exact import seconds, whole
from gyges.marginals.counts import count_table
from gyges.marginals.graph import junction_tree
from gyges.marginals.induced import Resolution, attributes_of, is_within, maximal
from gyges.marginals.judging import SetRule, split_rules
from gyges.marginals.model import Marginals
from gyges.marginals.moves import (
    Addition,
    ViewSet,
    additions,
    divergence,
    extended,
    removals,
    stepped,
)
from gyges.marginals.selection_check import SelectionCheck
from gyges.marginals.store import CountStore
from gyges.marginals.views import levels_of, read_levels

NO_GAIN = 1e-12  # nats; a step that gains less is useless
NOISE = 2.0  # how far a restart may reorder the steps: the spread of the logarithm of a gain
FEW_SETS = 1_000  # up to here, all sets are tried
MOST_REMOVED = 6  # steps undone before a restart climbs again


@dataclass(frozen=True, slots=True)
class SelectionProgress:
    """How far a selection has come."""

    seconds: float
    share: float  # of the time limit or of the restarts, whichever is further on
    n_rounds: int
    n_tried: int  # sets whose divergence was computed
    n_checked: int  # sets whose privacy was checked
    kl_divergence: float  # of the best safe set so far


def select_marginals(
    table: Table,
    criteria: SetRule | Iterable[SetRule],
    *,
    start: Marginals | Mapping[str, int] | Iterable[Mapping[str, int]] = (),
    time_limit: float = 60.0,
    restarts: int = 60,
    rng: np.random.Generator | None = None,
    progress: Callable[[SelectionProgress], None] | None = None,
) -> Marginals:
    """Choose views that are safe together and as informative as possible [Kifer2006, Sect. 6.2].

    Where there are few sets whose views are safe one by one, all of them are tried. Otherwise:

    1. Climb: of all sets with one more edge or node take the best safe one, until none is safe.
    2. Restart from `start`, from a random finest safe single table, or from the best set with some
       steps undone; climb again with the steps somewhat reordered.
    3. Stop at the time limit, or after `restarts` restarts in a row without improvement; undo
       steps that gained nothing.

    Every set on the way is checked for all criteria: KAnonymity means k-link and k-combinatorial
    anonymity, a diversity criterion means diversity of the maximum entropy distribution.

    Args:
        start: views that must stay derivable from the result (an anonymized table to add to).
            They must decompose and be safe themselves.
        time_limit: seconds.
        restarts: how many restarts in a row may bring no improvement.
        rng: the source of randomness; the same seed gives the same views if time does not run out.
        progress: called after each climb.

    Returns:
        A safe set, without any view where none is safe.

    Raises:
        NothingSafeError: not even publishing nothing satisfies the criteria (a sensitive column
            with too few values), or `start` does not.
    """
    ks, diversities = split_rules(criteria)
    attributes = attributes_of(check_table(table))
    called(progress, "progress", ("state",))
    rng = np.random.default_rng(0) if rng is None else generator(rng)
    time_limit = seconds(time_limit, "time_limit")
    restarts = whole(restarts, "restarts")
    store = CountStore(attributes, [count_table(table, attributes)])
    safety = SelectionCheck(store, ks, diversities)
    kept = _read_start(start, store)
    _refuse_unsafe(kept, safety)
    search = _Selection(
        store=store,
        safety=safety,
        kept=kept,
        rng=rng,
        time_limit=time_limit,
        restarts=restarts,
        progress=progress,
    )
    best = search.run()
    return Marginals.of(table, [levels_of(view, attributes) for view in best])


def _read_start(
    start: Marginals | Mapping[str, int] | Iterable[Mapping[str, int]], store: CountStore
) -> ViewSet:
    if isinstance(start, Marginals):
        asked: Iterable[Mapping[str, int]] = [view.levels for view in start.views]
    else:
        asked = [start] if isinstance(start, Mapping) else items(start, "start", "views")  # type: ignore[assignment]
    views = tuple(maximal(read_levels(view, store.attributes) for view in asked))
    if junction_tree(views) is None:
        raise RuleError("the views to start from do not decompose: drop or combine some")
    return tuple(view for view in views if any(view))


def _refuse_unsafe(kept: ViewSet, safety: SelectionCheck) -> None:
    if not safety.holds(()):
        raise NothingSafeError(
            "no set of views satisfies the rules: the sensitive column has too few values, so even "
            "a uniform distribution is not diverse enough; ask for less diversity"
        )
    if not safety.holds(kept):
        raise NothingSafeError(
            "the views to start from do not satisfy the rules: coarsen them or drop some "
            "(Marginals.of(table, views).judge(criteria) shows where they fail)"
        )


@dataclass(slots=True, eq=False)
class _Selection:
    store: CountStore
    safety: SelectionCheck
    kept: ViewSet
    rng: np.random.Generator
    time_limit: float
    restarts: int
    progress: Callable[[SelectionProgress], None] | None
    best: ViewSet = ()
    best_score: float = 0.0
    n_tried: int = 0
    n_rounds: int = 0
    n_in_vain: int = 0
    began: float = field(default_factory=time.monotonic)

    def run(self) -> ViewSet:
        """Climb once greedily, then restart until time or restarts run out."""
        self.best, self.best_score = self.kept, divergence(self.kept, self.store)
        if self._try_all():
            return self._tidied(self.best)
        self._round(self.kept, noise=0.0)
        kinds = (
            [self._from_best, self._from_start]
            if self.kept
            else [self._from_single, self._from_best, self._from_start]
        )
        while self.n_in_vain < self.restarts and not self._is_over():
            begin = kinds[self.n_rounds % len(kinds)]()
            self._round(begin, noise=NOISE * self.rng.random())
        return self._tidied(self.best)

    def _try_all(self) -> bool:
        """Try all sets of safe views if there are few; return whether that was done."""
        reached, front = {self.kept}, {self.kept}
        while front:
            found = {extended(v, move.view) for v in front for move in self._moves(v)} - reached
            self.n_tried += len(found)
            reached |= found
            if len(reached) > FEW_SETS or self._is_over():
                return False
            front = found
        for views in sorted(reached, key=lambda views: divergence(views, self.store)):
            if self.safety.holds(views):
                self.best, self.best_score = views, divergence(views, self.store)
                break
        self.n_in_vain = self.restarts
        self._report()
        return True

    def _tidied(self, views: ViewSet) -> ViewSet:
        """Undo steps that gained nothing: useless views are not published."""
        for step in removals(views, self.store):
            if step.loss <= NO_GAIN and self._keeps(step.views) and self.safety.holds(step.views):
                return self._tidied(step.views)
        return views

    def _is_over(self) -> bool:
        return time.monotonic() - self.began >= self.time_limit

    def _round(self, begin: ViewSet, noise: float) -> None:
        reached = self._climb(begin, noise)
        score = divergence(reached, self.store)
        is_better = score < self.best_score - NO_GAIN
        self.n_in_vain = 0 if is_better else self.n_in_vain + 1
        if is_better:
            self.best, self.best_score = reached, score
        self.n_rounds += 1
        self._report()

    def _climb(self, views: ViewSet, noise: float) -> ViewSet:
        """Take the best safe step, again and again; with noise, a good one."""
        while not self._is_over():
            moves = self._moves(views)
            self.n_tried += len(moves)
            step = self._first_safe(views, moves, noise)
            if step is None:
                break
            views = step
        return views

    def _moves(self, views: ViewSet) -> list[Addition]:
        """All steps whose new view is safe alone; some of them if time runs out."""
        moves = []
        for move in additions(views, self.store, self.safety.view_holds):
            moves.append(move)
            if self._is_over():
                break
        return moves

    def _first_safe(self, views: ViewSet, moves: list[Addition], noise: float) -> ViewSet | None:
        gains = np.array([move.gain for move in moves])
        if noise:
            gains = gains * np.exp(noise * self.rng.standard_normal(len(gains)))
        for place in np.argsort(-gains, kind="stable"):
            move = moves[int(place)]
            more = extended(views, move.view)
            if self.safety.holds(more):  # also without a gain: the next step may have one
                return more
            if self._is_over():
                break
        return None

    def _from_start(self) -> ViewSet:
        return self.kept

    def _from_best(self) -> ViewSet:
        """The best set with some steps undone, but never without what must be kept."""
        views = self.best
        for _ in range(self.rng.integers(1, MOST_REMOVED + 1)):
            fewer = [step.views for step in removals(views, self.store) if self._keeps(step.views)]
            self.n_tried += len(fewer)
            safe = [chosen for chosen in fewer if self.safety.holds(chosen)]
            if not safe:
                break
            views = safe[self.rng.integers(len(safe))]
        return views

    def _keeps(self, views: ViewSet) -> bool:
        return all(any(is_within(old, view) for view in views) for old in self.kept)

    def _from_single(self) -> ViewSet:
        """One safe table with the sensitive column, refined at random as far as possible."""
        sensitive = self.store.sensitive
        if sensitive is None:
            return ()
        view: Resolution = stepped(self.store.nothing, sensitive)
        if not self.safety.holds([view]):
            return ()
        open_places = [p for p in range(len(view)) if p != sensitive]
        while open_places:
            place = open_places[self.rng.integers(len(open_places))]
            finer = (
                stepped(view, place) if view[place] < self.store.attributes[place].height else None
            )
            if finer is not None and self.safety.holds([finer]):
                view = finer
            else:
                open_places.remove(place)
        return (view,)

    def _report(self) -> None:
        if self.progress is None:
            return
        seconds = time.monotonic() - self.began
        share = max(seconds / max(self.time_limit, 1e-9), self.n_in_vain / max(self.restarts, 1))
        whole_table = tuple(attribute.height for attribute in self.store.attributes)
        self.progress(
            SelectionProgress(
                seconds=seconds,
                share=min(share, 1.0),
                n_rounds=self.n_rounds,
                n_tried=self.n_tried,
                n_checked=self.safety.n_checked,
                kl_divergence=self.best_score - self.store.entropy(whole_table),
            )
        )
