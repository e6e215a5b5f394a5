"""Start the studio: a server on this machine alone, and a browser that shows it."""

from __future__ import annotations

import errno
import signal
import socket
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import uvicorn

from gyges.errors import GygesError
from gyges.studio.application import application
from gyges.studio.gate import Keys
from gyges.studio.new_project import write_project
from gyges.studio.session import Studio
from gyges.workflow.progress import Progress
from gyges.workflow.project_file import read_project

LOOPBACK = "127.0.0.1"
MOST_UPLOADED = 2 * 2**30  # bytes


_OPENING = (
    '<!doctype html><meta charset="utf-8"><title>Gyges Studio</title>'
    '<meta http-equiv="refresh" content="0; url={0}"><p><a href="{0}">Open Gyges Studio</a></p>'
)


@contextmanager
def ended_in_order() -> Iterator[None]:
    """A signal that ends the program lets it clean up: the server would be killed by it.

    So does Ctrl-C, from the first moment: the command's own answer to it knows no server.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    named = (getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP"))
    before = {one: signal.signal(one, _leave) for one in named if one is not None}
    woken = signal.set_wakeup_fd(-1)
    try:
        yield
    finally:
        signal.set_wakeup_fd(woken)
        for one, handler in before.items():
            signal.signal(one, handler)


def _leave(number: int, frame: object) -> NoReturn:
    raise SystemExit(128 + number)


def _why_not(port: int, problem: Exception) -> str:
    """Why a port cannot be used, and what to do."""
    why = "another program uses it"
    if not (isinstance(problem, OSError) and problem.errno == errno.EADDRINUSE):
        why = "it cannot be opened" if 0 <= port <= 65_535 else "it is no number from 0 to 65535"
    return f"--port {port}: {why}. Choose another one, or leave --port out: a free one is taken"


@dataclass(slots=True)
class Server:
    """A running studio, its address, and how to stop it."""

    studio: Studio
    most_uploaded: int = MOST_UPLOADED
    port: int = 0
    keys: Keys = field(default_factory=Keys)
    _server: uvicorn.Server = field(init=False, repr=False)
    _socket: socket.socket = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((LOOPBACK, self.port))
        except (OSError, OverflowError) as problem:
            self._socket.close()
            raise GygesError(_why_not(self.port, problem)) from None
        self.port = self._socket.getsockname()[1]
        self._socket.listen(128)  # who asks before `run` has begun waits
        pages = application(
            self.studio, keys=self.keys, port=self.port, most_uploaded=self.most_uploaded
        )
        settings = uvicorn.Config(
            pages, log_level="critical", access_log=False, server_header=False, date_header=False,
            lifespan="off", ws="none", timeout_graceful_shutdown=1,
        )  # fmt: skip
        self._server = uvicorn.Server(settings)

    @property
    def place(self) -> str:
        """The address without its secret."""
        return f"http://{LOOPBACK}:{self.port}"

    def new_address(self) -> str:
        """An address that opens the page once."""
        return f"{self.place}/?token={self.keys.new_token()}"

    def run(self) -> None:
        """Answer until Ctrl-C, or until `stop` is called."""
        for worker in (self.studio.quick, self.studio.slow):
            threading.Thread(target=worker.warm_up, daemon=True).start()
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self.close()

    def close(self) -> None:
        """End all work, and leave no file behind."""
        self.studio.close()
        self._socket.close()

    def show(self) -> None:
        """Open the page in the browser, a moment after the server has begun.

        Other users of this machine see the words of a command: the browser is given a file that
        only this user can read, and finds the address there.
        """
        page = self.studio.private / "open.html"
        page.touch(mode=0o600)
        page.write_text(_OPENING.format(self.new_address()), encoding="utf-8")
        threading.Timer(0.5, webbrowser.open, (page.as_uri(),)).start()

    def stop(self) -> None:
        """End `run`, which is in another thread."""
        self._server.should_exit = True


def open_studio(given: Path | None, *, port: int = 0, tell: Progress | None = None) -> Server:
    """A studio that is ready to run, with a project or a table opened if one is given.

    Its working folder is that of the file, or the folder that is given, or the current one.
    """
    is_file = given is not None and not given.is_dir()
    studio = Studio(given.absolute().parent if is_file and given else given or Path.cwd())
    try:
        if is_file and given is not None:
            _open(studio, given, tell or Progress())
        return Server(studio, port=port)
    except BaseException:
        studio.close()
        raise


def _open(studio: Studio, given: Path, tell: Progress) -> None:
    """Open a project, or propose one for a table; a project that is there already is opened."""
    if given.suffix == ".toml":
        studio.open(given.absolute())
        return
    out = studio.folder / "gyges.toml"
    if out.exists() and _is_about(out, given):
        studio.open(out)
        return
    if out.exists():
        out = studio.new_file(f"{given.name.partition('.')[0]}.toml")
    said = write_project(str(given.absolute()), None, "researchers", out, tell)
    studio.open(out)
    studio.said = said


def _is_about(project: Path, data: Path) -> bool:
    try:
        return Path(read_project(project).source).resolve() == data.resolve()
    except GygesError:
        return False
