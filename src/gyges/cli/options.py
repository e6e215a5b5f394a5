"""Arguments and options that several verbs share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer
from typer.core import TyperCommand, TyperOption

from gyges.errors import GygesError

if TYPE_CHECKING:
    from typer._click.core import Context

LEDGER = Path("ledger.sqlite")  # the default ledger

About: TypeAlias = Annotated[
    str | None, typer.Option(help="A name for the people in the data, as used in the ledger.")
]
DespiteExposure: TypeAlias = Annotated[
    bool,
    typer.Option(help="With --final: even if it and earlier releases together may expose people."),
]
Final: TypeAlias = Annotated[
    bool,
    typer.Option(help="The release leaves the building: it is not a trial (see `gyges ledger`)."),
]
HierarchyFiles: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help="COLUMN=FILE: the meaning of a column's labels (CSV, value first)."),
]
Identifiers: TypeAlias = Annotated[
    list[str] | None, typer.Option("--id", help="Identifiers, comma-separated: never published.")
]
IntoLedger: TypeAlias = Annotated[
    Path | None, typer.Option("--ledger", help="The ledger (.sqlite) that records the release.")
]
NoiseError: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--error",
        help="With method dp, instead of epsilon: the share of people whom noise may move to "
        "another cell, such as 5%, or how near a count must be to the true one, such as 20, with a "
        "probability of 95 %.",
    ),
]
NumberOfPeople: TypeAlias = Annotated[
    int | None,
    typer.Option("--people", help="For --error in percent: about how many people there are."),
]
OtherPeople: TypeAlias = Annotated[
    bool, typer.Option(help="The data is about different people from those in the ledger.")
]
MissingValues: TypeAlias = Annotated[
    Literal["error", "drop", "value", "any"] | None,
    typer.Option("--missing", help="Missing values in the table; without it, as the project says."),
]
MissingMarks: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--missing-mark", help="A text that stands for a missing value; repeatable."),
]
Out: TypeAlias = Annotated[Path | None, typer.Option(help="The directory to write.")]
Overwrite: TypeAlias = Annotated[bool, typer.Option(help="Replace an older release.")]
Person: TypeAlias = Annotated[
    str | None,
    typer.Option(help="The column that identifies the person of each row: never published."),
]
Picture: TypeAlias = Annotated[
    Path | None, typer.Option(help="Also write a page with a picture to this .html file.")
]
PeopleProject: TypeAlias = Annotated[
    Path | None, typer.Option(help="A gyges.toml, for the roles and hierarchies of the people.")
]
Predict: TypeAlias = Annotated[
    str | None, typer.Option(help="The column that readers will predict.")
]
PublishedPath: TypeAlias = Annotated[Path, typer.Argument(help="The directory of the release.")]
QuasiOfFile: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help="For a published file: its quasi-identifiers, comma-separated."),
]
Questions: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help="Columns whose counts must stay accurate, such as age,disease; repeatable."),
]
Sensitive: TypeAlias = Annotated[str | None, typer.Option(help="The sensitive column.")]
OneSensitive: TypeAlias = Annotated[
    str | None, typer.Option("--sensitive", help="Where a release has several: the column meant.")
]
SensitiveOfFile: TypeAlias = Annotated[
    str | None, typer.Option(help="For a published file: its sensitive column.")
]


def names_in(texts: Sequence[str] | None) -> list[str]:
    """Comma-separated names; the option may be repeated.

    >>> names_in(["age, zip,", "sex"]), names_in(None)
    (['age', 'zip', 'sex'], [])
    """
    return [name.strip() for text in texts or () for name in text.split(",") if name.strip()]


class Command(TyperCommand):
    """A command that refuses an option given twice, where the last one would win unnoticed."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Parse the arguments as every command does, once no option repeats."""
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        options = [one for one in given if isinstance(one, TyperOption) and not one.multiple]
        for option in options:
            if options.count(option) > 1:
                raise GygesError(
                    f"{option.opts[0]} is given {options.count(option)} times: give it once"
                )
        return super().parse_args(ctx, args)
