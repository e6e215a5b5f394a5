"""What a workflow reports while it runs, to a terminal, a page or Python.

Nothing here draws anything. A function that takes long is given a `Progress` and reports what it is
doing. It also announces each file before it is written, so that after an error or Ctrl-C the
surface can check which of them exist.
"""

from __future__ import annotations

import warnings

from gyges.errors import GygesWarning
from gyges.workflow.outputs import Outputs


class Progress:
    """What a surface shows while it waits; this one shows warnings only, as Python does."""

    def __init__(self) -> None:
        self.outputs = Outputs()

    @property
    def is_watched(self) -> bool:
        """Whether anyone sees the steps, so that they are worth computing."""
        return False

    def stage(self, text: str) -> None:
        """Say what is being done from now on."""

    def step(self, text: str, done: float, total: float) -> None:
        """Say how much of it is done."""

    def search_step(self, text: str, done: float, total: float) -> bool:
        """Say how far a search is that may end at any step; whether it is to end here."""
        self.step(text, done, total)
        return False

    def note(self, text: str) -> None:
        """Say something that is not the result."""

    def warn(self, text: str) -> None:
        """Say something that the user should act on."""
        warnings.warn(text, GygesWarning, stacklevel=2)


def note_first_use(progress: Progress, n_items: int) -> None:
    """Say why the first run on a large table is slow: its kernels have to be compiled."""
    from gyges.kernels.compiled import FEW, is_first_use

    if n_items > FEW and is_first_use():
        progress.note("compiling the kernels, once on this machine: up to half a minute …")
