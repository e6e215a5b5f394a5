"""What a label covers: which values a person whose row shows it can have.

A label is read for the kind of its column. It is a value of the people sought, a node of the
hierarchy that is given, `*`, a set (`{a, b}`, `{"a, b", c}`, `a|b`, `a;b`), a range or comparison
of numbers or dates (label_spans.py), or a code with hidden characters (`130**`). A label that is
none of these is refused by name: it never means "nobody". Where a spelling is ambiguous it covers
more values, so that nobody is wrongly excluded.

Where the labels are our own and the column has no table of a hierarchy, a text that is no value of
the people sought is a value that none of them has. In tables of others it may be a coarser label,
so it must be explained by a hierarchy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.data.cells import Domain
from gyges.data.hierarchy_rules import TOP
from gyges.data.values import MISSING, Kind, as_kind, guess_kind, positions, text_of
from gyges.errors import ReleaseError, suggestion
from gyges.release.code_labels import CodeLabels
from gyges.release.foreign_spelling import plain_period, plain_spellings, unwrapped, visible
from gyges.release.label_spans import DASHES, MASK, readings, span_of
from gyges.release.missing_labels import known_part
from gyges.release.set_labels import is_quoted, members_of
from gyges.release.suppressed_labels import STARS, hides_everything, is_suppressed

_TRUTH = {"true": ("true", "t", "yes", "y", "1"), "false": ("false", "f", "no", "n", "0")}
_ORDINARY = re.compile(r"[^*#?•,;|{}\[\]()<>=…]+")  # none of the signs that labels have
_SEPARATORS = re.compile(r"\s*(?:[,;|/]|\sor\s)\s*")
_OF_A_LINE = re.compile(r"\s*(?:[;|∪]|\sor\s|\s/\s)\s*")
_QUOTED = re.compile(r"(['\"])(.*?)\1(?=\s*(?:[,;|\s]|$))")
_ALL_QUOTED = re.compile(r"(?:(['\"]).*?\1(?:\s*[,;|]\s*|\s+|$))+")
_BETWEEN_VALUES = [re.compile(rf"\s*(?:{sign})\s*") for sign in
                   (r"[;|]+|\sor\s", r"\+|&|\sand\s", "~", r"\^", "_", "[•·∪]", r"\soder\s|\sou\s",
                    r"\n", r",\s*or\s")]  # fmt: skip
_LIST = re.compile(r",\s+|\s*(?:[;|∪]|\sor\s|\s/\s)\s*")
_OF_SETS = re.compile(r"[{}|;]")
_DIGITS_OR_HIDDEN = re.compile(rf"[\d{re.escape(MASK)}]+")
_CODE_RANGE = re.compile(r"(\d+)\s*(?:-|\.\.|\sto\s)\s*(\d+)")
_NAMED = 3  # labels that an error names
_TEXTS = (Kind.CATEGORY, Kind.CODE, Kind.MONTH)
_SPELLINGS = {
    Kind.NUMBER: "a range such as 20-29, [20, 30), <30, ≥40 or 3*",
    Kind.DATE: "a period such as 2024-01, 2024-Q1, 2024 or 2024-01-01..2024-03-31",
    Kind.CODE: "a code with hidden characters such as 130**",
    Kind.CATEGORY: "a set such as {a, b}",
    Kind.MONTH: "a period such as 2024-01, 2024-Q1 or 2024",
}


def covers_all(
    labels: Iterable[str], domain: Domain, *, theirs: bool = False
) -> dict[str, BoolArray]:
    """For each distinct label, which values of the domain it covers.

    `theirs`: the labels may be general terms of a hierarchy that we do not hold.
    """
    found = {}
    for label, codes in covered_codes(labels, domain, theirs=theirs).items():
        found[label] = np.zeros(len(domain), dtype=bool)
        found[label][codes] = True
    return found


def covered_codes(
    labels: Iterable[str], domain: Domain, *, theirs: bool = False
) -> dict[str, IntArray]:
    """For each distinct label, the codes of the values that it covers: of many values, few."""
    distinct = list(dict.fromkeys(labels))
    texts = [visible(label) for label in distinct] if theirs else distinct
    column = _Column(domain, theirs, texts)
    found = {
        label: column.codes_covered(label if label in column.code_of else text)
        for label, text in zip(distinct, texts, strict=True)
    }
    unread = [label for label, codes in found.items() if codes is None]
    if unread:
        raise _not_understood(unread, column)
    return {label: codes for label, codes in found.items() if codes is not None}


def _not_understood(unread: Sequence[str], column: _Column) -> ReleaseError:
    named = ", ".join(repr(label) for label in sorted(unread)[:_NAMED])
    more = f" and {len(unread) - _NAMED:,} more" if len(unread) > _NAMED else ""
    near = _about_one(unread[0], column) if len(unread) == 1 else ""
    labels = "label" if len(unread) == 1 else "labels"
    kind = {Kind.NUMBER: "numbers", Kind.DATE: "dates", Kind.CODE: "codes"}
    return ReleaseError(
        f"column {column.domain.name!r} of the release has the {labels} {named}{more}, which "
        f"cannot be read{near}: the people have {kind.get(column.kind, 'categories')} there, and a "
        f"label is one of their values, {_SPELLINGS[column.kind]}, or a label of the column's "
        f"hierarchy; give that hierarchy, or write the label in one of these ways"
    )


def _about_one(label: str, column: _Column) -> str:
    """What may be wrong with one label: a near value is suggested, an unknown member named."""
    strange = [one for one in members_of(label) or () if one not in column.code_of]
    if strange and len(strange) < len(members_of(label) or ()):
        return f" (none of the people has {strange[0]!r}: is it a value or a general term?)"
    return suggestion(label, column.code_of)


@dataclass(frozen=True, eq=False, repr=False)
class _Column:
    """One column of the people sought, ready to read labels."""

    domain: Domain
    theirs: bool
    labels: Sequence[str]  # all that the column has

    @cached_property
    def code_of(self) -> dict[str, int]:
        """The code of each value, by its text."""
        return {text_of(value): code for code, value in enumerate(self.domain.values)}

    @cached_property
    def kind(self) -> Kind:
        """How to read a label; a category of numbers or dates is read as these."""
        if self.domain.kind is not Kind.CATEGORY:
            return self.domain.kind
        known = [text for text in self.code_of if text != MISSING]
        guessed = guess_kind(known)
        return guessed if known and guessed in (Kind.NUMBER, Kind.DATE) else Kind.CATEGORY

    @cached_property
    def places(self) -> FloatArray:
        """Where each value is on the line; nowhere if it is missing."""
        if self.domain.is_ordered:
            return self.domain.positions
        known = [text for text in self.code_of if text != MISSING]
        places = np.full(len(self.code_of), np.nan)
        found = positions(as_kind(known, self.kind, self.domain.name), self.kind)
        places[[self.code_of[text] for text in known]] = found
        return places

    def codes_covered(self, label: str) -> IntArray | None:
        """The codes of the values that a label covers; None where it is not understood."""
        code = self.code_of.get(label.strip()) if self.theirs else None
        if code is not None and self._is_only_a_value(label.strip()):
            return np.array([code, *self._longer_codes(label.strip())], dtype=np.int64)
        covered = self.covered(label)
        return None if covered is None else np.flatnonzero(covered)

    def covered(self, label: str) -> BoolArray | None:
        """Which values a label covers; None where it is not understood."""
        if label == TOP:
            return np.ones(len(self.domain), dtype=bool)
        known = known_part(label)
        if known is None:
            return self._of_known(label)
        with_gaps = self._or_missing(self.covered(known))
        if label not in self._exact_names:
            return with_gaps
        read = [one for one in (with_gaps, self._of_known(label)) if one is not None]
        return np.logical_or.reduce(read) if read else None

    def _of_known(self, label: str) -> BoolArray | None:
        """The same of a label that says nothing of those who lack a value."""
        if self.theirs:
            return self._in_any_reading(label, self._named(label, self.code_of.get(label.strip())))
        listed = self._listed(label)
        named = self._named(label) if listed is None else listed
        if named is not None:
            return named
        if STARS.fullmatch(label):
            return np.ones(len(self.domain), dtype=bool)
        if label == MISSING:
            return self._nobody()
        for read in (self._of_kind(label), self._set(label)):
            if read is not None:
                return read
        return self._nobody() if self.kind in _TEXTS else None

    @cached_property
    def _exact_names(self) -> frozenset[str]:
        """The values, and the labels of the hierarchy above them."""
        return self._general_terms | self.code_of.keys()

    def _or_missing(self, covered: BoolArray | None) -> BoolArray | None:
        """The same values and the missing one."""
        if covered is None or MISSING not in self.code_of:
            return covered
        return covered | self._these([self.code_of[MISSING]])

    def _is_only_a_value(self, text: str) -> bool:
        """Whether a value of the people has no sign that labels have, and no level is called so."""
        if self.kind is Kind.DATE or is_suppressed(text) or not _ORDINARY.fullmatch(text):
            return False
        return text not in self._general_terms

    @cached_property
    def _general_terms(self) -> frozenset[str]:
        """The labels of the hierarchy above the values."""
        ladder = self.domain.ladder
        return (
            frozenset(name for level in ladder.labels[1:] for name in level)
            if ladder
            else frozenset()
        )

    def _longer_codes(self, text: str) -> list[int]:
        """The codes that a code may stand for as their first characters."""
        is_line = self.kind in (Kind.NUMBER, Kind.DATE)
        return [] if is_line else [self.code_of[one] for one in self.codes.longer(text)]

    def _these(self, codes: Sequence[int]) -> BoolArray:
        covered = self._nobody()
        covered[codes] = True
        return covered

    def _in_any_reading(self, label: str, named: BoolArray | None) -> BoolArray | None:
        """Of others: the union of all that a label may mean."""
        if is_suppressed(label):
            return np.ones(len(self.domain), dtype=bool)
        if named is None and hides_everything(label):
            return np.ones(len(self.domain), dtype=bool)
        texts = self._readings(label)
        if named is None:
            named = self._named(texts[-1], self._truth_values.get(texts[-1].lower()))
        found = [named, *(read(text) for text in texts for read in (self._of_kind, self._set))]
        known = [covered for covered in found if covered is not None]
        return np.logical_or.reduce(known) if known else None

    def _readings(self, label: str) -> list[str]:
        """The spellings of other software as `label_spans` reads them."""
        if self.kind is Kind.NUMBER:
            plain = plain_spellings(label, up_to=self._largest_whole)
            texts = [text for one in plain for text in readings(one)]
            return texts if plain != [label] and len(plain) == 1 else [label, *texts]
        return [label, plain_period(label)] if self.kind is Kind.DATE else [label, unwrapped(label)]

    @cached_property
    def _truth_values(self) -> dict[str, int]:
        """The codes of true and false as other software spells them, where both are the values."""
        codes = {text.lower(): code for text, code in self.code_of.items() if text != MISSING}
        if set(codes) != {"true", "false"}:
            return {}
        return {spelled: codes[one] for one, others in _TRUTH.items() for spelled in others}

    @cached_property
    def _largest_whole(self) -> float:
        """The largest value where all are whole numbers, else 0."""
        known = self.places[~np.isnan(self.places)]
        return float(known.max(initial=0)) if (known == np.floor(known)).all() else 0.0

    def _nobody(self) -> BoolArray:
        return np.zeros(len(self.domain), dtype=bool)

    def _listed(self, label: str) -> BoolArray | None:
        """A set as we write it, in a column of texts without a hierarchy: these values exactly.

        In one of an earlier version values with commas had no quotes: that shows in a member that
        is no value, or in one that occurs twice.
        """
        members = members_of(label)
        is_text = self.kind in _TEXTS and self.domain.ladder is None
        if members is None or not is_text:
            return None
        codes = {self.code_of[member] for member in members if member in self.code_of}
        if len(codes) < len(members) and not is_quoted(label):
            codes |= self._unquoted(label)
        return self._these(list(codes))

    def _unquoted(self, label: str) -> set[int]:
        """The values whose text stands in a set as it is, or is the set's own text."""
        inner = f", {label[1:-1]}, "
        return {c for text, c in self.code_of.items() if text == label or f", {text}, " in inner}

    def _named(self, label: str, other: int | None = None) -> BoolArray | None:
        """A value by its text (or another), and whatever the hierarchy calls so, at any level."""
        covered, code = self._nobody(), self.code_of.get(label, other)
        if code is not None:
            covered[code] = True
        ladder = self.domain.ladder
        for names, ancestors in zip(ladder.labels, ladder.ancestors, strict=True) if ladder else ():
            if label in names:
                covered |= ancestors == names.index(label)
        return covered if covered.any() else None

    def _of_kind(self, label: str) -> BoolArray | None:
        """A range, a period, or hidden characters."""
        if self.kind in (Kind.NUMBER, Kind.DATE):
            span = span_of(label, self.kind)
            if span is None:
                return None
            above = self.places >= span.low if span.with_low else self.places > span.low
            below = self.places <= span.high if span.with_high else self.places < span.high
            return np.asarray(above & below)
        own = self._hidden(label) or (self._range(label) if self.kind is Kind.CODE else None)
        theirs = self.codes.covers(label) if self.theirs else None
        found = [covers for covers in (own, theirs) if covers is not None]
        if not found:
            return None
        return np.array([any(covers(text) for covers in found) for text in self.code_of])

    def _hidden(self, label: str) -> Callable[[str], object] | None:
        """`130**`: a star is one character, those at the end may be fewer.

        A single star at the end may be any rest. In a column of digits other signs stand for hidden
        ones too: `130XX`, `130##`.
        """
        digits = self.kind is Kind.CODE and self._all_digits
        signs = MASK if digits else "*"
        shown = label.rstrip(signs)
        n_hidden = len(label) - len(shown)
        is_one = _DIGITS_OR_HIDDEN.fullmatch(label) if digits else not _OF_SETS.search(label)
        if not shown or not any(sign in label for sign in signs) or not is_one:
            return None
        pattern = "".join("." if sign in signs else re.escape(sign) for sign in shown)
        rest = ".*" if n_hidden == 1 else f".{{0,{n_hidden}}}"
        return re.compile(pattern + rest, re.DOTALL).fullmatch

    def _range(self, label: str) -> Callable[[str], object] | None:
        """`13000-13099`: codes between two."""
        ends = _CODE_RANGE.fullmatch(label.translate(DASHES))
        if ends and len(ends[1]) == len(ends[2]) and ends[1] <= ends[2]:
            return lambda text: ends[1] <= text[: len(ends[1])] <= ends[2]
        return None

    @cached_property
    def codes(self) -> CodeLabels:
        """The values as codes, with the labels of others."""
        known = [text for text in self.code_of if text != MISSING]
        return CodeLabels(known, self.labels, self.kind is Kind.CODE)

    @cached_property
    def _all_digits(self) -> bool:
        return all(text.isdigit() for text in self.code_of if text != MISSING)

    def _set(self, label: str) -> BoolArray | None:
        """`{a, b}`; of others also `a|b`, `a;b`, `[a, b, c]`. Every member must be understood."""
        text = label.strip()
        quoted = members_of(text) if is_quoted(text) else None
        if quoted is not None:
            return self._any_of(quoted)
        is_braced = text[:1] + text[-1:] in ("{}", "[]", "()")
        inner = text[1:-1].strip() if is_braced else text
        if not is_braced and not self.theirs:
            return None
        is_line = self.kind in (Kind.NUMBER, Kind.DATE)
        apart = None if is_line else self._known_parts(inner)
        if apart is not None:
            return self._any_of(apart)
        # 1,000 and 1/2/2024 are no sets: of numbers and dates a list without braces has | or ;
        separators = _SEPARATORS if is_braced or not is_line else self._of_a_line(text)
        members = [member.strip(" '\"") for member in separators.split(inner)]
        is_interval = is_line and is_braced and text[:1] != "{" and len(members) == 2
        if (len(members) < 2 and not is_braced) or is_interval:
            return None
        covered, explained = self._nobody(), set()
        for value, code in self.code_of.items():  # a value may hold a comma itself
            if f", {value}, " in f", {inner}, ":
                covered[code] = True
                explained |= {part.strip(" '\"") for part in _SEPARATORS.split(value)}
        rest = self._any_of([member for member in members if member not in explained])
        return None if rest is None else covered | rest

    @staticmethod
    def _of_a_line(text: str) -> re.Pattern[str]:
        """What separates numbers or dates: a comma does where a blank follows, outside brackets."""
        return _OF_A_LINE if any(sign in text for sign in "[]()") else _LIST

    def _known_parts(self, inner: str) -> list[str] | None:
        """Values, which may hold commas, between other signs; None unless all are values."""
        if not self.theirs:
            return None
        found = (
            [[quoted[1] for quoted in _QUOTED.findall(inner)]]
            if _ALL_QUOTED.fullmatch(inner)
            else [[one.strip(" '\"") for one in sign.split(inner)] for sign in _BETWEEN_VALUES]
        )
        for parts in found:
            if len(parts) > 1 and all(one in self.code_of for one in parts):
                return parts
        return None

    def _any_of(self, members: Sequence[str]) -> BoolArray | None:
        """What any member covers; None where one is not understood that has to be."""
        covered = self._nobody()
        for member in members:
            read = self._member(member)
            if read is None and (self.theirs or self.kind in (Kind.NUMBER, Kind.DATE)):
                return None
            covered |= self._nobody() if read is None else read
        return covered

    def _member(self, member: str) -> BoolArray | None:
        if member in (TOP, MISSING):
            return self._nobody() if member == MISSING else np.ones(len(self.domain), dtype=bool)
        named = self._named(member)
        return self._of_kind(member) if named is None and member else named
