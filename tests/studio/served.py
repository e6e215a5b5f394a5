"""A running studio, asked with plain requests: no browser, so that every header is ours."""

from __future__ import annotations

import http.client
import json
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from gyges.data.examples import hospital
from gyges.studio.serving import Server
from gyges.studio.session import Studio
from tests.cli.commands import write_csv


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    text: str

    def json(self):
        return json.loads(self.text)


@dataclass
class Served:
    server: Server
    folder: Path

    @property
    def studio(self):
        return self.server.studio

    @property
    def cookie(self):
        return f"gyges_studio_{self.server.port}={self.server.keys.session}"

    def ask(self, method, path, body=None, *, headers=None, without=()):
        """One request, by default as a page of the studio sends it; `without` omits headers."""
        sent = {
            "Host": f"127.0.0.1:{self.server.port}",
            "Cookie": self.cookie,
            **({"Origin": self.server.place} if method == "POST" else {}),
            **(headers or {}),
        }
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=300)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in sent.items():
            if name not in without:
                connection.putheader(name, value)
        data = (
            body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        )
        if "Content-Length" not in sent and "Transfer-Encoding" not in sent:
            connection.putheader("Content-Length", str(len(data)))
        connection.endheaders()
        with suppress(OSError):  # refused before everything was sent
            connection.send(data)
        answer = connection.getresponse()
        found = Answer(answer.status, dict(answer.getheaders()), answer.read().decode())
        connection.close()
        return found

    def do(self, name, **body):
        return self.ask("POST", f"/do/{name}", body)

    def change(self, **body):
        return self.do("change", revision=self.studio.draft.revision, **body)

    def finished(self, answer):
        """The last answer of a job."""
        end = time.monotonic() + 300
        while answer.headers.get("x-state") in ("running", "waiting"):
            assert time.monotonic() < end, answer.text
            answer = self.ask("GET", f"/job/{answer.headers['x-job']}")
        return answer

    def part(self, name):
        return self.finished(self.ask("GET", f"/part/{name}"))


@contextmanager
def serving(folder, *, most_uploaded=1_000_000):
    """A studio in this process, with its workers in theirs."""
    server = Server(Studio(folder), most_uploaded=most_uploaded)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield Served(server, folder)
    finally:
        server.stop()
        thread.join(10)


def people(n=300):
    """A small table with something of each kind in it."""
    made = hospital(n)
    return {**made, "children": [age // 30 + place % 2 for place, age in enumerate(made["age"])]}


def write_people(path, n=300):
    write_csv(path, people(n))
