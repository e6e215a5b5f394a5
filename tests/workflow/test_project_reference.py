"""The page about the project file is what its model says, and its example can be read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gyges.errors import GygesError
from gyges.workflow.project_file import ProjectFile, read_project
from gyges.workflow.project_reference import EXAMPLE, reference_page
from gyges.workflow.project_sections import ColumnsSection

PAGE = Path(__file__).parents[2] / "docs" / "project_file.md"


def test_the_page_is_the_one_that_the_model_gives():
    assert PAGE.read_text(encoding="utf-8") == reference_page()


def test_every_key_is_explained():
    text = reference_page()
    assert "None" not in text and "Ellipsis" not in text
    for name in ProjectFile.model_fields:
        assert f"[{name}]" in text


def test_the_example_is_a_project(tmp_path):
    path = tmp_path / "gyges.toml"
    path.write_text(re.sub(r"```(toml)?", "", EXAMPLE))
    assert read_project(path).schema_of_columns().keep_row_by == "admitted"


def test_a_wrong_key_lists_the_right_ones(tmp_path):
    path = tmp_path / "gyges.toml"
    path.write_text('[data]\nsource = "a.csv"\n[columns]\nquasi = ["age"]\n')
    with pytest.raises(GygesError, match=r"no key 'columns\.quasi'.*the keys here are") as problem:
        read_project(path)
    assert all(key in str(problem.value) for key in ColumnsSection.model_fields)
