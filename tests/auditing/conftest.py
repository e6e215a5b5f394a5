"""The command, run in this process."""

from __future__ import annotations

import pytest

from gyges.cli import main


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command: its exit code, and what it said."""

    def run(*command):
        monkeypatch.setattr("sys.argv", ["gyges", *map(str, command)])
        with pytest.raises(SystemExit) as stopped:
            main.run()
        said = capsys.readouterr()
        return stopped.value.code, said.out, " ".join(said.err.split())

    return run
