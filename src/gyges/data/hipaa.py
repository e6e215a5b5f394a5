"""The identifiers that HIPAA's safe harbor removes (45 CFR 164.514(b)(2)), by what a column is."""

from __future__ import annotations

import re

from gyges.data.column_names import words

_BY_NAME = {
    "names": r"name|\w*last_?name|first_?name|full_?name|surname|vorname|nachname|prenom|nom|"
    r"apellidos?|nome|cognome|naam|nazwisko",
    "fax numbers": r"fax",
    "phone numbers": r"phone|telephone|tel|telefon\w*|mobile|gsm|celular|movil|cellphone",
    "e-mail addresses": r"e_?mail|mail|courriel|correo",
    "social security numbers": r"ssn|social_?sec\w*|\w*securite_?sociale|sozialversicherung\w*",
    "medical record numbers": r"mrn|medical_?record\w*|patient\w*|pat_?nr|chart_?n\w+",
    "health plan beneficiary numbers": r"kvnr|medicare|medicaid|insured|beneficiary|policy\w*|"
    r"health_?plan\w*",
    "account numbers": r"iban|account_?\w*|konto\w*|credit_?card\w*|card_?n\w+",
    "vehicle identifiers": r"vin|plates?|license_?plate|number_?plate|kennzeichen",
    "certificate and license numbers": r"driver\w*|licen[cs]e\w*|certificate\w*|fuehrerschein",
    "device identifiers": r"device\w*|imei|imsi|mac_?addr\w*",
    "web addresses": r"url|website|homepage",
    "IP addresses": r"ip|ip_?addr\w*",
    "biometric identifiers": r"fingerprint|iris|voice_?print",
    "photographs": r"photo\w*",
}
_COMPILED = {what: re.compile(rf"(^|_)({form})(_|$)") for what, form in _BY_NAME.items()}
_BY_FORM = {
    "names of people": "names",
    "surnames, first names or initials": "names",
    "street addresses": "places smaller than a state",
    "payment card numbers": "account numbers",
    "IBANs": "account numbers",
    "device addresses": "device identifiers",
    "NHS numbers": "health plan beneficiary numbers",
}
_DATE = re.compile(  # ages above 89 belong to the dates
    r"(^|_)(dates?|\w*date|dob|birth|births|birthday|born|deaths?|died|admission|admitted|"
    r"discharged?|datum|\w*datum|naissance|nacimiento|nascita|fecha|ages?|alter|edad|eta)(_|$)"
)
_PLACE = re.compile(
    r"(^|_)(street\w*|address\w*|strasse|adresse|rue|calle|via|zip\w*|post_?code|postal\w*|plz|city|town|county|tract|fips|stadt|ort|ville|ciudad|"
    r"citta|stad|miasto|commune|gemeinde|kommun)(_|$)"
)
OTHER = "any other unique identifying number"


def identifier_of(name: str, form: str | None = None) -> str:
    """Which of HIPAA's identifiers a column of people's numbers, names or addresses holds.

    >>> identifier_of("MRN"), identifier_of("x", "e-mail addresses"), identifier_of("pid")
    ('medical record numbers', 'e-mail addresses', 'any other unique identifying number')
    """
    joined = "_".join(words(name))
    if form == "phone numbers" and _COMPILED["fax numbers"].search(joined):
        return "fax numbers"
    if form is not None:
        return _BY_FORM.get(form, form if form in _COMPILED else OTHER)
    return next((what for what, one in _COMPILED.items() if one.search(joined)), OTHER)


def identifier_of_quasi(name: str, *, is_date: bool) -> str:
    """Which of HIPAA's identifiers a quasi-identifier is: a date, a place, or none ("")."""
    if is_date:
        return "dates"
    return "places smaller than a state" if _PLACE.search("_".join(words(name))) else ""


def is_date_by_name(name: str) -> bool:
    """Whether a name suggests dates about a person, or ages.

    >>> [is_date_by_name(name) for name in ("Date_of_Birth", "birthdate", "birthplace", "age")]
    [True, True, False, True]
    """
    return _DATE.search("_".join(words(name))) is not None
