"""A quick start: what the command need not load when its table is in a file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType


class _Absent:
    """An importer to which pandas is not installed."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Nothing of pandas is found; anything else is left to the next importer."""
        if name == "pandas":
            raise ModuleNotFoundError(name)
        return None


def spare_pandas(source: str) -> None:
    """Let pyarrow do without pandas, which it would load, at its first array, for frames.

    That takes a good part of a second, and the command makes no frame from a file. Databases do
    need pandas, through Ibis.
    """
    if "://" in source or "pandas" in sys.modules:
        return
    import pyarrow as pa

    absent = _Absent()
    sys.meta_path.insert(0, absent)
    try:
        pa.array([0])  # it looks for pandas once, here
    finally:
        sys.meta_path.remove(absent)
