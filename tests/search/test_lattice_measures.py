"""Full-domain search by every measure: the pruned search against trying every safe node."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.criteria.base import bind_all
from gyges.errors import NothingSafeError, RuleError
from gyges.release.groups_of_cells import everybody
from gyges.release.partition_of_cells import Partition
from gyges.search.lattice import search
from gyges.search.lattice_by_measure import objective_named
from gyges.search.lattice_check import Checker
from gyges.search.lattice_nodes import Lattice
from gyges.search.lattice_rollup import RollUps
from gyges.utility.grouping import Grouping
from gyges.utility.height import generalization_height, precision
from gyges.utility.known_measures import MEASURES
from gyges.utility.loss import loss
from tests.oracles import lattice as oracle
from tests.search.test_lattice import SHARES, AtMost, cases, small_table

MEASURED = {
    one.name: one.compute
    for one in MEASURES
    if one.name
    in ("discernibility", "average_group_size", "gcp", "ambiguity", "non_uniform_entropy")
} | {"loss": loss, "height": generalization_height, "precision": lambda g: 1 - precision(g)}


def found(cells, rules, **options):
    """The least loss; None if nothing is safe."""
    try:
        result = search(cells, rules, **options)
    except NothingSafeError:
        return None
    assert result.is_optimal
    return result


@given(cases(max_rows=8), SHARES, st.sampled_from(sorted(MEASURED)), st.sampled_from([None, 2, 4]))
def test_bounds_find_what_trying_every_safe_node_finds(case, suppression, name, most):
    table, _, _, rules, _ = case
    rules = rules if most is None else [*rules, AtMost(most)]  # not monotone
    measure = MEASURED[name]
    tried = found(table.cells, rules, suppression=suppression, utility=lambda g: measure(g))

    result = found(table.cells, rules, suppression=suppression, utility=name)

    assert (result is None) == (tried is None)
    if result is not None:
        assert math.isclose(result.loss, tried.loss, rel_tol=1e-9, abs_tol=1e-9)
        measured = float(measure(Grouping.of_partition(result.partition)))
        assert math.isclose(result.loss, measured, rel_tol=1e-9, abs_tol=1e-9)


@given(
    cases(max_rows=8),
    SHARES,
    st.sampled_from(sorted(MEASURED)),
    st.sampled_from(["lost", "published"]),
)
def test_no_node_of_a_box_loses_less_than_the_bound_of_the_box(case, share, name, suppressed_as):
    """For every pair of nodes one above the other, whatever suppression the upper one proves."""
    table, _, _, rules, _ = case
    lattice = Lattice.of(table.cells)
    bound_rules = bind_all(rules, everybody(table.cells))
    checker = Checker(lattice, bound_rules, math.floor(Fraction(share) * table.cells.n_people))
    objective = objective_named(checker, name, None, suppressed_as)
    nodes = list(product(*(range(top + 1) for top in lattice.top)))
    findings = {node: checker.examine(node) for node in nodes}
    losses = {
        node: objective.loss(node, finding) for node, finding in findings.items() if finding.is_safe
    }

    def under(low, high):
        return all(a <= b for a, b in zip(low, high, strict=True))

    for high, finding in findings.items():
        lost = 0.0 if finding.is_hopeless else objective.surely_lost(high, finding)
        for low in (node for node in nodes if under(node, high)):
            inside = [x for node, x in losses.items() if under(low, node) and under(node, high)]
            if inside and not math.isnan(min(inside)):
                assert not finding.is_hopeless
                assert objective.bound(low, lost) <= min(inside) + 1e-9 * max(1, min(inside))


@given(cases(max_rows=8), SHARES, st.sampled_from(sorted(MEASURED)))
def test_failing_groups_can_count_as_if_they_were_published(case, suppression, name):
    table, made, quasi, rules, holds_each = case
    allowed = math.floor(Fraction(suppression) * len(made["disease"]))
    lattice = Lattice.of(table.cells)
    rollups = RollUps(lattice, with_values=False)

    def whole(node):
        group = rollups.group_of_cell(node)
        named = lattice.named(node)
        return MEASURED[name](
            Grouping.of_partition(Partition(table.cells, group, int(group.max()) + 1, levels=named))
        )

    safe = oracle.safe_nodes(made, quasi, holds_each, allowed)
    result = found(
        table.cells, rules, suppression=suppression, utility=name, suppressed_as="published"
    )
    assert (result is None) == (not safe)
    if result is not None:
        least = min(float(whole(node)) for node in safe)
        assert math.isclose(result.loss, least, rel_tol=1e-9, abs_tol=1e-9)
        gone = safe[tuple(result.levels.values())]
        assert result.partition.n_left_out == len(gone)


@given(cases(max_rows=8), SHARES, st.sampled_from(sorted(MEASURED)))
def test_out_of_time_the_bound_of_every_measure_is_below_the_optimum(case, suppression, name):
    table, _, _, rules, _ = case
    best = found(table.cells, rules, suppression=suppression, utility=name)
    try:
        early = search(table.cells, rules, suppression=suppression, utility=name, time_limit=0.0)
    except NothingSafeError:
        return
    slack = 1e-9 * max(abs(best.loss), 1)
    assert early.bound <= best.loss + slack and best.loss <= early.loss + slack


def test_an_unknown_convention_is_refused():
    with pytest.raises(RuleError, match="suppressed_as is 'gone': choose 'lost' or 'published'"):
        search(small_table().cells, gy.KAnonymity(2), suppressed_as="gone")


def cells_of(real_data, file, folder, columns, renamed=()):
    pandas = pytest.importorskip("pandas")
    people = pandas.read_csv(real_data / file, dtype=str).rename(columns=dict(renamed))
    if "split" in people:
        people = people[(people["split"] == "train") & ~(people == "?").any(axis=1)]
    prefix = "adult_hierarchy_" if folder == "adult" else ""
    files = {n: real_data / "hierarchies" / folder / f"{prefix}{n}.csv" for n in columns}
    missing = [path for path in files.values() if not path.exists()]
    if missing:
        pytest.skip(f"the data folder has no {missing[0].name}")
    hierarchies = {name: gy.Hierarchy.from_csv(path) for name, path in files.items()}
    schema = gy.Schema(quasi_identifiers=columns, hierarchies=hierarchies)
    return gy.read(people[columns], schema).cells


# The column order and the nodes are those of ARX's own tests (TestAnonymizationKAnonymity).
FARS = ["iage", "irace", "ideathmon", "ideathday", "isex", "ihispanic", "istatenum", "iinjury"]
ADULT = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
]


@pytest.fixture(scope="module")
def fars(real_data):
    if not (real_data / "fars_int.csv.gz").exists():
        pytest.skip("the data folder has no fars_int.csv.gz")
    return cells_of(real_data, "fars_int.csv.gz", "fars", FARS)


@pytest.fixture(scope="module")
def adult(real_data):
    return cells_of(real_data, "adult.csv.gz", "adult", ADULT, {"salary": "salary-class"}.items())


@pytest.mark.parametrize(
    ("k", "share", "value", "node"),
    [
        (5, "0", 142377891, (1, 2, 3, 3, 1, 2, 1, 2)),
        (100, "0", 436925397, (5, 2, 3, 3, 1, 2, 0, 2)),
        (5, "0.04", 4469271, (0, 2, 2, 2, 1, 2, 1, 0)),
        (100, "0.04", 56052481, (0, 2, 3, 3, 1, 2, 2, 2)),
    ],
)
def test_discernibility_on_fars_is_what_arx_expects(fars, k, share, value, node):
    result = search(
        fars,
        gy.KAnonymity(k),
        utility="discernibility",
        suppression=share,
        suppressed_as="published",
    )
    assert result.is_optimal and result.loss == value
    assert tuple(result.levels.values()) == node


@pytest.mark.parametrize(("k", "value"), [(5, 31654809), (100, 162555377)])
def test_discernibility_on_fars_with_suppressed_people_lost(fars, k, value):
    """The value that trying every safe node found; a few hundred of 20,736 are checked."""
    result = search(fars, gy.KAnonymity(k), utility="discernibility", suppression="0.04")
    assert result.is_optimal and result.loss == value
    assert result.n_checked < 500


@pytest.mark.parametrize(
    ("utility", "value", "most_checked"),
    [
        ("height", 7.532886850213499, 700),
        ("precision", 0.2708050566194755, 300),
        ("ambiguity", 333856452600, 300),
        ("average_group_size", 23.713833414515342, 800),
        ("gcp", 0.08951949262523393, 450),
    ],
)
def test_other_measures_on_fars_check_few_nodes(fars, utility, value, most_checked):
    """The values that the search found when its bounds were weaker and it checked two to three
    times the nodes."""
    result = search(fars, gy.KAnonymity(5), utility=utility, suppression="0.04")
    assert result.is_optimal and math.isclose(result.loss, value, rel_tol=1e-12)
    assert result.n_checked < most_checked


@pytest.mark.parametrize(
    ("k", "share", "value", "node"),
    [
        (5, "0", 407289.5388925293, (1, 2, 1, 1, 3, 2, 2, 1, 1)),
        (100, "0", 453196.8932458743, (0, 4, 1, 1, 3, 2, 2, 1, 1)),
        (5, "0.04", 255559.85455731067, (1, 0, 1, 1, 3, 2, 2, 0, 1)),
        (100, "0.04", 379417.3460570988, (1, 1, 1, 1, 3, 2, 2, 1, 1)),
    ],
)
def test_non_uniform_entropy_on_adult_is_what_arx_expects(adult, k, share, value, node):
    result = search(
        adult,
        gy.KAnonymity(k),
        utility="non_uniform_entropy",
        suppression=share,
        suppressed_as="published",
    )
    assert result.is_optimal and math.isclose(result.loss, value, rel_tol=1e-12)
    assert tuple(result.levels.values()) == node
