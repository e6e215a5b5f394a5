"""Where the `gyges` command begins: Ctrl-C is answered from its first moment on."""

from __future__ import annotations

import os
import sys


def run() -> None:
    """Load the command and run it; Ctrl-C while it is loaded is one sentence, not a traceback."""
    try:
        from gyges.cli.main import run as run_command

        run_command()
    except KeyboardInterrupt:
        print("gyges: stopped; nothing was written", file=sys.stderr, flush=True)
        os._exit(130)  # as `interrupt.STOPPED`, of which nothing is loaded yet
