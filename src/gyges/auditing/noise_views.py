"""The views of a noisy release: whether each is a histogram over the stated labels."""

from __future__ import annotations

import itertools
import math

from gyges.auditing.checks import Check
from gyges.dp.published_noise import PublishedNoise, PublishedView
from gyges.release.strict_model import quoted

MOST_COUNT = 2**53  # a noisy count must be exact as a double, because doubles are fitted


def check_view(published: PublishedNoise, number: int, view: PublishedView) -> Check:
    """Check that a view lists each combination of labels once, in order, with a whole number."""
    named = ", ".join(map(quoted, view.columns)) or "all people"
    claim = f"view {number} counts every combination of {named}, with whole numbers"
    labels = [published.universe.labels_of(name) for name in view.columns]
    if view.rows.num_rows != math.prod(map(len, labels)):
        return Check(claim, "yes", "no, it has more or fewer rows", False)
    listed = zip(
        *(view.rows.column(place).to_pylist() for place in range(len(labels))), strict=True
    )
    if labels and any(
        one != other for one, other in zip(listed, itertools.product(*labels), strict=True)
    ):
        return Check(claim, "yes", "no, it lists other combinations", False)
    is_whole = all(_is_whole(str(count)) for count in view.counts)
    return Check(claim, "yes", "yes" if is_whole else "no, a count is not a whole number", is_whole)


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 16):
        return False
    return str(int(text)) == text and abs(int(text)) <= MOST_COUNT
