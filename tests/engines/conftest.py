"""The engines that the suite of this folder runs on.

A `Place` puts a typed Arrow table where the engine has it and returns what a person would give to
`gy.read`. PostgreSQL and Spark start once for the whole run; where they cannot, the tests that
need them are skipped and say why.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from gyges.engines import parquet_rows, small_files
from tests.engines.postgres_server import NoServerError, Server

ENGINES = [
    "memory", "csv", "parquet", "large csv", "large parquet", "long parquet", "duckdb", "postgres",
    "spark",
]  # fmt: skip

# One worker holds Spark and one PostgreSQL, however many workers there are.
_MARKS = {
    "postgres": [pytest.mark.xdist_group("postgres")],
    "spark": [
        pytest.mark.xdist_group("spark"),
        pytest.mark.filterwarnings("ignore::ResourceWarning"),
        pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    ],
}


@dataclass
class Place:
    """One engine: `put` stores a table in it and returns the arguments of `gy.read`."""

    name: str
    put: Callable[[pa.Table], tuple[object, dict[str, Any]]]
    examples: int  # how many random tables a property tries here
    numbers: Iterator[int] = field(default_factory=itertools.count)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a real PostgreSQL."""
    pytest.importorskip("psycopg", reason="the driver of PostgreSQL is not installed")
    try:
        server = Server()
    except NoServerError as problem:
        pytest.skip(str(problem))
    yield server.url
    server.stop()


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A real Spark on this machine, as small as it can be."""
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    _need_java()
    folder = tmp_path_factory.mktemp("spark")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

        settings = {
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "2",
            "spark.default.parallelism": "2",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.memory": "700m",
            # Small tables: what takes long is compiling, not counting.
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.sql.adaptive.enabled": "false",
            "spark.log.level": "OFF",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
            "spark.local.dir": str(folder / "local"),
            "spark.sql.session.timeZone": "Europe/Vienna",
        }
        builder = SparkSession.builder.master("local[1]").appName("gyges")
        for name, value in settings.items():
            builder = builder.config(name, value)
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("PYSPARK_PYTHON", sys.executable)  # that has gyges
            session = builder.getOrCreate()
            yield session
            session.stop()


def _need_java() -> None:
    if shutil.which("java") is None:
        pytest.skip("there is no Java here, which Spark needs (Debian: openjdk-17-jre-headless)")
    told = subprocess.run(["java", "-version"], capture_output=True, text=True, check=False).stderr
    if not any(f'version "{number}' in told for number in (17, 21)):
        pytest.skip(f"Spark needs Java 17 or 21, not {told.splitlines()[0] if told else 'none'}")


@pytest.fixture(params=[pytest.param(name, marks=_MARKS.get(name, [])) for name in ENGINES])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Every engine in turn."""
    return make_place(request.param, request, tmp_path)


def examples(usual: int) -> int:
    """How many random tables are tried; GYGES_EXAMPLES hunts with more, as in tests/conftest.py."""
    return max(usual * int(os.environ.get("GYGES_EXAMPLES", "100")) // 100, 1)


def make_place(name: str, request: pytest.FixtureRequest, folder: Path) -> Place:
    numbers = itertools.count()
    if name == "long parquet":  # Arrow counts no Parquet file any more: DuckDB does
        request.getfixturevalue("monkeypatch").setattr(parquet_rows, "_MOST_ROWS", -1)
        return make_place("large parquet", request, folder)
    if name.startswith("large "):  # no file is small any more
        request.getfixturevalue("monkeypatch").setattr(small_files, "SMALL", -1)
        return make_place(name.removeprefix("large "), request, folder)
    if name == "memory":
        return Place(name, lambda rows: (rows, {}), examples(60))
    if name == "csv":
        return Place(
            name, lambda rows: (_as_csv(rows, folder / f"t{next(numbers)}.csv"), {}), examples(15)
        )
    if name == "parquet":
        return Place(
            name,
            lambda rows: (_as_parquet(rows, folder / f"t{next(numbers)}.parquet"), {}),
            examples(10),
        )
    if name == "duckdb":
        return Place(
            name, lambda rows: _in_duckdb(rows, folder / f"t{next(numbers)}.db"), examples(4)
        )
    if name == "postgres":
        url = request.getfixturevalue("postgres")
        return Place(name, lambda rows: _in_postgres(rows, url, numbers), examples(6))
    session = request.getfixturevalue("spark")
    return Place(name, lambda rows: (session.createDataFrame(rows), {}), examples(1))


def _as_csv(rows: pa.Table, path: Path) -> Path:
    import duckdb

    with duckdb.connect() as engine:
        engine.from_arrow(rows).write_csv(str(path), header=True)
    return path


def _as_parquet(rows: pa.Table, path: Path) -> Path:
    import pyarrow.parquet

    pyarrow.parquet.write_table(rows, path)
    return path


def _in_duckdb(rows: pa.Table, path: Path) -> tuple[str, dict[str, Any]]:
    import ibis

    engine = ibis.duckdb.connect(path)
    engine.create_table("people", rows)
    engine.disconnect()
    return f"duckdb:///{path}", {"table": "people"}


def _in_postgres(rows: pa.Table, url: str, numbers: Iterator[int]) -> tuple[str, dict[str, Any]]:
    import ibis

    engine = ibis.connect(url)
    name = f"people_{next(numbers)}"
    engine.create_table(name, rows, overwrite=True)
    engine.disconnect()
    return url, {"table": name}


@pytest.fixture(scope="session")
def everything() -> tuple[pa.Table, list[str]]:
    """A table with a column of every type, with nulls, and the names of its quasi-identifiers."""
    import numpy as np

    from tests.engines.tables import COLUMNS, TEXTS

    rng, n_rows = np.random.default_rng(7), 60
    arrays = {}
    for name, (kind, values) in COLUMNS.items():
        choices = [*values, None]
        arrays[name] = pa.array([choices[i] for i in rng.integers(len(choices), size=n_rows)], kind)
    diseases = [TEXTS[i] for i in rng.integers(len(TEXTS), size=n_rows)]
    return pa.table(arrays | {"disease": diseases}), list(COLUMNS)
