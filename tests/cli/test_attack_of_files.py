"""`gyges attack` on random published files, against every world that the files allow."""

from __future__ import annotations

import csv
import json
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.commands import gyges
from tests.oracles import attacked_files

AGES, SEXES = [20, 21, 30], ["f", "m"]


def label(values, is_hidden):
    if is_hidden:
        return "*"
    if len(set(values)) == 1:
        return str(values[0])
    return f"{min(values)}-{max(values)}" if isinstance(values[0], int) else "*"


@st.composite
def files(draw):
    """People, and published tables about some of them; nobody's value changes."""
    n = draw(st.integers(2, 5))
    people = [
        {"age": draw(st.sampled_from(AGES)), "sex": draw(st.sampled_from(SEXES))} for _ in range(n)
    ]
    ills = draw(st.lists(st.sampled_from("xyz"), min_size=n, max_size=n))
    tables, present = [], []
    for _ in range(draw(st.integers(2, 3))):
        columns = draw(st.sampled_from([["age", "sex"], ["age"], ["sex"]]))
        group_of = draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n))
        group_of[draw(st.integers(0, n - 1))] = 0
        rows = []
        for group in sorted(set(group_of) - {-1}):
            held = [i for i in range(n) if group_of[i] == group]
            labels = tuple(
                label([people[i][c] for i in held], draw(st.booleans())) for c in columns
            )
            rows += [(labels, ills[i]) for i in held]
        tables.append((columns, draw(st.permutations(rows))))
        present.append([group >= 0 for group in group_of])
    listed = draw(st.lists(st.integers(0, n - 1), min_size=1, unique=True))
    return people, tables, present, sorted(listed), draw(st.sampled_from(["1/3", "0.5", "2/3"]))


def write(path, header, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def attacked(case, known):
    """The exit code and the answer; `known` gives who is in which table."""
    people, tables, present, listed, confidence = case
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for j, (columns, rows) in enumerate(tables):
            write(folder / f"{j}.csv", [*columns, "ill"], [[*one, v] for one, v in rows])
        marks = [[("no", "yes")[there[i]] for there in present] for i in listed]
        rows = [[*people[i].values(), *mark] for i, mark in zip(listed, marks, strict=True)]
        names = [f"in{j}" for j in range(len(tables))]
        write(folder / "people.csv", ["age", "sex", *names], rows)
        words = ["attack", *(f"{j}.csv" for j in range(len(tables))), "--people", "people.csv"]
        words += ["--quasi", "age,sex", "--sensitive", "ill", "--confidence", confidence]
        words += ["--present", ",".join(names)] if known else []
        code, out, notes = gyges(*words, "--json", folder=folder)
    assert "Traceback" not in notes
    return code, json.loads(out) if code in (0, 1, 3) else None


@settings(max_examples=50)
@given(case=files(), known=st.booleans())
def test_exit_0_and_every_count_are_what_the_worlds_say(case, known):
    people, tables, present, listed, confidence = case
    code, found = attacked(case, known)
    if code == 2:
        return  # nobody of these is in some table
    options = [
        [
            attacked_files.fitting(columns, rows, people[i]) if there[i] or not known else [None]
            for i in listed
        ]
        for (columns, rows), there in zip(tables, present, strict=True)
    ]
    is_lost = any(not groups for one in options for groups in one)
    is_several = any(len(groups) > 1 for one in options for groups in one)
    is_crowded = any(
        n > len(attacked_files.groups_of(rows)[group])
        for (_, rows), one in zip(tables, options, strict=True)
        for group, n in Counter(g[0] for g in one if g and g[0] is not None).items()
    )
    is_partial = any(
        sum(groups != [None] and bool(groups) for groups in one) < len(rows)
        for (_, rows), one in zip(tables, options, strict=True)
    )
    worlds = attacked_files.worlds(tables, [[g or [None] for g in one] for one in options])
    if is_lost or is_several or is_crowded or is_partial or not worlds:
        assert code != 0, "not everything could be checked"
    if is_crowded or not worlds:
        return
    counts = counted(tables, options, worlds, Fraction(confidence))
    if code == 0:
        assert not any(counts[1:])
    assert found["certain"] <= counts[0]
    if not (is_lost or is_several):
        names = ("certain", "made_certain_by_joining", "exposed_by_share_of_worlds")
        assert [found[name] for name in names] == counts[:3]
        assert (code == 1) == any(counts[1:])


def counted(tables, options, worlds, confidence):
    """Certain, newly certain, exposed by their share, exposed by possible values: people."""
    counts = [0, 0, 0, 0]
    for k in range(len(options[0])):
        alone = [
            Counter(v for labels, v in rows if labels in one[k])
            for (_, rows), one in zip(tables, options, strict=True)
            if one[k] and one[k] != [None]
        ]
        if not alone:
            continue
        possible = {world[k] for world in worlds}
        fewest = min(len(held) for held in alone)
        before = max(Fraction(max(held.values()), held.total()) for held in alone)
        most = max(attacked_files.share(worlds, k, value) for value in possible)
        counts[0] += len(possible) == 1
        counts[1] += len(possible) == 1 < fewest
        counts[2] += before < confidence <= most
        counts[3] += len(possible) * confidence <= 1 < fewest * confidence
    return counts
