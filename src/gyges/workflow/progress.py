"""What a surface shows while something runs, be it a terminal, a page or Python.

Nothing here draws anything. A function that takes long is given a `Progress` and says what it is
doing; it also announces each file before it is written, so that after an error or Ctrl-C the
surface can look which of them are there.
"""

from __future__ import annotations

import warnings
from typing import Protocol, runtime_checkable

from gyges.errors import GygesWarning
from gyges.workflow.outputs import Outputs


@runtime_checkable
class Progress(Protocol):
    """What a surface shows while it waits."""

    @property
    def outputs(self) -> Outputs:
        """What is about to be written."""
        ...

    @property
    def is_watched(self) -> bool:
        """Whether somebody sees steps, so that they are worth computing."""
        ...

    def stage(self, text: str) -> None:
        """Say what is being done from here on."""
        ...

    def step(self, text: str, done: float, total: float) -> None:
        """Say how much of it is done."""
        ...

    def note(self, text: str) -> None:
        """Say something that is not the result."""
        ...

    def warn(self, text: str) -> None:
        """Say something that the person should act on."""
        ...


class Quiet:
    """Python's own way: nothing is shown but warnings."""

    is_watched = False

    def __init__(self) -> None:
        self.outputs = Outputs()

    def stage(self, text: str) -> None:
        """Show nothing."""

    def step(self, text: str, done: float, total: float) -> None:
        """Show nothing."""

    def note(self, text: str) -> None:
        """Show nothing."""

    def warn(self, text: str) -> None:
        """Raise a warning, as Python does it."""
        warnings.warn(text, GygesWarning, stacklevel=2)


def note_first_use(progress: Progress) -> None:
    """Load what compiles the kernels, and say why the first run is slow."""
    from gyges.kernels.compiled import is_first_use  # loads numba

    if is_first_use():
        progress.note("compiling the kernels, once on this machine: about half a minute …")
