"""`gyges ask`: the exact probability of a sentence, given what an attacker knows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gyges.cli.output import AsJson, show


def ask(
    release: Annotated[Path, typer.Argument(help="The directory of the release.")],
    statement: Annotated[str, typer.Argument(help='A sentence such as "1.1 = Flu".')],
    given: Annotated[
        str | None, typer.Option(help='What the attacker knows: "1.2 = Flu -> 1.1 = Flu".')
    ] = None,
    as_json: AsJson = False,
) -> None:
    """How likely is a sentence about people of RELEASE, given what an attacker knows?

    People are called 1.1, 1.2, … (group.person): the release does not name them. Sentences are
    made of "person = value" with not, and, or, ->, <->, != and parentheses.
    """
    import gyges as gy
    from gyges.exact import show as number

    answer = gy.probability(gy.load(release).groups, statement, given=given)
    known = f", given that {given}" if given else ""
    text = f"the probability that {statement}{known} is {number(answer)}"
    show({"statement": statement, "given": given, "probability": answer}, as_json, text)
