"""Every command with hostile options and files: no traceback, no half-done work, valid JSON.

Exit code 2 means that nothing was written, and one sentence says why. Commands run in this
process, one after the other, on a folder that is put right after each; what answers Ctrl-C is not
started. In CI 1,000 commands are tried, always the same ones, beside the 15,000 calls of
test_public_functions.py. GYGES_FUZZ=100000 tries more, GYGES_FUZZ_SEED=2 others; the number tried
is printed.
"""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import sys
import traceback
import warnings
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from gyges.cli import main
from tests.cli.commands import command
from tests.fuzz.files import (
    PROJECT,
    TOML_VALUES,
    changed_bytes,
    changed_tree,
    hostile_tables,
    toml,
    write_right_files,
)
from tests.fuzz.guard import Fault, TooLongError, deadline, limits, n_cases, where

IN_CI = 1_000  # a command takes a twentieth of a second

COLUMNS = ["--quasi", "age,zip", "--sensitive", "ill", "--id", "name"]
# What each command is given when all is right; every case changes something of it.
RIGHT = {
    "demo": [["--folder", "demo"]],
    "init": [["patients.csv", "--out", "new.toml"], ["patients.parquet", "--out", "new.toml"]],
    "publish": [
        ["patients.csv", *COLUMNS, "--k", "2", "--out", "new"],
        ["patients.csv", *COLUMNS, "--l", "2", "--method", "buckets", "--out", "new"],
        ["patients.csv", *COLUMNS, "--k", "2", "--method", "lattice", "--out", "new"],
        ["patients.csv", *COLUMNS, "--k", "2", "--method", "microaggregation", "--out", "new"],
        ["gyges.toml", "--out", "new", "--mapping", "new_map.json"],
        ["patients.csv", *COLUMNS, "--epsilon", "1", "--method", "dp", "--out", "new"],
    ],
    "marginals": [["gyges.toml", "--out", "new", "--seconds", "0.1"]],
    "noise": [
        ["noisy.toml", "--error", "5%", "--people", "40", "--picture", "new.html"],
        ["noisy.toml", "--epsilon", "0.5,1"],
    ],
    "audit": [
        ["release"],
        ["views"],
        ["noisy"],
        ["release", "--project", "gyges.toml", "--original", "patients.csv"],
        ["patients.csv", "--original", "patients.csv", "--same-order"],
        ["release", "--sampling-fraction", "0.1", "--office", "new.md"],
    ],
    "compare": [
        ["release", "buckets", "--picture", "new.html"],
        ["release", "patients.csv", *COLUMNS[:4]],
    ],
    "skyline": [["release", "--value", "Flu"], ["buckets", "--value", "Gout"]],
    "ask": [
        ["release", "1.1 = Flu", "--given", "1.2 = Flu or 1.1 = Flu"],
        ["release", "at least 1 of ({age=42}, 1.1) have Flu", "--given", "with 0.5: 1.2 = Flu"],
    ],
    "show": [["release", "--group", "1"], ["buckets"]],
    "attack": [["release", "buckets", "--people", "patients.csv", *COLUMNS[:4]]],
    "verify": [
        ["release"],
        ["buckets"],
        ["views"],
        ["noisy"],
        ["buckets", "--project", "gyges.toml", "--original", "patients.csv"],
        [
            "release",
            "--project",
            "gyges.toml",
            "--original",
            "patients.csv",
            "--mapping",
            "map.json",
        ],
    ],
    "ledger": [
        ["ledger.sqlite"],
        ["ledger.sqlite", "--export", "new.json"],
        ["confirm", "release", "--ledger", "ledger.sqlite"],
        ["withdraw", "buckets", "--reason", "nobody has it", "--ledger", "ledger.sqlite"],
    ],
    "apply": [["map.json", "patients.csv", "--sensitive", "ill", "--id", "name", "--out", "new"]],
    "reproduce": [["no-such-figure"], ["--json"]],
}
RARE = {"demo", "reproduce"}  # they read no file
WORDS = [
    "",
    " ",
    "x",
    "-1",
    "0",
    "2",
    "1e400",
    "1e999999999",
    "-1e-999999999",
    "0/0",
    "nan",
    "inf",
    "9" * 5_000,
    "10000000000000000000000000000000",
    "0.5",
    "1/3",
    "0.8:1",
    "0.8:",
    ":",
    "1e400:99999999999999",
    "2GB",
    "9e9GB",
    "\x1b[31mred",
    "é",
    "\udcff",
    "a,b",
    "age",
    "age,age",
    ",",
    "*",
    "csv",
    "parquet",
    "lattice",
    "dp",
    "buckets",
    "marginals",
    "generalized",
    "bucketized",
    "nothing",
    "nothing/at/all",
    ".",
    "release",
    "buckets",
    "patients.csv",
    "gyges.toml",
    "ledger.sqlite",
    "map.json",
    "sqlite://nothing.db",
    "duckdb://nothing.db",
    "postgres://nobody@localhost:1/none",
    "https://localhost/none.csv",
    "1.1 = Flu",
    "1.1 = Flu -> ",
    "((((" * 200,
    "not " * 2_000 + "1.1 = Flu",
    "Flu",
]


@dataclass(frozen=True)
class Done:
    """What a command did."""

    code: int | None
    out: str
    notes: str
    problem: BaseException | None


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("commands")
    write_right_files(made)
    before = Path.cwd()
    os.chdir(made)
    publish = ["publish", "patients.csv", *COLUMNS, "--no-report", "--ledger", "ledger.sqlite"]
    for words in (
        [*publish, "--k", "2", "--l", "2", "--out", "release", "--mapping", "map.json"],
        [*publish, "--l", "2", "--method", "buckets", "--out", "buckets"],
        ["marginals", "gyges.toml", "--out", "views", "--seconds", "5"],
        ["publish", "noisy.toml", "--out", "noisy", "--no-report"],
    ):
        done = run(words)
        assert done.code == 0, (words, done)
    for verb, rights in RIGHT.items():  # what is loaded now counts in no case's time and memory
        for right in rights:
            run([verb, *right])
            for path in (*made.glob("new*"), made / "demo"):
                _remove(path)
    yield made
    os.chdir(before)


def _write_bags(folder: Path) -> None:
    """People with many values each: probabilities with thousands of digits."""
    rows = [f"p{n % 40},{30 + n % 2},{'abc'[n * n % 3]}" for n in range(12_000)]
    (folder / "bags.csv").write_text("\n".join(["name,age,ill", *rows]) + "\n")
    project = {
        "data": {"source": "bags.csv"},
        "columns": {
            "identifiers": ["name"],
            "quasi_identifiers": ["age"],
            "sensitive": "ill",
            "values_per_person": "multiset",
        },
        "publish": {"out": "bags"},
        "require": [
            {"rule": "k-anonymity", "k": 2},
            {"rule": "skyline", "points": {"*": [[0, 1, 0, "1"]]}},
        ],
        "ledger": {"keep": False},
    }
    (folder / "bags.toml").write_text(toml(project))


def run(words: list[str]) -> Done:
    """Type a command, here in this process."""
    out, notes = io.StringIO(), io.StringIO()
    argv, sys.argv = sys.argv, ["gyges", *words]
    code: int | None = None
    problem: BaseException | None = None
    try:
        with deadline(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with redirect_stdout(out), redirect_stderr(notes):
                code = main._run(command())
    except (Exception, TooLongError) as raised:
        problem = raised
    finally:
        sys.argv = argv
    return Done(code, out.getvalue(), notes.getvalue(), problem)


def test_every_command_is_fuzzed():
    """But for the page, which answers until it is stopped: tests/studio attacks it."""
    assert set(command().commands) == {*RIGHT, "studio"}


def test_a_huge_fraction_is_shown_and_is_valid_json(folder):
    """A multiset's probabilities may have more digits than Python turns into text."""
    _write_bags(folder)
    for words in (
        ["publish", "bags.toml", "--no-report", "--json"],
        ["ask", "bags", "1.1 = b", "--json"],
        ["skyline", "bags", "--value", "b", "--json"],
        ["verify", "bags", "--json"],
    ):
        done = run(words)
        assert done.code == 0, done
        assert _judged_json(words, done, " ".join(words)) is None


def test_no_command_ends_in_a_traceback(folder, tmp_path_factory, capsys):
    chance = random.Random(int(os.environ.get("GYGES_FUZZ_SEED", "16")))
    master = tmp_path_factory.mktemp("master") / "files"
    tables = hostile_tables(folder)
    shutil.copytree(folder, master)
    start = _listing(folder)
    faults: dict[tuple[str, str, str], Fault] = {}
    codes: Counter[int | None] = Counter()
    n = n_cases(IN_CI)
    with limits():
        for _ in range(n):
            words = _case(folder, tables, chance)
            before = _listing(folder)
            done = run(words)
            codes[done.code] += 1
            after = _listing(folder)
            fault = _judged(words, done, before, after)
            if fault is not None:
                faults.setdefault(fault.kind, fault)
            _restore(folder, master, start, after)
    with capsys.disabled():
        print(f"\n{n:,} commands, by exit code {dict(codes)}: {len(faults)} kinds of faults")
    assert not faults, "\n".join(str(fault)[:500] for fault in faults.values())


def _case(folder: Path, tables: list[str], chance: random.Random) -> list[str]:
    verb = chance.choice([name for name in RIGHT if name not in RARE or chance.random() < 0.02])
    words = list(chance.choice(RIGHT[verb]))
    for _ in range(chance.choice([1, 1, 2])):
        what = chance.randrange(5)
        if what == 0:
            words[chance.randrange(len(words))] = chance.choice(WORDS)
        elif what == 1:
            words += _option(verb, chance)
        else:
            _replace_a_file(words, folder, tables, chance)
    if verb == "publish" and chance.random() < 0.9:
        words.append("--no-report")
    return [verb, *words, *(["--json"] if chance.random() < 0.5 else [])]


def _option(verb: str, chance: random.Random) -> list[str]:
    known = command().commands[verb].params
    options = [p for p in known if p.opts[0].startswith("--") and p.name != "everything"]
    option = chance.choice(options)
    flag = getattr(option, "is_flag", False)
    return [option.opts[0]] if flag else [option.opts[0], chance.choice(WORDS)]


def _replace_a_file(
    words: list[str], folder: Path, tables: list[str], chance: random.Random
) -> None:
    """Replace one of the files or folders that a command names by a hostile one."""
    places = [p for p, word in enumerate(words) if os.path.lexists(word)]
    if not places:
        return
    place = chance.choice(places)
    path = folder / words[place]
    if path.is_dir():
        _change_inside(path, chance)
    elif path.suffix == ".toml":
        changed = changed_tree(PROJECT, chance, TOML_VALUES)
        text = toml(changed) if isinstance(changed, dict) else str(changed)
        content = text.encode(errors="replace")
        path.write_bytes(changed_bytes(content, chance) if chance.random() < 0.2 else content)
    elif path.suffix == ".json":
        _change_json(path, chance)
    elif path.suffix in (".csv", ".parquet") and chance.random() < 0.6:
        words[place] = chance.choice(tables)
    else:
        path.write_bytes(changed_bytes(path.read_bytes(), chance))


def _change_inside(release: Path, chance: random.Random) -> None:
    files = sorted(path for path in release.iterdir() if path.is_file())
    if not files:
        return
    path = chance.choice(files)
    if path.suffix == ".json" and chance.random() < 0.7:
        _change_json(path, chance)
    elif chance.random() < 0.1:
        path.unlink()
    else:
        path.write_bytes(changed_bytes(path.read_bytes(), chance))


def _change_json(path: Path, chance: random.Random) -> None:
    values = [value for value in TOML_VALUES if not hasattr(value, "isoformat")]
    try:
        changed = changed_tree(json.loads(path.read_bytes()), chance, [*values, None])
    except ValueError:  # an earlier change of the same case broke it
        return
    text = json.dumps(changed)
    if chance.random() < 0.2:
        path.write_bytes(changed_bytes(text.encode(), chance))
    else:
        path.write_text(text)


def _listing(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file of the folder with its size and time."""
    found = {}
    for base, folders, names in os.walk(folder):
        for name in [*names, *folders]:
            path = os.path.join(base, name)  # noqa: PTH118 (quick: thousands of times)
            known = os.lstat(path)
            found[path] = (known.st_size, known.st_mtime_ns) if name in names else (-1, 0)
    return found


def _judged(words: list[str], done: Done, before: dict, after: dict) -> Fault | None:
    shown = " ".join(word if len(word) < 60 else f"{word[:60]}…" for word in words)
    if done.problem is not None:
        last = traceback.format_exception_only(done.problem)[-1].strip()
        return Fault(words[0], last[:200], where(done.problem), shown)
    if done.code not in (0, 1, 2, 3, main.UNFINISHED) or "Traceback" in done.notes:
        return Fault(words[0], f"exit code {done.code}: {done.notes[-200:]}", "", shown)
    said = sum(line.startswith(("gyges: ", "Usage: ")) for line in done.notes.splitlines())
    if done.code == 2 and said != 1:
        return Fault(words[0], f"says {said} sentences: {done.notes[-200:]}", "", shown)
    if done.code == 2 and before != after:
        changed = {path for path, _ in set(before.items()) ^ set(after.items())}
        return Fault(words[0], f"exit code 2, but wrote {sorted(changed)[:3]}", "", shown)
    if done.code == main.UNFINISHED and before == after:
        return Fault(words[0], f"exit code {done.code}, but wrote nothing", "", shown)
    if "--json" in words and "Usage: " not in done.notes:
        return _judged_json(words, done, shown)
    return None


def _judged_json(words: list[str], done: Done, shown: str) -> Fault | None:
    def refuse(constant: str) -> object:
        raise ValueError(f"{constant} is no JSON")

    try:
        json.loads(done.out, parse_constant=refuse)
    except ValueError as problem:
        return Fault(words[0], f"no JSON: {problem}, {done.out[:100]!r}", "", shown)
    return None


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _restore(folder: Path, master: Path, start: dict, after: dict) -> None:
    """The folder as it was at first: what a case changed is copied back, what it made removed."""
    for path in sorted(set(after) - set(start)):
        _remove(Path(path))
    for path in sorted(path for path in start if after.get(path) != start[path]):
        there = Path(path)
        right = master / there.relative_to(folder)
        if right.is_dir():
            if not there.is_dir():
                _remove(there)
            there.mkdir(exist_ok=True)
            continue
        if there.is_dir():
            _remove(there)
        shutil.copy2(right, there)
