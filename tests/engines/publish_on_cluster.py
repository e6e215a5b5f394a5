"""A driver of its own: publish a Parquet file on a cluster, and say what came to this process.

Arguments: the cluster's URL, the file, the folder of the release, the seed, the name of the rules,
when to kill a worker ("publish", "save" or "never"), and its process.
"""

from __future__ import annotations

import json
import sys
import threading
import time
import warnings
from pathlib import Path

import pyspark.sql.classic.dataframe as spark_frames
from pyspark.sql import SparkSession

import gyges as gy
from gyges.data.large_table import BYTES_OF_CODE, BYTES_OF_ENTRY
from gyges.data.memory_limit import MemoryBudget
from tests.engines.spark_cluster import ALONE, kill_with_children

TREE = gy.Hierarchy.from_tree({"A": ["a", "b", "c"], "B": ["d", "e"], "C": ["f"]})
SCHEMA = gy.Schema(
    quasi_identifiers=["age", "zip", "income", "race"],
    sensitive="disease",
    hierarchies={"race": TREE},
)
RULES = {
    "sizes": [gy.KAnonymity(5)],
    "diversity": [gy.KAnonymity(3), gy.EntropyDiversity("1.8"), gy.RecursiveDiversity("3", 2)],
    "closeness": [gy.KAnonymity(4), gy.TCloseness("0.35")],
}
MOST_RESULT = 1 << 20  # bytes that Spark lets come to the driver at once
reached: list[int] = []


def entries(n: int) -> MemoryBudget:
    """Memory for so many distinct rows in a part."""
    return MemoryBudget(2**30, 2**28, n * (BYTES_OF_ENTRY + BYTES_OF_CODE * 4))


def session(url: str) -> SparkSession:
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": ALONE,
        "spark.driver.bindAddress": ALONE,
        "spark.driver.memory": "512m",
        "spark.driver.maxResultSize": str(MOST_RESULT),
        "spark.executor.memory": "512m",
        "spark.executor.cores": "1",
        "spark.executorEnv.PYTHONPATH": str(Path(gy.__file__).parents[1]),
        "spark.sql.shuffle.partitions": "6",
        "spark.sql.adaptive.enabled": "false",
        "spark.log.level": "OFF",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master(url).appName("gyges")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def note_what_is_fetched() -> None:
    """Note the bytes of every answer that comes from the cluster, by whichever way it comes."""
    usual = spark_frames.DataFrame.toArrow

    def noted(frame: spark_frames.DataFrame) -> object:
        rows = usual(frame)
        reached.append(rows.nbytes)
        return rows

    def refused(*_: object, **__: object) -> object:
        raise AssertionError("rows are fetched in a way that is not counted")

    spark_frames.DataFrame.toArrow = noted  # type: ignore[method-assign]
    for name in ("collect", "toPandas", "toLocalIterator", "take", "head"):
        setattr(spark_frames.DataFrame, name, refused)


def kill_when_busy(spark: SparkSession, worker: int, done: threading.Event) -> None:
    """Kill a worker while a stage runs of which it has done some tasks and has others to do."""
    tracker = spark.sparkContext.statusTracker()
    while not done.is_set():
        found = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        if any(one and one.numCompletedTasks and one.numActiveTasks for one in found):
            kill_with_children(worker)
            done.set()
        time.sleep(0.02)


def main() -> None:
    url, data, out, seed, rules, when, worker = sys.argv[1:]
    warnings.simplefilter("ignore")
    spark = session(url)
    rows = spark.read.parquet(data).repartition(6)
    note_what_is_fetched()
    table = gy.read(rows, SCHEMA, memory_limit=entries(16_000))
    killed = threading.Event()
    watch = threading.Thread(target=kill_when_busy, args=(spark, int(worker), killed))
    if when == "publish":
        watch.start()
    release = gy.publish(table, RULES[rules], seed=int(seed))
    if when == "save":
        watch.start()
    release.save(out, format="parquet")
    is_killed = killed.is_set()
    killed.set()
    found = {"parts": release.n_parts, "reached": reached, "killed": is_killed}
    print(json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main()
