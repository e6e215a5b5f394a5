"""What the kernels room promises: no word of privacy, a direct test and a measurement each."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from benchmarks.kernels import CASES

ROOT = Path(__file__).resolve().parents[2]
KERNELS = sorted(
    path for path in (ROOT / "src/gyges/kernels").glob("*.py") if path.name != "__init__.py"
)
PRIVACY = re.compile(
    r"\b(person|people|somebody|nobody|everybody|whoever|sensitive|attackers?|adversar\w+|breach\w*"
    r"|disclos\w+|safe|unsafe|belie\w+|releases?|privacy|posteriors?|victims?|patients?|re-identif\w+"
    r"|identif(?:y|ied|ication)|secrets?|he|his|him)\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_a_kernel_knows_no_privacy_word(path):
    text = path.read_text(encoding="utf-8").replace("benchmarks/beliefs.py", "")
    assert PRIVACY.findall(text) == []


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_a_kernel_has_a_direct_test_and_says_what_earned_it_its_place(path):
    assert (ROOT / "tests/kernels" / f"test_{path.name}").is_file()
    about = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    assert re.search(r"^(Earned (by|together)|Not compiled:|Threads save)", about, re.MULTILINE)
    assert "interpreted" not in about, "measure against NumPy, or say what would happen without it"


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_a_kernel_is_measured_by_itself_or_with_the_one_that_calls_it(path):
    about = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    with_others = re.findall(r"^Earned together with (\w+)\.py", about, re.MULTILINE)
    by_hand = {"compiled", "threads"}  # a first call, and elapsed time
    assert path.stem in by_hand or {path.stem, *with_others} & {*CASES}


@pytest.mark.parametrize("name", CASES)
def test_a_measurement_can_still_be_made(name):
    """It imports what is there today."""
    kernel, plain = CASES[name]()
    assert callable(kernel) and (plain is None or callable(plain))
