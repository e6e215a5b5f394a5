"""`gyges ask`: the probability of a sentence, given what an attacker knows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gyges.cli.options import HierarchyFiles, OneSensitive, PublishedPath
from gyges.cli.output import AsJson, show, terminal


def ask(
    release: PublishedPath,
    statement: Annotated[str, typer.Argument(help='A sentence such as "1.1 = Flu".')],
    given: Annotated[
        list[str] | None,
        typer.Option(
            help='What the attacker knows: "1.2 = Flu -> 1.1 = Flu", or, if they doubt it, '
            '"with 0.7: 1.2 = Flu"; repeatable.'
        ),
    ] = None,
    inside: Annotated[
        Path | None,
        typer.Option(help="The directory written by `publish --inside`: people have names then."),
    ] = None,
    hierarchy: HierarchyFiles = None,
    sensitive: OneSensitive = None,
    as_json: AsJson = False,
) -> None:
    """Compute the probability of a sentence about RELEASE, given what an attacker knows.

    People are called 1.1, 1.2, … (group.person), because the release does not name them, or
    described: {age=42, sex=M}. Sentences combine "person = value", "person < 50000" and
    "at least 2 of (1.1, 1.2, 1.3) have Flu" with not, and, or, ->, <->, != and parentheses.
    """
    from gyges.workflow.asked_sentence import ask_release

    terminal.stage("counting the worlds in which the sentence is true")
    answer = ask_release(release, statement, given or [], inside, hierarchy or [], sensitive)
    known = ", given " + " and ".join(f'"{fact}"' for fact in given) + "," if given else ""
    stated = {
        "statement": statement,
        "given": given[0] if given and len(given) == 1 else given,
        "probability": answer.probability,
        "is_exact": answer.is_exact,
        "facts_off_by": float(answer.off_by),
    }
    show(stated, as_json, f'The probability of "{statement}"{known} is {answer}.')
