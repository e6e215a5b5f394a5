"""Cards of the page "Rules": each attacker in plain words, the numbers of the rule, and advice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number of a rule, and the slider that sets it."""

    key: str
    label: str
    least: float
    most: float
    step: float
    default: float
    is_text: bool = False  # the project file writes it as an exact decimal: "0.8"


@dataclass(frozen=True, slots=True)
class Card:
    """An attacker, and the rule against them."""

    rule: str
    title: str
    says: str  # what the rule asks for
    example: str  # what that means here, with {value}, {other}, {sensitive}, {quasi}, {k}, …
    advice: str  # how others choose
    parameters: tuple[Parameter, ...]
    needs: Literal["nothing", "values", "one value", "households"] = "values"
    is_common: bool = True


# Of the first card, where rows show quasi-identifiers unchanged.
UNCHANGED_SAYS = (
    "They know {quasi} of a person and find the row, because this project publishes them "
    "unchanged. The values of at least k people are published together."
)
UNCHANGED_EXAMPLE = (
    "Someone who knows {quasi} of a neighbour finds the row, and beside its group the values of at "
    "least {k} people, one of which is the neighbour's."
)

CARDS = (
    Card(
        "k-anonymity",
        "Knows that someone is in the file",
        "They know {quasi} of a person and look for the row. Every row must look like at least "
        "k − 1 others.",
        "Someone who knows {quasi} of a neighbour finds at least {k} rows that fit, and picks the "
        "right one with probability 1/{k} at most.",
        "3 guards against accidents among colleagues, 5 is common in health data, 10 to 20 for "
        "open data. It does not protect the sensitive value: add another card for that.",
        (Parameter("k", "people who look alike (k)", 2, 60, 1, 5),),
        "nothing",
    ),
    Card(
        "household anonymity",
        "Knows everyone who lives together",
        "They know {quasi} of all members of a household. Every group must have people of at least "
        "k households, by the column {household}.",
        "A family of five could fill a group of five by itself: someone who knows the family would "
        "find all of them. A group has people of at least {k} households.",
        "3 to 5 where households answered together, as in a census or a survey. The files of the "
        "release do not show households, so only the original confirms it.",
        (Parameter("k", "households in a group (k)", 2, 30, 1, 3),),
        "households",
    ),
    Card(
        "distinct diversity",
        "Finds the group and hopes that all share a value",
        "Every group must have at least l different values, so that the group alone reveals "
        "nobody's value.",
        "A group in which everyone has {value} would reveal it about each of them. A group has at "
        "least {l} different values of {sensitive}.",
        "2 or 3 is common. It is easy to explain, but weak: one value may still be far more "
        "frequent than the others.",
        (Parameter("l", "different values in a group (l)", 2, 10, 1, 3),),
    ),
    Card(
        "safety",
        "Knows facts that link people",
        "They know any k facts of the form “if A has this, B has that”, the worst there are, and "
        "must still stay below the confidence for everyone.",
        "Such a fact is “if her husband has {other}, she has {value}”. An attacker who knows any "
        "{k} of these is less than {confidence} certain of anyone's {sensitive}.",
        "One fact is a remark by a spouse, two is a curious family. 0.8 is a usual confidence; a "
        "value that half of all people have cannot be hidden below 0.5.",
        (
            Parameter("confidence", "certainty that they must not reach", 0.05, 1, 0.01, 0.8, True),
            Parameter("k", "facts that they know (k)", 0, 6, 1, 1),
        ),
    ),
    Card(
        "skyline",
        "Knows other people, relatives, and what someone does not have",
        "They know up to l values that the target does not have, the values of k other people and "
        "m relatives, and must still stay below the confidence.",
        "An attacker who knows so much (values that the target does not have: {l}; other people's "
        "{sensitive}: {k}; relatives who share the value: {m}) is less than {c} certain {limited}.",
        "Ask what a colleague in the same ward could know. One value that needs more protection, "
        "such as an infection, can have a limit of its own.",
        (
            Parameter("l", "values that the target does not have (l)", 0, 6, 1, 1),
            Parameter("k", "other people whom they know (k)", 0, 20, 1, 2),
            Parameter("m", "relatives who share the value (m)", 0, 6, 1, 1),
            Parameter("c", "certainty that they must not reach", 0.05, 1, 0.01, 0.9, True),
        ),
    ),
    Card(
        "t-closeness",
        "Compares a group with the whole table",
        "In every group, values must be distributed as in the whole table, up to a distance of t.",
        "If {value} is rare in the table, it is not much more frequent in any group: their belief "
        "changes by at most {t}.",
        "0.1 to 0.3 is common. Small numbers cost much detail.",
        (Parameter("t", "largest distance (t)", 0.02, 1, 0.01, 0.3, True),),
        "one value",
    ),
    Card(
        "beliefs",
        "Knows how values depend on {quasi}",
        "An expert who knows what people of nearly the same {quasi} tend to have must not change "
        "their belief about anyone by more than t.",
        "A doctor knows how {value} depends on {quasi}. Reading the release changes what they "
        "believe about any person by {t} at most.",
        "A bandwidth of 0.2 to 0.5 is a reasonable expert; 0.1 knows the field very well. t is "
        "usually between 0.1 and 0.3. It is computed more slowly than the other rules.",
        (
            Parameter(
                "bandwidth", "how coarse their knowledge is (bandwidth)", 0.1, 1, 0.05, 0.3, True
            ),
            Parameter("t", "largest change of belief (t)", 0.02, 1, 0.01, 0.3, True),
        ),
        "one value",
        is_common=False,
    ),
    Card(
        "entropy diversity",
        "Guesses the most frequent value of a group",
        "Every group must be as uncertain as one with l equally frequent values.",
        "With l = {l}, no group is more certain than a fair choice between {l} values such as "
        "{value} and {other}.",
        "Between 1.5 and 3; it cannot exceed what the whole table has.",
        (Parameter("l", "as uncertain as this many values (l)", 1, 10, 0.1, 2, True),),
        "one value",
        is_common=False,
    ),
    Card(
        "recursive diversity",
        "Rules out some values",
        "In every group the most frequent value must occur less than c times as often as the "
        "rarer ones together, also after l − 2 values are ruled out.",
        "If {value} is the most frequent value of a group, it occurs less than {c} times as often "
        "as the values from place {l} on together.",
        "c between 1 and 4, l between 2 and 4.",
        (
            Parameter("c", "how dominant a value may be (c)", 0.5, 10, 0.1, 2, True),
            Parameter("l", "values to hide among (l)", 2, 8, 1, 3),
        ),
        "one value",
        is_common=False,
    ),
    Card(
        "probabilistic diversity",
        "Guesses with no further knowledge",
        "No value may be more frequent than 1/l in any group.",
        "Nobody who knows only the group is more than 1/{l} certain of {value}.",
        "2 to 5; a value that half of all people have allows 2 at most.",
        (Parameter("l", "at most 1/l certain (l)", 1, 10, 0.5, 2, True),),
        "one value",
        is_common=False,
    ),
    Card(
        "beta-likeness",
        "Gains on a rare value",
        "The share of a value in a group must not exceed its share in the table by more than the "
        "factor 1 + beta.",
        "If 1 % of all people have {value}, at most {beta_share} % of a group have it.",
        "1 to 4.",
        (Parameter("beta", "largest relative gain (beta)", 0.1, 10, 0.1, 2, True),),
        "one value",
        is_common=False,
    ),
    Card(
        "delta-disclosure",
        "Learns from what a group lacks",
        "The share of every value in a group must not differ from its share in the table by more "
        "than a factor of e to the power of delta, in either direction.",
        "No group lacks {value}. Where it is most frequent, its share is at most {delta_factor} "
        "times that of the whole table; where it is rarest, that of the whole table is at most "
        "{delta_factor} times its share.",
        "1 to 3. It needs every value in every group.",
        (Parameter("delta", "largest log ratio (delta)", 0.1, 5, 0.1, 1.5, True),),
        "one value",
        is_common=False,
    ),
    Card(
        "m-invariance",
        "Will hold the next release too",
        "Every group must have at least m people, all with different values. It is what a table "
        "that grows needs from its first release on, and the method buckets makes such groups.",
        "A group has at least {m} people, and only one of them has {value}.",
        "2 or 3. With a ledger and a column that identifies people, the next release keeps "
        "everyone's set of values; counterfeits fill the gaps that people leave.",
        (Parameter("m", "people with different values (m)", 2, 10, 1, 2),),
        "one value",
        is_common=False,
    ),
)
