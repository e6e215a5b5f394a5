"""`Marginals`: views of one table, what they say together, and whether that is safe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, get_args

import networkx as nx
import numpy as np

from gyges.arguments import choice, flag, generator, instance, items, shown
from gyges.arrays import CodeArray, FloatArray
from gyges.criteria.base import Rule
from gyges.criteria.recursive_diversity import RecursiveDiversity
from gyges.criteria.verdict import Verdict
from gyges.data.people_words import counted_people
from gyges.data.table import Table, check_table
from gyges.data.values import Value, check_value, text_of
from gyges.errors import RuleError
from gyges.exact import Number, counted, fraction, whole
from gyges.marginals import graph
from gyges.marginals.counts import count_table
from gyges.marginals.diversity import Method, judge_diversity, judge_relaxed
from gyges.marginals.fitted_diversity import judge_fitted_diversity
from gyges.marginals.fitting import Fit, fit
from gyges.marginals.graph import JunctionTree
from gyges.marginals.induced import Attribute, Resolution, attributes_of, maximal
from gyges.marginals.joint import is_of_a_table, judge_joint_combinatorial
from gyges.marginals.judging import SetRule, split_rules
from gyges.marginals.k_combinatorial import judge_k_combinatorial
from gyges.marginals.k_link import judge_k_link
from gyges.marginals.maxent import ClosedForm, Distribution
from gyges.marginals.reconstruction import Reconstruction, reconstruct
from gyges.marginals.store import CountStore
from gyges.marginals.view_rules import RelaxedDiversity, together
from gyges.marginals.views import View, read_frame, read_levels, refuse_contradictions
from gyges.notebook import NotebookCard

if TYPE_CHECKING:
    import pyarrow as pa

MOST_SAMPLED = 10**8  # rows of a synthetic table
TOLERANCE = 1e-9  # how far a fitted share may be from a published one


@dataclass(frozen=True, eq=False, repr=False)
class Marginals(NotebookCard):
    """Views of one table, published together [Kifer2006].

    >>> import gyges as gy
    >>> columns = {"sex": ["F", "F", "M", "M"], "ill": ["Flu", "Gout", "Flu", "Flu"]}
    >>> table = gy.read(columns, gy.Schema(quasi_identifiers=["sex"], sensitive="ill"))
    >>> m = gy.Marginals.of(table, [{"sex": 0}, {"ill": 0}])
    >>> m.maxent([{"sex": "F", "ill": "Flu"}])
    array([0.375])
    >>> m.decomposable, m.k_link(2).safe
    (True, True)

    Made by `of`, `from_frames` and `select_marginals`; the constructor checks nothing.
    """

    attributes: tuple[Attribute, ...]  # quasi-identifiers in the schema's order, then the sensitive
    views: tuple[View, ...]
    table_entropy: float | None = None  # of the table itself, in nats; None if only views are known
    tolerance: float = TOLERANCE
    rows_are_people: bool = True  # unless a column of the table identifies people

    @classmethod
    def of(
        cls, table: Table, views: Iterable[Mapping[str, int]], *, tolerance: float = TOLERANCE
    ) -> Marginals:
        """Count the views of a table.

        Args:
            views: for each view its columns with their levels; 0 is the value itself. The
                sensitive column has level 0 or is omitted.
            tolerance: how far a fitted share may be from a published one, where the views do not
                decompose.
        """
        attributes = attributes_of(check_table(table))
        views = _listed_views(views)
        tolerance = float(fraction(tolerance, "tolerance"))
        if not 0 < tolerance < 1:
            raise RuleError(f"tolerance is {tolerance:g}: give a number between 0 and 1")
        whole_table = count_table(table, attributes)
        store = CountStore(attributes, [whole_table])
        made = tuple(
            View(dict(view), store.counts(read_levels(view, attributes)), attributes)
            for view in views
        )
        rows_are_people = table.rows_are_people
        return cls(attributes, made, whole_table.entropy, tolerance, rows_are_people)

    @classmethod
    def from_frames(
        cls,
        attributes: Sequence[Attribute],
        views: Iterable[tuple[Mapping[str, int], Mapping[str, Sequence[Value]]]],
    ) -> Marginals:
        """Put published views back together, each as (levels, frame); no table is needed."""
        attributes = _listed_attributes(attributes)
        views = _listed_frames(views)
        made = tuple(
            View(dict(levels), read_frame(levels, frame, attributes), attributes)
            for levels, frame in views
        )
        refuse_contradictions([view.counts for view in made], attributes)
        return cls(attributes, made)

    @cached_property
    def resolutions(self) -> tuple[Resolution, ...]:
        """The views as resolutions of the columns; see induced.py."""
        return tuple(view.counts.resolution for view in self.views)

    @cached_property
    def n_people(self) -> int:
        """How many people the views are about; 0 where nothing is published."""
        return self.views[0].counts.total if self.views else 0

    @cached_property
    def graph(self) -> nx.Graph:
        """The interaction graph; vertices are (column, step down its hierarchy)."""
        names = [attribute.name for attribute in self.attributes]
        made = graph.interaction_graph(self.resolutions)
        labelled: nx.Graph = nx.relabel_nodes(made, {v: (names[v[0]], v[1]) for v in made})
        return labelled

    @cached_property
    def triangulated(self) -> bool:
        """Whether every cycle of four or more of the graph has a shortcut [Kifer2006, Def. 5.1]."""
        return graph.is_triangulated(self.resolutions)

    @cached_property
    def graphical(self) -> bool:
        """Whether every maximal clique of the graph is published [Kifer2006, Def. 5.5]."""
        return graph.is_graphical(self.resolutions)

    @property
    def decomposable(self) -> bool:
        """Whether the set is graphical and its graph triangulated [Kifer2006, Def. 5.6]."""
        return self.junction_tree is not None

    @cached_property
    def junction_tree(self) -> JunctionTree | None:
        """The largest views in a perfect sequence; None where they do not decompose."""
        return graph.junction_tree(self.resolutions)

    @cached_property
    def _store(self) -> CountStore:
        return CountStore(self.attributes, [view.counts for view in self.views])

    @cached_property
    def distribution(self) -> Distribution:
        """The maximum entropy distribution: closed form, else fitted to `tolerance`."""
        if self.junction_tree is not None:
            return ClosedForm(self._store, self.junction_tree)
        return self._fit

    @cached_property
    def _fit(self) -> Fit:
        counts = [self._store.counts(resolution) for resolution in maximal(self.resolutions)]
        return fit(self.attributes, counts, self.tolerance)

    def maxent(self, rows: Iterable[Mapping[str, Value]]) -> FloatArray:
        """The probability of each row, a dict with the value of every column."""
        return self.distribution.probability(
            self._codes(items(rows, "rows", "dicts {column: value}"))
        )

    def _codes(self, rows: list[object]) -> CodeArray:
        codes = np.zeros((len(rows), len(self.attributes)), dtype=np.int32)
        for number, row in enumerate(rows, start=1):
            if not isinstance(row, Mapping):
                raise RuleError(
                    f"rows: row {number} is {shown(row)}: give a dict {{column: value}}"
                )
            for place, attribute in enumerate(self.attributes):
                if attribute.name not in row:
                    raise RuleError(f"row {number} has no value of {attribute.name!r}")
                name = f"row {number}: the value of {attribute.name!r}"
                code = attribute.code_of_text.get(text_of(check_value(row[attribute.name], name)))
                if code is None:
                    raise RuleError(
                        f"row {number} has a value of {attribute.name!r} that is not in its domain"
                    )
                codes[number - 1, place] = code
        return codes

    def kl_divergence(self) -> float:
        """How far the views are from the table they summarize, in nats; 0 if they determine it.

        KL(table, maxent) = H(maxent) - H(table), since the two agree on every view; for
        decomposable views a sum of the entropies of views and separators.
        """
        if self.table_entropy is None:
            raise RuleError("these views were read without their table: the divergence is unknown")
        return self.distribution.entropy() - self.table_entropy

    def is_of_a_table(self) -> bool | None:
        """Whether some table has all these counts; None where that could not be decided.

        Views that decompose and agree pairwise always do; reading views refuses others.
        """
        if self.junction_tree is not None:
            return True
        return is_of_a_table(self._store, maximal(self.resolutions))

    def k_link(self, k: int) -> Verdict:
        """Whether each combination of each view counts nobody or at least k people."""
        return judge_k_link(self._store, self.resolutions, k)

    def k_combinatorial(self, k: int) -> Verdict:
        """Whether the counts of all views allow nobody or at least k people in each combination."""
        if self.junction_tree is not None:
            return judge_k_combinatorial(self._store, self.junction_tree.cliques, k)
        return judge_joint_combinatorial(self._store, maximal(self.resolutions), k)

    def maxent_diversity(self, c: Number, l: int, *, strict: bool = False) -> Verdict:
        """Whether the reconstruction is (c,l)-diverse: r₁ <= c (r_l + … + r_m) everywhere.

        Equality passes [Kifer2006, Def. 2.5] unless `strict`. For entropy, distinct or
        probabilistic diversity give the criterion to `judge`.
        """
        return self.diversity(RecursiveDiversity(c, l, strict=flag(strict, "strict")))

    def diversity(self, rule: Rule, method: Method = "auto") -> Verdict:
        """Whether the maximum entropy distribution satisfies a diversity criterion everywhere."""
        choice(method, get_args(Method), "method")
        split_rules([rule])
        if self.junction_tree is None:
            return judge_fitted_diversity(self._store, maximal(self.resolutions), rule)
        return judge_diversity(self._store, self.junction_tree.cliques, rule, method)

    def relaxed_diversity(self, l: int, epsilon: Number) -> Verdict:
        """Whether l values come within (1-ε)^p of the most frequent everywhere; sound, quick."""
        if self.junction_tree is None:
            raise RuleError("relaxed diversity needs views that decompose: drop or combine some")
        return judge_relaxed(self._store, self.junction_tree.cliques, RelaxedDiversity(l, epsilon))

    def reconstruct(self, rng: np.random.Generator) -> Reconstruction:
        """Which rows the counts prove, and which are likely [Dick2023]; refuses large domains."""
        return reconstruct(self.attributes, [view.counts for view in self.views], rng)

    def judge(self, criteria: SetRule | Iterable[SetRule]) -> Verdict:
        """Judge by criteria: KAnonymity asks k-link and k-combinatorial, diversity asks maxent."""
        ks, diversities = split_rules(criteria)
        verdicts = [check(k) for k in ks for check in (self.k_link, self.k_combinatorial)]
        return together([*verdicts, *(self.diversity(rule) for rule in diversities)])

    def sample(self, n: int, rng: np.random.Generator) -> pa.Table:
        """A synthetic table: n rows drawn from the maximum entropy distribution, as Arrow."""
        import pyarrow as pa

        codes = self.distribution.sample(whole(n, "n", most=MOST_SAMPLED), generator(rng))
        columns = {}
        for place, attribute in enumerate(self.attributes):
            values: list[Value] = list(attribute.values)
            if len({type(value) for value in values}) > 1:
                values = [text_of(value) for value in values]
            columns[attribute.name] = pa.array(values).take(pa.array(codes[:, place]))
        return pa.table(columns)

    def __repr__(self) -> str:
        return f"<Marginals: {self.title}>"

    def __str__(self) -> str:
        if not self.views:
            return "no views"
        return "\n".join(str(view) for view in self.views)

    @property
    def title(self) -> str:
        """How many views there are, and of how many people."""
        people = counted_people(self.n_people, self.rows_are_people).rstrip(",")
        return f"{counted(len(self.views), 'view')} of {people}"

    def _card_title(self) -> str:
        return self.title


def _listed_views(views: object) -> list[Mapping[str, int]]:
    of = "views, such as {'age': 2, 'zip': 0}"
    return [
        instance(view, Mapping, "views: a view", f"give {of}") for view in items(views, "views", of)
    ]


def _listed_attributes(attributes: object) -> tuple[Attribute, ...]:
    how = "take those of other marginals (marginals.attributes)"
    listed = items(attributes, "attributes", "attributes")
    return tuple(instance(one, Attribute, "attributes: one", how) for one in listed)


def _listed_frames(
    views: object,
) -> list[tuple[Mapping[str, int], Mapping[str, Sequence[Value]]]]:
    how = "(levels, frame), two dicts each"
    made = []
    for number, pair in enumerate(items(views, "views", how), start=1):
        parts = items(pair, f"views: number {number}", how)
        if len(parts) != 2 or not all(isinstance(part, Mapping) for part in parts):
            raise RuleError(f"views: number {number} is not a pair of dicts: give {how}")
        frame = {
            column: items(labels, f"views: number {number}, column {shown(column)}", "labels")
            for column, labels in parts[1].items()  # type: ignore[attr-defined]
        }
        made.append((parts[0], frame))
    return made  # type: ignore[return-value]
