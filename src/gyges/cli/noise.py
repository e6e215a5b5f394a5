"""Publishing with noise: the project's [dp] section, its budget, and what to say of the result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gyges.cli.outputs import announce
from gyges.cli.recording import Record, Target
from gyges.cli.show import note, show
from gyges.errors import RuleError

if TYPE_CHECKING:
    from gyges.cli.project import BudgetSection, DpSection, Project, PublishSection
    from gyges.dp.account import Account
    from gyges.dp.mechanisms import Guarantee
    from gyges.dp.release import NoisyRelease


def publish_noise(
    project: Project,
    rules: list[Any],
    epsilon: str | None,
    delta: str | None,
    settings: PublishSection,
    target: Target,
) -> None:
    """Pay from the budget where there is one, draw noise, write the tables, and explain."""
    import gyges as gy
    from gyges.data.consistency import people_notices

    asked = _asked(project, epsilon, delta)
    purse = _purse(asked, target)
    table = project.read()
    for notice in people_notices(table.source, table.schema):
        note(notice)
    release = gy.publish(
        table,
        rules,
        method="dp",
        seed=settings.seed,
        epsilon=asked.epsilon,
        delta=asked.delta,
        views=asked.views,
        neighbours=asked.neighbours,
        domains=asked.values(),
        levels=asked.levels,
        rows=asked.rows,
        payer=purse,
    )
    release.save(
        target.directory,
        format=target.format,
        overwrite=target.overwrite,
        before=target.entering(
            {"text": str(release.noisy), "method": "dp", "guarantee": release.noisy.statement()},
            comparison=None,
        ),
    )
    account = None if purse is None else purse.open_account()
    show(_result(release, target, account), target.as_json, _text(release, target, account))


def _asked(project: Project, epsilon: str | None, delta: str | None) -> DpSection:
    """The [dp] section, with what the command line says instead."""
    from gyges.cli.project import DpSection

    if project.dp is None and epsilon is None:
        raise RuleError(
            "a release with noise needs epsilon: --epsilon 1, or a [dp] section with epsilon = 1"
        )
    base = project.dp or DpSection(epsilon="1")
    given = {"epsilon": epsilon, "delta": delta}
    return base.model_copy(update={key: value for key, value in given.items() if value is not None})


@dataclass(frozen=True, slots=True)
class Purse:
    """The budget that pays: set with the first payment, never changed."""

    asked: DpSection
    limits: BudgetSection
    record: Record

    def pay(self, guarantee: Guarantee, note: str) -> object:
        """Spend what the guarantee costs, or raise BudgetError.

        Other processes may pay from the same budget: only a payment that was made here is ours.
        """
        paid: list[object] = []
        announce(f"a payment from the budget {self.record.about!r}", lambda: bool(paid))
        paid.append(self.open_account().pay(guarantee, note))
        return paid[0]

    def open_account(self) -> Account:
        """Open the account in the ledger, which is begun if need be."""
        from gyges.dp.account import Account

        return Account.open(
            self.record.open_ledger(),
            self.record.about,
            epsilon=self.limits.epsilon,
            delta=self.limits.delta,
            neighbours=self.asked.neighbours,
            accounting=self.limits.accounting,
        )


def _purse(asked: DpSection, target: Target) -> Purse | None:
    """What pays, where a budget is set."""
    if asked.budget is None:
        note("no budget is set ([dp.budget] in the project file): nothing bounds later releases")
        return None
    if target.record is None:
        raise RuleError("a budget is kept in the ledger: set keep = true in [ledger]")
    return Purse(asked, asked.budget, target.record)


def _result(release: NoisyRelease, target: Target, account: Account | None) -> dict[str, object]:
    return {
        "directory": target.directory,
        "state": target.state,
        "guarantee": release.noisy.statement(),
        "synthetic_people": release.synthetic.num_rows,
        "meaning": str(release.meaning),
        "budget_left": None if account is None else account.left,
    }


def _text(release: NoisyRelease, target: Target, account: Account | None) -> str:
    lines = [
        f"published {release.noisy}",
        f"  and {release.synthetic.num_rows:,} made-up people, to {target.directory}",
        f"  {release.meaning}",
    ]
    if account is not None:
        left = ", ".join(
            f"{unit} {float(amount):.4g}"
            for unit, amount in sorted(account.left.items(), reverse=True)
        )
        lines.append(f"  left of the budget {account.name!r}: {left}")
    lines += [f"check it: gyges verify {target.directory}", *target.standing_line()]
    if account is not None and target.state == "trial":
        lines.append("  Its budget is spent, confirmed or not: you have seen the result")
    return "\n".join(lines)
