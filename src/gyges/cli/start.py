"""Where the `gyges` command begins: Ctrl-C is answered from its first moment on."""

from __future__ import annotations

import os
import signal


def run() -> None:
    """Load the command and run it; Ctrl-C while it is loaded is one sentence, not a traceback."""
    signal.signal(signal.SIGINT, _stop)

    from gyges.cli.main import run as run_command

    run_command()


def _stop(*_: object) -> None:
    """Answer Ctrl-C until `interrupt.answer_interrupts` does: so far nothing can be written."""
    os.write(2, b"gyges: stopped; nothing was written\n")
    os._exit(130)  # as `interrupt.STOPPED`, of which nothing is loaded yet
