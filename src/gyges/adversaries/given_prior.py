"""Priors that are given: a public table about other people, or a matrix of one's own.

An attacker need not know the published table to know how values depend on age and sex: another
country's census or last year's data tell much of it. From such a table, with W_v(q) the sum of the
kernel's weights of its people with value v around the quasi-identifiers q, N_v how many of its n
people have v, and m values that the published table has,

    P(v | q) = (W_v(q) + u_v) / (Σ_w W_w(q) + 1),        u_v = (N_v + 1) / (n + m)

One more person, spread over the table's shares, keeps every value possible: where nobody of the
public table is near, the attacker expects its shares; a value that it does not have is rare, not
impossible. Values that only the public table has are left out.
"""

from __future__ import annotations

import numpy as np

from gyges.adversaries.kernel_columns import Bandwidth, Distances, Kernel
from gyges.adversaries.kernel_prior import kernel_sums
from gyges.arguments import numbers
from gyges.arrays import CodeArray, FloatArray, IntArray
from gyges.data.cells import Cells, Domain, distinct_rows
from gyges.data.table import Table
from gyges.data.values import sort_key, text_of
from gyges.errors import RuleError

_SUMS_TO_ONE = 1e-6


def priors_from_table(
    cells: Cells,
    public: Cells,
    bandwidth: Bandwidth,
    kernel: Kernel = "epanechnikov",
    distances: Distances | None = None,
) -> FloatArray:
    """The belief about people of each cell, by the people of another table: cells × values."""
    joined, own = _joined(cells, public)
    weights = kernel_sums(joined, bandwidth, kernel, distances)[own]
    place = {text_of(value): code for code, value in enumerate(joined.sensitive.values)}
    codes = [place[text_of(value)] for value in cells.sensitive.values]
    totals = joined.value_totals[codes].astype(np.float64)
    shares = (totals + 1) / (totals.sum() + len(codes))
    found = weights[:, codes] + shares
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def priors_from_matrix(table: Table, matrix: object) -> FloatArray:
    """A matrix in the order of a table's rows and sensitive values, as one row for each cell."""
    stated = numbers(matrix, "prior", 2, "a matrix, rows of the table × sensitive values")  # type: ignore[arg-type]
    given = np.asarray(stated, dtype=np.float64)
    wanted = (table.n_rows, len(table.sensitive_values))
    if given.shape != wanted:
        raise RuleError(
            f"prior has {given.shape[0]:,} rows and {given.shape[1]:,} columns: give one row for "
            f"each of the {wanted[0]:,} rows of the table, in its order, and one column for each "
            f"of its {wanted[1]:,} sensitive values, in their order (table.sensitive_values)"
        )
    if (given < 0).any() or (np.abs(given.sum(axis=1) - 1) > _SUMS_TO_ONE).any():
        raise RuleError("prior: every row must hold probabilities, at least 0, that add up to 1")
    found = np.zeros((len(table.cells), given.shape[1]))
    found[table.cell_of_row] = given
    if (np.abs(found[table.cell_of_row] - given) > _SUMS_TO_ONE).any():
        raise RuleError(
            "prior: rows with the same quasi-identifiers differ; the attacker knows people by "
            "these, so give such rows the same probabilities"
        )
    refuse_impossible(table.cells, found)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def refuse_impossible(cells: Cells, priors: FloatArray) -> None:
    """Refuse a prior that excludes a value that somebody has: no belief would agree with it."""
    if (priors[cells.cell_of_entry, cells.value_codes] <= 0).any():
        raise RuleError(
            "prior: it gives probability 0 to a value that someone with these quasi-identifiers "
            "has; give every value that occurs a probability above 0"
        )


def _joined(cells: Cells, public: Cells) -> tuple[Cells, IntArray]:
    """The cells of both tables with the people of the public one; and where our own cells are."""
    _refuse_other_columns(cells, public)
    columns = [public.columns.index(name) for name in cells.columns]
    domains, ours, theirs = [], [], []
    for place, (own, column) in enumerate(zip(cells.domains, columns, strict=True)):
        domain, mine, other = _united(own, public.domains[column])
        domains.append(domain)
        ours.append(mine[cells.codes[:, place]])
        theirs.append(other[public.codes[:, column]])
    sensitive, _, of_value = _united(cells.sensitive, public.sensitive)
    codes = np.concatenate([_table(ours, len(cells)), _table(theirs, len(public))])
    _, where = distinct_rows(codes, [len(domain) for domain in domains])
    nobody = np.zeros(len(cells), dtype=np.int64)
    joined = Cells.from_entries(
        domains=domains,
        codes=codes,
        people=np.concatenate([nobody, public.people]),
        sensitive=sensitive,
        entry_codes=codes,
        value_codes=of_value[public.value_codes].astype(np.int32),
        value_counts=public.value_counts,
        values_per_person="one",
        entry_rows=len(cells) + public.cell_of_entry,
    )
    return joined, where[: len(cells)]


def _table(columns: list[CodeArray], n: int) -> CodeArray:
    if not columns:
        return np.zeros((n, 0), dtype=np.int32)
    return np.stack(columns, axis=1).astype(np.int32)


def _refuse_other_columns(cells: Cells, public: Cells) -> None:
    missing = [name for name in cells.columns if name not in public.columns]
    if missing:
        raise RuleError(
            f"the table of the prior has no quasi-identifier {missing[0]!r}: it needs the "
            f"quasi-identifiers of the published table, {', '.join(cells.columns)}"
        )
    if public.sensitive.name != cells.sensitive.name or public.values_per_person != "one":
        raise RuleError(
            f"the table of the prior needs the sensitive column {cells.sensitive.name!r}, with one "
            f"value per person"
        )


def _united(own: Domain, other: Domain) -> tuple[Domain, CodeArray, CodeArray]:
    """The values of both domains, and the codes of each in it."""
    if own.kind != other.kind:
        raise RuleError(
            f"the column {own.name!r} holds another kind of values in the table of the prior "
            f"({other.kind}) than in the published one ({own.kind})"
        )
    known = {text_of(value): value for value in (*own.values, *other.values)}
    if own.ladder is not None and len(known) > len(own.values):
        raise RuleError(
            f"the table of the prior has values of {own.name!r} that the hierarchy of that column "
            f"does not have: add them, or recode them"
        )
    values = own.values if own.ladder else tuple(sorted(known.values(), key=sort_key))
    place = {text_of(value): code for code, value in enumerate(values)}
    present = np.ones(len(values), dtype=bool)
    domain = Domain(own.name, own.kind, values, present, own.ladder)
    codes = [np.array([place[text_of(v)] for v in one.values], np.int32) for one in (own, other)]
    return domain, codes[0], codes[1]
