"""The privacy check of a selection: no view or set of views is checked twice."""

from __future__ import annotations

from collections.abc import Collection

from gyges.criteria.base import Rule
from gyges.errors import RuleError
from gyges.marginals.diversity import evenly_spread, worst_combination
from gyges.marginals.induced import Resolution, is_within
from gyges.marginals.judging import measure_of
from gyges.marginals.k_combinatorial import find_tight
from gyges.marginals.k_link import least_linked
from gyges.marginals.sensitive_tree import SensitiveTree, sensitive_tree
from gyges.marginals.store import CountStore


class SelectionCheck:
    """Whether decomposable views satisfy all rules.

    k-link anonymity concerns each view by itself. Given that, k-combinatorial anonymity and maxent
    diversity depend only on the views with the sensitive column [Kifer2006, Prop. 7.3], and each
    of these must be diverse by itself [Kifer2006, Prop. 7.2]. A set too large to be checked counts
    as unsafe.
    """

    def __init__(self, store: CountStore, ks: Collection[int], rules: Collection[Rule]) -> None:
        self.store = store
        self.k = max(ks, default=1)
        self.measures = [measure_of(rule) for rule in rules]
        self.n_checked = 0
        self._views: dict[Resolution, bool] = {}
        self._unsafe: list[Resolution] = []
        self._sets: dict[frozenset[Resolution], bool] = {}

    def holds(self, views: Collection[Resolution]) -> bool:
        """Whether the whole set is safe."""
        if not all(self.view_holds(view) for view in views):
            return False
        chosen = frozenset(view for view in views if self.store.is_sensitive(view))
        if chosen not in self._sets:
            self.n_checked += 1
            self._sets[chosen] = self._together(chosen)
        return self._sets[chosen]

    def view_holds(self, view: Resolution) -> bool:
        """Whether one view alone is safe; where it is not, nor is a finer one, nor any set."""
        found = self._views.get(view)
        if found is None:
            found = not any(is_within(coarser, view) for coarser in self._unsafe)
            if found and not self._alone(view):
                self._unsafe.append(view)
                found = False
            self._views[view] = found
        return found

    def _alone(self, view: Resolution) -> bool:
        if least_linked(self.store, view) < self.k:
            return False
        return not self.store.is_sensitive(view) or self._together(frozenset([view]))

    def _together(self, views: frozenset[Resolution]) -> bool:
        try:
            tree = sensitive_tree(self.store, sorted(views))
            if tree is None:
                return all(not m.fails(evenly_spread(self.store)) for m in self.measures)
            has_room = self.k == 1 or find_tight(tree, self.k)[0] is None
            return has_room and self._is_diverse(tree)
        except RuleError:  # too large to be checked
            return False

    def _is_diverse(self, tree: SensitiveTree) -> bool:
        return all(
            not worst_combination(tree, measure, any_failure=True).fails
            for measure in self.measures
        )
