"""Publishing a project without groups: as views, or with noise paid from a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gyges.data.consistency import people_notices
from gyges.errors import RuleError
from gyges.marginals.views_certificate import SCOPE
from gyges.search.publish import publish
from gyges.workflow.budget_account import BudgetPayer
from gyges.workflow.project_sections import DpSection
from gyges.workflow.publish_run import PublishedRun, PublishRun

if TYPE_CHECKING:
    from gyges.marginals.selection import SelectionProgress


def publish_views(run: PublishRun) -> PublishedRun:
    """Select small tables that are safe together, and write them."""
    table, target, progress = run.project.read(), run.target, run.target.progress

    def say(now: SelectionProgress) -> None:
        text = f"{now.n_tried:,} sets tried, the best loses {now.kl_divergence:.4g}"
        progress.step(text, min(now.share, 1.0), 1.0)

    release = publish(
        table,
        run.rules,
        method="marginals",
        seed=run.section.seed,
        progress=say if progress.is_watched else None,
        **run.section.options(),
    )
    views = release.marginals.views
    text = release.marginals.title
    comparison = target.compare_nothing("this one consists of views, which have no groups")
    target.write(release, {"text": text, "method": "marginals"}, comparison)
    for notice in [f"not claimed: {SCOPE}", *people_notices(table.source, table.schema)]:
        progress.note(notice)
    facts = {
        "people": table.n_people,
        "views": [view.levels for view in views],
        "kl_divergence": release.kl_divergence,
    }
    return PublishedRun("views", release, target, facts)


def publish_noise(run: PublishRun) -> PublishedRun:
    """Pay from the budget if there is one, draw noise, and write the tables."""
    wanted, target = _wanted(run), run.target
    payer = _payer(wanted, run)
    table = run.project.read()
    for notice in people_notices(table.source, table.schema):
        target.progress.note(notice)
    release = publish(
        table,
        run.rules,
        method="dp",
        seed=run.section.seed,
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
    statement = {"text": str(release.noisy), "method": "dp", "guarantee": guarantee}
    target.write(release, statement, comparison=None)
    account = None if payer is None else payer.open_account()
    facts = {
        "guarantee": guarantee,
        "synthetic_people": release.synthetic.num_rows,
        "meaning": str(release.meaning),
        "budget_left": None if account is None else account.left,
    }
    return PublishedRun("noise", release, target, facts, account)


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
