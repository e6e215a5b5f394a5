"""`python -m gyges` is the `gyges` command."""

from __future__ import annotations

from gyges.cli.start import run

if __name__ == "__main__":
    run()
