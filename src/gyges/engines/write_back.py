"""A release written back as tables, into the database of the table that it was made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gyges.data.source import Source
from gyges.engines.ibis import IbisSource
from gyges.engines.transfer import from_arrow, refuse_existing, write
from gyges.errors import EngineError

if TYPE_CHECKING:
    import pyarrow as pa


def write_back(source: Source, tables: Mapping[str, pa.Table], name: str) -> list[str]:
    """Create the published tables in the engine where the source lives; return their names.

    One table is called `name`; people and sensitive values are `name_people` and
    `name_sensitive`. Nothing is overwritten.
    """
    names = names_to_create(source, tables, name)
    assert isinstance(source, IbisSource)
    engine = source.rows.get_backend()
    for part, rows in tables.items():
        write(from_arrow(engine, rows), names[part])
    return list(names.values())


def names_to_create(source: Source, tables: Mapping[str, pa.Table], name: str) -> dict[str, str]:
    """The name of each published table; refused where they cannot be created."""
    if not isinstance(source, IbisSource) or not source.takes_tables:
        raise EngineError(
            f"{source.name} is not in a database that takes tables: save the release to files"
        )
    names = {part: name if len(tables) == 1 else f"{name}_{part}" for part in tables}
    refuse_existing(source.rows.get_backend(), names.values())
    return names
