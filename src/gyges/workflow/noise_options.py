"""The options of a release with noise: from the [dp] section, and paid from a budget."""

from __future__ import annotations

from typing import Any

from gyges.errors import RuleError
from gyges.workflow.budget_account import BudgetPayer
from gyges.workflow.project_sections import DpSection
from gyges.workflow.publish_run import PublishRun


def noise_options(run: PublishRun) -> dict[str, Any]:
    """The guarantee and the tables that are wanted, and what pays for them (`payer`)."""
    wanted = _wanted(run)
    return {
        "epsilon": wanted.epsilon,
        "delta": wanted.delta,
        "views": wanted.views,
        "neighbours": wanted.neighbours,
        "domains": wanted.values(),
        "levels": wanted.levels,
        "rows": wanted.rows,
        "payer": _payer(wanted, run),
    }


def _wanted(run: PublishRun) -> DpSection:
    """The [dp] section, with the epsilon and delta of this run."""
    options = run.options
    if run.project.dp is None and options.epsilon is None:
        raise RuleError(
            "a release with noise needs epsilon: --epsilon 1, or a [dp] section with epsilon = 1"
        )
    base = run.project.dp or DpSection(epsilon="1")
    given = {"epsilon": options.epsilon, "delta": options.delta}
    return base.model_copy(update={key: value for key, value in given.items() if value is not None})


def _payer(wanted: DpSection, run: PublishRun) -> BudgetPayer | None:
    """What pays for the noise, if a budget is set."""
    if wanted.budget is None:
        run.target.progress.note(
            "no budget is set ([dp.budget] in the project file): nothing limits later releases"
        )
        return None
    if run.target.entry is None:
        raise RuleError("a budget is kept in the ledger: set keep = true in [ledger]")
    return BudgetPayer(wanted.neighbours, wanted.budget, run.target.entry)
