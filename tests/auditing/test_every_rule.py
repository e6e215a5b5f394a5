"""Every rule by every method in every form: published, saved, loaded, verified."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, get_args

import numpy as np
import pyarrow as pa
import pytest

import gyges as gy
from gyges.criteria import rules
from gyges.criteria.describe import to_data
from gyges.criteria.rules import RULES as KNOWN
from gyges.criteria.rules import KnownRule
from gyges.criteria.worst_group import DiversityByWorstGroup
from gyges.data.large_table import BYTES_OF_CODE, BYTES_OF_ENTRY, read_within
from gyges.data.memory_limit import MemoryBudget
from gyges.errors import GygesError, ReleaseError
from gyges.release.group_forms import Form
from gyges.search.methods import METHODS
from tests.auditing import forging

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
DISEASES = gy.Hierarchy.from_tree({"lung": ["flu", "cold"], "other": ["gout", "mumps", "plague"]})
TREE = gy.Hierarchy.from_tree({"coast": ["north", "south"], "inland": ["east"]})


def table(is_even=False):
    """60 people; `is_even` has every value equally often, as buckets of all values need it."""
    rng = random.Random(3)
    n = 60
    columns = {
        "age": [rng.randrange(20, 60) for _ in range(n)],
        "town": [rng.choice(["north", "south", "east"]) for _ in range(n)],
        "disease": [rng.choice(["flu", "gout", "mumps", "cold"]) for _ in range(n)],
    }
    columns["age"][0], columns["disease"][0] = 99, "plague"  # who will be suppressed
    if is_even:
        columns["disease"] = ["flu", "gout", "mumps", "cold", "plague"] * 12
    columns["home"] = [person // 2 for person in range(n)]
    hierarchies = {"age": gy.Hierarchy.intervals(5, 10), "town": TREE, "disease": DISEASES}
    roles = {"quasi_identifiers": ["age", "town"], "sensitive": "disease", "household": "home"}
    return gy.read(columns, gy.Schema(**roles, hierarchies=hierarchies))


@dataclass(frozen=True)
class AtMostHalf:
    """A rule of the user's own, by the documented protocol."""

    is_monotone: ClassVar[bool] = True
    is_local: ClassVar[bool] = True

    def summarize(self, groups):
        return float(self.risks(groups).max(initial=0.0))

    def merge(self, one, other):
        return max(one, other)

    def risk(self, summary):
        return summary

    def holds(self, summary):
        return summary <= 0.75

    def risks(self, groups):
        return groups.most_frequent / groups.sizes

    def holds_each(self, groups):
        return self.risks(groups) <= 0.75

    def __str__(self):
        return "no value has more than three quarters of a group"


MATRIX = 1.0 - np.eye(5)
RULES = {
    "k": gy.KAnonymity(3),
    "households": gy.HouseholdAnonymity(2),
    "distinct": gy.DistinctDiversity(2),
    "entropy": gy.EntropyDiversity("3/2"),
    "recursive": gy.RecursiveDiversity("5", 2),
    "probabilistic": gy.ProbabilisticDiversity("5/4"),
    "t equal": gy.TCloseness("9/10"),
    "t ordered": gy.TCloseness("9/10", ground="ordered"),
    "t hierarchy": gy.TCloseness("9/10", ground="hierarchy"),
    "t given hierarchy": gy.TCloseness("9/10", ground=DISEASES),
    "t matrix": gy.TCloseness("9/10", ground=MATRIX),
    "beta": gy.BetaLikeness(4),
    "beta enhanced": gy.BetaLikeness(4, enhanced=True),
    "delta": gy.DeltaDisclosure(3),
    "safety": gy.Safety("99/100", k=1),
    "negations": gy.Safety("99/100", k=1, language="negations"),
    "value safety": gy.ValueSafety(
        {"flu": ("0.95", 1), "lung": ("0.99", 1), "*": ("0.99", 1)}, {"lung": ["flu", "cold"]}
    ),
    "intervals": gy.IntervalSafety(1, "0.99", k=1),  # of diseases: no claim
    "skyline": gy.Skyline({"flu": [(0, 1, 0, "0.99")], "*": [(0, 0, 0, "0.99")]}),
    "beliefs": gy.Beliefs("0.5", "0.9"),
    "m-invariance": gy.MInvariance(2),
    "about": gy.About(gy.DistinctDiversity(2), similar={"lung": ["flu", "cold"]}),
    "own": AtMostHalf(),
}
ROOM_FOR_20 = MemoryBudget(2**30, 2**28, 20 * (BYTES_OF_ENTRY + 2 * BYTES_OF_CODE))  # distinct rows
OPTIONS = {"lattice": {"suppression": "0.1"}}
WAYS = [
    *(
        (method, form, OPTIONS.get(method, {}))
        for method, one in METHODS.items()
        if one.has_groups
        for form in get_args(Form)
    ),
    ("partition", "generalized", {"relaxed": True}),
]


# What the files alone do not show is not checked: neither true nor false.
UNCHECKED = {
    "beliefs": "needs the original table",
    "households": "needs the original table",
    "m-invariance": "needs the earlier releases",
    "own": "does not know the rule",
}


def test_every_rule_that_gyges_knows_is_tried_here():
    assert {known.class_name for known in KNOWN} | {"AtMostHalf"} == {
        type(rule).__name__ for rule in RULES.values()
    }
    assert {known.class_name for known in KNOWN} <= set(gy.__all__)


# Which methods cannot satisfy a rule, and what they say.
NOT_BY = {
    "beliefs": (("buckets", "microaggregation", "relaxed"), "these groups only have sizes"),
    "households": (("buckets", "microaggregation", "relaxed"), "these groups only have sizes"),
    "m-invariance": (
        ("partition", "lattice", "suppression", "microaggregation"),
        "all with different values",
    ),
}


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join([*way[:2], *way[2]]))
def test_a_release_of_this_rule_is_verified(name, way, tmp_path):
    method, form, options = way
    rules, people = [gy.KAnonymity(2), RULES[name]], table(is_even=method == "buckets")
    methods, why = NOT_BY.get(name, ((), ""))
    if method in methods or ("relaxed" in options and "relaxed" in methods):
        with pytest.raises(GygesError, match=why):
            gy.publish(people, rules, method=method, form=form, **options)
        return
    release = gy.publish(people, rules, method=method, form=form, **options)
    release.save(tmp_path / "out", pages=gy.report_pages(release))
    found = gy.verify(tmp_path / "out")
    assert not found.refuted, str(found)
    if name in UNCHECKED:
        assert [UNCHECKED[name] in check.found for check in found.unchecked] == [True]
    else:
        assert found.holds
    loaded = gy.load(tmp_path / "out")
    assert (loaded.form, loaded.method, loaded.claims) == (form, method, release.claims)


# Rules that have a meaning for several small tables.
OF_VIEWS = ("k", "distinct", "entropy", "recursive", "probabilistic")


@pytest.mark.parametrize("name", RULES)
def test_views_of_this_rule_are_verified_or_refused_in_a_sentence(name, tmp_path):
    if name not in OF_VIEWS:
        with pytest.raises(GygesError, match="is not defined for marginals"):
            gy.publish(table(), [RULES[name]], method="marginals")
        return
    gy.publish(table(), [RULES[name]], method="marginals").save(tmp_path / "out")
    assert gy.verify(tmp_path / "out").holds
    [claim] = gy.load(tmp_path / "out").claims
    assert claim.text


@dataclass(frozen=True, slots=True)
class SmallShares(DiversityByWorstGroup):
    """A rule with `measure()`: the most frequent value of a group has at most this share."""

    share: Fraction

    def __init__(self, share):
        object.__setattr__(self, "share", Fraction(share))

    def _same(self):
        return gy.ProbabilisticDiversity(1 / self.share)

    def summarize(self, groups):
        return self._same().summarize(groups)

    def risks(self, groups):
        return self._same().risks(groups)

    def holds_each(self, groups):
        return self._same().holds_each(groups)

    def measure(self):
        return self._same().measure()

    def __str__(self):
        return f"no value has a larger share than {self.share}"


@pytest.mark.parametrize("method", METHODS)
def test_a_toy_rule_with_a_measure_is_verified_in_every_form(method, tmp_path, monkeypatch):
    """Registered by one line; by a version without this line it is not checked, never refused."""
    if method == "dp":
        return
    line = KnownRule("small shares", "SmallShares", __name__)
    with monkeypatch.context() as registered:
        registered.setattr(rules, "RULES", (*KNOWN, line))
        people = table(is_even=method == "buckets")
        gy.publish(people, [gy.KAnonymity(2), SmallShares("9/10")], method=method).save(
            tmp_path / "out"
        )
        found = gy.verify(tmp_path / "out")
        assert found.holds, str(found)
    found = gy.verify(tmp_path / "out")
    assert not found.refuted
    assert ["does not know the rule" in one.found for one in found.unchecked] == [True]
    assert gy.load(tmp_path / "out").claims[1].rule == {"name": "SmallShares", "share": "9/10"}


@pytest.mark.parametrize("name", RULES)
def test_noise_takes_no_rule(name):
    with pytest.raises(GygesError, match="so no rule applies to it"):
        gy.publish(table(), [RULES[name]], method="dp", epsilon=1)


def test_every_method_without_groups_is_tried_here():
    assert {method for method, one in METHODS.items() if not one.has_groups} == {"marginals", "dp"}


@pytest.mark.parametrize("name", RULES)
def test_under_a_memory_limit_this_rule_is_verified_or_refused_in_a_sentence(name, tmp_path):
    people = table()
    large = read_within(people.source, people.schema, ROOM_FOR_20)
    rules = [gy.KAnonymity(2), RULES[name]]
    if name in ("beliefs", "households", "m-invariance", "own"):
        with pytest.raises(GygesError, match="no rule may read single cells"):
            gy.publish(large, rules, block=20)
        return
    release = gy.publish(large, rules, block=20)
    release.save(tmp_path / "out")
    assert gy.verify(tmp_path / "out").holds


def test_a_certificate_names_no_value_that_only_suppressed_people_have(tmp_path):
    names = ["t hierarchy", "t given hierarchy", "t matrix"]
    rules = [gy.KAnonymity(2), *(RULES[name] for name in names)]
    release = gy.publish(table(), rules, method="lattice", suppression="0.1")
    assert release.n_left_out and "plague" not in str(release.frame())
    release.save(tmp_path / "out", pages=gy.report_pages(release))
    for path in (tmp_path / "out").iterdir():
        assert b"plague" not in path.read_bytes(), path.name
    assert gy.verify(tmp_path / "out").holds


SALARIES = gy.Hierarchy.from_tree({"low": [10, 20, 30, 40], "high": [1000, 5000]})
# About other values; or about people who all differ, which so many with four salaries cannot; or
# every group needs every value, so that nobody who alone has one is suppressed.
ABOUT_OTHERS = ("skyline", "t hierarchy", "m-invariance", "delta")
ABOUT_NUMBERS = {
    **{name: rule for name, rule in RULES.items() if name not in ABOUT_OTHERS},
    "t given hierarchy": gy.TCloseness("9/10", ground=SALARIES),
    "value safety": gy.ValueSafety(
        {"flu": ("0.95", 1), "lung": ("0.99", 1), "*": ("0.99", 1)}, {"lung": ["flu", "cold"]}
    ),
    "skyline": gy.Skyline({20: [(0, 1, 0, "0.99")], "*": [(0, 0, 0, "0.99")]}),
    "beliefs smoothed": gy.Beliefs("0.5", "0.9", smoothing="0.3"),
    "beliefs by matrix": gy.Beliefs("0.5", "0.9", distances={"salary": MATRIX}),
}


def salaries(hidden):
    """40 people of whom one is suppressed, with a salary that others have or that nobody has."""
    columns = {
        "age": [20 + i % 8 for i in range(40)] + [99],
        "salary": [(10, 20, 30, 40)[(i // 3 + i % 5) % 4] for i in range(40)] + [hidden],
        "home": list(range(41)),
    }
    return gy.read(
        columns,
        gy.Schema(
            quasi_identifiers=["age"],
            sensitive="salary",
            household="home",
            hierarchies={"age": gy.Hierarchy.intervals(5, 10)},
        ),
    )


@pytest.mark.parametrize("name", ABOUT_NUMBERS)
def test_a_claim_is_the_same_whatever_value_a_suppressed_person_has(name, tmp_path):
    """Salaries 10 to 40 are published, 1000 is not: nothing in the certificate gives it back."""
    rules = [gy.KAnonymity(2), ABOUT_NUMBERS[name]]
    is_matrix = "matrix" in name
    stated = []
    for hidden in (1000, 5000) if is_matrix else (1000, 5000, 10):
        release = gy.publish(salaries(hidden), rules, method="lattice", suppression="0.1")
        assert release.n_left_out == 1
        stated.append([(claim.rule, claim.text) for claim in release.claims])
        if "beliefs" in name:
            release.save(tmp_path / str(hidden))
            found = gy.verify(tmp_path / str(hidden), original=salaries(hidden))
            assert not found.refuted and found.holds is not is_matrix, str(found)
    assert all(one == stated[0] for one in stated)


def test_a_claim_states_no_matrix_of_a_quasi_identifier():
    ages = {"age": 1 - np.eye(9)}
    rule = gy.Beliefs("0.5", "0.9", distances=ages)
    release = gy.publish(salaries(10), [gy.KAnonymity(2), rule], method="lattice")
    assert release.claims[1].rule["distances"]["age"] == "unstated"
    assert "distances of age not stated" in release.claims[1].text


def test_claims_that_cannot_be_judged_with_published_columns_are_not_called_true(tmp_path):
    people = table()
    schema = replace(people.schema, published=("ward",))
    known = people.fetch(["age", "town", "disease", "home"]).to_pydict()
    columns = {**known, "ward": ["I"] * 60}
    release = gy.publish(
        gy.read(columns, schema),
        [gy.KAnonymity(2), gy.Beliefs("0.5", "0.9")],
        allow_singling_out=True,
    )
    release.save(tmp_path / "out")
    found = {check.claim: check.holds for check in gy.verify(tmp_path / "out").checks}
    assert [holds for claim, holds in found.items() if "also knows 'ward'" in claim] == [None]


@pytest.mark.parametrize("ending", [b"\xff", b"<p>more</p>", b"\r\n"])
def test_a_report_that_differs_in_any_byte_is_refuted(ending, tmp_path):
    release = gy.publish(table(), [gy.KAnonymity(2)])
    out = release.save(tmp_path / "out", pages=gy.report_pages(release))
    page = out / "report.html"
    page.write_bytes(page.read_bytes() + ending)
    forging.rehash(out)
    assert ["report.html agrees" in one.claim for one in gy.verify(out).refuted] == [True]


def test_a_multiset_too_large_to_be_verified_is_not_published():
    columns = {"id": [1] * 20_002 + [2], "age": [1] * 20_003, "d": ["a"] * 20_002 + ["b"]}
    schema = gy.Schema(
        person="id", quasi_identifiers=["age"], sensitive="d", values_per_person="multiset"
    )
    with pytest.raises(GygesError, match="at most 10,000 times per person"):
        gy.publish(gy.read(columns, schema), [gy.KAnonymity(2)])


def write_release(folder, rows, **changes):
    """A directory as a forger would write it: rows of (age, town, disease, …) and a certificate."""
    folder.mkdir()
    (folder / "data.csv").write_text("\n".join(rows) + "\n")
    stated = {
        "claims": [], "files": {"data.csv": ""}, "form": "generalized", "format": 2,
        "gyges": gy.__version__, "is_seeded": False, "method": "partition", "n_groups": 1,
        "n_left_out": 0, "n_people": len(rows) - 1, "rows_are_people": False,
        "allows_singling_out": False, "values_per_person": "one",
        "roles": {
            "quasi_identifiers": ["age"], "sensitive": "disease", "published": [], "kinds": {},
            "hierarchies": {},
        },
    } | changes  # fmt: skip
    (folder / "certificate.json").write_text(json.dumps(stated))
    forging.rehash(folder)
    return folder


K_IS_4 = {
    "rule": {"name": "KAnonymity", "k": 4},
    "text": "every group has at least 4 people",
    "risk": "4",
}


def test_a_release_without_claims_is_not_called_safe(tmp_path):
    rows = ["age,disease", *["20,a", "20,b"] * 2]
    found = gy.verify(write_release(tmp_path / "out", rows))
    assert found.holds and "makes no claim about privacy" in found.answer


@pytest.mark.parametrize(
    "rows",
    [
        ["age,group,disease", "20,1,a", "20,01,b", "20,001,c", "20,0001,d"],
        ["age,disease", "-a,a", "'-a,b", "-a,c", "'-a,d"],
        ["age,disease", ",a", '"",b', ",c", '"",d'],
        ["age,disease"],
    ],
)
def test_rows_that_differ_in_the_file_are_not_counted_as_alike(rows, tmp_path):
    with pytest.raises(ReleaseError):
        gy.verify(write_release(tmp_path / "out", rows, claims=[K_IS_4]))


def test_buckets_without_a_sensitive_column_are_refused(tmp_path):
    roles = {
        "quasi_identifiers": ["age"], "sensitive": None, "published": [], "kinds": {},
        "hierarchies": {},
    }  # fmt: skip
    rows = ["age,group", "20,1", "21,1", "22,1", "23,1"]
    changes = {"roles": roles, "form": "bucketized", "values_per_person": "set"}
    with pytest.raises(ReleaseError, match="nothing would be protected"):
        gy.verify(write_release(tmp_path / "out", rows, claims=[K_IS_4], **changes))


@pytest.mark.parametrize("value", ["HIV at (0, 0, 0), below 1/100 for anybody", "HIV ", "Flu"])
def test_a_skyline_about_values_that_nobody_has_is_refuted(value, tmp_path):
    rule = gy.Skyline({value: [(0, 0, 0, "0.01")]})
    claim = {"rule": to_data(rule), "text": str(rule), "risk": "0"}
    rows = ["age,disease", *["20,HIV"] * 4]
    found = gy.verify(write_release(tmp_path / "out", rows, claims=[claim]))
    assert len(found.refuted) == 1 and repr(value) in found.refuted[0].claim


def test_an_empty_text_and_a_missing_value_are_published_alike(tmp_path):
    columns = {"age": [1] * 6, "d": list("ababab"), "note": ["", None, "", "", "", ""]}
    people = gy.read(
        pa.table({**columns, "note": pa.array(columns["note"], pa.string())}),
        gy.Schema(quasi_identifiers=["age"], sensitive="d", published=["note"]),
    )
    release = gy.publish(people, [gy.KAnonymity(6)])
    assert release.tables["data"].column("note").null_count == 6
    for format in ("csv", "parquet"):
        assert gy.verify(release.save(tmp_path / format, format=format)).holds


def test_m_invariance_is_not_checked_without_the_earlier_releases(tmp_path):
    people = gy.read(
        {"age": [1, 2, 3, 4], "disease": ["a", "b", "a", "b"]},
        gy.Schema(quasi_identifiers=["age"], sensitive="disease"),
    )
    release = gy.publish(people, [gy.MInvariance(2)], method="buckets")
    release.save(tmp_path / "out")
    found = gy.verify(tmp_path / "out")
    assert not found.refuted and ["earlier" in one.found for one in found.unchecked] == [True]


@pytest.mark.parametrize("ground", [np.zeros((5, 5)), [[0, 1], [1, 0], [1, 1]], "x", [["a"]]])
def test_a_ground_distance_that_is_none_is_refused(ground):
    with pytest.raises(GygesError):
        gy.TCloseness("1/2", ground=ground)


def test_the_claim_names_its_ground_distance():
    texts = {str(RULES[name]) for name in RULES if name.startswith("t ")}
    assert len(texts) == 5
    assert all(any(word in text for word in ("apart", "matrix")) for text in texts)
    flat = gy.Hierarchy(tuple((leaf, *("*",) * 200) for leaf in ("flu", "gout")))
    assert "from 1/200 to 1/200" in str(gy.TCloseness("1/100", ground=flat))
