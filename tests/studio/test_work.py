"""The processes that compute: what they keep, when they are ended, and what is left of them."""

from __future__ import annotations

import ctypes
import resource
import signal
import subprocess
import sys
import threading
import time
from contextlib import nullcontext
from pathlib import Path

import pytest

import gyges as gy
from gyges.release.undisturbed import UNDISTURBED
from gyges.studio import tasks
from gyges.studio.pages import render
from gyges.studio.session import Studio
from gyges.studio.task_memory import Memory, project_at
from gyges.studio.worker_process import serve_tasks
from gyges.studio.workers import Job, Worker
from gyges.workflow.progress import Progress
from tests.cli.commands import write_csv
from tests.studio.served import serving, write_people

pytestmark = [
    pytest.mark.xdist_group("studio"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


def write_slowly(memory, progress, *, path, seconds, undisturbed, deaf=False):
    """A task that writes a file in two steps; a deaf one runs no other thread."""
    progress.stage("writing")
    with UNDISTURBED if undisturbed else nullcontext():
        Path(path).write_text("half")
        sleep = ctypes.PyDLL(None).sleep if deaf else time.sleep
        sleep(seconds)
        Path(path).write_text("whole")


def serve_slow_tasks(connection, control):
    tasks.TASKS["write_slowly"] = write_slowly
    serve_tasks(connection, control)


@pytest.fixture
def worker(monkeypatch):
    monkeypatch.setattr("gyges.studio.workers.serve_tasks", serve_slow_tasks)
    made = Worker()
    made.warm_up()
    yield made
    made.close()


def cancelled(worker, file, **how):
    """How long a task that writes a file goes on after it is cancelled."""
    job = Job("writing", "write_slowly")
    arguments = {"path": str(file), **how}
    threading.Thread(target=worker.run, args=(job, arguments), daemon=True).start()
    end = time.monotonic() + 300
    while not (file.exists() and file.read_text()) and time.monotonic() < end:
        time.sleep(0.01)
    begun = time.monotonic()
    worker.cancel(job)
    assert job.finished.wait(300)
    return time.monotonic() - begun


def test_a_step_that_must_not_be_interrupted_is_finished_before_a_cancel(
    worker, tmp_path, monkeypatch
):
    """It was killed after 0.7 s, whatever it was writing."""
    monkeypatch.setattr("gyges.studio.workers._SECONDS_TO_STOP", 100)  # on a busy machine too
    cancelled(worker, tmp_path / "release", seconds=1.5, undisturbed=True)
    assert (tmp_path / "release").read_text() == "whole"
    later = Job("writing", "forget")
    worker.run(later, {})
    assert later.state == "done", "another process takes the place of the one that was ended"


@pytest.mark.parametrize("hears", [True, False])
def test_a_cancel_takes_effect_within_a_second(worker, tmp_path, hears):
    """A process that hears nothing is killed. The best of three counts: one may be held up."""
    took = []
    while len(took) < 3 and min(took, default=1) >= 1:
        file = tmp_path / f"{len(took)}"
        took.append(cancelled(worker, file, seconds=600, undisturbed=False, deaf=not hears))
        assert file.read_text() == "half"
    assert min(took) < 1


@pytest.mark.parametrize("why", ["closed", "too many open files"])
def test_work_that_cannot_begin_is_refused_and_nobody_waits_for_it(why):
    """The page went on waiting for a process that never started."""
    worker, job = Worker(), Job("forgetting", "forget")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    if why == "closed":
        worker.close()
    else:
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, limits[1]))
    try:
        worker.run(job, {})
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert job.finished.is_set() and job.state == "refused"
    assert "the work could not begin" in job.error
    if why == "too many open files":
        later = Job("forgetting", "forget")
        worker.run(later, {})
        assert later.state == "done"
        worker.close()


def test_the_remaining_time_is_stated_only_where_it_is_known():
    """A quarter of a stage took 10 s, so the rest takes 30 s; too little to tell is not told."""
    job = Job("Searching", "explore", stage_begun=time.monotonic() - 10)
    assert job.share is None and job.seconds_left is None
    job.done, job.total = 1, 4
    assert job.seconds_left == pytest.approx(30, abs=1)
    page = render("progress.html", job=job)
    assert "s left of this step" in page and 'value="0.25"' in page
    job.done, job.total = 1, 100
    assert job.seconds_left is None
    job.done, job.stage_begun = 25, time.monotonic() - 1
    assert job.seconds_left is None and "left of this step" not in render("progress.html", job=job)


def test_a_publication_is_remembered_however_much_is_done_after_it(tmp_path):
    """After 50 jobs the page no longer knew what was published."""
    write_people(tmp_path / "patients.csv", 100)
    with serving(tmp_path) as served:
        assert served.do("open", path="patients.csv").status == 200
        assert served.change(kind="role", column="disease", role="dropped").status == 200
        assert served.change(kind="policy", policy="inside").status == 200
        asked = {"revision": served.studio.draft.revision, "final": False}
        done = served.finished(served.do("publish", **asked))
        assert done.headers["x-state"] == "done", done.text
        number = done.headers["x-job"]
        for _ in range(60):
            served.studio.submit(served.studio.quick, "x", "forget", {}).finished.wait(30)
        assert served.ask("GET", f"/job/{number}").status == 200
        page = served.ask("GET", "/publish").text
        assert "Written as a trial" in page
        [note] = served.studio.published.notes
        assert "no value is protected" in note
        result = page.partition('id="published"')[2]
        assert note in result, "a warning is still there after a reload"
        assert served.ask("GET", "/download/project").status == 200


def test_a_page_that_is_opened_again_shows_what_is_being_published(tmp_path):
    write_people(tmp_path / "patients.csv", 100)
    with serving(tmp_path) as served:
        assert served.do("open", path="patients.csv").status == 200
        job = Job("Publishing", "publish", context={"project": served.studio.draft.path})
        job.state = "running"
        served.studio._publishing.append(job)
        assert f'data-job="{job.number}"' in served.ask("GET", "/publish").text


PROJECT = {"columns": {"quasi_identifiers": ["age"], "sensitive": "disease"}}


def stated(source, **data):
    return {"data": {"source": source, **data}, **PROJECT, "require": []}


def n_people(memory, project):
    return memory.read(project, Progress()).n_people, memory.look(project).n_rows


@pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
def test_figures_follow_the_files_that_a_glob_matches(tmp_path):
    """Figures of a glob, a database and a table of values stayed as they were first read."""
    for number in (1, 2):
        write_people(tmp_path / f"part{number}.csv", 50)
    columns = {**PROJECT["columns"], "do_not_identify": ["patient"]}
    told = {**stated("part*.csv"), "columns": columns}
    project, memory = project_at(told, str(tmp_path / "gyges.toml")), Memory()
    assert n_people(memory, project) == (100, 100)
    write_people(tmp_path / "part3.csv", 50)
    assert n_people(memory, project) == (150, 150)
    write_people(tmp_path / "part1.csv", 70)
    assert n_people(memory, project) == (170, 170)


@pytest.mark.filterwarnings("ignore::Warning")
def test_figures_follow_a_database_file(tmp_path):
    import sqlite3

    path = tmp_path / "x.db"
    held = sqlite3.connect(path)
    held.execute("create table t (age integer, disease text)")
    rows = [(20 + place % 7, "Flu" if place % 2 else "Gout") for place in range(30)]
    held.executemany("insert into t values (?, ?)", rows)
    held.commit()
    project = project_at(stated(f"sqlite://{path}", table="t"), str(tmp_path / "gyges.toml"))
    memory = Memory()
    assert memory.read(project, Progress()).n_people == 30
    held.executemany("insert into t values (?, ?)", rows)
    held.commit()
    assert memory.read(project, Progress()).n_people == 60
    held.close()


def test_figures_follow_the_table_of_values(tmp_path):
    write_csv(tmp_path / "who.csv", {"who": [1, 2, 3], "age": [30, 30, 40]})
    write_csv(tmp_path / "values.csv", {"who": [1, 2, 3], "disease": ["Flu", "Gout", "Flu"]})
    columns = {**PROJECT["columns"], "person": "who", "values_per_person": "set"}
    project = project_at(
        {**stated("who.csv", values="values.csv"), "columns": columns},
        str(tmp_path / "gyges.toml"),
    )
    memory = Memory()
    assert memory.read(project, Progress()).table.sensitive_values == ["Flu", "Gout"]
    write_csv(tmp_path / "values.csv", {"who": [1, 2, 3], "disease": ["Flu", "Mumps", "Mumps"]})
    assert memory.read(project, Progress()).table.sensitive_values == ["Flu", "Mumps"]


def test_an_alternative_is_used_in_the_project_that_was_explored_and_in_no_other(tmp_path):
    """Another project about the same table took over its numbers."""
    write_people(tmp_path / "patients.csv", 120)
    with serving(tmp_path) as served:
        assert served.do("open", path="patients.csv").status == 200
        first = served.studio.draft.path
        other = tmp_path / "other.toml"
        other.write_text(first.read_text().replace("k = 5", "k = 4"))
        explored = served.part("explore")
        assert explored.headers["x-state"] == "done", explored.text
        seen = served.studio.draft.revision
        assert served.do("open", path="other.toml").status == 200
        texts = first.read_text(), other.read_text()
        for revision in (seen, None):
            assert served.do("use", number="1", revision=revision).status == 409
        now = served.studio.draft.revision
        refused = served.do("use", number="1", revision=now)
        assert refused.status == 422 and "explore again" in refused.text
        compared = served.finished(served.ask("GET", "/part/compare?pin=0&pin=1"))
        assert compared.headers["x-state"] == "refused"
        assert (first.read_text(), other.read_text()) == texts
        assert served.part("explore").headers["x-state"] == "done"
        assert served.do("use", number="1", revision=now).status == 200
        assert first.read_text() == texts[0] and other.read_text() != texts[1]


def started(folder, *words, **settings):
    return subprocess.Popen(
        [sys.executable, "-c", "from gyges.cli.start import run; run()", "studio", *words],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings,
    )  # fmt: skip


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_that_ends_the_studio_leaves_nothing_behind(tmp_path, monkeypatch, number):
    """SIGTERM left the lock of the project and the folder of dropped files."""
    temporary, folder = tmp_path / "tmp", tmp_path / "work"
    temporary.mkdir(), folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    write_people(folder / "patients.csv", 60)
    with started(folder, "patients.csv", "--no-browser") as running:
        assert running.stdout.readline().startswith("Gyges Studio: http")
        assert [one.name for one in folder.glob(".*.studio")] == [".gyges.toml.studio"]
        running.send_signal(number)
        _, said = running.communicate(timeout=300)
    assert "Traceback" not in said
    assert list(folder.glob(".*")) == []
    assert [one.name for one in temporary.iterdir() if one.name.startswith("gyges-studio")] == []


def test_the_address_is_not_among_the_words_of_a_command(tmp_path, monkeypatch):
    """Other users of a machine see with which words a browser was started."""
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    studio = Studio(tmp_path)
    from gyges.studio.serving import Server

    server = Server(studio)
    server.show()
    end = time.monotonic() + 300
    while not opened and time.monotonic() < end:
        time.sleep(0.05)
    [address] = opened
    page = Path(address.removeprefix("file://"))
    assert "token" not in address and page.stat().st_mode & 0o077 == 0
    assert page.parent.stat().st_mode & 0o077 == 0
    assert f"{server.place}/?token=" in page.read_text()
    server.close()
    assert not page.exists()


def test_an_earlier_release_that_cannot_be_compared_is_not_denied(tmp_path):
    """The page said that there was none."""
    write_people(tmp_path / "patients.csv", 100)
    with serving(tmp_path) as served:
        assert served.do("open", path="patients.csv").status == 200
        assert "The ledger has no earlier release" in served.part("risk").text
        asked = {"revision": served.studio.draft.revision, "final": True, "confirmed": True}
        done = served.finished(served.do("publish", **asked))
        assert done.headers["x-state"] == "done", done.text
        assert served.change(kind="role", column="disease", role="dropped").status == 200
        assert served.change(kind="policy", policy="inside").status == 200
        said = served.part("risk").text
        assert "1 earlier release about these people left the building" in said
        assert "no sensitive column to join by" in said
        assert "has no earlier release" not in said
        assert gy.Project(served.studio.draft.path).releases
