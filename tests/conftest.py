"""Settings of the whole suite, and where the real data is found."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from gyges.cli import main

# No deadline: the first call of a numba kernel compiles for seconds.
settings.register_profile(
    "house",
    deadline=None,
    max_examples=int(os.environ.get("GYGES_EXAMPLES", "100")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("house")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with Adult, IPUMS, …: GYGES_DATA, or `shared/data` beside the checkout."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("GYGES_DATA", beside))
    if not (folder / "adult.csv.gz").exists():
        pytest.skip("the real data sets are not here: set GYGES_DATA to their folder")
    return folder


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
