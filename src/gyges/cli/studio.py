"""`gyges studio`: the whole job in a web page on this machine."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from gyges.cli.output import put, terminal
from gyges.errors import EngineError


def studio(
    source: Annotated[
        Path | None,
        typer.Argument(help="A gyges.toml, a table (CSV, Parquet), or a folder to work in."),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
    port: Annotated[int, typer.Option(help="The port; any free one by default.")] = 0,
) -> None:
    """Open a web page for the whole job, from the table to the release, on this machine only.

    Whatever the page does is saved in a project file, which `gyges publish` publishes.
    """
    try:
        from gyges.studio.serving import ended_in_order, open_studio
    except ImportError as missing:
        raise EngineError(f"the page needs {missing.name}: pip install 'gyges[studio]'") from None
    with ended_in_order():
        terminal.stage("starting the studio")
        with closing(open_studio(source, port=port, tell=terminal)) as server:
            terminal.end()
            put(f"Gyges Studio: {server.new_address()}", sys.stdout)
            put(
                "It answers this machine only. Keep the address to yourself: it works once. Ctrl-C "
                "ends the studio.",
                sys.stderr,
            )
            if browser:
                server.show()
            server.run()
