"""Texts that look like personal data: e-mail addresses, phone numbers, IBANs, names, …

Used to keep such columns out of a proposed release, and to recognize a person's row where the names
of columns should be. A pattern is a hint, never a proof.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gyges.data.check_digits import national_form
from gyges.data.people_names import are_names, are_parts_of_names

NAMES = "names of people"
ADDRESSES = "street addresses"
PARTS_OF_NAMES = "surnames, first names or initials"
_FORMS = {
    "e-mail addresses": r"[^@\s]+@[^@\s]+\.[^@\s.]{2,}",
    "web addresses": r"(https?://|www\.)\S+",
    "IP addresses": r"(\d{1,3}\.){3}\d{1,3}|([0-9a-f]{0,4}:){3,7}[0-9a-f]{1,4}",
    "device addresses": r"([0-9a-f]{2}[:-]){5}[0-9a-f]{2}",
    "UUIDs": r"\{?[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}\}?",
    "hashes": r"(?=.*[a-f])(?=.*\d)[0-9a-f]{32,128}",
    "social security numbers": r"\d{3}-\d{2}-\d{4}",
    "Danish personal numbers": r"[0-3]\d[01]\d{3}-\d{4}",
    "Finnish personal numbers": r"[0-3]\d[01]\d{3}[-+A-F]\d{3}[0-9A-Y]",
    "German insurance numbers": r"[A-Z]\d{9}",
    "medical record numbers": r"MRN[-_ #:]?\d{4,}",
    "IBANs": r"[a-z]{2}\d{2}( ?[a-z0-9]{4}){2,7}( ?[a-z0-9]{1,3})?",
    "phone numbers": r"(?=(?:\D*\d){8,15}\D*$)(\+\d[\d ().\-/]+|\(?0\d[\d().]*[ /\-][\d ().\-/]+"
    r"|\(?\d{3}\)?[ .\-]\d{3}[ .\-]\d{4})",
}
_COMPILED = {what: re.compile(form, re.IGNORECASE) for what, form in _FORMS.items()}
_DATE = re.compile(
    r"(\d{4}[./\- ]\d{1,2}[./\- ]\d{1,2}|\d{1,2}[./\- ]\d{1,2}[./\- ](\d{4}|\d{2}))(?!\d)"
)
_DAY = re.compile(r"(19|20)\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")  # 20240131
_STREET = re.compile(
    r"(^|\b)(street|st|str|road|rd|avenue|ave?|lane|ln|boulevard|blvd|drive|court|square|highway|"
    r"straße|strasse|weg|platz|allee|gasse|ring|ufer|damm|rue|chemin|place|quai|impasse|calle|avenida|"
    r"paseo|plaza|camino|via|viale|piazza|corso|vicolo|rua|travessa|praça|largo|straat|laan|plein|"
    r"gracht|ulica|ul|aleja|gatan|gata|vägen|väg|gade|vej|gate|vei|katu|tie|utca)\b"
    r"|\w(str|straße|strasse|weg|platz|allee|gasse|straat|laan|plein|gracht|gatan|vägen|gade|vej)\b",
    re.IGNORECASE,
)
_LONG_NUMBER = 8  # digits; longer numbers of one length identify people, shorter ones are amounts
_SAMPLE = 1000  # distinct values that are examined


def personal_form(texts: Sequence[str]) -> str | None:
    """What most of these distinct texts look like, such as "e-mail addresses"; or None.

    >>> personal_form(["x@example.org", "y.z@example.com"]), personal_form(["30-39", "2024-01-31"])
    ('e-mail addresses', None)
    """
    looked_at = [text.strip() for text in texts[:: max(1, len(texts) // _SAMPLE)] if text.strip()]
    for what, form in _COMPILED.items():
        found = [t for t in looked_at if form.fullmatch(t)]
        if what == "phone numbers":
            found = [text for text in found if not _DATE.fullmatch(text)]
        if 2 * len(found) > len(looked_at) and (what != "IBANs" or all(map(_is_iban, found))):
            return what
    if are_addresses(looked_at):
        return ADDRESSES
    if are_names(looked_at):
        return NAMES
    return PARTS_OF_NAMES if are_parts_of_names(looked_at) else national_form(looked_at)


def are_addresses(texts: Sequence[str]) -> bool:
    """Whether most texts hold the name of a street and a number.

    >>> are_addresses(["Main St 2", "Lindenweg 3a"]), are_addresses(["30-39", "St. Mary"])
    (True, False)
    """
    found = [t for t in texts if _STREET.search(t) and any(map(str.isdigit, t)) and " " in t]
    return 2 * len(found) > len(texts)


def are_long_numbers(texts: Sequence[str]) -> bool:
    """Whether nearly all texts are whole numbers of one length, eight digits or more, not days."""
    looked_at = texts[:: max(1, len(texts) // _SAMPLE)]
    long = [
        t for t in looked_at if t.isdigit() and len(t) >= _LONG_NUMBER and not _DAY.fullmatch(t)
    ]
    lengths = [len(text) for text in long]
    most = max((lengths.count(length) for length in set(lengths)), default=0)
    return bool(looked_at) and 10 * most >= 9 * len(looked_at)


def are_days(texts: Sequence[str]) -> bool:
    """Whether most texts are days: 31.12.1980, 1980-12-31, 19801231.

    >>> are_days(["31.12.1980", "1.2.1975"]), are_days(["1980", "1975"]), are_days(["1.2.3"])
    (True, False, False)
    """
    looked_at = texts[:: max(1, len(texts) // _SAMPLE)]
    days = [text for text in looked_at if _DATE.match(text) or _DAY.fullmatch(text)]
    return 2 * len(days) > len(looked_at)


def _is_iban(text: str) -> bool:
    """ISO 13616: the number that the letters and digits make leaves 1 when divided by 97."""
    compact = text.replace(" ", "").upper()
    return int("".join(str(int(c, 36)) for c in compact[4:] + compact[:4])) % 97 == 1
