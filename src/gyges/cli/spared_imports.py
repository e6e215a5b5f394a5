"""A quick start: what the command need not load when its table is in a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from types import ModuleType


def spare_pandas(source: str) -> None:
    """Let pyarrow do without pandas, which it would load, at its first array, for frames.

    That takes a good part of a second, and the command makes no frame from a file. Databases do
    need pandas, through Ibis.
    """
    if "://" in source or "pandas" in sys.modules:
        return
    import pyarrow as pa

    with _absent("pandas"):
        pa.array([0])  # it looks for pandas once, here


def spare_linear_algebra() -> None:
    """Let numba do without scipy.linalg, which it would load to see whether it is there.

    That takes a tenth of a second, and no kernel multiplies matrices. In a process that is not
    ours alone, somebody's own kernels might.
    """
    with _absent("scipy.linalg"):
        import numba.np.arraymath  # noqa: F401 (it looks for scipy.linalg once, here)


@contextmanager
def _absent(module: str) -> Iterator[None]:
    """Make a module look as if it were not installed; one that is loaded already stays so."""
    importer = _Absent(module)
    sys.meta_path.insert(0, importer)
    try:
        yield
    finally:
        sys.meta_path.remove(importer)


class _Absent:
    """An importer to which one module is not installed."""

    def __init__(self, module: str) -> None:
        self.module = module

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Nothing of the module is found; anything else is left to the next importer."""
        if name == self.module:
            raise ModuleNotFoundError(name)
        return None
