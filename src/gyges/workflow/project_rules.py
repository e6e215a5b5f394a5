"""The rules of a project file, each a [[require]] section, or of the command's options."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from gyges.criteria.base import Criterion, Rule
from gyges.criteria.describe import parameters_of
from gyges.criteria.rules import rule_of_plain_name
from gyges.errors import RuleError, suggestion
from gyges.workflow.rule_names import RULE_NAMES

_INSIDE, _OF = "about", "of"  # the rule that holds another one, and its key
_KEYS_AROUND = ("column", "knowing", "similar", "harmless")


def make_rule(section: Mapping[str, Any]) -> Criterion[Any]:
    """One [[require]] section: `rule` names the rule, the other keys are its parameters.

    A parameter with a key `rule` is a rule itself. The keys of the rule "about" may be given with
    those of any other: then that rule is the one inside.
    """
    known = rule_of_plain_name(str(section.get("rule", "")))
    if known is not None and known.plain_name != _INSIDE:
        apart = {key: one for key, one in section.items() if key in _KEYS_AROUND}
        if apart:
            inside = {key: one for key, one in section.items() if key not in apart}
            return make_rule({"rule": _INSIDE, _OF: inside, **apart})
    parameters = {key: _made(one) for key, one in section.items()}
    name = str(parameters.pop("rule", ""))
    known = rule_of_plain_name(name)
    if known is None:
        unknown = f"there is no rule {name!r}{suggestion(name, RULE_NAMES)}"
        problem = unknown if name else "name a rule"
        raise RuleError(f"{problem}: choose one of {', '.join(RULE_NAMES)}")
    kind = known.load()
    _refuse_parameters(known.plain_name, kind, parameters)
    return kind(**parameters)


def _made(parameter: object) -> object:
    """A parameter; the rule that it states, if it does."""
    is_rule = isinstance(parameter, Mapping) and isinstance(parameter.get("rule"), str)
    return make_rule(parameter) if is_rule else parameter  # type: ignore[arg-type]


def rules_of_options(
    k: int | None, l: int | None, t: str | None, safety: str | None
) -> tuple[Criterion[Any], ...]:
    """The rules that `gyges publish --k 5 --l 3 --t 0.2 --safety 0.8,3` asks for."""
    numbers: dict[str, dict[str, object]] = {
        "k-anonymity": {"k": k},
        "distinct diversity": {"l": l},
        "t-closeness": {"t": t},
    }
    if safety is not None:
        confidence, _, facts = safety.partition(",")
        if not facts.strip().isdigit():
            raise RuleError(f"--safety is {safety!r}: give CONFIDENCE,K such as 0.8,3")
        numbers["safety"] = {"confidence": confidence, "k": int(facts)}
    return tuple(
        make_rule({"rule": name, **given})
        for name, given in numbers.items()
        if None not in given.values()
    )


def _refuse_parameters(name: str, kind: type[Rule], parameters: Mapping[str, Any]) -> None:
    """Refuse a key that the rule does not have, or a missing one."""
    known = parameters_of(kind)
    for key in parameters:
        if key not in known:
            raise RuleError(
                f"{name} has no key {key!r}{suggestion(key, known)}: it takes {', '.join(known)}"
            )
    asked = inspect.signature(kind).parameters
    for key in known:
        if asked[key].default is inspect.Parameter.empty and key not in parameters:
            raise RuleError(f"{name} needs the key {key!r}")
