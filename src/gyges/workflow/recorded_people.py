"""Who is in which group of a release, kept beside the ledger: people come and go.

A newcomer's value is the difference of two groups for anyone who knows that they are new. So the
next comparison must know who was in the earlier releases. If columns identify people, a file beside
the ledger, readable by its owner only, holds a salted hash of each person in a release, and their
group. Hashes of names can be found by trying names: the file stays inside. People without any
identifier have no hash: only their groups are recorded, and nobody can say whether they came back.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

import numpy as np

from gyges.arrays import IntArray
from gyges.data.arrow_arrays import arrow_texts
from gyges.data.encoding import is_missing
from gyges.data.spelling import plain_spellings
from gyges.data.table import Table
from gyges.errors import LedgerError
from gyges.release.locating import NOWHERE
from gyges.release.private_files import make_private_folder, write_private
from gyges.release.release import Release
from gyges.workflow.ledger_file import folder_of

_LONGEST_SALT = blake2b.MAX_KEY_SIZE
_SPELLED = "~"  # begins the line of a hash that spelling does not change


@dataclass(frozen=True, slots=True)
class RecordedPeople:
    """The group of each person in a release by their hash, and the columns that identify them."""

    columns: tuple[str, ...]
    salt: str
    group_of: dict[str, int]
    nameless: tuple[int, ...] = ()  # the groups of people without any identifier
    spellings: frozenset[str] = frozenset()  # hashes of plain spellings
    views: tuple[
        tuple[int, ...], ...
    ] = ()  # of views: the row of each, for each number in group_of

    def of_view(self, number: int) -> RecordedPeople:
        """The people in the rows of one of the views."""
        row = [rows[number] for rows in self.views]
        group_of = {one: row[group] for one, group in self.group_of.items()}
        nameless = tuple(sorted(row[group] for group in self.nameless))
        return replace(self, group_of=group_of, nameless=nameless, views=())

    def respelled(self, table: Table) -> int:
        """How many people of a table may be recorded under another spelling of their identifier.

        "007", "7" and "7.0" may be one person: then nobody left, and nobody is new. A person whose
        own spelling is in the table too is another one.
        """
        if not self._are_in(table):
            return 0
        exact = _hashes(table, self.columns, self.salt)
        plain = _hashes(table, self.columns, self.salt, is_plain=True)
        pairs = [*zip(exact, plain, strict=True)]
        left = self.spellings - {other for one, other in pairs if one in self.group_of}
        return sum(one not in self.group_of and other in left for one, other in pairs)

    def n_nameless(self, table: Table) -> int:
        """How many people without any identifier the release had, or a table has, if more."""
        here = _hashes(table, self.columns, self.salt) if self._are_in(table) else []
        return max(len(self.nameless), here.count(None))

    def _are_in(self, table: Table) -> bool:
        return all(name in table.schema.columns for name in self.columns)

    def groups_of(self, table: Table) -> IntArray | None:
        """The group of each used row's person, or NOWHERE.

        None if the columns are not there, or someone has no identifier, here or in the release.
        """
        if not self._are_in(table) or self.n_nameless(table):
            return None
        hashes = _hashes(table, self.columns, self.salt)
        return np.array([self.group_of.get(one or "", NOWHERE) for one in hashes], dtype=np.int64)

    def left(self, table: Table) -> dict[str, int] | None:
        """The group of each person who is not in a table, by a name that records of one salt share.

        None where it is not known who is in the table.
        """
        if self.groups_of(table) is None:
            return None
        here = set(_hashes(table, self.columns, self.salt))
        gone = {one: group for one, group in self.group_of.items() if one not in here}
        return {f"{self.salt} {one}": group for one, group in gone.items()}

    def refuse_misfit(self, sizes: IntArray) -> None:
        """Refuse a record that does not hold exactly the people of the release's groups."""
        groups = np.array([*self.group_of.values(), *self.nameless], dtype=np.int64)
        is_inside = bool(((groups >= 0) & (groups < len(sizes))).all())
        is_cut = bool(self.group_of) != bool(self.spellings)
        if is_cut or not is_inside or (np.bincount(groups, minlength=len(sizes)) != sizes).any():
            raise LedgerError("the record of who was in it is damaged: it holds other people")

    def save(self, path: Path) -> None:
        """Write the file for its owner only; its lines are in the order of the hashes."""
        stated = {"columns": self.columns, "salt": self.salt, "nameless": self.nameless}
        stated |= {"views": self.views} if self.views else {}
        lines = [f"{one} {group}" for one, group in sorted(self.group_of.items())]
        spellings = [f"{_SPELLED}{one}" for one in sorted(self.spellings)]
        make_private_folder(path.parent)
        write_private(path, "\n".join([json.dumps(stated), *lines, *spellings]) + "\n")


def people_file(digest: str, ledger: Path) -> Path:
    """Where the people of a release are recorded; the digest is its certificate's."""
    return folder_of(ledger) / f"{digest}.people"


def people_of(release: object, salts: Mapping[tuple[str, ...], str]) -> RecordedPeople | None:
    """The people in a release that was just made; None where no column identifies them.

    `salts`: that of earlier records with the same columns, so that people are recognized who left.
    """
    if not isinstance(release, Release) or release.table is None or release.partition is None:
        return None
    return _recorded(release.table, release.group_of_row.tolist(), salts)


def people_of_views(
    views: Sequence[Release], table: object, salts: Mapping[tuple[str, ...], str]
) -> RecordedPeople | None:
    """The people in views as they were written; None where no column identifies them."""
    from gyges.adversaries.people_lookup import find_people

    if not views or not isinstance(table, Table):
        return None
    rows = np.stack([find_people(view, table).found for view in views], axis=1)
    if (rows < 0).any():
        return None
    used, number = np.unique(rows, axis=0, return_inverse=True)
    found = _recorded(table, number.ravel().tolist(), salts)
    return found and replace(found, views=tuple(map(tuple, used.tolist())))


def _recorded(
    table: Table, groups: list[int], salts: Mapping[tuple[str, ...], str]
) -> RecordedPeople | None:
    """The people of a table in these groups, a number for each row."""
    schema = table.schema
    columns = (schema.person,) if schema.person else schema.identifiers
    if not columns:
        return None
    salt = salts.get(tuple(columns)) or secrets.token_hex(16)
    pairs = [*zip(_hashes(table, columns, salt), groups, strict=True)]
    group_of = {one: g for one, g in pairs if one is not None and g >= 0}
    nameless = tuple(sorted(g for one, g in pairs if one is None and g >= 0))
    plain = _hashes(table, columns, salt, is_plain=True)
    spellings = frozenset(
        one for one, group in zip(plain, groups, strict=True) if one is not None and group >= 0
    )
    return RecordedPeople(tuple(columns), salt, group_of, nameless, spellings)


def known_salts(folder: Path) -> dict[tuple[str, ...], str]:
    """The salt of the records that a ledger's folder holds, by the columns that identify people."""
    found: dict[tuple[str, ...], str] = {}
    for path in sorted(folder.glob("*.people")):
        recorded = read_people(path)
        if recorded is not None:
            found.setdefault(recorded.columns, recorded.salt)
    return found


def read_people(path: Path) -> RecordedPeople | None:
    """The people that were recorded in a file; None if there is no such file."""
    if not path.is_file():
        return None
    try:
        first, *lines = path.read_text(encoding="utf-8").splitlines()
        spelled = [line for line in lines if line.startswith(_SPELLED)]
        stated = json.loads(first)
        pairs = (line.split(" ") for line in lines[: len(lines) - len(spelled)])
        group_of = {one: int(group) for one, group in pairs}
        salt = str(stated["salt"])
        if len(salt.encode()) > _LONGEST_SALT:
            raise ValueError("no such salt was written")
        nameless = tuple(map(int, stated.get("nameless", ())))
        spellings = frozenset(line[len(_SPELLED) :] for line in spelled)
        views = tuple(tuple(map(int, rows)) for rows in stated.get("views", ()))
        if views and not all(0 <= n < len(views) for n in (*group_of.values(), *nameless)):
            raise ValueError("a person is in no row of the views")
        return RecordedPeople(tuple(stated["columns"]), salt, group_of, nameless, spellings, views)
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        said = f"{str(path)!r} cannot be read, so it is unknown who was in that release"
        raise LedgerError(said) from None


def _hashes(
    table: Table, columns: Sequence[str], salt: str, *, is_plain: bool = False
) -> list[str | None]:
    """The hash of each used row's person; None where every column that identifies them is empty.

    `is_plain` hashes plain spellings, which "007", "7" and "7.0" share (data/spelling.py).
    """
    key, hashes = salt.encode(), list[str | None]()
    rows = [column.to_pylist() for column in table.fetch(columns).columns]
    texts = [[str(value) for value in column] for column in rows]
    if is_plain:
        texts = [plain_spellings(arrow_texts(column)).to_pylist() for column in texts]
    for row, spelled in zip(zip(*rows, strict=True), zip(*texts, strict=True), strict=True):
        is_named = not all(is_missing(value, table.marks) for value in row)
        one = blake2b(json.dumps(spelled).encode(), key=key, digest_size=16).hexdigest()
        hashes.append(one if is_named else None)
    return hashes
