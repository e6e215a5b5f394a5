from __future__ import annotations

from pathlib import Path

import numba
import numpy as np

from gyges.kernels import compiled


def test_a_compiled_function_computes_what_the_plain_one_does():
    @compiled.compiled(cache=False)
    def total(numbers):
        summed = 0.0
        for number in numbers:
            summed += number
        return summed

    before = numba.config.CACHE_DIR
    assert total(np.arange(5.0)) == total.py_func(np.arange(5.0)) == 10.0
    assert before == numba.config.CACHE_DIR


def test_the_folder_is_named_after_the_text_of_all_kernels(tmp_path, monkeypatch):
    """Code that was compiled from another text is not found again."""
    here = Path(compiled.__file__)
    for path in here.parent.glob("*.py"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(compiled, "__file__", str(tmp_path / here.name))
    one = compiled._folder.__wrapped__()
    assert one == compiled._folder.__wrapped__()
    (tmp_path / "tally.py").write_text("changed")
    assert compiled._folder.__wrapped__() != one
