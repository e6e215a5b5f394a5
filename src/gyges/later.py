"""A function or object by its module, which is loaded when it is first needed."""

from __future__ import annotations

import importlib
import inspect
from dataclasses import dataclass
from functools import cache
from typing import Any


@dataclass(frozen=True, slots=True)
class Later:
    """A name of a module. Call it like the function itself, ask for its signature, or load it.

    A command that needs one of many starts sooner when it loads no other.
    """

    module: str
    name: str

    def load(self) -> Any:
        """The function or object itself."""
        return vars(importlib.import_module(self.module))[self.name]

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Call the function."""
        return self.load()(*given, **named)

    @property
    def __signature__(self) -> inspect.Signature:
        return _signature(self)


@cache
def _signature(function: Later) -> inspect.Signature:
    return inspect.signature(function.load())
