"""Publishing a project with noise: its [dp] section, and the budget that pays first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gyges.data.consistency import people_notices
from gyges.errors import RuleError
from gyges.search.publish import publish
from gyges.workflow.budget_account import BudgetPayer
from gyges.workflow.project_file import ProjectFile
from gyges.workflow.project_sections import DpSection, PublishSection
from gyges.workflow.published_run import PublishedRun, RunOptions
from gyges.workflow.release_target import ReleaseTarget

if TYPE_CHECKING:
    from gyges.criteria.base import Criterion


def publish_noise(
    project: ProjectFile,
    rules: list[Criterion[Any]],
    section: PublishSection,
    options: RunOptions,
    target: ReleaseTarget,
) -> PublishedRun:
    """Pay from the budget where there is one, draw noise, and write the tables."""
    wanted = _wanted(project, options)
    payer = _payer(wanted, target)
    table = project.read()
    for notice in people_notices(table.source, table.schema):
        target.progress.note(notice)
    release = publish(
        table,
        rules,
        method="dp",
        seed=section.seed,
        epsilon=wanted.epsilon,
        delta=wanted.delta,
        views=wanted.views,
        neighbours=wanted.neighbours,
        domains=wanted.values(),
        levels=wanted.levels,
        rows=wanted.rows,
        payer=payer,
    )
    guarantee = release.noisy.statement()
    release.save(
        target.directory,
        format=target.format,
        overwrite=target.overwrite,
        before=target.entering(
            {"text": str(release.noisy), "method": "dp", "guarantee": guarantee}, comparison=None
        ),
    )
    account = None if payer is None else payer.open_account()
    stated = {
        "directory": target.directory,
        "state": target.state,
        "guarantee": guarantee,
        "synthetic_people": release.synthetic.num_rows,
        "meaning": str(release.meaning),
        "budget_left": None if account is None else account.left,
    }
    return PublishedRun("noise", release, target, stated, account)


def _wanted(project: ProjectFile, options: RunOptions) -> DpSection:
    """The [dp] section, with the epsilon and delta of this run."""
    if project.dp is None and options.epsilon is None:
        raise RuleError(
            "a release with noise needs epsilon: --epsilon 1, or a [dp] section with epsilon = 1"
        )
    base = project.dp or DpSection(epsilon="1")
    given = {"epsilon": options.epsilon, "delta": options.delta}
    return base.model_copy(update={key: value for key, value in given.items() if value is not None})


def _payer(wanted: DpSection, target: ReleaseTarget) -> BudgetPayer | None:
    """What pays, where a budget is set."""
    if wanted.budget is None:
        target.progress.note(
            "no budget is set ([dp.budget] in the project file): nothing bounds later releases"
        )
        return None
    if target.entry is None:
        raise RuleError("a budget is kept in the ledger: set keep = true in [ledger]")
    return BudgetPayer(wanted.neighbours, wanted.budget, target.entry, target.progress.outputs)
