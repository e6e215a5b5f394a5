"""The entry point of the `gyges` command, which answers Ctrl-C from the start."""

from __future__ import annotations

import gc
import os
import signal

_CONTAINERS = 500_000  # made before garbage is looked for (700 by default): more than at a start


def run() -> None:
    """Load the command and run it; Ctrl-C during loading prints one sentence, not a traceback."""
    signal.signal(signal.SIGINT, _stop)
    gc.set_threshold(_CONTAINERS)  # modules leave none: searching takes a seventh of a cold start

    from gyges.cli.main import run as run_command

    run_command()


def _stop(*_: object) -> None:
    """Answer Ctrl-C until `interrupt.answer_interrupts` does: nothing can have been written."""
    os.write(2, b"gyges: stopped; nothing was written\n")
    os._exit(130)  # `interrupt.STOPPED`, which is not loaded yet
