"""Every public function with right arguments, for a fuzzer to make some of them wrong."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

import gyges as gy

AGES = [21, 25, 34, 38, 42, 47, 55, 58, 63, 66, 71, 78]
ZIPS = ["14850", "14851", "13068", "13053"] * 3
ILLS = [
    "Flu",
    "Gout",
    "Flu",
    "Asthma",
    "Gout",
    "Flu",
    "Asthma",
    "Gout",
    "Flu",
    "Flu",
    "Gout",
    "Flu",
]
ROWS = {"age": AGES, "zip": ZIPS, "ill": ILLS}
TREE = {"lung": ["Flu", "Asthma"], "other": ["Gout"]}
VALUES = [["Flu", "Flu", "Gout"], ["Flu", "Asthma"]]
NAMES = [["Ann", "Bob", "Cy"], ["Di", "Ed"]]


@dataclass(frozen=True)
class Call:
    """A function, arguments that it accepts, and the words by which a refusal may name them."""

    name: str
    function: Callable[..., object]
    right: dict[str, object]
    words: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def names(self, argument: str, message: str) -> bool:
        """Whether a refusal says which argument it is about."""
        plain = argument.replace("_", " ")
        known = (argument, plain, plain.replace(" ", "-"), plain.rstrip("s"), argument.rstrip("s"))
        places = ("column ", "row ", "group ", "columns ")
        text = message.lower()
        return any(
            word.lower() in text for word in (*known, *places, *self.words.get(argument, ()))
        )


def spread(function: Callable[..., object], argument: str) -> Callable[..., object]:
    """A function of *arguments as one that takes them in a list."""

    def called(**given: object) -> object:
        parts = given[argument]
        return function(*(parts if isinstance(parts, (list, tuple)) else [parts]))

    return called


def all_calls(folder: Path) -> Iterator[Call]:
    """Every call; files that they need are written to the folder."""
    warnings.simplefilter("ignore")
    table = gy.read(ROWS, schema())
    groups = gy.Groups.from_lists(VALUES, members=NAMES)
    yield from _of_data(folder, table)
    yield from _of_groups(groups)
    yield from _of_rules(groups)
    yield from _of_beliefs(table)
    yield from _of_publishing(folder, table)
    yield from _of_projects(folder)
    yield from _of_marginals(table)
    yield from _of_noise(table)


def schema() -> gy.Schema:
    return gy.Schema(
        quasi_identifiers=["age", "zip"],
        sensitive="ill",
        hierarchies={"age": gy.Hierarchy.intervals(10, 20, 40), "zip": gy.Hierarchy.prefixes()},
    )


def _of_data(folder: Path, table: gy.Table) -> Iterator[Call]:
    csv = folder / "rows.csv"
    lines = [",".join(map(str, row)) for row in zip(AGES, ZIPS, ILLS, strict=True)]
    csv.write_text("\n".join(["age,zip,ill", *lines]))
    tree_csv = folder / "tree.csv"
    tree_csv.write_text("Flu,lung,*\nAsthma,lung,*\nGout,other,*\n")
    tree = gy.Hierarchy.from_tree(TREE)
    right_schema = {
        "identifiers": ["name"],
        "quasi_identifiers": ["age", "zip"],
        "sensitive": "ill",
        "hierarchies": {"ill": tree},
        "values_per_person": "set",
        "published": ["ward"],
        "dropped": ["note"],
        "kinds": {"zip": "code"},
        "person": "name",
        "separator": None,
    }
    # A wrong role is often found where two roles meet.
    roles = ("role", "person", "separator", "several values", "sensitive", "hierarch", "kind")
    yield Call("Schema", gy.Schema, right_schema, dict.fromkeys(right_schema, roles))
    yield Call(
        "Hierarchy.from_csv", gy.Hierarchy.from_csv, {"path": tree_csv}, {"path": ("hierarchy",)}
    )
    yield Call(
        "Hierarchy.from_tree",
        gy.Hierarchy.from_tree,
        {"tree": TREE},
        {"tree": ("hierarchy", "label", "leaf", "parents")},
    )
    yield Call(
        "Hierarchy",
        gy.Hierarchy,
        {"rows": (("a", "*"), ("b", "*"))},
        {"rows": ("hierarchy", "row ", "leaf", "label", "parents")},
    )
    yield Call(
        "Hierarchy",
        gy.Hierarchy,
        {"rule": "intervals", "parameters": (5, 10)},
        {"rule": ("hierarchy", "intervals"), "parameters": ("intervals",)},
    )
    yield Call(
        "Hierarchy.intervals",
        spread(gy.Hierarchy.intervals, "widths"),
        {"widths": [5, 10]},
        {"widths": ("intervals",)},
    )
    yield Call(
        "Hierarchy.calendar", spread(gy.Hierarchy.calendar, "units"), {"units": ["month", "year"]}
    )
    yield Call(
        "Hierarchy.from_data",
        gy.Hierarchy.from_data,
        {"stated": tree.to_data()},
        {"stated": ("hierarchy", "row ", "leaf", "label", "parents")},
    )
    yield Call(
        "Hierarchy.from_data",
        gy.Hierarchy.from_data,
        {"stated": gy.Hierarchy.intervals(5).to_data()},
        {"stated": ("hierarchy", "rule", "intervals", "parameters")},
    )
    yield Call(
        "Hierarchy.bind",
        tree.bind,
        {"values": ["Flu", "Gout"], "column": "ill"},
        {"values": ("hierarchy", "leaves")},
    )
    for rule, values in (
        (gy.Hierarchy.intervals(5, 10), [3, 4.5]),
        (gy.Hierarchy.prefixes(), ["14850", "13"]),
        (gy.Hierarchy.calendar("month"), ["2024-01-31"]),
    ):
        yield Call(
            "Hierarchy.bind",
            rule.bind,
            {"values": values, "column": "x"},
            {"values": ("intervals", "calendar")},
        )
    for source in (ROWS, str(csv), csv):
        yield Call(
            "read",
            gy.read,
            {
                "source": source,
                "schema": schema(),
                "table": None,
                "values": None,
                "missing": "error",
                "missing_marks": ["?"],
                "memory_limit": None,
            },
            {
                "source": (
                    "cannot read",
                    "the table",
                    "the file",
                    "the frame",
                    "no file",
                    "folder",
                    "the path",
                    "missing",
                    "hierarchy",
                ),
                "memory_limit": ("memory",),
                "values": ("second table", "person"),
            },
        )
    yield Call("Table.fetch", table.fetch, {"columns": ["age", "ill"]})


def _of_groups(groups: gy.Groups) -> Iterator[Call]:
    unnamed = gy.Groups.from_lists(VALUES)
    bags = gy.Groups.from_lists([["Flu", "Flu", "Gout"]], people=[40], values_per_person="multiset")
    yield Call(
        "Groups.from_lists",
        gy.Groups.from_lists,
        {"values": VALUES, "members": NAMES, "people": [3, 2], "values_per_person": "one"},
    )
    yield Call(
        "Groups.from_lists",
        gy.Groups.from_lists,
        {"values": VALUES, "people": [4, 3], "values_per_person": "set"},
    )
    yield Call("Groups.take", groups.take, {"chosen": [1]})
    for some in (groups, unnamed):
        for language in ("implications", "negations"):
            right = {"groups": some, "k": 1, "language": language}
            yield Call("max_disclosure", gy.max_disclosure, right)
            yield Call("disclosure_curve", gy.disclosure_curve, right)
        asked = {"groups": some, "statement": "1.1 = Flu", "given": "1.1 = Flu or 1.2 = Flu"}
        if some is groups:
            asked |= {"statement": "Ann = Flu", "given": "Ed = Flu -> Ann = Flu"}
        words = dict.fromkeys(
            ("statement", "given"),
            ("sentence", "no one", "person", "value", "named", "is given"),
        )
        words["groups"] = ("named", "value", "person")
        yield Call("probability", gy.probability, asked, words)
        doubted = {"groups": asked["groups"], "statement": asked["statement"]}
        facts = {"given": ["with 0.5: " + asked["statement"]]}
        said = words | {"given": (*words["given"], "fact")}
        yield Call("doubtful_probability", gy.doubtful_probability, doubted | facts, said)
        chance = {"rng": np.random.default_rng(1), "samples": 50, "confidence": "0.95"}
        yield Call("estimate_probability", gy.estimate_probability, asked | chance, words)
    yield Call(
        "population_uniqueness",
        gy.population_uniqueness,
        {"groups": groups, "sampling_fraction": "0.2", "model": "zayatz"},
    )
    for some in (groups, bags):
        yield Call("breach", gy.breach, {"groups": some, "value": "Flu", "l": 1, "k": 1, "m": 1})
        yield Call(
            "skyline_find", gy.skyline_find, {"groups": some, "value": "Flu", "confidence": "0.9"}
        )
        yield Call(
            "skyline_check",
            gy.skyline_check,
            {"groups": some, "skyline": {"Flu": [(1, 1, 1, "0.9")], "*": [(0, 3, 0, "0.9")]}},
            {"skyline": ("point", "confidence", "value", "(l, k, m, c)", " of '")},
        )
    other = gy.Groups.from_lists(
        [["Flu", "Gout"], ["Flu", "Asthma", "Flu"]], members=[["Ann", "Di"], ["Bob", "Cy", "Ed"]]
    )
    yield Call(
        "intersection_attack",
        gy.intersection_attack,
        {"releases": [groups, other], "people": ["Ann", "Bob"]},
        {"people": ("person", "table"), "releases": ("release", "value")},
    )
    yield Call(
        "intersection_attack, joint",
        gy.intersection_attack,
        {
            "releases": [groups, other],
            "people": ["Ann", "Bob"],
            "joint": True,
            "present": [[True, True], [True, False]],
        },
        {"people": ("person", "table", "present"), "releases": ("release", "value", "present")},
    )
    attack = gy.intersection_attack([groups, other], people=["Ann", "Bob"])
    yield Call(
        "IntersectionAttack.exposed",
        attack.exposed,
        {"confidence": "0.25"},
        {"confidence": ("at_least", "share")},
    )


def _of_rules(groups: gy.Groups) -> Iterator[Call]:
    points = {"Flu": [(1, 1, 1, "0.9")], "*": [(0, 3, 0, "0.9")]}
    said = {"points": ("point", " of '", "confidence", "value", "skyline", "l is", "k is", "m is")}
    rules: list[
        tuple[str, Callable[..., object], dict[str, object], dict[str, tuple[str, ...]]]
    ] = [
        ("KAnonymity", gy.KAnonymity, {"k": 2}, {}),
        ("HouseholdAnonymity", gy.HouseholdAnonymity, {"k": 2}, {}),
        ("DistinctDiversity", gy.DistinctDiversity, {"l": 2}, {}),
        ("EntropyDiversity", gy.EntropyDiversity, {"l": "1.5"}, {}),
        ("ProbabilisticDiversity", gy.ProbabilisticDiversity, {"l": 2}, {}),
        ("RecursiveDiversity", gy.RecursiveDiversity, {"c": "2", "l": 2, "strict": True}, {}),
        ("TCloseness", gy.TCloseness, {"t": "0.2", "ground": "ordered"}, {"ground": ("distance",)}),
        (
            "TCloseness",
            gy.TCloseness,
            {"t": "0.2", "ground": 1 - np.eye(3)},
            {"ground": ("distance",)},
        ),
        ("BetaLikeness", gy.BetaLikeness, {"beta": "0.5", "enhanced": True}, {}),
        ("DeltaDisclosure", gy.DeltaDisclosure, {"delta": 1}, {}),
        ("Safety", gy.Safety, {"confidence": "0.8", "k": 1, "language": "implications"}, {}),
        ("Safety", gy.Safety, {"confidence": "0.8", "k": 1, "language": "negations"}, {}),
        ("IntervalSafety", gy.IntervalSafety, {"width": 5, "confidence": "0.8", "k": 1}, {}),
        ("ValueSafety", gy.ValueSafety, {"policies": {"flu": ("0.8", 1)}, "classes": None}, {}),
        ("Skyline", gy.Skyline, {"points": points}, said),
        (
            "About",
            gy.About,
            {"of": gy.KAnonymity(2), "similar": {"ill": ["Flu"]}, "harmless": []},
            {"of": ("rule",), "similar": ("class", "value"), "harmless": ("value",)},
        ),
        ("MInvariance", gy.MInvariance, {"m": 2, "earlier": [groups]}, {}),
        (
            "Beliefs",
            gy.Beliefs,
            {
                "bandwidth": {"age": 0.3, "zip": "0.5"},
                "t": "0.2",
                "smoothing": 0.5,
                "kernel": "uniform",
                "method": "omega",
                "distances": {"zip": 1 - np.eye(4)},
            },
            {},
        ),
    ]
    for name, rule, right, words in rules:
        yield Call(name, rule, right, words)
        if name in ("Beliefs", "HouseholdAnonymity"):  # need the people of a table
            continue
        made = rule(**right)
        yield Call(
            "judge",
            gy.judge,
            {"criteria": [made], "groups": groups},
            {"criteria": ("rule", "criterion")},
        )
        yield Call(
            f"{name} and judge",
            _judged(rule, groups),
            right,
            words | {"ground": ("distance",), "language": ("facts",)},
        )
        yield Call(f"{name}.bind", lambda groups, made=made: made.bind(groups), {"groups": groups})
        bound = made.bind(groups)
        for verb in ("summarize", "risks", "holds_each"):
            yield Call(f"{name}.{verb}", getattr(bound, verb), {"groups": groups})
    yield Call(
        "judge",
        gy.judge,
        {"criteria": gy.KAnonymity(2), "groups": groups},
        {"criteria": ("rule", "criterion")},
    )


def _judged(rule: Callable[..., object], groups: gy.Groups) -> Callable[..., object]:
    return lambda **given: gy.judge([rule(**given)], groups)


def _of_beliefs(table: gy.Table) -> Iterator[Call]:
    distances = {"zip": gy.distance_matrix(sorted(set(ZIPS)))}
    bandwidth = {"age": 0.3, "zip": "0.5"}
    yield Call(
        "prior_beliefs",
        gy.prior_beliefs,
        {"table": table, "bandwidth": bandwidth, "kernel": "epanechnikov", "distances": distances},
    )
    prior = gy.prior_beliefs(table, bandwidth=0.3)
    group = np.arange(12) // 4
    post = gy.posterior_beliefs(prior, group, table.value_of_row)
    for method in ("auto", "exact", "omega", "scaling"):
        yield Call(
            "posterior_beliefs",
            gy.posterior_beliefs,
            {
                "prior": prior,
                "group_of_row": group,
                "value_of_row": table.value_of_row,
                "method": method,
            },
            {"prior": ("belief",), "group_of_row": ("group",), "value_of_row": ("value",)},
        )
    yield Call(
        "belief_gain",
        gy.belief_gain,
        {
            "prior": prior,
            "post": post,
            "distances": 1 - np.eye(3),
            "bandwidth": 0.6,
            "base": 2,
            "normalize": True,
        },
        {"prior": ("belief",), "post": ("belief",), "distances": ("distance",)},
    )
    yield Call("distance_matrix", gy.distance_matrix, {"values": [1, 3, 7]})
    yield Call(
        "distance_matrix",
        gy.distance_matrix,
        {"values": ["Flu", "Gout"], "hierarchy": gy.Hierarchy.from_tree(TREE)},
    )
    for ground in ("equal", "ordered", 1 - np.eye(2)):
        yield Call(
            "emd",
            gy.emd,
            {"p": np.array([0.4, 0.6]), "q": [0.5, 0.5], "ground": ground},
            {
                "p": ("emd", "distribution"),
                "q": ("emd", "distribution"),
                "ground": ("emd", "distance"),
            },
        )


def _of_publishing(folder: Path, table: gy.Table) -> Iterator[Call]:
    rules = [gy.KAnonymity(2), gy.DistinctDiversity(2)]
    options: dict[str, dict[str, object]] = {
        "partition": {
            "order": "range",
            "relaxed": False,
            "classes": None,
            "block": 8,
            "purpose": gy.Purpose(questions=[["age", "ill"]]),
        },
        "lattice": {
            "utility": "loss",
            "weights": {"age": 2.0},
            "suppression": "0.1",
            "time_limit": 5.0,
        },
        "suppression": {"weights": {"age": 2.0}, "tries": 2},
        "buckets": {"l": 2},
        "microaggregation": {"k": 2, "algorithm": "mdav"},
    }
    words = {
        "criteria": ("rule", "criterion"),
        "form": ("buckets", "centroid"),
        "options": ("option",),
        "table": ("read",),
        "classes": ("class",),
        "weights": ("weight",),
        "time_limit": ("time limit",),
        "memory_limit": ("memory",),
    }
    for method, more in options.items():
        right = {
            "table": table,
            "criteria": rules,
            "method": method,
            "form": None,
            "seed": 1,
            "memory_limit": None,
        }
        every = (
            words | dict.fromkeys(more, ("option",)) | {"method": (*more, "option", "form", "rule")}
        )
        yield Call(f"publish {method}", gy.publish, right | more, every)
    yield Call(
        "minimal_generalizations",
        gy.minimal_generalizations,
        {"table": table, "criteria": rules, "suppression": "0.1", "progress": None},
        words,
    )
    yield Call(
        "Purpose",
        gy.Purpose,
        {"weights": {"age": "2"}, "questions": [["age", "ill"]], "predict": "ill"},
    )
    group = np.arange(12) // 4
    yield Call(
        "measure_utility",
        gy.measure_utility,
        {
            "table": table,
            "group_of_row": group,
            "levels": {"age": 1, "zip": 0},
            "measures": ["loss", "ncp_age"],
        },
        {"group_of_row": ("group",), "levels": ("level",)},
    )
    release = gy.publish(table, rules, seed=1)
    saved = release.save(folder / "release")
    yield Call("Release.frame", release.frame, {"name": None}, {"name": ("table",)})
    yield Call("Release.locate", release.locate, {"people": table}, {"people": ("table", "quasi")})
    yield Call(
        "Release.candidates", release.candidates, {"people": table}, {"people": ("table", "quasi")}
    )
    yield Call(
        "Release.save",
        release.save,
        {
            "directory": folder / "again",
            "format": "csv",
            "overwrite": True,
            "pages": {"report.html": "<p>"},
        },
        {
            "directory": ("release", "folder", "stands in the way", "cannot write"),
            "pages": ("page",),
        },
    )
    yield Call(
        "load",
        gy.load,
        {"directory": saved, "schema": None},
        {"directory": ("release", "file", "certificate"), "schema": ("certificate", "file")},
    )
    yield Call(
        "load",
        gy.load,
        {
            "directory": folder / "rows.csv",
            "schema": gy.Schema(quasi_identifiers=["age", "zip"], sensitive="ill"),
        },
        {
            "directory": ("release", "file", "certificate"),
            "schema": ("certificate", "release", "file"),
        },
    )
    yield Call(
        "verify",
        gy.verify,
        {"directory": saved, "original": table, "mapping": None},
        {
            "directory": ("release", "certificate"),
            "original": ("mapping", "table", "hierarchy", "cannot read", "file"),
        },
    )
    yield Call(
        "audit",
        gy.audit,
        {
            "release": release,
            "confidence": "0.9",
            "original": table,
            "mapping": None,
            "population": table,
            "others": [saved],
            "sampling_fraction": "0.5",
            "purpose": gy.Purpose(predict="ill"),
        },
        {
            "release": ("certificate",),
            "original": ("mapping", "table"),
            "others": ("release", "certificate"),
            "population": ("table", "quasi"),
            "mapping": ("original",),
        },
    )
    yield Call(
        "audit of a frame",
        gy.audit,
        {
            "release": ROWS,
            "original": pd.DataFrame(ROWS),
            "control": ROWS,
            "population": None,
            "same_order": True,
        },
        {"release": ("original", "the table", "control"), "control": ("original",)},
    )
    yield Call("report_pages", gy.report_pages, {"release": release})
    right = {"release": release, "format": "csv"}
    yield Call("description_pages", gy.description_pages, right)


def _of_projects(folder: Path) -> Iterator[Call]:
    rows = ["age,zip,ill", *(",".join(map(str, row)) for row in zip(AGES, ZIPS, ILLS, strict=True))]
    (folder / "people.csv").write_text("\n".join(rows) + "\n")
    (folder / "gyges.toml").write_text(
        '[data]\nsource = "people.csv"\n[columns]\nquasi_identifiers = ["age", "zip"]\n'
        'sensitive = "ill"\n[[require]]\nrule = "k-anonymity"\nk = 2\n'
    )
    yield Call("Project", gy.Project, {"path": folder / "gyges.toml"}, {"path": ("project file",)})
    words = {
        "out": ("release", "folder", "working directory", "stands in the way", "cannot write"),
        "rules": ("rule", "criteria"),
        "form": ("buckets", "centroid"),
        "to_table": ("--to-table", "database"),
        "ledger": ("is not there", "file"),
        "about": ("ledger",),
        "trial": ("final",),
    }
    right = {
        "trial": True,
        "rules": [gy.KAnonymity(3)],
        "out": folder / "of_project",
        "overwrite": True,
        "despite_exposure": False,
        "other_people": False,
        "ledger": None,
        "about": None,
        "report": False,
        "inside": None,
        "mapping": None,
        "to_table": None,
        "epsilon": None,
        "delta": None,
        "progress": None,
        "method": "partition",
        "form": None,
        "format": "csv",
        "seed": 1,
        "memory": None,
    }
    published = gy.Project(folder / "gyges.toml").publish
    yield Call("Project.publish", published, right, words)


def _of_marginals(table: gy.Table) -> Iterator[Call]:
    views = [{"age": 1}, {"zip": 3, "ill": 0}]
    rule = gy.RecursiveDiversity("2", 2)
    made = gy.Marginals.of(table, views)
    for_rules = {
        "criteria": ("rule", "criterion", "diversity"),
        "rule": ("rule", "criterion", "diversity"),
    }
    yield Call(
        "Marginals.of",
        gy.Marginals.of,
        {"table": table, "views": views, "tolerance": 1e-9},
        {"views": ("view", "level")},
    )
    yield Call(
        "Marginals.from_frames",
        gy.Marginals.from_frames,
        {"attributes": made.attributes, "views": [({"zip": 5}, {"zip": ["*"], "count": [12]})]},
        {"views": ("view", "level", "count")},
    )
    yield Call(
        "Marginals.maxent", made.maxent, {"rows": [{"age": 21, "zip": "14850", "ill": "Flu"}]}
    )
    yield Call("Marginals.k_link", made.k_link, {"k": 2})
    yield Call("Marginals.k_combinatorial", made.k_combinatorial, {"k": 2})
    yield Call(
        "Marginals.maxent_diversity", made.maxent_diversity, {"c": "2", "l": 2, "strict": False}
    )
    yield Call("Marginals.diversity", made.diversity, {"rule": rule, "method": "auto"}, for_rules)
    yield Call("Marginals.relaxed_diversity", made.relaxed_diversity, {"l": 2, "epsilon": "0.5"})
    yield Call("Marginals.judge", made.judge, {"criteria": [gy.KAnonymity(2), rule]}, for_rules)
    yield Call("Marginals.sample", made.sample, {"n": 3, "rng": np.random.default_rng(1)})
    yield Call(
        "select_marginals",
        gy.select_marginals,
        {
            "table": table,
            "criteria": [gy.KAnonymity(2)],
            "start": [{"age": 2}],
            "time_limit": 0.05,
            "restarts": 2,
            "rng": np.random.default_rng(1),
            "progress": None,
        },
        for_rules | {"start": ("view", "level"), "time_limit": ("time limit",)},
    )


def _of_noise(table: gy.Table) -> Iterator[Call]:
    guarantees = [("0.5", "1e-6"), ("0.25", 0)]
    yield Call(
        "compose", gy.compose, {"guarantees": guarantees}, {"guarantees": ("epsilon", "delta")}
    )
    yield Call(
        "semantic_privacy", gy.semantic_privacy, {"epsilon": "0.5", "delta": "1e-6", "people": 1000}
    )
    yield Call(
        "read_rows",
        gy.read_rows,
        {
            "source": {"who": [1, 1, 2], "age": [21, 25, 34]},
            "schema": gy.Schema(person="who", quasi_identifiers=["age"]),
            "most": 2,
            "table": None,
            "missing": "error",
            "missing_marks": ["?"],
            "encoding": None,
        },
        {
            "source": ("cannot read", "file", "frame", "the table"),
            "most": ("rows of a person",),
            "encoding": ("CSV",),
        },
    )
    yield Call(
        "error_curve",
        gy.error_curve,
        {
            "schema": gy.Schema(quasi_identifiers=["age", "sex"]),
            "delta": "1e-9",
            "views": [["age"], ["sex", "age"]],
            "neighbours": "change one person",
            "domains": {"age": range(5), "sex": ["F", "M"]},
            "levels": {},
            "workload": 2,
            "people": 100,
            "rows_per_person": 2,
            "epsilons": ["0.5", 1],
        },
        {
            "views": ("view",),
            "epsilons": ("epsilon",),
            "rows_per_person": ("rows of a person",),
            "domains": ("public",),
        },
    )
    yield Call(
        "publish dp",
        gy.publish,
        {
            "table": table,
            "criteria": (),
            "method": "dp",
            "form": None,
            "seed": 3,
            "epsilon": 2,
            "error": None,
            "people": None,
            "delta": 0,
            "views": [["zip", "ill"]],
            "neighbours": "add or remove one person",
            "domains": {"age": AGES, "zip": ZIPS[:4], "ill": ["Asthma", "Flu", "Gout"]},
            "levels": {"age": 2, "zip": 3},
            "rows": 5,
            "payer": None,
        },
        {
            "criteria": ("rule", "epsilon"),
            "form": ("epsilon",),
            "method": ("rule",),
            "views": ("view", "marginal"),
            "domains": ("domain", "column"),
            "levels": ("level",),
        },
    )
