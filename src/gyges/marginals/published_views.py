"""Marginals as they are published: what their files state, and how they are read back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from gyges import __version__
from gyges.criteria.base import Risk
from gyges.criteria.describe import to_data
from gyges.data.people_words import as_counted
from gyges.data.values import Value
from gyges.errors import GygesError, ReleaseError
from gyges.exact import stated_risk
from gyges.marginals.described_columns import (
    as_published,
    describe_columns,
    published_levels,
    read_columns,
)
from gyges.marginals.judging import SetRule, split_rules
from gyges.marginals.model import Marginals
from gyges.marginals.view_rules import KCombinatorial, KLink, MaxentDiversity
from gyges.marginals.views import View, count_name
from gyges.marginals.views_as_releases import releases_of_views
from gyges.marginals.views_certificate import FORM, FORMAT, SCOPE, StatedViews
from gyges.release.closed_directory import certified_tables, read_certificate_text
from gyges.release.published import Ungrouped, file_named
from gyges.release.release import Release
from gyges.release.statements import Claim
from gyges.release.strict_model import parse_certificate
from gyges.release.strict_tables import read_strictly

if TYPE_CHECKING:
    import pyarrow as pa

_RISK_SEPARATOR = "; "  # between the risks of one claim


@dataclass(frozen=True, eq=False, repr=False)
class PublishedMarginals(Ungrouped):
    """Views as a reader has them, and their claims.

    Made by `publish_marginals` and `gy.load`; the constructor checks nothing.
    """

    marginals: Marginals
    claims: tuple[Claim, ...]
    kl_divergence: float | None = None  # from the table, which a reader does not have
    notices: tuple[str, ...] = (f"not claimed: {SCOPE}",)
    method: str = "marginals"

    form: ClassVar[Literal["marginals"]] = FORM
    why_not_compared: ClassVar[str | None] = "this one consists of views, which have no groups"
    why_no_groups: ClassVar[str] = (
        "views publish counts, not groups of people, so this question does not apply to them: "
        "`gyges verify` checks what they promise, and `gyges audit` shows it"
    )

    @property
    def rows_are_people(self) -> bool:
        """Whether rows were counted, because no column identifies people."""
        return self.marginals.rows_are_people

    @property
    def title(self) -> str:
        """How many views of how many people are published."""
        return self.marginals.title

    def facts(self) -> dict[str, Any]:
        """What a surface shows of them, as data."""
        return {
            **super().facts(),
            "people": self.marginals.n_people,
            "views": [view.levels for view in self.marginals.views],
            "kl_divergence": self.kl_divergence,
        }

    def lines(self, facts: Mapping[str, Any]) -> list[str]:
        """The views, and how much they lose."""
        lost = f"  KL divergence from the table: {self.kl_divergence:.4g} (0: nothing is lost)"
        views = [f"  {view}" for view in self.marginals.views]
        return [*views, *([lost] if self.kl_divergence is not None else []), *self.notices]

    def as_groups(self) -> list[Release]:
        """Each view with the sensitive column."""
        return releases_of_views(self.marginals)

    def recorded(self) -> dict[str, object]:
        """What a ledger records of them."""
        return {"text": self.title, "method": self.method}

    @cached_property
    def tables(self) -> dict[str, pa.Table]:
        """A table for each view, numbered from 1."""
        import pyarrow as pa

        views = enumerate(self.marginals.views, start=1)
        return {f"view-{number}": pa.table(view.frame()) for number, view in views}

    def certificate(self, files: Mapping[str, str]) -> dict[str, object]:
        """What the certificate states, given the SHA-256 of each file."""
        made = self.marginals
        return {
            "form": FORM,
            "format": FORMAT,
            "gyges": __version__,
            "n_people": made.n_people,
            "rows_are_people": made.rows_are_people,
            "columns": describe_columns(made.attributes, made.views),
            "views": [
                {"file": file_named(name, files), "levels": view.levels}
                for name, view in zip(self.tables, made.views, strict=True)
            ],
            "claims": [asdict(claim) for claim in self.claims],
            "files": dict(files),
            "scope": SCOPE,
        }

    def __str__(self) -> str:
        return str(self.marginals)

    def __repr__(self) -> str:
        return repr(self.marginals)


def publish_marginals(
    marginals: Marginals, criteria: SetRule | Iterable[SetRule]
) -> PublishedMarginals:
    """The views as they are published, with the claim that they satisfy the criteria together."""
    if not marginals.views or marginals.n_people == 0:
        raise ReleaseError("there are no views to publish, or they count nobody")
    rules = [criteria] if not isinstance(criteria, Iterable) else list(criteria)
    published = as_published(marginals)
    return PublishedMarginals(published, tuple(_claim(published, rule) for rule in rules))


def load_marginals(directory: Path) -> PublishedMarginals:
    """Read published views back; nothing but the directory is needed.

    A statement that the views themselves do not confirm is refused: see `read_views`.
    """
    stated = read_stated(directory)
    views = replace(read_views(directory, stated), rows_are_people=stated.rows_are_people)
    return PublishedMarginals(views, tuple(stated.claims))


def read_stated(directory: Path) -> StatedViews:
    """The certificate by its strict model, and no file in the directory but those it lists."""
    stated = parse_certificate(StatedViews, read_certificate_text(directory), [FORM], FORMAT)
    names = [f"view-{number}" for number in range(1, len(stated.views) + 1)]
    files = certified_tables(directory, names, stated.files)
    if [view.file for view in stated.views] != list(files.values()):
        raise ReleaseError("the certificate does not list its views in order, one file each")
    return stated


def read_views(directory: Path, stated: StatedViews) -> Marginals:
    """The views from their files, which must be exactly as the certificate states.

    The columns, their labels, the levels and the rows are made again from what was read, and
    compared: a label that no view shows, a row twice or a column called suppressed are refused.
    """
    columns = [column.model_dump() for column in stated.columns]
    try:
        attributes = read_columns(columns)
        names = [attribute.name for attribute in attributes]
        frames = [_frame(directory / view.file, view.levels, names) for view in stated.views]
        levels = [view.levels for view in stated.views]
        found = Marginals.from_frames(attributes, zip(levels, frames, strict=True))
    except GygesError as problem:
        raise ReleaseError(f"the views do not fit together: {problem}") from None
    if found.n_people == 0:
        raise ReleaseError("the views count nobody")
    if describe_columns(found.attributes, found.views) != columns:
        raise ReleaseError("the certificate describes other labels than the views show")
    for view, frame, its_levels in zip(found.views, frames, levels, strict=True):
        again = published_levels(view, found.attributes, found.views), _as_text(view)
        if again != (its_levels, frame):
            raise ReleaseError("a view is not written as its certificate describes it")
    return found


def claim_text(rule: SetRule) -> str:
    """What a rule demands of views, in words."""
    ks, diversities = split_rules(rule)
    asked = [made(k) for k in ks for made in (KLink, KCombinatorial)]
    return "; ".join(map(str, [*asked, *map(MaxentDiversity, diversities)]))


def shown_risk(risks: Mapping[str, Risk]) -> str:
    """The risks of a verdict as a certificate states them, in the order of the claim's words."""
    return _RISK_SEPARATOR.join(map(stated_risk, risks.values()))


def stated_risks(text: str) -> list[str]:
    """The risks that `shown_risk` joined."""
    return text.split(_RISK_SEPARATOR)


def _claim(marginals: Marginals, rule: SetRule) -> Claim:
    verdict = marginals.judge(rule)
    if not verdict.safe:
        raise ReleaseError(f"the views do not satisfy the rules\n{verdict}")
    text = as_counted(claim_text(rule), marginals.rows_are_people)
    return Claim(rule=to_data(rule), text=text, risk=shown_risk(verdict.risks))


def _frame(path: Path, levels: Mapping[str, int], names: list[str]) -> dict[str, list[Value]]:
    columns = [name for name in names if name in levels]
    rows = read_strictly(path, [*columns, count_name(columns)])
    return {name: rows.column(name).to_pylist() for name in rows.column_names}


def _as_text(view: View) -> dict[str, list[str]]:
    return {name: [str(one) for one in column] for name, column in view.frame().items()}
