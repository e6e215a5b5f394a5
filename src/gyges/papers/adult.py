"""Adult as the papers use it: 45,222 people without missing values, and their hierarchies.

Marital status and the height-2 trees of the other columns are our choice where a paper only says
how many levels there are; ages start at multiples of the width, as in [Kifer2006, Sect. 8].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

    from gyges.data.hierarchy import Hierarchy
    from gyges.data.table import Table
    from gyges.release.groups import Groups

MARTIN = ("age", "marital-status", "race", "sex")
_TREES: dict[str, Mapping[str, Sequence[str]] | Sequence[str]] = {
    "marital-status": {
        "Married": ["Married-civ-spouse", "Married-AF-spouse", "Married-spouse-absent"],
        "Not-married": ["Never-married", "Divorced", "Separated", "Widowed"],
    },
    "race": ["Amer-Indian-Eskimo", "Asian-Pac-Islander", "Black", "Other", "White"],
    "sex": ["Female", "Male"],
    "occupation": {
        "White-collar": [
            "Exec-managerial",
            "Prof-specialty",
            "Adm-clerical",
            "Sales",
            "Tech-support",
        ],
        "Blue-collar": [
            "Craft-repair",
            "Machine-op-inspct",
            "Transport-moving",
            "Handlers-cleaners",
            "Farming-fishing",
        ],
        "Service": ["Other-service", "Protective-serv", "Priv-house-serv"],
        "Other-occupation": ["Armed-Forces"],
    },
    "workclass": {
        "Private-sector": ["Private"],
        "Self-employed": ["Self-emp-not-inc", "Self-emp-inc"],
        "Government": ["Federal-gov", "State-gov", "Local-gov"],
        "Unpaid": ["Without-pay", "Never-worked"],
    },
}


def people(n_rows: int | None = None) -> pa.Table:
    """Everybody without a missing value, age as a number; the first of them if `n_rows` is given.

    The first rows are as good as any: Adult is in no order.
    """
    import pyarrow as pa
    import pyarrow.compute

    from gyges.papers.data import load

    rows = load("adult")
    for name in ("workclass", "occupation", "native-country"):
        rows = rows.filter(pa.compute.not_equal(rows.column(name), "?"))
    age = rows.schema.get_field_index("age")
    rows = rows.set_column(age, "age", rows.column("age").cast(pa.int64()))
    return rows if n_rows is None else rows.slice(0, n_rows)


def hierarchies(columns: Sequence[str]) -> dict[str, Hierarchy]:
    """A hierarchy for each column: age in steps of 5, 10, 20, 40 years, trees for the rest."""
    import gyges as gy

    made = {name: gy.Hierarchy.from_tree(_TREES[name]) for name in columns if name in _TREES}
    return made | ({"age": gy.Hierarchy.intervals(5, 10, 20, 40)} if "age" in columns else {})


def adult_table(
    columns: Sequence[str] = MARTIN, sensitive: str = "occupation", n_rows: int | None = None
) -> Table:
    """Adult with these quasi-identifiers and hierarchies."""
    import gyges as gy

    rows = people(n_rows).select([*columns, sensitive])
    schema = gy.Schema(
        quasi_identifiers=list(columns), sensitive=sensitive, hierarchies=hierarchies(columns)
    )
    return gy.read(rows, schema)


def every_node(table: Table) -> dict[tuple[int, ...], Groups]:
    """The groups of every full-domain generalization, by its levels."""
    import itertools

    from gyges.release.groups_of_cells import groups_of_cells
    from gyges.search.lattice_nodes import Lattice
    from gyges.search.lattice_rollup import RollUps

    lattice = Lattice.of(table.cells)
    rollups = RollUps(lattice, with_values=False)
    nodes = itertools.product(*(range(level + 1) for level in lattice.top))
    return {node: groups_of_cells(table.cells, rollups.group_of_cell(node)) for node in nodes}
