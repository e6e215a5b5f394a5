"""How much memory there is to work with: a limit as people write it, and its division."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from gyges.arguments import shown
from gyges.errors import RuleError

MemoryLimit: TypeAlias = str | int

_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_UNITS |= {"kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}
_MOST_BYTES = 2**60  # engines count no more
# With less, DuckDB was seen to fail at counting 600,000 rows of ten columns.
_LEAST_FOR_ENGINE = 72 * 2**20
_LEAST_LEFT = 168 * 2**20  # with less, the peak was seen above the limit: 586 MiB of 560
# Python, all libraries and the kernels with 20,000 rows: 350 to 430 MiB, by how many pages of the
# libraries' files the system maps at once; 80 more in a machine's first process, which compiles.
_PROGRAM = 510 * 2**20


@dataclass(frozen=True, slots=True)
class MemoryBudget:
    """The memory that a limit leaves besides the program itself, divided."""

    limit: int  # bytes of the whole process
    engine: int  # bytes for an engine that runs inside it
    part: int  # bytes for the part of the table that is in memory

    @classmethod
    def of(cls, limit: MemoryLimit | MemoryBudget) -> MemoryBudget:
        """Divide what a limit leaves; refuse a limit that leaves too little."""
        if isinstance(limit, MemoryBudget):
            return limit
        n_bytes, taken = bytes_of(limit), max(resident(), _PROGRAM)
        left = n_bytes - taken
        if left < _LEAST_LEFT:
            raise RuleError(
                f"a memory limit of {n_bytes / 2**20:,.0f} MiB is too little, because the program "
                f"alone takes {taken / 2**20:,.0f} MiB: give at least "
                f"{(taken + _LEAST_LEFT) / 2**20:,.0f} MiB"
            )
        share = left * 7 // 20
        return cls(n_bytes, engine=max(share, _LEAST_FOR_ENGINE), part=share)


def bytes_of(limit: MemoryLimit) -> int:
    """A memory limit in bytes.

    >>> bytes_of("2GB"), bytes_of("1.5 GiB"), bytes_of(4096)
    (2000000000, 1610612736, 4096)
    """
    given = shown(limit) if isinstance(limit, (int, np.integer)) else limit
    is_text = isinstance(given, str) and not isinstance(limit, bool)
    match = (
        re.fullmatch(r"\s*(\d{1,20}(?:\.\d{1,20})?)\s*([a-zA-Z]*)\s*", given) if is_text else None
    )
    unit = _UNITS.get(match[2].lower()) if match else None
    if match is None or unit is None or float(match[1]) * unit > _MOST_BYTES:
        raise RuleError(f"the memory limit is {shown(limit)}: give bytes, or text such as '2GB'")
    return int(float(match[1]) * unit)


def resident() -> int:
    """Bytes of memory that this process takes now; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    import resource

    return pages * resource.getpagesize()
