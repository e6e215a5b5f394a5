"""What the user states about several releases: who is in which, and which values may change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from gyges.arrays import BoolArray
from gyges.auditing.finding import listed
from gyges.data.table import Table
from gyges.data.values import text_of
from gyges.errors import GygesError
from gyges.release.release import Release


def said_of_similar(
    parts: Sequence[Release], similar: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """Which values count as one, and which of them no release has, in words."""
    known = {text_of(value) for part in parts for value in part.groups.values}
    for name, values in similar.items():
        yield f"Counted as one value, {name!r}: {listed(values)}."
        strange = [value for value in values if value not in known]
        if strange:
            yield f"No release has the value {listed(strange)}: check how it is spelled."


_YES, _NO = {"1", "yes", "true"}, {"0", "no", "false"}


def people_in_releases(people: Table, columns: Sequence[str] | None, n_releases: int) -> BoolArray:
    """Who is in which release, from a column for each; everyone in all of them without columns."""
    if columns is None:
        return np.ones((len(people), n_releases), dtype=bool)
    if len(columns) != n_releases:
        raise GygesError(f"--present names {len(columns)} columns: name one for each release")
    is_in, known = [], people.fetch(list(dict.fromkeys(columns)))
    for name in columns:
        column = known.column(name)
        texts = [text_of(value).casefold() for value in column.to_pylist()]
        if set(texts) - _YES - _NO:
            raise GygesError(
                "--present: a column has other values: write yes or no, true or false, 1 or 0"
            )
        is_in.append([text in _YES for text in texts])
    for number, there in enumerate(is_in, start=1):
        if not any(there):
            raise GygesError(
                f"--present says that nobody of these people is in release {number}: nothing "
                f"would be attacked"
            )
    return np.array(is_in, dtype=bool).T
