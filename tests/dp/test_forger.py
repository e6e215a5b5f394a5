"""Whatever is altered in a noisy release: verify never lets a false promise stand.

The judge has its own arithmetic: ε = views · change / scale for Laplace noise, ρ = views · change /
(2 scale²) for Gaussian noise, and the conversion of ρ by its definition.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import math
import os
import random
import re
import shutil
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.auditing import form_noise
from gyges.auditing.forms import verify_files
from tests.dp.test_release import VALUES, noisy

IMPOSSIBLE = [{"sex": "M", "ill": ["Asthma"]}]
PLANS = {
    "adaptive": {"levels": {}},
    "adaptive with delta": {"delta": "1e-6", "levels": {}, "impossible": IMPOSSIBLE},
    "tree": {"views": "mst"},
    "tree with delta": {"views": "mst", "delta": "1e-6"},
    "listed": {"views": [["age", "ill"], ["sex"]], "neighbours": "change one person"},
    "listed with delta": {"views": [["sex", "ill"], [], ["age"]], "delta": "1e-6"},
}
JUNK = [None, True, 0, -1, 1, 10**30, 0.5, "", "0", "1/100", "-1", "\x1b[2J\n  true: all", [], {}]


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    place = tmp_path_factory.mktemp("noisy")
    return {
        name: noisy(**options).save(place / name.replace(" ", "-"))
        for name, options in PLANS.items()
    }


def answer(directory):
    """What verify finds: refused, False, or None since no file shows that noise was drawn."""
    try:
        verdicts = [check.holds for check in verify_files(directory).checks]
    except gy.GygesError:
        return "refused"
    return False if False in verdicts else None if None in verdicts else True


def copied(release, place):
    directory = Path(place) / "noisy"
    shutil.copytree(release, directory)
    for path in directory.iterdir():
        path.chmod(0o644)
    return directory


def restate(directory, change):
    """Change the certificate, and redo the hashes of the files that it lists."""
    path = directory / "certificate.json"
    stated = json.loads(path.read_text())
    with contextlib.suppress(KeyError, TypeError, AttributeError, IndexError):
        change(stated)
    if isinstance(stated.get("files"), dict):
        for name in stated["files"]:
            if (directory / name).is_file():
                data = (directory / name).read_bytes()
                stated["files"][name] = hashlib.sha256(data).hexdigest()
    path.write_text(json.dumps(stated))


AIMED = [
    lambda s: s["guarantee"].update(epsilon="1"),
    lambda s: s["guarantee"].update(epsilon="1/2", rho="1/8"),
    lambda s: s["guarantee"].update(delta="0"),
    lambda s: s["guarantee"].update(delta="1e-300"),
    lambda s: s["guarantee"].update(neighbours="change one person"),
    lambda s: s["guarantee"].update(neighbours="add or remove one person"),
    lambda s: s["guarantee"]["steps"].append({"measure": "epsilon", "amount": "-1", "views": []}),
    lambda s: s["guarantee"]["steps"][-1].update(amount="1/100"),
    lambda s: s["guarantee"]["steps"][1].update(amount="0"),
    lambda s: s["guarantee"]["steps"].pop(1),
    lambda s: s["guarantee"]["steps"].pop(),
    lambda s: s["guarantee"]["views"][0].update(noise="none"),
    lambda s: s["guarantee"]["views"][0].update(noise="discrete Gaussian"),
    lambda s: [view.update(scale=view["scale"] / 2) for view in s["guarantee"]["views"]],
    lambda s: [view.update(scale=view["scale"] * 2) for view in s["guarantee"]["views"]],
    lambda s: s.update(meaning="Nobody can be harmed."),
    lambda s: s["columns"][0]["labels"].append("more"),
    lambda s: s["columns"][0]["labels"].reverse(),
    lambda s: s["columns"].append({"name": "name", "labels": ["x"]}),
    lambda s: s.update(needs_original=True),
    lambda s: s.update(synthetic="../noisy/synthetic.csv"),
    lambda s: s["files"].update({"raw.txt": "0" * 64}),
    lambda s: s.update(format=1),
    lambda s: s.update(format=True),
    lambda s: [s["guarantee"]["steps"].pop(1), s["guarantee"]["steps"].pop(2)],  # choices
    lambda s: s["guarantee"]["steps"].pop(-2),
    lambda s: s["guarantee"]["steps"][1].update(amount="1/1000000"),
    lambda s: [
        step.update(amount="1/1000000") for step in s["guarantee"]["steps"] if not step["views"]
    ],
    lambda s: s["guarantee"].update(
        steps=[step for step in s["guarantee"]["steps"] if step["views"]]
    ),
    lambda s: s["guarantee"].update(
        steps=[
            {**s["guarantee"]["steps"][0], "views": [v["columns"] for v in s["guarantee"]["views"]]}
        ]
    ),
    lambda s: s["guarantee"]["steps"][1:3].reverse() or s["guarantee"]["steps"].reverse(),
    lambda s: s["coarser"][0]["part_of"].reverse(),
    lambda s: s["coarser"][0].update(of="sex"),
    lambda s: s["coarser"][0]["labels"].append("more"),
    lambda s: s["coarser"].append({**s["coarser"][0], "name": "again"}),
    lambda s: s["impossible"][0]["places"][0].append(99),
    lambda s: s["impossible"].append({"columns": ["sex", "ill"], "places": [[0], [0, 1, 2, 3]]}),
]


def alter_certificate(directory, rng):
    def anything(stated):
        places = [(stated, key) for key in stated]
        for container, key in places:
            inner = container[key]
            if isinstance(inner, dict):
                places += [(inner, k) for k in inner]
            elif isinstance(inner, list):
                places += [(inner, k) for k in range(len(inner))]
        container, key = rng.choice(places)
        if rng.random() < 0.3:
            del container[key]
        else:
            container[key] = rng.choice(JUNK)

    restate(directory, rng.choice([*AIMED, anything, anything, anything]))


def alter_table(directory, rng):
    path = rng.choice(sorted(directory.glob("*.csv")))
    lines = path.read_text().splitlines()
    at = rng.randrange(min(1, len(lines) - 1), len(lines))
    cells = lines[at].split(",")
    match rng.randrange(7):
        case 0:
            cells[-1] = rng.choice(["400000000", "nan", "inf", "-3", "x", "1e400", "0"])
        case 1 if len(cells) > 1:
            cells[-2] = rng.choice(["400000000", "1.5", "x", "9" * 400, " 7", "-0", "12"])
        case 2:
            cells[0] = rng.choice(["F", "Flu", "0-49", "Ann", "'=1"])
        case 3:
            lines.append(lines[at])
        case 4 if at:
            del lines[at]
            at = 0
            cells = lines[0].split(",")
        case 5:
            lines = [f"{line},more" for line in lines]
            cells = lines[at].split(",")
        case _:
            lines[1:] = rng.sample(lines[1:], len(lines) - 1)
            cells = lines[at].split(",")
    lines[at] = ",".join(cells)
    path.write_text("\n".join(lines) + "\n")
    restate(directory, lambda stated: None)


def alter_files(directory, rng):
    extra = rng.choice(["raw.txt", "synthetic.parquet", "view-1.CSV", "fitted.csv", "report.html"])
    if (directory / extra).exists() or not (directory / "view-1.csv").exists():
        return
    match rng.randrange(4):
        case 0:
            (directory / extra).write_text("name\n")
        case 1:
            (directory / extra).write_text("name\n")
            restate(directory, lambda stated: stated["files"].update({extra: "0" * 64}))
        case 2:
            os.mkfifo(directory / extra)
        case _:
            (directory / extra).symlink_to(directory / "view-1.csv")


def is_true(directory):
    """Whether the promise follows from what is stated, and the tables are as described."""
    stated = json.loads((directory / "certificate.json").read_text())
    promise, columns = stated["guarantee"], {c["name"]: c["labels"] for c in stated["columns"]}
    for one in stated.get("coarser", []):
        if len(one["part_of"]) != len(columns[one["of"]]):
            return False
        columns[one["name"]] = one["labels"]
    names = [view["file"] for view in promise["views"]]
    if {path.name for path in directory.iterdir()} != {*names, "synthetic.csv", "certificate.json"}:
        return False
    for view in promise["views"]:
        rows = read(directory / view["file"])
        listed = list(zip(*(rows[name] for name in view["columns"]), strict=True))
        product = list(itertools.product(*(columns[name] for name in view["columns"])))
        if (view["columns"] and listed != product) or any(str(int(n)) != n for n in rows["count"]):
            return False
    people = read(directory / "synthetic.csv")
    if any(not set(people[name]) <= set(columns[name]) for name in people):
        return False
    rho = None if Fraction(promise["delta"]) == 0 else promise["rho"]
    meaning = gy.semantic_privacy(promise["epsilon"], promise["delta"], people=2, rho=rho)
    said = str(meaning)
    if stated["rows_are_people"]:
        said = re.sub(r"([0-9,]+) (?:people|person)", r"\1 rows", said)
        said = said.replace("any one person's data", "any one row")
    return stated["meaning"] == said and is_paid(promise, columns)


def read(path):
    names = path.read_text().splitlines()[0].split(",")
    text = pa.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
    return pa.csv.read_csv(path, convert_options=text).to_pydict()


def is_paid(promise, columns):
    """Each view is paid for once and in order, each choice as its plan says; all within ε, δ."""
    change = 1 if promise["neighbours"] == "add or remove one person" else 2
    is_pure, total, steps = Fraction(promise["delta"]) == 0, 0.0, promise["steps"]
    waiting, is_chosen = list(promise["views"]), False
    for number, step in enumerate(steps):
        noise = None
        for columns_of_view in step["views"]:
            noise = waiting.pop(0)
            assert noise["columns"] == columns_of_view
            assert (noise["noise"] == "discrete Laplace") == is_pure
        if noise is None:
            share = (1 / 3 if is_pure else 1 / 9) if len(steps) > 3 else 1
            total += (
                cost(steps[number + 1], promise, change) * share
                if number + 1 < len(steps)
                else (float(Fraction(steps[0]["amount"])))
            )
            is_chosen = True
        else:
            total += cost(step, promise, change)
        if len(steps) > 3 and number and bool(step["views"]) == (number % 2 == 1):
            return False
    if waiting or (len(steps) > 1 and not is_chosen):
        return False
    epsilon = float(Fraction(promise["epsilon"])) * (1 + 1e-6)
    if is_pure:
        return total <= epsilon
    return least_delta(total, epsilon) <= float(Fraction(promise["delta"])) * (1 + 1e-4)


def cost(step, promise, change):
    """What the noise of a step costs, by its scale; a view may be measured more than once."""
    before = promise["steps"][: [id(one) for one in promise["steps"]].index(id(step))]
    scale = promise["views"][sum(len(one["views"]) for one in before)]["scale"]
    n = len(step["views"]) * change
    return n / scale if Fraction(promise["delta"]) == 0 else n / (2 * scale**2)


def least_delta(rho, epsilon):
    """δ = min over α of exp((α-1)(αρ-ε)) / (α-1) · (1-1/α)^α [Bun2016 and later], by bisection."""

    def exponent(t):
        a = 1 + math.exp(t)
        return (a - 1) * (a * rho - epsilon) + a * math.log1p(-1 / a) - t

    low, high = -10.0, 15.0
    for _ in range(200):
        one, other = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, other) if exponent(one) < exponent(other) else (one, high)
    return math.exp(min(exponent(low), 0.0))


def forge(releases, seed):
    rng = random.Random(seed)
    release = releases[rng.choice(sorted(releases))]
    with tempfile.TemporaryDirectory() as place:
        directory = copied(release, place)
        for _ in range(rng.randint(1, 2)):
            alter = rng.choice([alter_certificate, alter_certificate, alter_table, alter_files])
            if all(path.is_file() and not path.is_symlink() for path in directory.iterdir()):
                alter(directory, rng)
        found = answer(directory)
        assert found is not True  # that noise was drawn is never seen
        if found is None:
            assert is_true(directory), f"seed {seed}"
        return found


@settings(max_examples=max(200, settings().max_examples))
@given(seed=st.integers(0, 2**40))
def test_no_false_promise_stands(releases, seed):
    forge(releases, seed)


def test_the_forger_is_caught_in_every_way(releases):
    found = Counter(str(forge(releases, seed)) for seed in range(80))
    assert found["refused"] > 10 and found["False"] > 10 and found["None"] > 0


@pytest.mark.long
def test_no_false_promise_of_many_stands(releases):
    for seed in range(10_000):
        forge(releases, seed)


@pytest.mark.parametrize("plan", sorted(PLANS))
@pytest.mark.parametrize("number", range(len(AIMED)))
def test_what_a_forger_would_aim_at_is_caught(releases, tmp_path, plan, number):
    """Each of these passed at some time, or makes the promise look better than it is."""
    directory = copied(releases[plan], tmp_path)
    before = json.loads((directory / "certificate.json").read_text())
    restate(directory, AIMED[number])
    if json.loads((directory / "certificate.json").read_text()) != before:
        assert answer(directory) in ("refused", False)


@pytest.mark.parametrize("plan", sorted(PLANS))
def test_honest_releases_are_not_refuted_and_the_judge_agrees(releases, plan):
    assert answer(releases[plan]) is None
    assert is_true(releases[plan])


def test_an_altered_fit_is_caught(releases, tmp_path):
    directory = copied(releases["listed"], tmp_path)
    path = directory / "view-2.csv"
    lines = path.read_text().splitlines()
    head, _, fitted = lines[1].rpartition(",")
    lines[1] = f"{head},{float(fitted) + 5}"
    path.write_text("\n".join(lines) + "\n")
    restate(directory, lambda stated: None)
    assert answer(directory) is False


def test_honest_noise_with_hostile_names_is_not_refuted(tmp_path):
    names = ["count", "fitted", 'a-b,"\n=1']
    labels = ["synthetic", "=1+1", "'=1", "x,\ny"]
    columns = {name: [labels[i % 4] for i in range(40)] for name in names}
    kinds = dict.fromkeys(names, "category")
    schema = gy.Schema(quasi_identifiers=names[:2], sensitive=names[2], kinds=kinds)
    table = gy.read(columns, schema)
    domains = dict.fromkeys(names, labels)
    for format in ("csv", "parquet"):
        release = gy.publish(table, method="dp", epsilon=2, domains=domains)
        assert len(release.tables) >= 4  # as many as there are rounds
        saved = release.save(tmp_path / format, format=format)
        assert answer(saved) is None


def test_the_public_values_of_the_examples_are_what_is_published(releases):
    stated = json.loads((releases["tree"] / "certificate.json").read_text())
    assert {column["name"] for column in stated["columns"]} == set(VALUES)


def test_views_that_take_minutes_to_fit_again_are_not_checked(releases, monkeypatch):
    """Twenty columns and all their pairs kept verify busy for minutes."""
    claim = "the fitted counts follow from the noisy ones, to within 0.1 % of all rows"
    for limit, holds in ((20.0, True), (1e-9, None)):
        monkeypatch.setattr(form_noise, "_MOST_FITTING", limit)
        [found] = [one for one in verify_files(releases["listed"]).checks if one.claim == claim]
        assert found.holds is holds
