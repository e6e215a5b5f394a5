"""Every rule that published files can show, judged from its definition over plain lists.

`judge_rule(stated, groups)` takes a rule as a certificate states it and groups as `Group`s, and
gives a `Finding`: whether the rule holds, its exact risk and its words. A rule that is no rule (a
parameter is missing, strange or out of range) raises MalformedError; a rule that cannot be judged
on these groups (distances between other values) raises UndefinedError. Never
imports gyges.
"""

from __future__ import annotations

import contextlib
import inspect
import itertools
import json
import math
import re
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction

from tests.oracles import criteria, dimensions, hierarchies, implications
from tests.oracles.transport import least_cost

MISSING = "(missing)"
TOLERANCE = 1e-9  # of numbers that are no fractions: entropies, distances by a matrix


class MalformedError(Exception):
    """What is stated is no rule."""


class UndefinedError(Exception):
    """The rule says nothing about such groups; it may hold what would be found if it did."""


@dataclass
class Group:
    """The people of a group (what their rows show), and how often each value occurs in it."""

    people: list = field(default_factory=list)
    values: Counter = field(default_factory=Counter)

    @property
    def n(self):
        return len(self.people)

    @property
    def listed(self):
        return list(self.values.elements())


@dataclass(frozen=True)
class Groups:
    """All groups; the values in sorted order; and how many values a person may have."""

    groups: list
    values: list
    kind: str  # "one", "set" or "multiset"


@dataclass(frozen=True)
class Finding:
    holds: bool
    risk: Fraction | int | float
    text: str


def need(condition, error=MalformedError):
    if not condition:
        raise error


def exact(number):
    """A threshold: a text or a number, 0 or between 1e-300 and 1e300 in size."""
    need(isinstance(number, str | int | float) and not isinstance(number, bool))
    if isinstance(number, str):
        exponent = re.search(r"[eE]([+-]?[\d_]+)\s*$", number)
        need(len(number) <= 1000 and not (exponent and len(exponent[1].strip("+-")) > 4))
    try:
        value = Fraction(repr(number) if isinstance(number, float) else number)
    except (ValueError, ZeroDivisionError):
        raise MalformedError from None
    need(value == 0 or Fraction(1, 10**300) <= abs(value) <= 10**300)
    return value


def whole(number, least=0, most=2**53):
    """A whole number; 3.0 is one."""
    need(type(number) in (int, float) and number == int(number) and least <= number <= most)
    return int(number)


def share(number):
    value = exact(number)
    need(0 <= value <= 1)
    return value


def k_anonymity(asked, *, k):
    k = whole(k, 1)
    smallest = min(group.n for group in asked.groups)
    return Finding(smallest >= k, smallest, f"every group has at least {k} people")


def distinct_diversity(asked, *, l):
    l = whole(l, 1)
    fewest = min(len(group.values) for group in asked.groups)
    return Finding(fewest >= l, fewest, f"every group has at least {l} different sensitive values")


def entropy_diversity(asked, *, l):
    """A group without values has no uncertainty at all."""
    l = exact(l)
    need(l >= 1)
    lists = [group.listed for group in asked.groups]
    least = min(exp_entropy(one) for one in lists)
    holds = all(lists) and criteria.entropy_diverse(lists, l)
    text = f"every group's values are at least as uncertain as {l} equally frequent ones"
    return Finding(holds, least, text)


def exp_entropy(values):
    shares = [count / len(values) for count in Counter(values).values()]
    return math.exp(-math.fsum(p * math.log(p) for p in shares)) if shares else 0.0


def recursive_diversity(asked, *, c, l, strict=True):
    c, l = exact(c), whole(l, 1)
    need(c > 0 and isinstance(strict, bool))
    risks = []
    for group in asked.groups:
        counts = sorted(group.values.values(), reverse=True)
        tail = sum(counts[l - 1 :])
        risks.append(Fraction(counts[0], tail) if tail else math.inf)
    lists = [group.listed for group in asked.groups]
    holds = all(lists) and criteria.recursive_diverse(lists, c, l, strict)
    bound = "less than" if strict else "at most"
    text = (
        f"in every group the most frequent value occurs {bound} {c} times as often as the "
        f"{ordinal(l)} most frequent and all rarer ones together"
    )
    return Finding(holds, max(risks), text)


def ordinal(number):
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def probabilistic_diversity(asked, *, l):
    """A share of the people; several occurrences of one person's value count as so many people."""
    l = exact(l)
    need(l >= 1)
    worst = max(
        Fraction(min(max(group.values.values(), default=0), group.n), group.n)
        for group in asked.groups
    )
    return Finding(
        worst <= 1 / l, worst, f"in every group each value has a share of at most {1 / l}"
    )


def beta_likeness(asked, *, beta, enhanced=False):
    beta = exact(beta)
    need(beta > 0 and isinstance(enhanced, bool))
    everything = [value for group in asked.groups for value in group.listed]
    gains, holds = [Fraction(0)], True
    for group in asked.groups:
        for value in set(group.listed):
            p = Fraction(everything.count(value), len(everything))
            gain = Fraction(group.listed.count(value), len(group.listed)) / p - 1
            gains.append(gain)
            holds &= gain <= beta
            if enhanced and gain > 0:
                holds &= gain <= -Fraction(math.log(p))  # never equal: a logarithm is irrational
    text = (
        f"in every group the share of each value exceeds its share p in the whole table by at most "
        f"{beta} times p"
    )
    return Finding(holds, max(gains), text + ", and by at most -ln p times p" * enhanced)


def delta_disclosure(asked, *, delta):
    """An absent value has the share 0, and its logarithm is infinite."""
    delta = exact(delta)
    need(delta > 0)
    everything = [value for group in asked.groups for value in group.listed]
    largest = 0.0
    for group in asked.groups:
        for value in set(everything):
            q, p = group.listed.count(value) * len(everything), everything.count(value)
            ratio = Fraction(q, p * len(group.listed)) if group.listed else Fraction(0)
            largest = max(largest, abs(math.log(ratio)) if ratio else math.inf)
    text = (
        f"in every group the share of each value differs from its share in the whole table by a "
        f"factor whose natural logarithm is below {delta}"
    )
    return Finding(largest < delta, largest, text)


def t_closeness(asked, *, t, ground="equal"):
    t = exact(t)
    need(t >= 0)
    ground, is_matrix = read_ground(ground)
    words = ground_in_words(ground, is_matrix)
    text = (
        f"the distribution of values in every group is within distance {t} of the whole table's "
        f"({words})"
    )
    need(ground != "hierarchy", UndefinedError)  # of which column, a file cannot show
    distance = distance_between(ground, is_matrix, asked.values)
    everything = [value for group in asked.groups for value in group.listed]
    table = criteria.shares(everything, asked.values) if everything else []
    risks = [
        distance(criteria.shares(group.listed, asked.values), table)
        if group.values
        else Fraction(1)
        for group in asked.groups
    ]
    worst = max(risks)
    if is_matrix:
        return Finding(worst <= t + Fraction(1, 10**9), float(worst), text)
    found = Finding(worst <= t and all(group.values for group in asked.groups), worst, text)
    if isinstance(ground, hierarchies.Hierarchy) and ground.has_other_leaves(asked.values):
        raise UndefinedError(found)
    return found


def read_ground(ground):
    """One of three words, a hierarchy, or a matrix; and whether it is a matrix."""
    if isinstance(ground, str):
        need(ground in ("equal", "ordered", "hierarchy"))
        return ground, False
    if isinstance(ground, dict):
        need(set(ground) == {"hierarchy"} and isinstance(ground["hierarchy"], dict))
        try:
            return hierarchies.read(ground["hierarchy"]), False
        except hierarchies.NoHierarchyError:
            raise MalformedError from None
    matrix = read_matrix(ground)
    need(len(matrix) == 1 or any(map(any, matrix)))
    return matrix, True


def read_matrix(stated):
    """A square of finite numbers, none negative, with 0 on its diagonal."""
    need(isinstance(stated, list) and stated and all(isinstance(row, list) for row in stated))
    need(all(len(row) == len(stated) for row in stated))
    need(all(isinstance(d, int | float) and 0 <= d < 1.7e308 for row in stated for d in row))
    matrix = [[float(d) for d in row] for row in stated]
    need(not any(matrix[i][i] for i in range(len(matrix))))
    return matrix


def ground_in_words(ground, is_matrix):
    if is_matrix:
        apart = [d for i, row in enumerate(ground) for j, d in enumerate(row) if i != j]
        if not apart:
            return "distances are given by a matrix"
        return f"a matrix gives distances from {min(apart):g} to {max(apart):g}"
    if ground == "equal":
        return "any two values are equally far apart"
    if ground == "ordered":
        return "values are as far apart as their positions in sorted order"
    said = "values are as far apart as the height of their lowest common ancestor"
    return said if ground == "hierarchy" else said + ground.in_words()


def distance_between(ground, is_matrix, values):
    """The distance of two lists of shares."""
    if ground == "equal":
        return criteria.equal_distance
    if ground == "ordered":
        return criteria.ordered_distance
    if is_matrix:
        need(len(ground) == len(values), UndefinedError)
        return lambda p, q: least_cost(p, q, ground)
    try:
        heights = ground.heights(values)
    except hierarchies.NoHierarchyError:
        raise UndefinedError from None
    return lambda p, q: least_cost(p, q, heights)


def safety(asked, *, confidence, k, language="implications"):
    c, k = share(confidence), whole(k, 0, 1_000_000)
    need(language in ("implications", "negations") and isinstance(language, str))
    form = '"if A has x, then B has y"' if language == "implications" else '"A does not have x"'
    facts = f"any one fact of the form {form}" if k == 1 else f"any {k} facts of the form {form}"
    known = "no facts" if k == 0 else facts
    text = f"an attacker who knows {known} is less than {c} certain of anyone's value"
    histograms = [list(group.values.values()) for group in asked.groups]
    if asked.kind != "one":
        groups = [(group.n, counts) for group, counts in zip(asked.groups, histograms, strict=True)]
        reach = max((n for n, counts in groups if counts), default=0)  # nobody is left beyond it
        worst = implications.curve_of_several(groups, min(k, reach), language, asked.kind)[-1]
    elif k >= min(len(histogram) - 1 for histogram in histograms):
        worst = Fraction(1)  # every other value of that group can be ruled out
    elif language == "negations":
        worst = max(implications.share_after_negations(histogram, k) for histogram in histograms)
    else:
        worst = implications.curve_by_convolution(histograms, k)[k]
    return Finding(worst < c, worst, text)


def value_safety(asked, *, policies, classes=None):
    need(isinstance(policies, dict) and 0 < len(policies) <= 1000)
    read, classes = {}, {} if classes is None else classes
    need(isinstance(classes, dict))
    for name, stated in policies.items():
        need(isinstance(stated, list) and len(stated) == 2)
        read[name] = share(stated[0]), whole(stated[1], 0, 1_000_000)
    for name, held in classes.items():
        need(name in read and name != "*" and isinstance(held, list) and held)
        need(len(set(map(as_text, held))) == len(held))
    groups = [(group.n, group.values) for group in asked.groups]
    worst, holds = (Fraction(-1), Fraction(0)), True
    single = set(read) - set(classes)
    for name, (c, k) in read.items():
        asked_for = [{as_text(value) for value in classes.get(name, [name])}]
        if name == "*":
            asked_for = [{as_text(value)} for value in asked.values if as_text(value) not in single]
        for texts in asked_for:
            wanted = [value for value in asked.values if as_text(value) in texts]
            odds = implications.least_odds_of_class(groups, wanted, k, asked.kind)
            if odds is not None:
                found = 1 / (1 + odds)
                holds &= found < c
                worst = max(worst, (found / c if c else math.inf, found))
    finding = Finding(holds, worst[1], value_safety_text(read, classes))
    there = {as_text(value) for value in asked.values}
    about = [{as_text(value) for value in classes.get(name, [name])} for name in read]
    if not all(texts <= there or (texts == {"*"} and there) for texts in about):
        raise UndefinedError(finding)
    return finding


def interval_safety(asked, *, width, confidence, k):
    wide, c, k = exact(width), share(confidence), whole(k, 0, 1_000_000)
    need(wide >= 0)
    numbers = {}
    for value in asked.values:
        with contextlib.suppress(ValueError, TypeError, ZeroDivisionError):
            numbers[value] = Fraction(str(value))
    groups = [(group.n, group.values) for group in asked.groups]
    worst = Fraction(0)
    for low in set(numbers.values()):
        wanted = [value for value, n in numbers.items() if low <= n <= low + wide]
        odds = implications.least_odds_of_class(groups, wanted, k, asked.kind)
        worst = max(worst, Fraction(0) if odds is None else 1 / (1 + odds))
    facts = "any one fact" if k == 1 else f"any {k} facts" if k else "no facts"
    text = (
        f"an attacker who knows {facts} is less than {c} certain that anyone's number is in an "
        f"interval of width {wide}"
    )
    finding = Finding(worst < c or not numbers, worst, text)
    if not numbers:
        raise UndefinedError(finding)
    return finding


def value_safety_text(read, classes):
    parts = []
    for name in sorted(read, key=lambda name: (name == "*", name)):
        c, k = read[name]
        facts = "any one fact" if k == 1 else f"any {k} facts" if k else "no facts"
        about = "any other value" if name == "*" else repr(name)
        if name in classes:
            held = sorted(map(as_text, classes[name]))
            about += f" ({', '.join([*map(repr, held[:4]), *['…'] * (len(held) > 4)])})"
        parts.append(f"below {c} with {facts} for {about}")
    more = [f"and {len(parts) - 6} more"] if len(parts) > 6 else []
    return f"with any implications known, the probability is {', '.join(parts[:6] + more)}"


def skyline(asked, *, points):
    need(isinstance(points, dict) and points)
    kept = {value: undominated(read_points(at)) for value, at in points.items()}
    order = sorted(kept, key=lambda value: (value == "*", value == MISSING, value))
    parts = [
        f"below {c} for {'any other value' if value == '*' else repr(value)} at ({l}, {k}, {m})"
        for value in order
        for l, k, m, c in kept[value]
    ]
    more = [f"and {len(parts) - 6} more"] if len(parts) > 6 else []
    text = f"the breach probability is {', '.join(parts[:6] + more) or 'not limited'}"
    held, people = [g.listed for g in asked.groups], [g.n for g in asked.groups]
    everything = sum(people) + len(asked.values)  # as much as any number, or none, would be
    found = [
        (dimensions.breach_by_minima(held, people, asked.kind, value, *amounts), c)
        for value in asked.values
        for *known, c in kept.get(value, kept.get("*", []))
        for amounts in [[min(amount, everything) for amount in known]]
    ]
    worst = max(found, key=lambda one: (one[0] / one[1], one[0]), default=(Fraction(0), 1))[0]
    finding = Finding(all(breach < c for breach, c in found), worst, text)
    if not all(value in asked.values or (value == "*" and asked.values) for value in kept):
        raise UndefinedError(finding)
    return finding


def read_points(stated):
    need(isinstance(stated, list) and all(isinstance(point, list) for point in stated))
    need(all(len(point) == 4 for point in stated))
    points = []
    for *amounts, c in stated:
        amounts = [math.inf if amount == "inf" else whole(amount) for amount in amounts]
        points.append((*amounts, share(c)))
    need(all(point[3] > 0 for point in points))
    return points


def undominated(points):
    """Those that no other one implies by asking for as much or more; of equal ones the first."""

    def implies(one, other):
        return all(a >= b for a, b in zip(one[:3], other[:3], strict=True)) and one[3] <= other[3]

    return [
        point
        for place, point in enumerate(points)
        if not any(
            implies(other, point) and (other != point or where < place)
            for where, other in enumerate(points)
        )
    ]


def about(asked, *, of, column=None, knowing=(), similar=None, harmless=()):
    """A rule on part of what values say: every group divided, and its people given other values."""
    need(isinstance(of, dict) and set(of) == {"rule"} and isinstance(of["rule"], dict))
    inside, similar = of["rule"], {} if similar is None else similar
    need(name_of(inside) in set(JUDGES) - {"About"})
    need(column is None or (isinstance(column, str) and column))
    need(isinstance(knowing, list | tuple) and isinstance(harmless, list | tuple))
    need(all(isinstance(one, str) and one for one in knowing) and isinstance(similar, dict))
    need(column not in knowing and len(set(knowing)) == len(knowing))
    need(all(isinstance(held, list) for held in similar.values()) and "" not in similar)
    named = [as_text(v) for v in (*harmless, *itertools.chain.from_iterable(similar.values()))]
    need(len(set(named)) == len(named))
    for name, held in similar.items():
        need(name not in named or name in map(as_text, held))
    need(not harmless or inside["name"] in SPREAD)
    need(column or knowing or harmless or any(similar.values()))
    need(asked.kind == "one", UndefinedError)
    class_of = {as_text(v): name for name, held in similar.items() for v in held}
    parts, seen = [], set()
    for group in asked.groups:
        divided = {}
        for place, value in enumerate(group.listed):
            own = as_text(part(value, column) if column else value)
            known = tuple(part(value, name) for name in knowing)
            seen.add(own)
            spared = own in set(map(as_text, harmless))
            shown = f"harmless {place}" if spared else class_of.get(own, own)
            divided.setdefault(known, []).append(shown)
        parts += [Group(list(held), Counter(held)) for held in divided.values()]
    values = sorted({value for one in parts for value in one.values})
    parameters = {key: value for key, value in inside.items() if key != "name"}
    found = checked(JUDGES[inside["name"]], Groups(parts, values, "one"), **parameters)
    said = [f"of {column!r}"] if column else []
    said += [f"also among people with the same {' and '.join(map(repr, sorted(knowing)))}"] * bool(
        knowing
    )
    said += [f"{listed(similar[name])} count as {name!r}" for name in sorted(similar)]
    said += [f"harmless: {listed(harmless)}"] * bool(harmless)
    finding = Finding(found.holds, found.risk, f"{found.text} ({'; '.join(said)})")
    if not set(named) <= seen or not all(similar.values()):
        raise UndefinedError(finding)
    return finding


SPREAD = {"DistinctDiversity", "EntropyDiversity", "RecursiveDiversity", "ProbabilisticDiversity"}


def part(value, column):
    """The value of one of several columns that a joint value names."""
    try:
        held = json.loads(value)
    except ValueError:
        raise UndefinedError from None
    need(isinstance(held, dict) and isinstance(held.get(column), str | int | float), UndefinedError)
    return held[column]


def as_text(value):
    need(isinstance(value, str | int | float))
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def listed(values):
    ordered = sorted(values, key=as_text)
    more = [f"{len(ordered) - 6} more"] if len(ordered) > 6 else []
    return ", ".join([*map(repr, ordered[:6]), *more])


def refuse_strange_beliefs(
    *,
    bandwidth,
    t,
    smoothing=None,
    kernel="epanechnikov",
    method="auto",
    distances=None,
    prior=None,
):
    """(B,t) rests on the original table: only whether it is stated properly can be seen."""
    need(prior in (None, "table", "matrix"))
    need((bandwidth is None) == (prior == "matrix"))
    for one in bandwidth.values() if isinstance(bandwidth, dict) else [bandwidth]:
        need(one is None or exact(one) > 0)
    need(exact(t) >= 0 and (smoothing is None or exact(smoothing) >= 0))
    need(kernel in ("epanechnikov", "uniform"))
    need(method in ("exact", "omega", "scaling", "refined", "auto"))
    need(distances is None or isinstance(distances, dict))
    for one in (distances or {}).values():
        if isinstance(one, str):
            need(one in ("order", "hierarchy", "equal", "unstated"))
            continue
        matrix = read_matrix(one)
        need(len(matrix) == 1 or any(map(any, matrix)))
        pairs = itertools.combinations(range(len(matrix)), 2)
        need(all(abs(matrix[i][j] - matrix[j][i]) <= 1e-12 for i, j in pairs))


def refuse_strange_invariance(*, m, n_earlier=0):
    """m-invariance rests on earlier releases."""
    whole(m, 1)
    whole(n_earlier, 0)


def refuse_strange_households(*, k):
    """Households are not published."""
    whole(k, 1)


JUDGES = {
    "KAnonymity": k_anonymity,
    "DistinctDiversity": distinct_diversity,
    "EntropyDiversity": entropy_diversity,
    "RecursiveDiversity": recursive_diversity,
    "ProbabilisticDiversity": probabilistic_diversity,
    "TCloseness": t_closeness,
    "BetaLikeness": beta_likeness,
    "DeltaDisclosure": delta_disclosure,
    "Safety": safety,
    "ValueSafety": value_safety,
    "IntervalSafety": interval_safety,
    "Skyline": skyline,
    "About": about,
}
NOT_IN_THE_FILES = {
    "Beliefs": refuse_strange_beliefs,
    "HouseholdAnonymity": refuse_strange_households,
    "MInvariance": refuse_strange_invariance,
}


def name_of(stated):
    """The rule's name; None where no rule of ours has it."""
    name = stated.get("name")
    return name if isinstance(name, str) and name in {**JUDGES, **NOT_IN_THE_FILES} else None


def judge_rule(stated, asked):
    """The finding of a rule that the files can show; None where they cannot."""
    name = name_of(stated)
    parameters = {key: value for key, value in stated.items() if key != "name"}
    if name in JUDGES:
        return checked(JUDGES[name], asked, **parameters)
    if name is not None:
        checked(NOT_IN_THE_FILES[name], **parameters)
    return None


def checked(judge, *given, **parameters):
    """Call a judge; a parameter too many or too few is no rule."""
    try:
        inspect.signature(judge).bind(*given, **parameters)
    except TypeError:
        raise MalformedError from None
    return judge(*given, **parameters)


def says(finding, stated_risk):
    """Whether a risk is stated as it was found: to the letter, or as two doubles can agree."""
    if not isinstance(finding.risk, float):
        return risk_text(finding.risk) == stated_risk
    try:
        stated = float(stated_risk)
    except ValueError:
        return False
    return stated == finding.risk or abs(stated - finding.risk) <= TOLERANCE


def risk_text(risk):
    """A double with all digits; a fraction in decimal digits, or in hexadecimal if it is long."""
    if isinstance(risk, float):
        return str(risk)
    risk = Fraction(risk)
    if max(risk.numerator.bit_length(), risk.denominator.bit_length()) <= 1992:
        return str(risk)
    return f"{risk.numerator:#x}/{risk.denominator:#x}"
