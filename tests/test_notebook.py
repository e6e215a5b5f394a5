"""Every result shows itself in a notebook: small, self-contained, escaped."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest

import gyges as gy
from gyges.data.examples import hospital, hospital_schema

EVIL = "<script>alert('x')</script>&\"'"
VOID = {"circle", "line", "polyline"}


class Balanced(HTMLParser):
    """Refuses tags that do not close, and whatever loads or runs something."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attributes):
        assert tag not in ("script", "link", "iframe", "img", "style")
        assert not [name for name, _ in attributes if name.startswith("on") or name == "src"]
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def results():
    """One of each kind of result, with a value that looks like HTML."""
    columns = hospital(200)
    columns["disease"] = [EVIL if d == "Flu" else d for d in columns["disease"]]
    table = gy.read(columns, hospital_schema())
    rules = [gy.KAnonymity(5), gy.DistinctDiversity(2)]
    release = gy.publish(table, rules)
    groups = release.groups
    views = gy.Marginals.of(table, [{"sex": 0, "disease": 0}])
    return {
        "release": release,
        "groups": groups,
        "safe": gy.judge(rules, groups),
        "not safe": gy.judge([gy.KAnonymity(50)], groups),
        "audit": gy.audit(release, population=table),
        "curve": gy.disclosure_curve(groups, k=4),
        "disclosure": gy.max_disclosure(groups, k=1),
        "breach": gy.breach(groups, value=EVIL, l=1, k=1, m=1),
        "skyline": gy.skyline_find(groups, value=EVIL, confidence="0.9"),
        "no skyline": gy.skyline_find(groups, value=EVIL, confidence="0.01"),
        "endless skyline": gy.skyline_find(groups, value="nothing", confidence="0.5"),
        "attack": gy.intersection_attack([release, release], people=table),
        "meaning": gy.semantic_privacy(epsilon=1, delta=0, people=10),
        "marginals": views,
        "estimate": gy.estimate_probability(
            groups, f'1.1 = "{groups.values[-1]}"', samples=50, rng=np.random.default_rng(1)
        ),
    }


@pytest.fixture(scope="module")
def shown():
    return {name: result._repr_html_() for name, result in results().items()}


def test_every_result_is_small_closed_and_escaped(shown):
    for name, html in shown.items():
        parser = Balanced()
        parser.feed(html)
        assert not parser.open, name
        assert "<script" not in html, name
        assert len(html) < 60_000, name
        assert "http" not in html, name


def test_the_values_are_there(shown):
    assert "&lt;script&gt;" in shown["release"] + shown["groups"]
    assert "every group has at least 50 people" in shown["not safe"]
    assert "<svg" in shown["curve"] and "<svg" in shown["audit"]
    assert "relatives m" in shown["skyline"] and "∞" in shown["endless skyline"]


def test_lists_that_draw_themselves_are_still_lists():
    groups = gy.Groups.from_lists([["Flu", "Flu", "Gout"]])
    assert gy.disclosure_curve(groups, k=0) == [gy.max_disclosure(groups, k=0).probability]
    assert isinstance(gy.skyline_find(groups, value="Flu", confidence="0.9"), list)


def test_verify_shows_itself(tmp_path):
    results()["release"].save(tmp_path / "out")
    html = gy.verify(tmp_path / "out")._repr_html_()
    assert "holds" in html and "fails" not in html


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
@pytest.mark.parametrize("form", ["generalized", "bucketized"])
def test_frames_come_back_in_the_callers_kind(kind, form):
    columns = hospital(100)
    if kind == "pandas":
        pandas = pytest.importorskip("pandas")
        given, expected = pandas.DataFrame(columns), pandas.DataFrame
    elif kind == "polars":
        polars = pytest.importorskip("polars")
        given, expected = polars.DataFrame(columns), polars.DataFrame
    else:
        pyarrow = pytest.importorskip("pyarrow")
        given, expected = pyarrow.table(columns), pyarrow.Table
    release = gy.publish(gy.read(given, hospital_schema()), [gy.KAnonymity(5)], form=form)
    for name in release.tables:
        frame = release.frame(name)
        assert isinstance(frame, expected)
        assert len(frame) == release.tables[name].num_rows
