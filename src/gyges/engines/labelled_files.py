"""Files of SPSS, Stata and SAS: codes are read as their labels, and dates as dates.

A value that the file declares missing is missing. Where two codes have the same label, each is read
as the label and the code.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gyges.data.values import text_of
from gyges.engines.csv_files import refuse_repeated
from gyges.errors import SourceError

if TYPE_CHECKING:
    import pyarrow as pa

LABELLED_ENDINGS = (".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt")
_READERS = {
    ".sav": "read_sav", ".zsav": "read_sav", ".por": "read_por", ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat", ".xpt": "read_xport",
}  # fmt: skip
_ROWS_A_BYTE = 1_100  # at most, of a file that is packed as tightly as zlib can


def read_labelled(
    path: Path, wanted: Collection[str] | None = None
) -> tuple[pa.Table, tuple[str, ...], tuple[str, ...]]:
    """The wanted columns as text, all columns' names, and those of codes with labels."""
    import pyarrow as pa

    names, labels = _contents(path)
    used = [name for name in names if wanted is None or name in wanted] or list(names)
    columns, _ = _read(path, usecols=used, output_format="dict")
    arrays = [pa.array(_texts(columns[name], labels.get(name, {})), pa.string()) for name in used]
    labelled = tuple(name for name in used if labels.get(name))
    return pa.table(arrays, names=used), names, labelled


def variable_labels(path: Path) -> dict[str, str]:
    """What the file says about each column beside its name, where it says something."""
    _, found = _read(path, metadataonly=True, output_format="dict")
    said = {name: _in_one_line(text) for name, text in found.column_names_to_labels.items()}
    return {name: text for name, text in said.items() if text and text != name}


def _in_one_line(label: str | None) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in label or "").split())


def _contents(path: Path) -> tuple[tuple[str, ...], dict[str, dict[object, str]]]:
    """The names of the columns, and the label of each code by column."""
    _, found = _read(path, metadataonly=True, output_format="dict")
    if not found.column_names:
        raise SourceError(f"{path.name} has no columns")
    is_whole = all(name is not None for name in found.column_names)
    if not is_whole or (found.number_rows or 0) > path.stat().st_size * _ROWS_A_BYTE:
        raise _damaged(path)
    refuse_repeated(path.name, found.column_names)
    labels = {name: _distinct(one) for name, one in found.variable_value_labels.items()}
    return tuple(found.column_names), labels


def _distinct(labels: Mapping[object, str]) -> dict[object, str]:
    """The labels, with the code behind those that several codes have or that are empty."""
    known = [label.strip() for label in labels.values()]
    return {
        code: text if text and known.count(text) == 1 else f"{text} ({_code(code)})".strip()
        for code, text in zip(labels, known, strict=True)
    }


def _code(code: object) -> str:
    return text_of(code) if isinstance(code, (str, int, float)) else str(code)


def _texts(values: Sequence[Any], labels: Mapping[object, str]) -> list[str | None]:
    """Each value as its label, else as its text; None for a missing one."""
    known: dict[object, str | None] = {None: None, "": None}
    for value in values:
        if value not in known:
            is_missing = value != value  # NaN
            known[value] = None if is_missing else labels.get(value) or text_of(value).strip()
    return [known[value] or None for value in values]


def _read(path: Path, **options: object) -> tuple[dict[str, Sequence[Any]], Any]:
    import pyreadstat

    catalog = path.with_suffix(".sas7bcat")  # labels of a SAS file are in a file beside it
    if path.suffix.lower() == ".sas7bdat" and catalog.is_file():
        options["catalog_file"] = str(catalog)
    try:
        return getattr(pyreadstat, _READERS[path.suffix.lower()])(str(path), **options)  # type: ignore[no-any-return]
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, OSError, ValueError):
        raise _damaged(path) from None
    except (UnicodeDecodeError, OverflowError):
        raise SourceError(
            f"{path.name} holds texts or dates that cannot be read: save it again in UTF-8"
        ) from None


def _damaged(path: Path) -> SourceError:
    kind = {".sav": "SPSS", ".zsav": "SPSS", ".por": "SPSS", ".dta": "Stata"}
    program = kind.get(path.suffix.lower(), "SAS")
    return SourceError(f"{path.name} is not a file of {program}, or is damaged")
