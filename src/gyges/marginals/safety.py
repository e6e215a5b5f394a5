"""The search's privacy check: what was found safe or not once is not checked again."""

from __future__ import annotations

from collections.abc import Collection

from gyges.errors import RuleError
from gyges.marginals.diversity import evenly_spread, worst_combination
from gyges.marginals.induced import Resolution
from gyges.marginals.k_combinatorial import find_tight
from gyges.marginals.k_link import least_linked
from gyges.marginals.measures import Diversity, measure_of
from gyges.marginals.sensitive_tree import SensitiveTree, sensitive_tree
from gyges.marginals.store import CountStore


class Safety:
    """Whether decomposable views satisfy all rules.

    k-link anonymity is a matter of each view. Given that, k-combinatorial anonymity and maxent
    diversity depend only on the views with the sensitive column [Kifer2006, Prop. 7.3], and each
    of these must be diverse by itself [Kifer2006, Prop. 7.2]. A set too large to be checked counts
    as unsafe.
    """

    def __init__(
        self, store: CountStore, ks: Collection[int], rules: Collection[Diversity]
    ) -> None:
        self.store = store
        self.k = max(ks, default=1)
        self.measures = [measure_of(rule) for rule in rules]
        self.n_checked = 0
        self._views: dict[Resolution, bool] = {}
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
        """Whether one view alone is safe; where it is not, no set with it is."""
        if view not in self._views:
            is_linked = least_linked(self.store, view) >= self.k
            self._views[view] = is_linked and (
                not self.store.is_sensitive(view) or self._together(frozenset([view]))
            )
        return self._views[view]

    def _together(self, views: frozenset[Resolution]) -> bool:
        try:
            tree = sensitive_tree(self.store, sorted(views))
            if tree is None:
                return all(not m.fails(evenly_spread(self.store)) for m in self.measures)
            return find_tight(tree, self.k)[0] is None and self._is_diverse(tree)
        except RuleError:  # too large to be checked
            return False

    def _is_diverse(self, tree: SensitiveTree) -> bool:
        return all(
            not worst_combination(tree, measure, any_failure=True).fails
            for measure in self.measures
        )
