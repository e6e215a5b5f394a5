"""Arrow arrays from NumPy arrays and texts, and back, by sharing memory; only texts are copied.

pyarrow's own `pa.array`, `pa.scalar` and `to_numpy` import pandas at their first use, to check
whether they got a frame. That takes a third of a second of a cold command.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gyges.arrays import BoolArray
from gyges.ragged import starts_of

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_BYTES = 2**31 - 1  # of all texts of one array


def arrow_numbers(values: NDArray[Any], missing: BoolArray | None = None) -> pa.Array:
    """Numbers or booleans as an Arrow array; null where they are `missing`.

    >>> arrow_numbers(np.array([5, 6]), np.array([False, True])).to_pylist()
    [5, None]
    """
    import pyarrow as pa

    is_boolean = values.dtype == np.bool_
    stored = _bits(values) if is_boolean else pa.py_buffer(np.ascontiguousarray(values))
    known = None if missing is None else _bits(~missing)
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [known, stored])


def arrow_texts(texts: Sequence[str]) -> pa.Array:
    """Texts as an Arrow array.

    >>> arrow_texts(["a", "", "bc"]).to_pylist(), arrow_texts(["é", "b"]).to_pylist()
    (['a', '', 'bc'], ['é', 'b'])
    """
    import pyarrow as pa

    together = "".join(texts)
    stored = together.encode()
    if len(stored) > _MOST_BYTES:
        return pa.array(texts, type=pa.string())  # in several pieces
    is_ascii = len(stored) == len(together)
    lengths = list(map(len, texts if is_ascii else [text.encode() for text in texts]))
    starts = pa.py_buffer(starts_of(lengths).astype(np.int32))
    return pa.StringArray.from_buffers(len(texts), starts, pa.py_buffer(stored))


def numbers_of(column: pa.Array | pa.ChunkedArray) -> NDArray[Any]:
    """A column of numbers without nulls as a NumPy array.

    >>> numbers_of(arrow_numbers(np.array([5, 6])))
    array([5, 6])
    """
    import pyarrow as pa

    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(whole, pa.ChunkedArray) or whole.null_count or not len(whole):
        return np.asarray(whole.to_numpy())
    return np.from_dlpack(whole)


def _bits(booleans: BoolArray) -> pa.Buffer:
    import pyarrow as pa

    return pa.py_buffer(np.packbits(booleans, bitorder="little"))


def without_empty_texts(rows: pa.Table) -> pa.Table:
    """The table with a null for each empty text, as a CSV file of it would be read.

    >>> import pyarrow as pa
    >>> without_empty_texts(pa.table({"zip": ["13012", ""], "age": [30, 40]})).to_pydict()
    {'zip': ['13012', None], 'age': [30, 40]}
    """
    for place, name in enumerate(rows.column_names):
        column = rows.column(place)
        if _has_empty_text(column):
            rows = rows.set_column(place, name, _with_nulls(column))
    return rows


def _has_empty_text(column: pa.ChunkedArray) -> bool:
    import pyarrow.compute as pc
    from pyarrow import types

    is_encoded = types.is_dictionary(column.type)
    kind = column.type.value_type if is_encoded else column.type
    if not (types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)):
        return False
    texts = [chunk.dictionary for chunk in column.chunks] if is_encoded else [column]
    return any(pc.min(pc.binary_length(one)).as_py() == 0 for one in texts)


def _with_nulls(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = column.cast(pa.large_string())
    return pc.if_else(pc.equal(texts, ""), pa.scalar(None, texts.type), texts)
