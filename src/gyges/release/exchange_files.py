"""Published tables for other programs: Excel, Stata, SPSS, SAS.

Such a file is written beside the CSV of the same table, which is the one that is judged. Its bytes
follow from the table and the names of the columns with labels: no date, no name, no settings. So
an auditor who has the CSV can write the file again and compare (`auditing.exchange_check`).

A column that was labelled in the source is a column of codes with labels again. The codes number
the labels in sorted order: codes that a publisher chose could say something that no check reads. In
other columns numbers are numbers, and all else is text.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from gyges.data.values import text_of
from gyges.errors import ReleaseError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Labelled: TypeAlias = Collection[str]  # the columns of codes with labels
_NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d{1,12})?")
_ROWS_OF_SHEET, _CHARACTERS_OF_CELL = 1_048_575, 32_767
_WORDS = "all and by eq ge gt le lt ne not or to with byte double float if in int long using str"
_RESERVED = frozenset(_WORDS.split())


@dataclass(frozen=True, slots=True)
class _Limits:
    """What a format can hold: bytes of a label and of a text."""

    label: int
    text: int


_LIMITS = {"dta": _Limits(32_000, 2_045), "sav": _Limits(120, 32_767), "xpt": _Limits(0, 32_767)}


def write_exchange_file(rows: pa.Table, path: Path, labelled: Labelled) -> None:
    """Write a published table, all of it text, in the format that the ending names."""
    EXCHANGE_FORMATS[path.suffix[1:]](rows, path, labelled)


def needed_for(format: str) -> str | None:
    """What must be installed to write a format; None if nothing is missing."""
    if format not in _LIMITS:
        return None
    try:
        import pandas  # noqa: F401
    except ImportError:
        return f"to write .{format} files, install pandas: pip install 'gyges[statistics]'"
    return None


def short_names(names: Sequence[str]) -> list[str]:
    """Names that Stata, SPSS and SAS accept, in the same order; each only once.

    >>> short_names(["marital-status", "age", "Age", "if"])
    ['marital_status', 'age', 'Age_2', 'if_']
    """
    made: list[str] = []
    for name in names:
        short = re.sub(r"\W", "_", name, flags=re.ASCII)[:28]
        short = short if short[:1].isalpha() else f"v{short}"
        short = f"{short}_" if short.casefold() in _RESERVED else short
        taken = {one.casefold() for one in made}
        tries = [short, *(f"{short}_{number}" for number in range(2, len(names) + 2))]
        made.append(next(one for one in tries if one.casefold() not in taken))
    return made


def codes_of(texts: Sequence[str]) -> dict[str, int]:
    """The code of each label that occurs: its place in sorted order.

    >>> codes_of(["no", "yes", "", "no"])
    {'no': 1, 'yes': 2}
    """
    return {text: code for code, text in enumerate(sorted({*texts} - {""}), start=1)}


def as_numbers(texts: Sequence[str]) -> list[float | None] | None:
    """The numbers that all texts are, None for an empty one; None if some text is no number."""
    distinct = {text for text in texts if text}
    if not distinct or not all(map(_is_number, distinct)):
        return None
    return [float(text) if text else None for text in texts]


def _is_number(text: str) -> bool:
    """Whether a text is a number, and the number has this text."""
    return bool(_NUMBER.fullmatch(text)) and text_of(float(text)) == text


def _write_workbook(rows: pa.Table, path: Path, labelled: Labelled) -> None:
    import xlsxwriter

    if rows.num_rows > _ROWS_OF_SHEET:
        raise ReleaseError(f"a sheet of Excel holds {_ROWS_OF_SHEET:,} rows: choose format csv")
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(path, options) as book:
        book.set_properties({"created": datetime.datetime(1980, 1, 1)})
        sheet = book.add_worksheet(path.stem)
        for place, (name, column) in enumerate(zip(rows.column_names, rows.columns, strict=True)):
            texts = column.to_pylist()
            if max((len(text) for text in texts), default=0) > _CHARACTERS_OF_CELL:
                raise ReleaseError(_too_long(name, "Excel"))
            sheet.write_string(0, place, name)
            numbers = as_numbers(texts)
            for row, text in enumerate(texts, start=1):
                if numbers is not None and text:
                    sheet.write_number(row, place, float(text))
                elif text:
                    sheet.write_string(row, place, text)


def _too_long(name: str, program: str) -> str:
    return f"column {name!r} has texts that are too long for {program}: choose format csv"


def _write_dta(rows: pa.Table, path: Path, labelled: Labelled) -> None:
    import pyreadstat

    frame, labels = _frame(rows, "dta", labelled)
    pyreadstat.write_dta(
        frame,
        str(path),
        column_labels=[name[:80] for name in rows.column_names],
        variable_value_labels=labels,
    )
    found = re.compile(rb"<timestamp>\x11.{17}</timestamp>")
    path.write_bytes(
        found.sub(b"<timestamp>\x1101 Jan 1980 00:00</timestamp>", path.read_bytes(), count=1)
    )


def _write_sav(rows: pa.Table, path: Path, labelled: Labelled) -> None:
    import pyreadstat

    frame, labels = _frame(rows, "sav", labelled)
    pyreadstat.write_sav(
        frame, str(path), column_labels=list(rows.column_names), variable_value_labels=labels
    )
    written = path.read_bytes()
    path.write_bytes(written[:92] + b"01 Jan 8000:00:00" + written[109:])


def _write_xpt(rows: pa.Table, path: Path, labelled: Labelled) -> None:
    import pyreadstat

    frame, _ = _frame(rows, "xpt", ())
    names = [name[:80] for name in rows.column_names]
    pyreadstat.write_xport(frame, str(path), column_labels=names, table_name=path.stem[:32])
    written = bytearray(path.read_bytes())
    for place in (144, 160, 464, 480):
        written[place : place + 16] = b"01JAN80:00:00:00"
    path.write_bytes(written)


def _frame(
    rows: pa.Table, format: str, labelled: Labelled
) -> tuple[pd.DataFrame, dict[str, dict[int, str]]]:
    """The table as pyreadstat writes it, and the label of each code by column."""
    import pandas as pd

    limits, columns, labels = _LIMITS[format], {}, {}
    for name, short in zip(rows.column_names, short_names(rows.column_names), strict=True):
        texts = rows.column(name).to_pylist()
        longest = max((len(text.encode()) for text in texts), default=0)
        numbers = as_numbers(texts)
        if name in labelled and longest <= limits.label:
            code = codes_of(texts)
            columns[short] = pd.array([code.get(text) for text in texts], dtype="Int32")
            labels[short] = {number: label for label, number in code.items()}
        elif numbers is not None:
            columns[short] = pd.array(numbers, dtype="float64")
        elif longest <= limits.text:
            columns[short] = pd.array(texts, dtype=object)
        else:
            raise ReleaseError(_too_long(name, f".{format} files"))
    return pd.DataFrame(columns), labels


EXCHANGE_FORMATS: dict[str, Callable[[pa.Table, Path, Labelled], None]] = {
    "xlsx": _write_workbook,
    "dta": _write_dta,
    "sav": _write_sav,
    "xpt": _write_xpt,
}
