"""A PostgreSQL of our own for the tests, from the `pgserver` wheel or from Debian's package.

The wheel's own launcher adds a user to the machine and opens folders to everybody when it runs as
root, so its binaries are started here: as they are by a plain user, and from a copy, as `nobody`,
by root, because PostgreSQL refuses to run as root.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import tempfile
from pathlib import Path


class NoServerError(Exception):
    """PostgreSQL cannot be had here; the message says why."""


class Server:
    """A running server that listens on a socket in its own folder."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="gyges-pg-"))
        self.credentials: dict[str, object] = {}
        try:
            self.binaries = self._prepare()
            self._run(
                "initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"
            )
            options = f"-F -h '' -k {self.folder} -c max_connections=20"
            self._run("pg_ctl", "-w", "-l", str(self.folder / "log"), "-o", options, "start")
        except (OSError, KeyError, subprocess.SubprocessError) as problem:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise NoServerError(f"PostgreSQL does not start here: {problem}") from None

    @property
    def url(self) -> str:
        return f"postgresql://postgres@/postgres?host={self.folder}"

    def stop(self) -> None:
        self._run("pg_ctl", "-w", "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def _prepare(self) -> Path:
        site, binaries = _find_binaries()
        if os.geteuid() != 0:
            return binaries
        import pwd

        nobody = pwd.getpwnam("nobody")
        self.credentials = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
        if site is None:
            return binaries
        # The binaries look for their libraries beside their package: keep that layout.
        for part in (
            "pgserver/pginstall/bin",
            "pgserver/pginstall/lib",
            "pgserver/pginstall/share",
        ):
            shutil.copytree(site / part, self.folder / part, symlinks=True)
        if (site / "pgserver.libs").is_dir():
            shutil.copytree(site / "pgserver.libs", self.folder / "pgserver.libs")
        return self.folder / "pgserver" / "pginstall" / "bin"

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self.binaries / program), "-D", str(self.folder / "data"), *arguments]
        environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}
        subprocess.run(
            command,
            check=True,
            cwd=self.folder,
            env=environment,
            timeout=120,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **self.credentials,
        )


def _find_binaries() -> tuple[Path | None, Path]:
    """The folder that holds the wheel's package (None for Debian's), and the binaries."""
    found = importlib.util.find_spec("pgserver")
    if found is not None and found.origin is not None:
        site = Path(found.origin).parents[1]
        binaries = site / "pgserver" / "pginstall" / "bin"
        if (binaries / "postgres").exists():
            return site, binaries
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if debian:
        return None, debian[-1]
    raise NoServerError("neither the pgserver wheel nor /usr/lib/postgresql is here")
