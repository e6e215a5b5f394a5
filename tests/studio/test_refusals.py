"""What the studio refuses: one test for each refusal. Nothing here needs a browser."""

from __future__ import annotations

import io
import socket
import zipfile

import pytest

from tests.studio.served import serving, write_people

pytestmark = pytest.mark.xdist_group("studio")


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


def test_the_token_is_exchanged_for_a_cookie_that_scripts_and_other_sites_do_not_get(served):
    answer = served.ask("GET", f"/?token={served.server.keys.token}", without=["Cookie"])
    assert answer.status == 303 and answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie
    assert served.server.keys.token not in answer.headers["set-cookie"]


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


@pytest.mark.parametrize("url", ["sqlite:////etc/passwd", "duckdb://../other.db"])
def test_a_database_file_outside_the_working_folder_is_refused(served, url):
    refused = served.do("open", path=url, table="people")
    assert refused.status == 422


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


def test_a_project_whose_data_lies_outside_is_refused(served):
    before = served.studio.draft.path
    (served.folder / "other.toml").write_text(
        '[data]\nsource = "../secret.csv"\n[columns]\nquasi_identifiers = ["age"]\n'
    )
    assert served.do("open", path="other.toml").status == 422
    served.do("open", path=before.name)


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


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"null", b'"x"', b"\xff"])
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
