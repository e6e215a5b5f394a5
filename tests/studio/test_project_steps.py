"""The project while it is edited: what is written can be read, and steps can be undone."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.errors import GygesError
from gyges.workflow import project_edits as edits
from gyges.workflow.column_profiles import coded_tree
from gyges.workflow.project_draft import ProjectDraft, StaleEditError
from gyges.workflow.project_text import project_toml

TEXT = """# my own words
[data]
source = "patients.csv"  # where it is

# who is who
[columns]
identifiers = ["patient"]
quasi_identifiers = ["age", "sex"]
sensitive = "disease"

[[require]]
rule = "k-anonymity"
k = 5
"""


@pytest.fixture
def path(tmp_path):
    made = tmp_path / "gyges.toml"
    made.write_text(TEXT)
    return made


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
simple = st.one_of(texts, st.integers(-(2**40), 2**40), st.booleans(), st.floats(-1e9, 1e9))
values = st.one_of(simple, st.lists(simple, max_size=3), st.dictionaries(texts, simple, max_size=3))
sections = st.dictionaries(texts, values, min_size=1, max_size=4)


@given(
    st.dictionaries(
        st.sampled_from(["data", "columns", "hierarchies", "publish", "x y"]),
        sections,
        min_size=1,
        max_size=4,
    ),
    st.lists(sections, max_size=3),
    st.booleans(),
)
def test_what_is_written_is_what_is_read(stated, rules, has_before):
    stated = {**stated, **({"require": rules} if rules else {})}
    written = project_toml(stated, TEXT if has_before else "")
    assert tomllib.loads(written) == stated
    assert project_toml(stated, written) == written


def test_sections_that_did_not_change_keep_their_comments(path):
    draft = ProjectDraft.open(path)
    draft.change(edits.set_rule(draft.stated, 0, {"rule": "k-anonymity", "k": 7}), "k is 7")
    text = path.read_text()
    assert "# my own words" in text and "# where it is" in text and "# who is who" in text
    assert "k = 7" in text and "k = 5" not in text
    assert gy.Project(path).rules == [gy.KAnonymity(7)]


def test_every_step_is_saved_and_can_be_undone_and_made_again(path):
    draft = ProjectDraft.open(path)
    states = [draft.text]
    for k in (6, 7, 8):
        draft.change(edits.set_rule(draft.stated, 0, {"rule": "k-anonymity", "k": k}), f"k {k}")
        states.append(path.read_text())
    assert draft.undo_label == "k 8" and draft.redo_label is None
    for state in reversed(states[:-1]):
        draft.undo()
        assert path.read_text() == draft.text == state
    draft.undo()  # nothing is left to undo
    assert path.read_text() == TEXT
    draft.redo()
    assert path.read_text() == states[1] and draft.redo_label == "k 7"
    draft.change(edits.set_rule(draft.stated, 0, {"rule": "k-anonymity", "k": 9}), "k 9")
    assert draft.redo_label is None
    draft.close()


def test_two_windows_do_not_overwrite_each_other(path):
    draft = ProjectDraft.open(path)
    seen = draft.revision
    draft.change(edits.set_role(draft.stated, "sex", "dropped"), "one window", seen)
    saved = path.read_text()
    with pytest.raises(StaleEditError, match="another window"):
        draft.change(edits.set_role(draft.stated, "age", "dropped"), "the other", seen)
    with pytest.raises(StaleEditError):
        draft.undo(seen)
    assert path.read_text() == saved
    draft.close()


def test_a_change_by_another_program_is_not_lost(path):
    draft = ProjectDraft.open(path)
    path.write_text(TEXT + "# from an editor\n")
    with pytest.raises(GygesError, match="another program"):
        draft.change(edits.set_role(draft.stated, "sex", "dropped"), "a change")
    assert "# from an editor" in path.read_text()
    draft.close()


def test_a_second_studio_on_the_same_project_is_refused_until_the_first_ends(path):
    draft = ProjectDraft.open(path)
    code = (
        "import sys; from pathlib import Path; from gyges.errors import GygesError;"
        "from gyges.workflow.project_draft import ProjectDraft\n"
        "try: ProjectDraft.open(Path(sys.argv[1]))\n"
        "except GygesError as e: print(e)\n"
        "else: print('opened')"
    )
    asked = [sys.executable, "-c", code, str(path)]
    said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    assert "open in another studio" in said
    draft.close()
    said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    assert said.strip() == "opened"
    ProjectDraft.open(path).close()  # the lock of a process that has ended holds nobody up


def test_a_project_that_is_reached_through_a_link_is_the_same_project(path, tmp_path):
    """The lock lay beside the link, so a second studio did not notice the first."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "folder").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "elsewhere" / "linked.toml").symlink_to(path)
    draft = ProjectDraft.open(path)
    for other in (tmp_path / "folder" / path.name, tmp_path / "elsewhere" / "linked.toml"):
        with pytest.raises(GygesError, match="another studio"):
            ProjectDraft.open(other)
    draft.close()
    ProjectDraft.open(tmp_path / "folder" / path.name).close()


def test_a_lock_that_was_removed_while_it_was_taken_holds_nobody(path, monkeypatch):
    """Who opened the file before its owner removed it had a lock that nobody else saw."""
    from gyges.workflow import project_draft

    first, taken = ProjectDraft.open(path), []
    usual = project_draft.fcntl.flock

    def locking(handle, how):
        if not taken:  # just before the second one locks, the first one ends and a third begins
            taken.append("second")
            first.close()
            taken.append(ProjectDraft.open(path))
        usual(handle, how)

    monkeypatch.setattr(project_draft.fcntl, "flock", locking)
    with pytest.raises(GygesError, match="another studio"):
        ProjectDraft.open(path)
    taken[1].close()


@pytest.mark.parametrize("text", ["", "x =", "[data]\n", TEXT + "[nonsense]\na = 1\n"])
def test_a_file_that_is_no_project_is_refused_and_not_locked(path, text):
    path.write_text(text)
    for _ in range(2):
        with pytest.raises(GygesError):
            ProjectDraft.open(path)
    assert path.read_text() == text


roles = st.sampled_from(edits.ROLES)
names = st.sampled_from(["patient", "age", "sex", "disease", "zip"])


@given(st.lists(st.tuples(names, roles), max_size=8))
def test_after_any_choice_of_roles_each_column_has_the_last_one_chosen(choices):
    """The oracle remembers; of roles that one column has, the second sends the first to dropped."""
    stated = tomllib.loads(TEXT)
    expected = {"patient": "identifier", "age": "quasi-identifier", "sex": "quasi-identifier",
                "disease": "sensitive", "zip": "dropped"}  # fmt: skip
    for column, role in choices:
        stated = edits.set_role(stated, column, role)
        if role in ("sensitive", "person", "household", "weight"):
            expected |= {name: "dropped" for name, held in expected.items() if held == role}
        expected[column] = role
        assert {name: edits.role_of(stated, name) for name in expected} == expected
        assert tomllib.loads(project_toml(stated, TEXT)) == stated


@given(
    st.lists(st.integers(0, 120), min_size=1, unique=True),
    st.integers(1, 30),
    st.none() | st.integers(0, 60),
    st.none() | st.integers(61, 120),
)
def test_top_and_bottom_coding_puts_every_number_into_one_group(numbers, width, bottom, top):
    groups = coded_tree([str(one) for one in numbers], width, bottom, top)
    placed = {int(one): label for label, held in groups.items() for one in held}
    assert sorted(placed) == sorted(numbers)
    for number, label in placed.items():
        if bottom is not None and number < bottom:
            assert label == f"below {bottom}"
        elif top is not None and number >= top:
            assert label == f"{top} and over"
        else:
            start = number // width * width
            assert label == f"{start}-{start + width - 1}"
    gy.Hierarchy.from_tree(groups).bind([str(one) for one in numbers])


def test_revisions_are_never_repeated_by_another_project(tmp_path):
    """A page that showed one project could publish another one with the same number of changes."""
    text = '[data]\nsource = "a.csv"\n[columns]\nquasi_identifiers = ["age"]\n'
    seen = set()
    for name in ("a.toml", "b.toml", "a.toml"):
        (tmp_path / name).write_text(text)
        draft = ProjectDraft.open(tmp_path / name)
        assert draft.revision not in seen
        seen.add(draft.revision)
        (tmp_path / name).write_text(text + "# changed by an editor\n")
        with pytest.raises(GygesError, match="changed by another program"):
            draft.refuse_changed()
        draft.close()
