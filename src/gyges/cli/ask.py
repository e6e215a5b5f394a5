"""`gyges ask`: the exact probability of a sentence, given what an attacker knows."""

from __future__ import annotations

from typing import Annotated

import typer

import gyges as gy
from gyges.cli.options import OneSensitive, PublishedPath
from gyges.cli.output import AsJson, show


def ask(
    release: PublishedPath,
    statement: Annotated[str, typer.Argument(help='A sentence such as "1.1 = Flu".')],
    given: Annotated[
        str | None, typer.Option(help='What the attacker knows: "1.2 = Flu -> 1.1 = Flu".')
    ] = None,
    sensitive: OneSensitive = None,
    as_json: AsJson = False,
) -> None:
    """Compute the probability of a sentence about RELEASE, given what an attacker knows.

    People are called 1.1, 1.2, … (group.person), because the release does not name them. Sentences
    combine "person = value" with not, and, or, ->, <->, != and parentheses.
    """
    from gyges.auditing.forms import load_groups
    from gyges.exact import readable_number
    from gyges.workflow.one_sensitive_column import about_one_column

    groups = about_one_column(load_groups(release), sensitive).groups
    answer = gy.probability(groups, statement, given=given)
    known = f', given "{given}",' if given else ""
    text = f'The probability of "{statement}"{known} is {readable_number(answer)}.'
    show({"statement": statement, "given": given, "probability": answer}, as_json, text)
