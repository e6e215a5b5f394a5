"""Checks of the arguments of public functions, with messages that name the argument.

`exact` reads numbers; here are objects, choices, lists, mappings, paths and arrays. A message
never shows what is inside a list, an array or a frame: that may be about people.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from gyges.arrays import FloatArray, IntArray
from gyges.errors import GygesError, RuleError

T = TypeVar("T")
Error = type[GygesError]

MOST_LISTED = 10_000_000  # an iterable without an end must not take all memory
_LONGEST_NAME, _LONGEST_PATH = 255, 4_000  # bytes
_LONGEST = 60  # characters of a value that a message repeats
_SIMPLE = (str, bytes, int, float, complex, Fraction, Decimal, Path, np.generic, type(None))


def shown(value: object) -> str:
    """A wrong argument for a message: a short text or number as it is, else its type alone."""
    if not isinstance(value, _SIMPLE):
        return f"a {type(value).__name__}"
    try:
        text = repr(value) if isinstance(value, (str, bytes)) else str(value)
    except ValueError:  # Python writes no whole number of more than 4,300 digits
        return "a number of very many digits"
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def instance(
    value: object,
    kind: type[T] | tuple[type[T], ...],
    name: str,
    how: str,
    error: Error = RuleError,
) -> T:
    """Refuse a value of another type; `how` tells the user what to give instead."""
    if not isinstance(value, kind):
        raise error(f"{name} is {shown(value)}: {how}")
    return value


def choice(value: object, known: Collection[str], name: str, error: Error = RuleError) -> str:
    """One of a few texts."""
    if not isinstance(value, str) or value not in known:
        raise error(f"{name} is {shown(value)}: choose {either(list(map(repr, known)))}")
    return value


def either(names: Sequence[str]) -> str:
    """The names of several things, of which one is to be chosen.

    >>> either(["csv", "parquet", "xlsx"]), either(["csv"])
    ('csv, parquet or xlsx', 'csv')
    """
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]


def flag(value: object, name: str) -> bool:
    """Yes or no."""
    if not isinstance(value, (bool, np.bool_)):
        raise RuleError(f"{name} is {shown(value)}: give True or False")
    return bool(value)


def items(value: object, name: str, of: str, error: Error = RuleError) -> list[object]:
    """The items of a list; a text is not a list, nor is an endless iterator."""
    # A plain list, whose iterator raises nothing.
    if isinstance(value, list) and type(value) is list and len(value) <= MOST_LISTED:
        return list(value)
    problem = f"{name} is {shown(value)}: give a list of {of}"
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise error(problem)
    if isinstance(value, range) and len(value) > MOST_LISTED:
        raise error(f"{name} has more than {MOST_LISTED:,} items: give fewer {of}")
    try:
        listed = list(islice(value, MOST_LISTED + 1))
    except Exception:  # a foreign iterator may raise anything
        raise error(problem) from None
    if len(listed) > MOST_LISTED:
        raise error(f"{name} has more than {MOST_LISTED:,} items: give fewer {of}")
    return listed


def mapping(value: object, name: str, of: str, error: Error = RuleError) -> dict[object, object]:
    """A dict."""
    if not isinstance(value, Mapping):
        raise error(f"{name} is {shown(value)}: give a dict of {of}")
    return dict(value)


def path(value: object, name: str, error: Error = RuleError) -> Path:
    """Where a file or folder is."""
    if not isinstance(value, (str, Path)) or not str(value) or "\x00" in str(value):
        raise error(f"{name} is {shown(value)}: give a path")
    try:
        parts = [len(part.encode()) for part in Path(value).parts]
    except UnicodeEncodeError:
        raise error(f"{name} is {shown(value)}: give a path") from None
    if max(parts, default=0) > _LONGEST_NAME or sum(parts) + len(parts) > _LONGEST_PATH:
        raise error(f"{name} is {shown(value)}: the name is too long")
    return Path(value)


def generator(value: object, name: str = "rng") -> np.random.Generator:
    """A random generator."""
    return instance(value, np.random.Generator, name, "give numpy.random.default_rng()")


def seeded(seed: object) -> np.random.Generator:
    """A random generator from a seed; from the operating system's entropy without one."""
    if seed is None:
        return np.random.default_rng()
    if isinstance(seed, (bool, np.bool_)) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise RuleError(f"seed is {shown(seed)}: give a whole number, at least 0")
    return np.random.default_rng(int(seed))


def called(value: object, name: str, of: tuple[str, ...]) -> Callable[..., object] | None:
    """A function to call with arguments of these names, or None."""
    if value is None:
        return None
    if not callable(value) or isinstance(value, type):
        raise RuleError(f"{name} is {shown(value)}: give a function, or omit it")
    try:
        inspect.signature(value).bind(*of)
    except TypeError:
        raise RuleError(
            f"{name} does not take ({', '.join(of)}): give a function of these"
        ) from None
    except ValueError:  # some builtins have no signature
        pass
    return value


def numbers(value: ArrayLike, name: str, n_dimensions: int, of: str) -> FloatArray:
    """An array of finite numbers."""
    array = as_array(value, name, of)
    given = array.dtype.kind
    try:
        array = np.asarray(array, dtype=np.float64)
    except Exception:  # whatever the conversion of a foreign object raises
        raise RuleError(f"{name} contains something that is not a number: give {of}") from None
    if given in "SUmM" or isinstance(value, np.ma.MaskedArray):
        raise RuleError(f"{name} contains something that is not a number: give {of}")
    if array.ndim != n_dimensions:
        raise RuleError(f"{name} has {array.ndim} dimensions: give {of}")
    if not np.isfinite(array).all():
        raise RuleError(f"{name} holds NaN or an infinite number: give {of}")
    return array


def codes(value: ArrayLike, name: str, length: int | None, least: int, most: int) -> IntArray:
    """A list of whole numbers within bounds, of this length if one is given."""
    array = as_array(value, name, "whole numbers")
    if array.ndim != 1 or (length is not None and len(array) != length):
        each = "" if length is None else f", one for each of the {length:,} rows"
        raise RuleError(f"{name} has the shape {array.shape}: give whole numbers{each}")
    if len(array) == 0:
        return np.zeros(0, dtype=np.int64)
    if array.dtype.kind not in "iu" or isinstance(value, np.ma.MaskedArray):
        raise RuleError(f"{name} holds {array.dtype}: give whole numbers")
    if not (array.min() >= least and array.max() <= most):
        raise RuleError(f"{name} goes from {array.min()} to {array.max()}: out of range")
    return array.astype(np.int64)


def as_array(value: ArrayLike, name: str, of: str) -> np.ndarray[Any, Any]:
    """An array of anything; `of` tells the user what to give."""
    if isinstance(value, range) and len(value) > MOST_LISTED:
        raise RuleError(f"{name} has more than {MOST_LISTED:,} items: give {of}")
    try:
        return np.asarray(value)
    except Exception:  # a foreign sequence may raise anything
        raise RuleError(f"{name} is {shown(value)}: give {of}") from None
