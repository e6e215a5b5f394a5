"""Numbers that a state or an insurer gives to a person, recognized by their check digits.

A check digit agrees by chance in about one of ten numbers, so a column in which nearly all agree
holds such numbers, whatever it is called.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_LEAST = 10  # different values that must be seen
_SAMPLE = 1000  # distinct values that are examined
_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_FISCAL = re.compile(r"[A-Z]{6}\d{2}[A-EHLMPR-T]\d{2}[A-Z]\d{3}[A-Z]")
_FISCAL_ODD = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3,
         6, 8, 12, 14, 16, 10, 22, 25, 24, 23),
        strict=True,
    )
)  # fmt: skip


def national_form(texts: Sequence[str]) -> str | None:
    """What nearly all of these distinct texts are by their check digits; None if nothing.

    >>> national_form([f"{n:08}{'TRWAGMYFPDXBNJZSQVHLCKE'[n % 23]}" for n in range(500, 520)])
    'Spanish identity numbers'
    """
    looked_at = [text.strip().upper() for text in texts[:: max(1, len(texts) // _SAMPLE)]]
    if len(looked_at) < _LEAST:
        return None
    for form in _FORMS:
        compact = (re.sub(r"[ .\-/]", "", text) for text in looked_at)
        n = sum(bool(form.shape.fullmatch(text)) and form.agrees(text) for text in compact)
        if 10 * n >= 9 * len(looked_at):
            return form.name
    return None


@dataclass(frozen=True, slots=True)
class _Form:
    name: str
    shape: re.Pattern[str]
    agrees: Callable[[str], bool]


def _weighted(text: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(text, weights, strict=False))


def luhn(text: str) -> bool:
    """ISO/IEC 7812: every second digit from the right is doubled, and the digits sum to 0 mod 10.

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(text))]
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def _nhs(text: str) -> bool:
    return (_weighted(text, range(10, 0, -1))) % 11 == 0


def _bsn(text: str) -> bool:
    return (_weighted(text, range(9, 1, -1)) - int(text[-1])) % 11 == 0


def _pesel(text: str) -> bool:
    return _weighted(text, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0


def _nif(text: str) -> bool:
    left = 11 - _weighted(text[:8], range(9, 1, -1)) % 11
    return int(text[8]) == (0 if left >= 10 else left)


def _cpf(text: str) -> bool:
    digits = [10 * _weighted(text[:n], range(n + 1, 1, -1)) % 11 % 10 for n in (9, 10)]
    return text[9:] == "".join(map(str, digits))


def _nir(text: str) -> bool:
    return (int(text[:13]) + int(text[13:])) % 97 == 0


def _niss(text: str) -> bool:
    return any((int(start + text[:9]) + int(text[9:])) % 97 == 0 for start in ("", "2"))


def _norwegian(text: str) -> bool:
    first = _weighted(text, (3, 7, 6, 1, 8, 9, 4, 5, 2, 1))
    return first % 11 == 0 and _weighted(text, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0


def _german_tax(text: str) -> bool:
    """ISO 7064, mod 11, 10."""
    product = 10
    for digit in text[:10]:
        total = (int(digit) + product) % 10 or 10
        product = 2 * total % 11
    return (11 - product) % 10 == int(text[10])


def _dni(text: str) -> bool:
    number = text[:-1].replace("X", "0").replace("Y", "1").replace("Z", "2")
    return _DNI_LETTERS[int(number) % 23] == text[-1]


def _fiscal(text: str) -> bool:
    even = sum(int(c) if c.isdigit() else ord(c) - 65 for c in text[1:15:2])
    return chr(65 + (even + sum(_FISCAL_ODD[c] for c in text[0:15:2])) % 26) == text[15]


def _ean(text: str) -> bool:
    return _weighted(text, (1, 3) * 6 + (1,)) % 10 == 0


_FORMS = (
    _Form("payment card numbers", re.compile(r"[3-6]\d{12,18}"), luhn),
    _Form("Swedish personal numbers", re.compile(r"(19|20)?\d{2}[0-3]\d[0-9]\d\+?\d{4}"),
          lambda text: luhn(text.replace("+", "")[-10:])),
    _Form("NHS numbers", re.compile(r"[1-9]\d{9}"), _nhs),
    _Form("Dutch citizen numbers", re.compile(r"\d{9}"), _bsn),
    _Form("PESEL numbers", re.compile(r"\d{11}"), _pesel),
    _Form("Portuguese tax numbers", re.compile(r"[1-9]\d{8}"), _nif),
    _Form("Brazilian tax numbers", re.compile(r"\d{11}"), _cpf),
    _Form("Norwegian birth numbers", re.compile(r"\d{11}"), _norwegian),
    _Form("German tax numbers", re.compile(r"[1-9]\d{10}"), _german_tax),
    _Form("Belgian national numbers", re.compile(r"\d{11}"), _niss),
    _Form("French social security numbers", re.compile(r"[12]\d{14}"), _nir),
    _Form("Swiss insurance numbers", re.compile(r"756\d{10}"), _ean),
    _Form("Spanish identity numbers", re.compile(r"[XYZ\d]\d{7}[A-Z]"), _dni),
    _Form("Italian tax codes", _FISCAL, _fiscal),
)  # fmt: skip
