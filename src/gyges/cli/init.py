"""`gyges init`: look at a table, guess what each column is, write a commented project file."""

from __future__ import annotations

import json
import os
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gyges.cli.outputs import announce_file
from gyges.cli.policy_fitting import fitted_rules, found_marks
from gyges.cli.show import AsJson, show

if TYPE_CHECKING:
    from gyges.auditing.roles import ColumnGuess
    from gyges.auditing.uniqueness import Uniqueness

# Each policy in two sentences, and its rules as a project file states them.
POLICIES: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "open": (
        "Open data: anybody may download it, and nobody can be asked to behave. "
        "Large groups, and no single fact that an attacker learns makes them certain.",
        [
            {"rule": "k-anonymity", "k": 11},
            {"rule": "safety", "confidence": "0.8", "k": 1},
        ],
    ),
    "researchers": (
        "Researchers under contract: known people who signed that they will not try. "
        "Groups of five, and at least three different values in each.",
        [{"rule": "k-anonymity", "k": 5}, {"rule": "distinct diversity", "l": 3}],
    ),
    "inside": (
        "Inside the house: colleagues who could ask for the original. "
        "Groups of three, so that nobody meets a neighbour by accident.",
        [{"rule": "k-anonymity", "k": 3}],
    ),
}

NO_SENSITIVE = (
    "warning: no sensitive column is named: people are hidden in groups, but no value is protected."
)


def init(
    data: Annotated[str, typer.Argument(help="The table: CSV or Parquet.")],
    policy: Annotated[str, typer.Option(help="open, researchers or inside.")] = "researchers",
    out: Annotated[Path, typer.Option(help="The project file to write.")] = Path("gyges.toml"),
    overwrite: Annotated[bool, typer.Option(help="Replace an older project file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Guess what each column of DATA is, and write a commented project file to go on from."""
    from gyges.auditing.roles import guess_roles
    from gyges.auditing.uniqueness import repeated_beyond_chance, uniqueness
    from gyges.engines.read import open_source
    from gyges.errors import GygesError

    if policy not in POLICIES:
        raise GygesError(f"--policy is {policy!r}: choose one of {', '.join(POLICIES)}")
    source, _ = open_source(data)
    if out.exists() and not overwrite:
        raise GygesError(f"{str(out)!r} exists already: choose another --out, or --overwrite it")
    if not source.columns:
        raise GygesError(f"{source.name} has no columns: give a table with a row per person")
    guesses = guess_roles(source)
    if not guesses[0].n_rows:
        raise GygesError(f"{source.name} has no rows: give a table with a row per person")
    quasi = [guess.name for guess in guesses if guess.role == "quasi-identifier"]
    person = next((guess for guess in guesses if guess.role == "person"), None)
    rows_are_people = person is None or not person.repeats
    alone = uniqueness(source, quasi) if quasi and rows_are_people else []
    rules = fitted_rules(source, guesses, POLICIES[policy][1])
    marks = found_marks(source, guesses)
    is_named = any(guess.role in ("person", "identifier") for guess in guesses)
    has_birth = any(guess.name in quasi and guess.kind == "date" for guess in guesses)
    checked = has_birth and len(quasi) > 1 and not is_named
    n_repeated = repeated_beyond_chance(source, quasi) if checked else 0
    text = _file(_seen_from(out, data), guesses, alone, policy, rules, marks)
    out.parent.mkdir(parents=True, exist_ok=True)
    announce_file(out)
    out.write_text(text, encoding="utf-8")
    found = {"file": out, "columns": guesses, "uniqueness": alone}
    show(found, as_json, _text(out, guesses, alone, _warnings(guesses, n_repeated, rules)))


def _seen_from(out: Path, data: str) -> str:
    """The data's place as the project file names it: beside the file, wherever that is."""
    path = Path(data)
    if "://" in data or path.is_absolute() or not path.exists():
        return data
    return Path(os.path.relpath(path.absolute(), out.absolute().parent)).as_posix()


def _warnings(guesses: list[ColumnGuess], n_repeated: int, rules: str) -> list[str]:
    """What the columns and rules that were found do not protect."""
    said = []
    if n_repeated:
        quasi = ", ".join(guess.name for guess in guesses if guess.role == "quasi-identifier")
        said.append(
            f"warning: {n_repeated:,} rows agree with another one on {quasi}, more than chance "
            f"explains: they may be several rows of one person. Name the column that says who is "
            f"who (person = …), or keep one row per person."
        )
    if not any(guess.role == "sensitive" for guess in guesses):
        said.append(NO_SENSITIVE)
    eased = [line.removeprefix("# ") for line in rules.splitlines() if line.startswith("# The ")]
    said += [f"warning: {line}" for line in eased]
    return said


def _text(
    out: Path, guesses: list[ColumnGuess], alone: list[Uniqueness], warnings: list[str]
) -> str:
    lines = ["what the columns seem to be"]
    width = max(len(guess.name) for guess in guesses)
    lines += [f"  {g.name:<{width}}  {g.role:<16}  {g.reason}" for g in guesses]
    if alone:
        lines += ["", "what singles people out", *(f"  {one}" for one in _telling(alone))]
    repeated = [guess for guess in guesses if guess.role == "person" and guess.repeats]
    lines += ["", *_several_rows(repeated[0])] if repeated else []
    lines += ["", *warnings] if warnings else []
    return "\n".join([*lines, "", f"wrote {out}: read it, correct it, then: gyges publish {out}"])


def _several_rows(person: ColumnGuess) -> list[str]:
    """What a number of a person that repeats means, and what to do."""
    return [
        f"{person.name} {person.reason}. Publishing is refused as long as a person has",
        "several rows: keep one row per person, or list the column under `dropped` if it does not",
        "say who is who.",
    ]


def _telling(alone: list[Uniqueness]) -> list[Uniqueness]:
    """The worst set of each size."""
    sizes = sorted({len(one.columns) for one in alone})
    return [
        max((one for one in alone if len(one.columns) == size), key=lambda one: one.n_alone)
        for size in sizes
    ]


def _file(
    data: str,
    guesses: list[ColumnGuess],
    alone: list[Uniqueness],
    policy: str,
    rules: str,
    marks: list[str],
) -> str:
    parts = [
        "# What to publish, and how. Every guess below is yours to correct.",
        "",
        *_data(data, sum(guess.n_missing for guess in guesses), marks),
        "",
        *_columns(guesses, alone),
        "",
        *_hierarchies([guess for guess in guesses if guess.role == "quasi-identifier"]),
        "[publish]",
        'method = "partition"  # or lattice, buckets, microaggregation, marginals, dp',
        'out = "release"',
        "",
        *_policies(policy),
        *([] if any(guess.role == "sensitive" for guess in guesses) else _comment(NO_SENSITIVE)),
        rules,
    ]
    return "\n".join(parts)


def _data(source: str, n_missing: int, marks: list[str]) -> list[str]:
    lines = ["[data]", f"source = {json.dumps(source)}"]
    if n_missing:
        lines.append(
            f'missing = "value"  # {n_missing:,} values are missing; or "drop", or "error"'
        )
    if marks:
        lines.append(
            f"# missing_marks = {json.dumps(marks)}  # is this how a missing value is written?"
        )
    return lines


def _columns(guesses: list[ColumnGuess], alone: list[Uniqueness]) -> list[str]:
    by_role = {
        role: [guess for guess in guesses if guess.role == role]
        for role in ("person", "identifier", "quasi-identifier", "sensitive", "dropped")
    }
    return [
        "[columns]",
        *_person(by_role["person"]),
        "# They name a person: never published.",
        f"identifiers = {_names(by_role['identifier'])}",
        "# What an attacker may know about a person: generalized.",
        f"quasi_identifiers = {_names(by_role['quasi-identifier'])}",
        *(f"#   {one}" for one in _telling(alone)),
        "# The sensitive column: its values are published, but not whose they are.",
        *_sensitive(by_role["sensitive"]),
        f"dropped = {_names(by_role['dropped'])}",
        *_kinds(guesses),
    ]


def _policies(chosen: str) -> list[str]:
    """The chosen policy in words, then the others."""
    lines = [*_comment(POLICIES[chosen][0]), "# Other policies (gyges init --policy …):"]
    for name, (text, _) in POLICIES.items():
        if name != chosen:
            lines += _comment(f"{name}: {text}", "#   ")
    return lines


def _comment(text: str, start: str = "# ") -> list[str]:
    return textwrap.wrap(text, 95, initial_indent=start, subsequent_indent="# ")


def _names(guesses: list[ColumnGuess]) -> str:
    return json.dumps([guess.name for guess in guesses], ensure_ascii=False)


def _person(guesses: list[ColumnGuess]) -> list[str]:
    if not guesses:
        return []
    [person] = guesses
    said = _several_rows(person) if person.repeats else ["Who is who: no two rows have the same."]
    return [
        *(f"# {line}" for line in said),
        f"person = {json.dumps(person.name, ensure_ascii=False)}",
    ]


def _sensitive(guesses: list[ColumnGuess]) -> list[str]:
    if guesses:
        return [f"sensitive = {json.dumps(guesses[0].name, ensure_ascii=False)}"]
    return ['# sensitive = "…"  # no column looked sensitive: name it here']


def _kinds(guesses: list[ColumnGuess]) -> list[str]:
    codes = [g.name for g in guesses if g.kind == "code" and g.role == "quasi-identifier"]
    listed = ", ".join(f'{json.dumps(name, ensure_ascii=False)} = "code"' for name in codes)
    return [f"kinds = {{ {listed} }}"] if codes else []


def _hierarchies(guesses: list[ColumnGuess]) -> list[str]:
    lines = []
    for guess in guesses:
        if guess.hierarchy is None or guess.hierarchy.rule is None:
            continue
        given = (
            json.dumps(list(guess.hierarchy.parameters)) if guess.hierarchy.parameters else "true"
        )
        key = json.dumps(guess.name, ensure_ascii=False)
        lines.append(f"{key} = {{ {guess.hierarchy.rule} = {given} }}")
    return ["[hierarchies]", "# How a column may be coarsened.", *lines, ""] if lines else []
