"""What [publish] asks of a search: taken where it means something, refused elsewhere."""

from __future__ import annotations

import pytest

from gyges.errors import RuleError
from gyges.workflow.project_sections import OPTIONS, PublishSection

EXAMPLES = {
    "suppression": "0.05",
    "utility": "gcp",
    "weights": {"age": 2.0},
    "seconds": 3.0,
    "order": "gain",
    "relaxed": True,
}


@pytest.mark.parametrize("method", ["partition", "lattice", "buckets", "microaggregation", "dp"])
@pytest.mark.parametrize("key", EXAMPLES)
def test_a_method_takes_what_it_knows_and_refuses_the_rest(method, key):
    section = PublishSection(method=method, **{key: EXAMPLES[key]})
    if key in OPTIONS.get(method, ()):
        assert list(section.options().values()) == [EXAMPLES[key]]
    else:
        with pytest.raises(RuleError, match=f"{key} means nothing to the method {method}"):
            section.options()


def test_nothing_asked_is_nothing_given():
    assert PublishSection().options() == {}
