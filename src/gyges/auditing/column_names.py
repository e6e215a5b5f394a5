"""What the name of a column suggests, in English and other European languages."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Literal, TypeAlias
from unicodedata import combining, normalize


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


Meaning: TypeAlias = Literal["person", "number", "name", "contact", "address", "thing", "text", ""]

_PERSON = _listed(
    """
    patient person subject client customer member user participant respondent employee student
    pupil citizen resident insured donor tenant passenger voter taxpayer beneficiary individual
    survivor victim candidate applicant worker record
    patienten versicherter versicherten versicherte kunde kunden mitglied mitarbeiter schueler
    teilnehmer proband probanden personal
    personne adherent assure eleve etudiant salarie employe usager individu
    paciente persona cliente socio afiliado alumno empleado usuario ciudadano asegurado
    paziente assistito studente dipendente utente pessoa funcionario
    persoon klant lid leerling werknemer deelnemer pacjent osoba klient uczen pracownik
    kund medlem elev anstalld borger pacient osoby
    """
)
_NUMBER = _listed(
    """
    id ids nr no nbr num number nummer numero numer nro key code kode kod codigo codice ref
    kennung kennziffer uid pk hash pseudonym token identifier identificador identifiant nummber
    numeris cislo szam
    """
)
_STRONG = _PERSON - {"person", "individual", "member", "record", "personal", "persona"}
_NATIONAL = re.compile(
    r"(^|_)(ssn|nino|mrn|itin|nif|dni|cpf|bsn|pesel|personnummer|personnr|cpr|insee|curp|svnr|"
    r"fodselsnummer|amka|tckn|jmbg|oib|egn)(_|$)|social_?sec|securite_?sociale|numero_?secu|"
    r"sozialversicherung|krankenversicherung|nhs_?n|medical_?record|health_?(card|insurance_?n)|"
    r"codice_?fiscale|steuer_?(id|nr|nummer)|tax_?(id|number)|passport|passeport|pasaporte|"
    r"passaporto|reisepass|ausweis|identity_?card|id_?card|driver_?s?_?licen|fuehrerschein|"
    r"matrikel|matricul|rijksregister|national_?id"
)
_NAME = _listed(
    """
    name names surname lastname firstname forename fullname givenname maidenname nickname
    middlename vorname nachname familienname zuname nom prenom nombre nombres apellido apellidos
    nome cognome sobrenome apelido naam achternaam voornaam imie nazwisko namn fornamn efternamn
    etternavn fornavn navn jmeno prijmeni keresztnev vezeteknev nimi etunimi sukunimi prenume nume
    """
)
_THING = _listed(
    """
    country city town county state region province district product drug medication medicine
    hospital clinic facility disease diagnosis procedure school university college company employer
    organisation organization department brand file column event category group item plan project
    course job occupation industry test variable field class type language place station site ward
    unit vaccine party religion team store shop bank species breed model make land pays pais paese
    ville stadt ort stad miasto area zone material activity service source table
    """
)
_CONTACT = re.compile(
    r"e_?mail|(^|_)(mail|courriel|correo|phone|telephone|telefon|telefono|telefone|telefoon|tel|"
    r"fax|gsm|celular|movil|handynummer|cellphone|mobile_?(phone|n\w+)|whatsapp|skype|username|"
    r"user_?name|login|url|website|homepage|ip_?addr\w*|mac_?addr\w*|imei|imsi|iban|kontonummer|"
    r"account_?(n\w+|id)|credit_?card\w*|card_?n\w+|kreditkarte\w*|number_?plate|license_?plate|"
    r"kennzeichen|vin|signature)(_|$)|telefonnummer|phone_?n"
)
_ADDRESS = re.compile(
    r"(^|_)(address|adresse|addr|anschrift|street|strasse|rue|calle|direccion|indirizzo|endereco|"
    r"morada|adres|straat|ulica|housenumber|house_?n\w+|hausnummer|hnr)(_|$)|strassen"
)
_OTHER_THING = re.compile(
    r"(^|_)(encounter|visit|stay|admission|episode|claim|order|invoice|transaction|row|event|"
    r"sample|specimen|household|hh|family|hid|hospital|facility|provider|physician|doctor|school|"
    r"company|employer|device|batch|file|line|site|ward|station|vehicle|contract|ticket|session|"
    r"booking|loan|besuch|fall|haushalt|foyer|menage|hogar|visita|visite)(_|$)"
)
_TEXT = re.compile(
    r"(^|_)(note|notes|comment|comments|remark|remarks|description|free_?text|text|message|memo|"
    r"bemerkung|bemerkungen|kommentar|notiz|notizen|freitext|commentaire|remarque|observaciones|"
    r"comentario|osservazioni|opmerking|opmerkingen|uwagi|narrative)(_|$)"
)
_COMPOUND = re.compile(
    rf"({'|'.join(sorted(_PERSON, key=len, reverse=True))})(id|nr|no|nummer|num)"
)
_LETTERS = {"ß": "ss", "ø": "o", "ł": "l", "ä": "ae", "ö": "oe", "ü": "ue"}


def words(name: str) -> list[str]:
    """The words of a column's name, in lower case and without accents.

    >>> words("PatientNr."), words("E-Mail"), words("Größe (cm)")
    (['patient', 'nr'], ['e', 'mail'], ['groesse', 'cm'])
    """
    split = re.sub(r"(?<=[^\W\d_])(?=[A-Z][a-z])|(?<=[a-z])(?=[A-Z])", "_", name).casefold()
    spelled = "".join(_LETTERS.get(letter, letter) for letter in split)
    unaccented = "".join(c for c in normalize("NFKD", spelled) if not combining(c))
    return [word for word in re.split(r"[\W_]+", unaccented) if word]


def meaning(name: str) -> Meaning:
    """What the name of a column suggests about its values.

    "person": a number that identifies a person; "number": a number of a person or a thing; "name",
    "contact", "address": of a person; "thing": the number of a visit, a household, …; "text": free
    text; "": nothing.

    >>> [meaning(name) for name in ("patient_nbr", "encounter_id", "Nachname", "zip", "id")]
    ['person', 'thing', 'name', '', 'number']
    """
    said = words(name)
    joined, known = "_".join(said), set(said)
    if _CONTACT.search(joined):
        return "contact"
    if _NATIONAL.search(joined) or _is_person_number(said):
        return "person"
    if _ADDRESS.search(joined):
        return "address"
    if _TEXT.search(joined):
        return "text"
    if known & _NAME and not known & _THING:
        return "name"
    is_number = bool(known & _NUMBER) or joined.endswith("id") or known & {"uuid", "guid", "serial"}
    if (_OTHER_THING.search(joined) or known & _THING) and (is_number or "hid" in known):
        return "thing"
    if known & {"id", "ids", "uuid", "guid", "nr", "key", "serial", "pk"} or _is_long_id(joined):
        return "number"
    return ""


def is_strong(name: str) -> bool:
    """Whether a number identifies people even if it has few values: patient_id, ssn."""
    said = words(name)
    joined = "_".join(said)
    return bool(_NATIONAL.search(joined) or set(said) & _STRONG or joined.endswith("id"))


def _is_long_id(joined: str) -> bool:
    """Whether a name ends in "id" as in "utilityid", unlike ordinary words such as "covid"."""
    ends = joined.endswith("id") and not joined.endswith("_id") and len(joined) > 4
    return ends and not re.search(
        r"(cov|pa|val|invl|hybr|ac|sa|sol|hol|med|th?yro|stero)id$", joined
    )


def _is_person_number(said: list[str]) -> bool:
    """Whether the words name a person's number: patient number, Kundennummer, or just patient."""
    if len(said) == 1:
        return said[0] in _PERSON - {"personal", "record"} or bool(_COMPOUND.fullmatch(said[0]))
    return any({*pair} & _PERSON and {*pair} & _NUMBER for pair in pairwise(said))
