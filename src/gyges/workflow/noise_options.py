"""The options of a release with noise: from the [dp] section, and paid from a budget."""

from __future__ import annotations

import json
from typing import Any

from gyges.data.hierarchy import Hierarchy
from gyges.errors import RuleError
from gyges.search.methods import METHODS
from gyges.workflow.budget_account import BudgetPayer
from gyges.workflow.project_file import ProjectFile
from gyges.workflow.project_sections import DpSection
from gyges.workflow.publish_run import PublishRun
from gyges.workflow.run_options import RunOptions


def noise_options(run: PublishRun) -> dict[str, Any]:
    """The guarantee and the tables that are wanted, and what pays for them (`payer`)."""
    wanted = wanted_noise(run.project, run.options)
    if run.options.people is not None and wanted.error is None:
        raise RuleError("--people is for an error in percent: give --error as well, or omit it")
    return {
        **_amount(wanted),
        "delta": wanted.delta,
        "views": wanted.views,
        "neighbours": wanted.neighbours,
        "domains": wanted.values(),
        "levels": wanted.levels,
        "workload": wanted.workload,
        "impossible": wanted.impossible,
        "rows": wanted.rows,
        "payer": _payer(wanted, run),
    }


def refuse_incomplete(run: PublishRun) -> None:
    """Refuse a project that lacks something for noise: all of it at once, as lines of the file."""
    removed, added = _to_remove(run), _to_add(run)
    if not removed and not added:
        return
    lines = ['a release with noise (method = "dp") needs these changes to the project:']
    lines += [f"  remove {what}" for what in removed]
    if added:
        lines += [
            "  add these lines (or complete the sections), and replace every … with public values, "
            "from a code book or official limits: values copied from the data would reveal who is "
            "in it",
            *(f"    {line}" for line in added),
        ]
    raise RuleError("\n".join(lines))


def _to_remove(run: PublishRun) -> list[str]:
    """What has no meaning for noise."""
    section = run.section
    stated = [key for key in ("form", "memory", "seconds") if getattr(section, key) is not None]
    stated += [key for key, value in (section.model_extra or {}).items() if value is not None]
    own = METHODS[section.method].options
    removed = [
        f"the key {key} of [publish]: "
        + ("write it in [dp]" if key in own else "it is for methods with groups")
        for key in stated
    ]
    if run.project.require:
        removed.append("the [[require]] sections: noise has no groups, so no rule applies to it")
    if run.options.rules:
        removed.append("the options that state rules, for the same reason")
    if run.purpose is not None:
        removed.append("the [purpose] section: it is for methods with groups")
    return removed


def _to_add(run: PublishRun) -> list[str]:
    """The lines of [columns], [dp] and [dp.domains] that are missing."""
    dp, schema = run.project.dp, run.project.schema_of_columns()
    added = []
    if schema.rows_per_person == "all":
        added += ["[columns]", 'keep_row = "first"  # noise is measured for one row per person']
    options = run.options
    stated = [options.epsilon, options.error, *((dp.epsilon, dp.error) if dp else ())]
    if all(one is None for one in stated):
        added += [
            "[dp]",
            "epsilon = 1  # needs epsilon: smaller protects more, and adds more noise",
        ]
    lacking = [
        _public_values(name, schema.hierarchies.get(name))
        for name in declared_columns(run.project)
        if dp is None or name not in dp.domains
    ]
    if lacking:
        added += ["[dp.domains]  # these columns have no public list of values yet", *lacking]
    return added


def declared_columns(project: ProjectFile) -> dict[str, bool]:
    """The counted columns whose public values [dp.domains] must declare; whether by two ends."""
    dp, schema = project.dp, project.schema_of_columns()
    counted = [*schema.quasi_identifiers]
    if schema.sensitive is not None and schema.values_per_person == "one":
        counted.append(schema.sensitive)
    if dp is not None and not isinstance(dp.views, str):
        counted = [name for name in counted if any(name in view for view in dp.views)]
    ladders = {name: schema.hierarchies.get(name) for name in counted}
    return {
        name: _is_range(ladder)
        for name, ladder in ladders.items()
        if ladder is None or not ladder.leaves
    }


def _is_range(hierarchy: Hierarchy | None) -> bool:
    return hierarchy is not None and hierarchy.rule in ("intervals", "cuts")


def _public_values(name: str, hierarchy: Hierarchy | None) -> str:
    """The line of [dp.domains] that declares the values of a column."""
    key = json.dumps(name, ensure_ascii=False)
    if _is_range(hierarchy):
        return f"{key} = {{ from = …, to = … }}"
    return f'{key} = ["…", "…"]'


def wanted_noise(project: ProjectFile, options: RunOptions) -> DpSection:
    """The [dp] section with the options of this run, of which epsilon and error exclude another."""
    wanted = project.dp or DpSection()
    if options.epsilon is not None and options.error is not None:
        raise RuleError("--epsilon and --error state the same in two ways: give one")
    if options.epsilon is not None or options.error is not None:
        wanted = wanted.model_copy(update={"epsilon": options.epsilon, "error": options.error})
    if wanted.epsilon is not None and wanted.error is not None:
        raise RuleError("[dp] has both epsilon and error: remove one of the two lines")
    given = {"delta": options.delta, "people": options.people}
    return wanted.model_copy(
        update={key: value for key, value in given.items() if value is not None}
    )


def _amount(wanted: DpSection) -> dict[str, Any]:
    """The epsilon, or the error that it must have."""
    if wanted.error is None:
        return {"epsilon": wanted.epsilon}
    return {"error": wanted.error, "people": wanted.people}


def _payer(wanted: DpSection, run: PublishRun) -> BudgetPayer | None:
    """What pays for the noise, if the project or the ledger sets a budget for these people."""
    entry = run.target.entry
    if wanted.budget is None and (entry is None or not entry.has_budget()):
        run.target.progress.note(
            "no budget is set ([dp.budget] in the project file): nothing limits later releases"
        )
        return None
    if entry is None:
        raise RuleError("a budget is kept in the ledger: set keep = true in [ledger]")
    return BudgetPayer(wanted.neighbours, wanted.budget, entry)
