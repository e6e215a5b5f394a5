"""Every public function refuses a wrong argument by its name: no raw exception, no hang.

In CI 15,000 calls and, in test_commands.py, 1,000 commands are tried, always the same ones.
GYGES_FUZZ=1000000 tries a million, GYGES_FUZZ_SEED=2 others; the number tried is printed.
"""

from __future__ import annotations

import inspect
import os
import random
import shutil
from collections import Counter
from pathlib import Path

import pytest

import gyges as gy
from tests.fuzz.calls import Call, all_calls
from tests.fuzz.guard import Fault, limits, n_cases, refusal, where
from tests.fuzz.hostile import spoiled

IN_CI = 15_000  # half a millisecond each
# Made by functions, not by their users: their constructors (and Groups', with from_entries and
# of_cells) say that they check nothing.
RESULTS = {"Table", "Release", "Verdict"}
SLOW = {
    "publish dp",
    "audit",
    "audit of a frame",
    "verify",
    "Release.save",
    "report_pages",
    "select_marginals",
    "Project.publish",
}


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzz")
    before = Path.cwd()
    os.chdir(tmp_path_factory.mktemp("here"))
    yield list(all_calls(folder))
    os.chdir(before)


def test_every_public_function_is_called(calls):
    """A new public name must come with a call of its own."""
    called = {call.name.partition(".")[0].partition(" ")[0] for call in calls}
    public = {name for name in gy.__all__ if callable(getattr(gy, name))}
    assert public - called - RESULTS == {"GygesError"}


def test_right_arguments_are_accepted(calls):
    for call in calls:
        assert refusal(lambda call=call: call.function(**call.right)) is None, call.name


def test_a_wrong_argument_is_refused_by_its_name(calls, capsys):
    chance = random.Random(int(os.environ.get("GYGES_FUZZ_SEED", "16")))
    faults, answered = [], Counter()
    n = n_cases(IN_CI)
    with limits():
        for _ in range(n):
            call = _chosen(calls, chance)
            fault = _tried(call, chance)
            _empty(Path.cwd())
            answered[fault is None] += 1
            faults += [fault] if fault else []
    kinds = {fault.kind: fault for fault in faults}
    with capsys.disabled():
        print(f"\n{n:,} calls with wrong arguments: {len(faults):,} faults of {len(kinds)} kinds")
    assert not faults, "\n".join(str(fault)[:400] for fault in kinds.values())


def _empty(folder: Path) -> None:
    """Remove what a call wrote: another one must not find it."""
    with os.scandir(folder) as entries:
        for entry in list(entries):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry)
            else:
                Path(entry).unlink()


def _chosen(calls: list[Call], chance: random.Random) -> Call:
    """Any call; a slow one less often."""
    call = chance.choice(calls)
    return chance.choice(calls) if call.name in SLOW and chance.random() < 0.7 else call


def _tried(call: Call, chance: random.Random) -> Fault | None:
    wrong = chance.sample(list(call.right), k=min(chance.choice([1, 1, 2]), len(call.right)))
    given = call.right | {name: spoiled(call.right[name], chance) for name in wrong}
    said = refusal(lambda: call.function(**given))
    if said is None:
        return None
    shown = ", ".join(f"{name}={_short(given[name])}" for name in wrong)
    if isinstance(said, Exception):
        return Fault(call.name, f"{type(said).__name__}: {said}"[:200], where(said), shown)
    if not said.strip():
        return Fault(call.name, "says nothing", "", shown)
    if not any(call.names(name, said) for name in wrong):
        return Fault(call.name, f"names none of {wrong}: {said}", "", shown)
    return None


def _short(value: object) -> str:
    if inspect.isgenerator(value):
        return "a generator"
    try:
        return repr(value)[:100]
    except (ValueError, RecursionError):
        return f"a {type(value).__name__} without text"
