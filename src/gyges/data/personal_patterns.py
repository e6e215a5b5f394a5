"""Texts that look like personal data: e-mail addresses, phone numbers, IBANs, names, …

Used to keep such columns out of a proposed release, and to recognize a person's row where the names
of columns should be. A pattern is a hint, never a proof.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import combining, normalize

from gyges.data.check_digits import national_form

NAMES = "names of people"
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
_DATE = re.compile(r"\d{1,4}[./\- ]\d{1,2}[./\- ]\d{1,4}")
_DAY = re.compile(r"(19|20)\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")  # 20240131
_WORD = r"[^\W\d_][^\W\d_.'’\-]*(?:['’\-][^\W\d_]+)*\.?"
_NAME = re.compile(rf"({_WORD}),? {_WORD}(?: {_WORD}){{0,2}}")
_LONG_NUMBER = 8  # digits; longer numbers of one length identify people, shorter ones are amounts
_SAMPLE = 1000  # distinct values that are examined

# First names that are frequent in Europe and the Americas, without accents.
_FIRST_NAMES_LISTED = """
    aaron adam adrian agnieszka ahmed alan albert alejandro alessandro alex alexander alexandra ali
    alice alicia amanda amelia amy ana anders andrea andreas andrew angela anita anja ann anna anne
    antje anton antonio arthur astrid ava barbara beatriz ben benjamin bernd birgit bob brandon
    brian bruno camille carla carlos carmen carol caroline catherine cecilia charles charlotte
    chiara chloe chris christian christina christine christopher claire clara claudia cristina
    cynthia daniel daniela david debora deborah dennis diana diego dirk donald donna doris dorothy
    eduardo edward elena elisa elizabeth ella emil emily emma eric erik ernst eva evelyn fabian
    fatima felix fernando filip florian francesca francesco francisco frank franz gabriel gary
    george gerhard giovanni giulia giuseppe gloria greta guillaume gustavo hannah hans harry
    heather heike heinz helen helena henrik henry ines inge ingrid irene isabel isabella ivan jack
    jacob jakob james jan jane janet jason javier jean jeffrey jennifer jessica joan joanna joao
    johan johann john jonas jonathan jorge jose joseph joshua juan judith julia julian julie jurgen
    karen karin karl katarzyna kate katharina kathleen kelly kevin klaus krzysztof lars laura
    lauren laurent lea lena leo leon leonardo liam linda lisa lorenzo louis louise luca lucas lucia
    lucy luis lukas magdalena manfred manuel marco marek margaret maria marie marina mario mark
    marta martin martina mary mateusz matteo matthew mia michael michal michel miguel mohamed
    monica monika nancy natalia nathan nicholas nicola nicole nina noah nora oliver olivia oscar
    pablo pamela paola patricia patrick paul paula pedro peter petra philip philipp pierre piotr
    rachel rafael ralf ramon raquel raul rebecca renate ricardo richard robert roberto roger ronald
    rosa ruth ryan sabine samuel sandra sara sarah scott sebastian sergio sharon silvia simon
    simone sofia sophie stefan stefanie stephan stephen steven susan susanne sven tanja teresa
    theo thomas tim tobias tom tomasz ulrich ursula uwe valentina vera victor vincent
    walter werner wilhelm william wolfgang xavier yvonne zoe
    """
_FIRST_NAMES = frozenset(_FIRST_NAMES_LISTED.split())


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
    return NAMES if are_names(looked_at) else national_form(looked_at)


def are_names(texts: Sequence[str]) -> bool:
    """Whether most texts have the form of a name, and every fifth has a frequent first name.

    >>> are_names(["Anna Beispiel", "Example, Peter"]), are_names(["Never married", "Divorced"])
    (True, False)
    """
    shaped = [text for text in texts if _NAME.fullmatch(text) and text[0].isupper()]
    known = [text for text in shaped if _FIRST_NAMES & set(re.split(r"[ ,]+", _folded(text)))]
    return bool(texts) and 2 * len(shaped) > len(texts) and 5 * len(known) >= len(texts)


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

    >>> are_days(["31.12.1980", "1.2.1975"]), are_days(["1980", "1975"])
    (True, False)
    """
    looked_at = texts[:: max(1, len(texts) // _SAMPLE)]
    days = [text for text in looked_at if _DATE.match(text) or _DAY.fullmatch(text)]
    return 2 * len(days) > len(looked_at)


def _is_iban(text: str) -> bool:
    """ISO 13616: the number that the letters and digits make leaves 1 when divided by 97."""
    compact = text.replace(" ", "").upper()
    return int("".join(str(int(c, 36)) for c in compact[4:] + compact[:4])) % 97 == 1


def _folded(text: str) -> str:
    return "".join(c for c in normalize("NFKD", text.casefold()) if not combining(c))
