"""A standalone Spark on loopback: a master and workers from the pyspark package, as processes."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pyspark

SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
ALONE = "127.0.0.1"
_SECONDS = 90  # until a process answers


class Cluster:
    """A master, and workers that can be killed."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port, self.n_workers = folder, _free_port(), 0
        self.environment = os.environ | {
            "SPARK_DAEMON_MEMORY": "160m",
            "SPARK_LOCAL_IP": ALONE,
            "SPARK_LOCAL_DIRS": str(folder / "local"),
            "PYSPARK_PYTHON": sys.executable,
        }
        self.master = self._start("master.Master", "--host", ALONE, "--port", str(self.port))
        _wait_for_port(self.port)
        self.workers: list[subprocess.Popen[bytes]] = []

    @property
    def url(self) -> str:
        return f"spark://{ALONE}:{self.port}"

    def have_workers(self, n: int) -> None:
        """Start workers until `n` of them live."""
        self.workers = [one for one in self.workers if one.poll() is None]
        while len(self.workers) < n:
            self.n_workers += 1
            place = ("--work-dir", str(self.folder / f"worker {self.n_workers}"))
            room = ("--cores", "1", "--memory", "600m", "--host", ALONE)
            self.workers.append(self._start("worker.Worker", *room, *place, self.url))

    def _start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        self.folder.mkdir(exist_ok=True)
        with (self.folder / f"log {name} {self.n_workers}").open("wb") as log:
            return subprocess.Popen(
                [SPARK_CLASS, f"org.apache.spark.deploy.{name}", "--webui-port", "0", *arguments],
                env=self.environment,
                stdout=log,
                stderr=log,
            )

    def stop(self) -> None:
        for process in (*self.workers, self.master):
            kill_with_children(process.pid)
            process.wait()


def kill_with_children(pid: int) -> None:
    """Kill a process and, before they can notice, all that it started: a worker's executors."""
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split():
        kill_with_children(int(child))
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind((ALONE, 0))
        return int(found.getsockname()[1])


def _wait_for_port(port: int) -> None:
    end = time.monotonic() + _SECONDS
    while time.monotonic() < end:
        with suppress(OSError), socket.create_connection((ALONE, port), timeout=1):
            return
        time.sleep(0.2)
    raise TimeoutError("the master of Spark does not answer")
