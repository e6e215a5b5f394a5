"""Sheets of Excel and OpenDocument workbooks, as the texts that a CSV of them would hold."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from gyges.data.values import text_of
from gyges.engines.csv_files import refuse_header
from gyges.errors import SourceError, suggestion
from gyges.exact import counted

if TYPE_CHECKING:
    import pyarrow as pa
    import python_calamine

SHEET_ENDINGS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
_COMPARED = 100  # rows that show whether the first one names the columns
_Range: TypeAlias = tuple[tuple[int, int], tuple[int, int]]  # of rows and columns, from and to
_Cell: TypeAlias = str | int | float | bool | datetime.date | datetime.time | datetime.timedelta


def read_sheet(path: Path, sheet: str | None, wanted: Collection[str] = ()) -> pa.Table:
    """The cells of a sheet as text; the first row that is not empty names the columns.

    A workbook with several sheets that are not empty needs the name of one.
    """
    import pyarrow as pa

    rows = [[_text(cell) for cell in row] for row in _rows(path, sheet)]
    rows = [row for row in rows if any(row)]
    if not rows:
        raise SourceError(f"{path.name} is empty")
    width = max(place + 1 for row in rows for place, text in enumerate(row) if text)
    names = tuple(rows[0][:width])
    refuse_header(path, names, rows[1 : 1 + _COMPARED], wanted)
    return pa.table(
        [pa.array([row[place] or None for row in rows[1:]], pa.string()) for place in range(width)],
        names=names,
    )


def _rows(path: Path, sheet: str | None) -> Sequence[Sequence[_Cell]]:
    import python_calamine

    try:
        book = python_calamine.load_workbook(path)
        found = book.get_sheet_by_name(_chosen(path, book, sheet))
        rows: list[list[_Cell]] = found.to_python()
        merged: list[_Range] = found.merged_cell_ranges or []
    except python_calamine.PasswordError:
        raise SourceError(f"{path.name} has a password: save it without one") from None
    except SourceError:
        raise
    except (python_calamine.CalamineError, OSError, ValueError):
        raise SourceError(f"{path.name} is not a workbook, or is damaged") from None
    _refuse_merged(path, merged)
    return rows


def filled_sheets(path: Path) -> list[str]:
    """The sheets of a workbook that are not empty; none if it cannot be read."""
    import python_calamine

    try:
        return _filled(python_calamine.load_workbook(path))
    except (python_calamine.CalamineError, python_calamine.PasswordError, OSError, ValueError):
        return []


def _refuse_merged(path: Path, merged: Sequence[_Range]) -> None:
    """Refuse cells merged over several rows: all rows but the first would have no value."""
    over = [(first, last) for first, last in merged if last[0] > first[0]]
    if over:
        (top, column), (bottom, _) = over[0]
        raise SourceError(
            f"{path.name} has {counted(len(over), 'cell')} merged over several rows, first in "
            f"column {column + 1}, rows {top + 1} to {bottom + 1}: unmerge them and write the "
            f"value into each row"
        )


def _chosen(path: Path, book: python_calamine.CalamineWorkbook, sheet: str | None) -> str:
    names: list[str] = book.sheet_names
    if sheet is not None:
        if sheet not in names:
            raise SourceError(
                f"{path.name} has no sheet {sheet!r}{suggestion(sheet, names)}: it has "
                f"{', '.join(names)}"
            )
        return sheet
    filled = _filled(book)
    if len(filled) > 1:
        raise SourceError(
            f"{path.name} has several sheets, {', '.join(filled)}: name one as the table (for init "
            f"and publish: --table NAME)"
        )
    return filled[0] if filled else names[0]


def _filled(book: python_calamine.CalamineWorkbook) -> list[str]:
    names: list[str] = book.sheet_names
    return [name for name in names if book.get_sheet_by_name(name).to_python(nrows=1)]


def _text(cell: _Cell) -> str:
    """A cell as a CSV has it: 34.0 is 34, a day is 2024-01-31."""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, (datetime.time, datetime.timedelta)):
        return str(cell)
    return text_of(cell).strip()
