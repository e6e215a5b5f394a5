"""Whatever a model refuses is said in our own words: pydantic's are never shown."""

from __future__ import annotations

import json
import re
from functools import cache

import numpy as np
import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from gyges.dp.noise_certificate import StatedNoise
from gyges.marginals.views_certificate import StatedViews
from gyges.release.certificate import Certificate
from gyges.release.faults import first_fault
from gyges.release.statements import Claim
from gyges.release.strict_model import _sentence
from gyges.workflow.project_file import ProjectFile
from gyges.workflow.project_sections import DpSection, PublishSection, explain

MODELS = (Certificate, StatedViews, StatedNoise, ProjectFile)
JUNK = (
    None,
    "",
    "x" * 200_000,
    "?",
    -1,
    1.5,
    True,
    float("nan"),
    [],
    [[]],
    [5],
    {},
    {"x": 1},
    {"": {}},
)
NEEDED = {"data": {"source": "a"}, "columns": {}}
PYDANTIC = re.compile(
    r"Input|valid|keyword|Field|should|argument|instance|pydantic|of another kind|something else"
)


@cache
def adapter(model):
    return TypeAdapter(model)


def said(model, stated):
    try:
        if model is ProjectFile:
            ProjectFile(**stated)
        else:
            adapter(model).validate_json(json.dumps(stated))  # a certificate is strict JSON
    except ValidationError as problem:
        fault = first_fault(problem, stated)
        return [_sentence(fault), explain(fault)]
    return []


def fields(model):
    return list(model.model_fields if issubclass(model, BaseModel) else model.__dataclass_fields__)


@pytest.mark.parametrize("model", MODELS)
def test_no_word_of_pydantic_is_shown(model):
    lines = [line for name in fields(model) for junk in JUNK for line in said(model, {name: junk})]
    if model is ProjectFile:
        for section, kind in (("publish", PublishSection), ("dp", DpSection)):
            asked = [{section: {name: junk}} for name in fields(kind) for junk in JUNK]
            lines += [line for one in asked for line in said(model, NEEDED | one)]
    assert len(lines) > 50
    assert [line for line in lines if PYDANTIC.search(line)] == []


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        ({"seconds": -1}, "publish.seconds must be at least 0, not -1"),
        ({"seed": "x"}, "publish.seed must be a whole number, not 'x'"),
        ({"memory": 1.5}, "publish.memory must be a text or a whole number, not 1.5"),
        (
            {"format": "xls"},
            "publish.format must be 'csv', 'parquet', 'xlsx', 'dta', 'sav' or 'xpt', not 'xls'",
        ),
        ({"memory": np.zeros(2)}, "publish.memory must be a text or a whole number, not a ndarray"),
        ({"out": None}, "publish.out must be a text, not None"),
    ],
)
def test_a_key_of_the_project_file_is_refused_in_a_sentence(section, sentence):
    stated = {"data": {"source": "a"}, "columns": {}, "publish": section}
    assert said(ProjectFile, stated)[1] == sentence


def test_a_field_of_a_certificate_is_refused_in_a_sentence():
    assert said(StatedViews, {"form": "marginals"})[0] == "the certificate lacks the field 'format'"
    unknown = said(Claim, {"rule": {}, "text": "x", "risk": "1", "fitted": 1})[0]
    assert unknown == "the certificate has the field 'fitted', which this form does not have"
    claims = {"claims": [{"rule": {}, "text": 5, "risk": "1"}]}
    wrong = said(Claims, claims)[0]
    assert wrong == "the certificate's field 'claims.0.text' must be a text"


class Claims(BaseModel):
    """A certificate of claims alone."""

    claims: list[Claim]


@pytest.mark.parametrize("wrong", [5, True, {"a": 1}, [[1]]])
def test_what_a_column_must_be_is_named(wrong):
    """It said "must be a list or of another kind"."""
    for sentence in said(ProjectFile, {"data": {"source": "a"}, "columns": {"sensitive": wrong}}):
        assert "text" in sentence and not PYDANTIC.search(sentence), sentence
