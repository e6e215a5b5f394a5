"""What the studio refuses: one test for each refusal. Nothing here needs a browser.

`REFUSALS` lists them; a test checks that each is there, and that no test of this file is missing
from the list.
"""

from __future__ import annotations

import http.client
import io
import socket
import zipfile
from contextlib import closing

import pytest

from tests.studio.served import serving, write_people

pytestmark = pytest.mark.xdist_group("studio")


REFUSALS = {
    "another machine": ["it_listens_on_this_machine_only"],
    "a missing or wrong token, and one that was used": [
        "without_token_and_cookie_nothing_is_shown",
        "a_wrong_token_is_refused",
        "a_token_works_once_and_leads_nowhere_else",
        "the_token_is_exchanged_for_a_cookie_that_scripts_and_other_sites_do_not_get",
    ],
    "a foreign Host header (DNS rebinding)": [
        "a_foreign_host_is_refused_even_with_the_cookie",
        "a_request_without_a_host_is_refused",
    ],
    "a cross-site request: pages, changes and uploads": [
        "a_request_of_another_site_is_refused",
        "a_link_from_another_site_is_refused",
        "a_change_that_does_not_name_its_origin_is_refused",
    ],
    "a websocket": ["a_websocket_is_refused"],
    "an oversized upload": [
        "an_upload_that_says_it_is_too_large_is_refused",
        "an_upload_that_grows_too_large_leaves_nothing_behind",
        "a_request_that_is_no_upload_has_a_smaller_limit",
        "a_zip_that_unpacks_to_far_too_much_is_refused",
    ],
    "a path outside the working folder": [
        "a_path_outside_the_working_folder_is_refused",
        "a_glob_that_a_link_leads_outside_is_refused",
        "a_folder_named_like_home_is_not_home",
        "a_database_file_outside_the_working_folder_is_refused",
        "a_change_cannot_lead_outside",
        "a_project_that_leads_outside_is_refused_and_the_open_one_stays",
        "a_release_outside_is_refused_when_it_is_published",
        "a_dropped_file_lands_in_the_working_folder_under_a_plain_name",
        "a_zip_cannot_write_outside_its_folder",
        "dropped_files_cannot_be_named_outside_their_folder",
        "a_zip_of_a_release_holds_what_was_published_and_no_link",
        "a_view_of_a_database_that_reads_other_files_is_refused",
        "a_link_that_takes_the_place_of_the_open_file_is_refused",
    ],
    "overwriting": [
        "nothing_is_overwritten_by_a_dropped_file",
        "a_file_of_the_same_name_is_not_removed",
    ],
    "passwords": ["a_password_is_not_written_and_not_shown"],
    "scripts and addresses of others": ["every_answer_forbids_scripts_and_addresses_of_others"],
    "nonsense": [
        "a_body_that_is_no_object_is_refused_in_one_sentence",
        "a_change_that_makes_no_sense_is_refused_and_changes_nothing",
        "a_name_that_no_file_can_have_is_refused_in_one_sentence",
        "what_was_dropped_is_refused_without_its_place",
    ],
}


def test_every_refusal_is_listed_and_tested():
    listed = {f"test_{name}" for names in REFUSALS.values() for name in names}
    there = {name for name in globals() if name.startswith("test_")}
    assert listed == there - {"test_every_refusal_is_listed_and_tested"}


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studio")
    write_people(folder / "patients.csv")
    with serving(folder) as running:
        assert running.do("open", path="patients.csv").status == 200
        yield running


def test_it_listens_on_this_machine_only(served):
    assert served.server._socket.getsockname()[0] == "127.0.0.1"
    with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as other:
        assert other.connect_ex(("::1", served.server.port)) != 0


def test_without_token_and_cookie_nothing_is_shown(served):
    for path in ("/", "/columns", "/part/state", "/static/studio.js", "/plotly.js", "/pulse"):
        refused = served.ask("GET", path, without=["Cookie"])
        assert refused.status == 403, path
        assert "patients" not in refused.text


@pytest.mark.parametrize("token", ["", "wrong", "é", "a" * 5000])
def test_a_wrong_token_is_refused(served, token):
    from urllib.parse import quote

    assert served.ask("GET", f"/?token={quote(token)}", without=["Cookie"]).status == 403


def enter(served, token, path="/", **headers):
    return served.ask("GET", f"{path}?token={token}", headers=headers, without=["Cookie"])


def test_the_token_is_exchanged_for_a_cookie_that_scripts_and_other_sites_do_not_get(served):
    token = served.server.keys.new_token()
    answer = enter(served, token, **{"Sec-Fetch-Site": "cross-site"})  # from a file of this user
    assert answer.status == 200 and 'url=/"' in answer.text
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie
    assert token not in answer.headers["set-cookie"] and token not in answer.text


def test_a_token_works_once_and_leads_nowhere_else(served):
    """It was reusable, and `//evil.example/?token=…` redirected there."""
    token = served.server.keys.new_token()
    foreign = {"Host": "evil.example"}
    assert enter(served, token, **foreign).status == 421
    asked = served.ask("POST", f"/do/undo?token={token}", {}, without=["Cookie"])
    assert asked.status == 403, "only a page is opened with it"
    answer = enter(served, token, "//evil.example/")
    assert answer.status == 200 and "evil" not in answer.text and "location" not in answer.headers
    assert enter(served, token).status == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "0.0.0.0:{port}", "[::1]:{port}"]
)
@pytest.mark.parametrize("path", ["/", "/part/state", "/download/project"])
def test_a_foreign_host_is_refused_even_with_the_cookie(served, host, path):
    """DNS rebinding: a name of the attacker's that resolves to this machine."""
    named = host.format(port=served.server.port)
    assert served.ask("GET", path, headers={"Host": named}).status == 421


def test_a_request_without_a_host_is_refused(served):
    assert served.ask("GET", "/", without=["Host"]).status in (400, 421)


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:{port}"]
)
@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/"), ("POST", "/do/undo"), ("POST", "/upload?name=a.csv")]
)
def test_a_request_of_another_site_is_refused(served, origin, method, path):
    sent = {"Origin": origin.format(port=served.server.port)}
    before = sorted(served.folder.iterdir())
    assert served.ask(method, path, {}, headers=sent).status == 403
    assert sorted(served.folder.iterdir()) == before


def test_a_link_from_another_site_is_refused(served):
    for site in ("cross-site", "same-site"):
        assert served.ask("GET", "/", headers={"Sec-Fetch-Site": site}).status == 403
    assert served.ask("GET", "/", headers={"Sec-Fetch-Site": "same-origin"}).status == 200


def test_a_change_that_does_not_name_its_origin_is_refused(served):
    for path in ("/do/change", "/upload?name=a.csv", "/slider"):
        assert served.ask("POST", path, {}, without=["Origin"]).status == 403


def test_a_websocket_is_refused(served):
    answer = served.ask(
        "GET", "/ws", headers={
            "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        },
    )  # fmt: skip
    assert answer.status in (400, 403, 404, 426)


def test_an_upload_that_says_it_is_too_large_is_refused(served):
    before = sorted(served.folder.iterdir())
    answer = served.ask("POST", "/upload?name=big.csv", b"", headers={"Content-Length": "1000001"})
    assert answer.status == 413 and "1,000,000 bytes" in answer.text
    assert sorted(served.folder.iterdir()) == before


def test_an_upload_that_grows_too_large_leaves_nothing_behind(served):
    """It does not say how large it is."""
    before = sorted(served.folder.iterdir())
    piece = b"x" * 100_000
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for _ in range(12)) + b"0\r\n\r\n"
    answer = served.ask(
        "POST", "/upload?name=big.csv", chunks, headers={"Transfer-Encoding": "chunked"}
    )
    assert answer.status == 413
    assert sorted(served.folder.iterdir()) == before


def test_a_request_that_is_no_upload_has_a_smaller_limit(served):
    assert served.ask("POST", "/do/change", b"[" * 3_000_000).status == 413


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../secret.csv", "a/../../secret.csv", "~/secret.csv", "link.csv", ""]
)
def test_a_path_outside_the_working_folder_is_refused(served, path, tmp_path):
    link = served.folder / "link.csv"
    if not link.is_symlink():
        outside = tmp_path / "outside.csv"
        write_people(outside)
        link.symlink_to(outside)
    name = served.studio.draft.path
    for action in ("open", "check"):
        refused = served.do(action, path=path)
        assert refused.status == 422, (action, path)
        assert "working folder" in refused.json()["error"] or "does not" in refused.text
    assert served.studio.draft.path == name


def test_a_glob_that_a_link_leads_outside_is_refused(served, tmp_path):
    """The pattern lies in the folder, and what it matches does not."""
    write_people(tmp_path / "part1.csv")
    (served.folder / "part1.csv").symlink_to(tmp_path / "part1.csv")
    (served.folder / "parts").symlink_to(tmp_path)
    for path in ("part*.csv", "parts/*.csv", "p*/*.csv", "[p]arts/part1.csv"):
        refused = served.do("open", path=path)
        assert refused.status == 422 and "outside the working folder" in refused.text, path
    (served.folder / "globs.toml").write_text(
        '[data]\nsource = "part*.csv"\n[columns]\nquasi_identifiers = ["age"]\n'
    )
    assert "outside the working folder" in served.do("open", path="globs.toml").text


def test_a_folder_named_like_home_is_not_home(served, monkeypatch, tmp_path):
    """Seen from the working folder, `a/../~/x.csv` was a file of the home folder."""
    for folder in (served.folder / "~", served.folder / "a"):
        folder.mkdir(exist_ok=True)
    write_people(served.folder / "~" / "x.csv")
    for path in ("a/../~/x.csv", "./~/x.csv"):
        refused = served.do("open", path=path)
        assert refused.status == 422 and "~" in refused.json()["error"]


def sqlite_file(path, **columns):
    import sqlite3

    with closing(sqlite3.connect(path)) as made, made:
        made.execute("create table people (age integer, disease text)")
        rows = [(20 + place % 5, "Flu" if place % 2 else "Gout") for place in range(40)]
        made.executemany("insert into people values (?, ?)", rows)


def test_a_database_file_outside_the_working_folder_is_refused(served, tmp_path):
    outside = tmp_path / "outside.db"
    sqlite_file(outside)
    (served.folder / "linked.db").symlink_to(outside)
    for place in (f"/{outside}", str(outside), "linked.db", "../x.db", "/etc/passwd", "*.db"):
        refused = served.do("open", path=f"sqlite://{place}", table="people")
        assert refused.status == 422, place
        stated = f'[data]\nsource = "sqlite://{place}"\ntable = "people"\n'
        (served.folder / "db.toml").write_text(
            stated + '[columns]\nquasi_identifiers = ["age"]\nsensitive = "disease"\n'
        )
        if place not in ("linked.db", "../x.db", "*.db"):  # those are relative to the process
            assert "outside the working folder" in served.do("open", path="db.toml").text, place
    before = served.studio.draft.path.name
    sqlite_file(served.folder / "inside.db")
    assert served.do("open", path="sqlite://inside.db", table="people").status == 200
    assert served.part("look").headers["x-state"] == "done"
    assert served.do("open", path=before).status == 200


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "hierarchy", "column": "age", "how": "csv", "path": "../h.csv"},
        {"kind": "publish", "key": "out", "to": "../release"},
        {"kind": "publish", "key": "out", "to": "/tmp/release"},
        {"kind": "publish", "key": "memory", "to": "1GB"},
    ],
)
def test_a_change_cannot_lead_outside(served, change):
    before = served.studio.draft.text
    assert served.change(**change).status == 422
    assert served.studio.draft.text == before == served.studio.draft.path.read_text()


@pytest.mark.parametrize(
    "text",
    [
        '[data]\nsource = "../secret.csv"\n[columns]\nquasi_identifiers = ["age"]\n',
        '[data]\nsource = "link.csv"\n[columns]\nquasi_identifiers = ["age"]\n',
        '[data]\nsource = "patients.csv"\nvalues = "../v.csv"\n[columns]\nperson = "patient"\n',
        '[data]\nsource = "patients.csv"\n[columns]\n[ledger]\nfile = "../ledger.sqlite"\n',
        '[data]\nsource = "patients.csv"\n[columns]\n[publish]\nout = "/tmp/release"\n',
        '[data]\nsource = "patients.csv"\n[columns]\nquasi_identifiers = ["age"]\n'
        '[hierarchies.age]\ncsv = "../h.csv"\n',
    ],
)
def test_a_project_that_leads_outside_is_refused_and_the_open_one_stays(served, text, tmp_path):
    before = served.studio.draft
    if "link.csv" in text and not (served.folder / "link.csv").is_symlink():
        write_people(tmp_path / "outside.csv")
        (served.folder / "link.csv").symlink_to(tmp_path / "outside.csv")
    (served.folder / "other.toml").write_text(text)
    refused = served.do("open", path="other.toml")
    assert refused.status == 422 and "outside the working folder" in refused.text
    assert served.studio.draft is before and served.ask("GET", "/columns").status == 200


def test_a_release_outside_is_refused_when_it_is_published(served, tmp_path):
    """A link is made after the project was opened; the refusal closed the project."""
    draft = served.studio.draft
    (served.folder / "release").symlink_to(tmp_path)
    try:
        asked = {"revision": draft.revision, "final": True, "confirmed": True}
        refused = served.do("publish", **asked)
        assert refused.status == 422 and "outside the working folder" in refused.text
        inside = served.do("publish", **{**asked, "inside": "../inside"})
        assert inside.status == 422
    finally:
        (served.folder / "release").unlink()
    assert served.studio.draft is draft and list(tmp_path.iterdir()) == []
    assert served.change(kind="publish", key="format", to="parquet").status == 200


def test_a_password_is_not_written_and_not_shown(served):
    secret = "s3cr@t/9"
    refused = served.do("open", path=f"postgresql://ann:{secret}@localhost/x", table="t")
    assert refused.status == 422 and secret not in refused.text and "PGPASSWORD" in refused.text
    before = served.studio.draft.path.name
    stated = '[data]\nsource = "postgresql://ann:s3cret@127.0.0.1:1/x?sslpassword=s3cret2"\n'
    (served.folder / "secret.toml").write_text(
        stated + 'table = "t"\n[columns]\nquasi_identifiers = ["age"]\n'
    )
    assert served.do("open", path="secret.toml").status == 200
    for name in ("open", "columns", "publish"):
        page = served.ask("GET", f"/{name}").text
        assert "s3cret" not in page and "ann:•••@" in page, name
    asked = {"revision": served.studio.draft.revision, "final": False}
    answers = [served.part("look"), served.finished(served.do("publish", **asked))]
    for answer in answers:
        assert answer.headers["x-state"] == "refused" and "s3cret" not in answer.text
    assert not any("s3cret" in f"{job.stage}{job.notes}" for job in served.studio.jobs.values())
    assert served.do("open", path=before).status == 200


@pytest.mark.parametrize("name", ["../evil.csv", "/etc/evil.csv", "..\\evil.csv", ".bashrc.csv"])
def test_a_dropped_file_lands_in_the_working_folder_under_a_plain_name(served, name):
    from urllib.parse import quote

    content = b"age,disease\n1,Flu\n2,Gout\n"
    answer = served.ask("POST", f"/upload?purpose=hierarchy&name={quote(name)}", content)
    assert answer.status == 200
    made = served.folder / answer.json()["path"]
    assert made.parent == served.folder and made.read_bytes() == content
    assert not made.name.startswith(".")


def test_nothing_is_overwritten_by_a_dropped_file(served):
    before = (served.folder / "patients.csv").read_bytes()
    answer = served.ask("POST", "/upload?purpose=hierarchy&name=patients.csv", b"a,b\n")
    assert answer.json()["path"] == "patients-2.csv"
    assert (served.folder / "patients.csv").read_bytes() == before


def test_a_file_of_the_same_name_is_not_removed(served):
    """The second one was refused, and the first one deleted."""
    into = served.ask("POST", "/upload?purpose=check&name=data.csv", b"a\n1\n").json()["into"]
    again = served.ask("POST", f"/upload?purpose=check&name=data.csv&into={into}", b"b\n2\n")
    assert again.status == 422 and "already" in again.json()["error"]
    assert (served.studio.checked / into / "data.csv").read_bytes() == b"a\n1\n"


def zipped(files):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return held.getvalue()


def test_a_zip_cannot_write_outside_its_folder(served):
    packed = zipped({"../../evil.txt": "x", "/abs.txt": "y", "certificate.json": "{}"})
    answer = served.ask("POST", "/upload?purpose=check&name=a.zip", packed)
    folder = served.studio.checked / answer.json()["into"]
    assert sorted(one.name for one in folder.iterdir()) == [
        "abs.txt",
        "certificate.json",
        "evil.txt",
    ]
    assert not (served.studio.checked.parent / "evil.txt").exists()


def test_a_zip_that_unpacks_to_far_too_much_is_refused(served, monkeypatch):
    monkeypatch.setattr("gyges.studio.uploads._MOST_UNPACKED", 100_000)
    packed = zipped({"data.csv": "0" * 900_000})
    assert served.ask("POST", "/upload?purpose=check&name=bomb.zip", packed).status == 422


def test_dropped_files_cannot_be_named_outside_their_folder(served):
    assert served.do("check", dropped="../../etc").status == 422


def test_every_answer_forbids_scripts_and_addresses_of_others(served):
    paths = ("/", "/part/state", "/static/studio.js", "/pulse", "/download/project", "/nowhere")
    for path in paths:
        headers = served.ask("GET", path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "script-src 'self'" in policy, path
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers
    refused = served.ask("GET", "/", without=["Cookie"])
    assert "script-src 'self'" in refused.headers["content-security-policy"]


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b"null", b'"x"', b"\xff", pytest.param(b"[" * 100_000, id="deep")]
)
def test_a_body_that_is_no_object_is_refused_in_one_sentence(served, body):
    for path in ("/do/change", "/do/open", "/do/publish", "/do/check"):
        answer = served.ask("POST", path, body)
        assert answer.status == 422 and "Traceback" not in answer.text


@pytest.mark.parametrize(
    "body",
    [
        {"kind": "role", "column": "age", "role": "king"},
        {"kind": "role"},
        {"kind": "hierarchy", "column": "age", "how": "intervals", "widths": "a, b"},
        {"kind": "hierarchy", "column": "age", "how": "intervals", "widths": "5, 7"},
        {"kind": "hierarchy", "column": "zip", "how": "coding", "width": "x", "values": ["1"]},
        {"kind": "rule", "rule": "safety", "number": None, "numbers": {"confidence": "2", "k": 1}},
        {"kind": "rule", "rule": "no such rule", "numbers": {}},
        {"kind": "rule", "rule": "k-anonymity", "number": 99, "numbers": {"k": 5}},
        {"kind": "publish", "key": "method", "to": "magic"},
        {"kind": "nothing"},
    ],
)
def test_a_change_that_makes_no_sense_is_refused_and_changes_nothing(served, body):
    before = served.studio.draft.text
    refused = served.change(**body)
    assert refused.status == 422 and refused.json()["error"]
    assert served.studio.draft.text == before == served.studio.draft.path.read_text()


@pytest.mark.parametrize("name", ["~nobody.csv", "~nobody/x.csv", "a\0b.csv", "\ud800.csv", " "])
def test_a_name_that_no_file_can_have_is_refused_in_one_sentence(served, name):
    """A name such as ~nobody.csv ended in an error of Python."""
    asked = [
        served.do("open", path=name),
        served.do("check", path=name),
        served.do("check", path="", dropped=name.replace("~", "\0")),
        served.change(kind="publish", key="out", to=name),
        served.ask("POST", "/upload?name=a%00b.csv&purpose=check", b"a,b"),
        served.ask("POST", "/upload?name=a.csv&purpose=weird", b"a,b"),
    ]
    for answer in asked:
        assert answer.status == 422 and answer.json()["error"], answer.text


def test_a_zip_of_a_release_holds_what_was_published_and_no_link(served, tmp_path):
    """Whatever lay in the folder was packed, and links were followed."""
    write_people(served.folder / "zipped.csv", 200)
    assert served.do("open", path="zipped.csv").status == 200
    assert served.change(kind="publish", key="out", to="packed").status == 200
    revision = served.studio.draft.revision
    done = served.finished(served.do("publish", revision=revision, final=False, inside="kept"))
    assert done.headers["x-state"] == "done", done.text
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    for folder in ("packed", "kept"):
        (served.folder / folder / "notes.txt").write_text("secret")
        (served.folder / folder / "link.txt").symlink_to(secret)
    packed = names_in(served, "release")
    assert packed == {f"packed/{name}" for name in ("certificate.json", "data.csv", *PAGES)}
    assert names_in(served, "inside") == {
        f"inside-do-not-publish/{name}" for name in ("groups.csv", "mapping.json", *PAGES)
    }
    assert served.ask("GET", "/download/report").status == 200
    report = served.folder / "packed" / "report.html"
    report.unlink()
    report.symlink_to(secret)
    for name in ("report", "release"):
        refused = served.ask("GET", f"/download/{name}")
        assert refused.status == 422 and "no longer the file" in refused.text, name
    (served.folder / "kept" / "groups.csv").write_text("changed")
    assert served.ask("GET", "/download/inside").status == 422
    assert not [*served.studio.private.glob("*.zip")]


PAGES = ("report.html", "report.json")


def names_in(served, name):
    connection = http.client.HTTPConnection("127.0.0.1", served.server.port, timeout=300)
    connection.request("GET", f"/download/{name}", headers={"Cookie": served.cookie})
    content = connection.getresponse().read()
    connection.close()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return set(archive.namelist())


def test_a_view_of_a_database_that_reads_other_files_is_refused(served, tmp_path):
    """Whoever made the database chose which files of this machine are shown."""
    import duckdb

    write_people(tmp_path / "secret.csv")
    with duckdb.connect(str(served.folder / "views.duckdb")) as made:
        made.read_csv(str(tmp_path / "secret.csv")).create("own")
        made.execute("create view plain as select * from own")
        reads = f"select * from read_csv('{tmp_path / 'secret.csv'}')"
        made.execute(f"create view foreign_rows as {reads}")
    before = served.studio.draft.path
    refused = served.do("open", path="duckdb://views.duckdb", table="foreign_rows")
    assert refused.status == 422 and "outside of its database" in refused.json()["error"]
    (served.folder / "view.toml").write_text(
        '[data]\nsource = "duckdb://'
        f'{served.folder / "views.duckdb"}"\ntable = "foreign_rows"\n'
        '[columns]\nquasi_identifiers = ["age"]\n'
    )
    assert "outside of its database" in served.do("open", path="view.toml").text
    assert served.studio.draft.path == before
    for table in ("own", "plain"):
        assert served.do("open", path="duckdb://views.duckdb", table=table).status == 200
        assert "300 rows" in served.part("look").text
    path = served.studio.draft.path
    with duckdb.connect(str(served.folder / "views.duckdb")) as made:
        made.execute(f"create or replace view plain as {reads}")
    revision = served.studio.draft.revision
    refused = served.do("publish", revision=revision, final=False)
    assert refused.status == 422 and "outside of its database" in refused.json()["error"]
    assert served.studio.draft.path == path


def test_a_link_that_takes_the_place_of_the_open_file_is_refused(served, tmp_path):
    """The rows of the file that it leads to were shown."""
    write_people(served.folder / "swapped.csv")
    write_people(tmp_path / "outside.csv", 90)
    assert served.do("open", path="swapped.csv").status == 200
    (served.folder / "swapped.csv").unlink()
    (served.folder / "swapped.csv").symlink_to(tmp_path / "outside.csv")
    for part in ("look", "columns", "state", "values", "explore", "risk", "limits"):
        refused = served.ask("GET", f"/part/{part}")
        assert refused.status == 422 and "outside the working folder" in refused.text, part
    asked = {"rule": "k-anonymity", "number": None, "numbers": {"k": 9}}
    assert served.ask("POST", "/slider", asked).status == 422


def test_what_was_dropped_is_refused_without_its_place(served):
    """A refusal named the temporary folder of the studio."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.txt", "no release")
    sent = served.ask("POST", "/upload?name=a.zip&purpose=check", packed.getvalue())
    refused = served.finished(served.do("check", dropped=sent.json()["dropped"]))
    assert "what was dropped has no certificate.json" in refused.text
    assert str(served.studio.private) not in refused.text
