"""Words in the names of columns, in English and other European languages, without accents."""

from __future__ import annotations

import re


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


PERSON = _listed(
    """
    patient person subject client customer member user participant respondent employee student
    pupil citizen resident insured donor tenant passenger voter taxpayer beneficiary individual
    survivor victim candidate applicant worker record panelist visitor borrower subscriber
    policyholder enrollee inmate offender player
    patienten versicherter versicherten versicherte kunde kunden mitglied mitarbeiter schueler
    teilnehmer proband probanden personal buerger befragter befragten spender studierende
    personne adherent assure eleve etudiant salarie employe usager individu beneficiaire citoyen
    paciente persona cliente socio afiliado alumno empleado usuario ciudadano asegurado
    paziente assistito studente dipendente utente assicurato cittadino pessoa funcionario aluno
    utilizador cidadao segurado
    persoon klant lid leerling werknemer deelnemer verzekerde burger
    pacjent osoba klient uczen pracownik ubezpieczony pacjenta osoby klienta
    kund medlem elev anstalld borger pacient patientens brugere potilas asiakas
    """
)
# Numbers that identify something wherever they stand in a name.
ID = _listed(
    """
    id ids uid uuid guid pid sid cid rid eid nid tid ident idn key pk serial hash hashed token
    pseudonym pseudonyme pseudonimo pseudonimizado pseudonim pseudo alias nr lfdnr seqn seqno hn ppn
    identifier identificador identifiant identificatore identificativo identifikator identyfikator
    identificatie kennung kennziffer kennzahl schluessel matricule
    """
)
# Numbers that identify something if they come last, or beside a person or a record: chart_no.
NUMBER = ID | _listed(
    """
    no nbr num number nummer numero numer nro code kode kod codigo codice ref reference referenz
    cislo szam numeris nombor
    """
)
RECORD = _listed(
    """
    case chart file dossier folder akte fallakte expediente historia cartella fascicolo processo
    sprawa sprawy record registro registre registration enrolment enrollment policy police study
    interview questionnaire fragebogen hosp insurance member membership card
    """
)
_STEMS_OF_PEOPLE = """
    pat pt ptn ptnt patient resp respondent subj subject client cust customer kund kunden kd memb
    mbr member user usr emp empl employee stud student pers person personen persoons ind indiv kv
    sv vn vers versicherten versicherungs donor part participant proband probanden prob vp mr mrn
    mitglieds mitglied mitarbeiter teilnehmer schueler klant client lid deelnemer paciente cliente
    """
_STEMS_OF_RECORDS = """
    id case chart file study rec record seq reg dossier akten fall hosp acct account pol policy
    client sample int interview quest unit obs
    """
COMPOUND = r"(id|nr|no|nbr|num|nummer|number|key|idn|code)"
PERSON_COMPOUND = re.compile(
    rf"({'|'.join(sorted({*_STEMS_OF_PEOPLE.split(), *PERSON}, key=len, reverse=True))}){COMPOUND}"
)
RECORD_COMPOUND = re.compile(rf"({'|'.join(_STEMS_OF_RECORDS.split())}){COMPOUND}")
NATIONAL = re.compile(
    r"(^|_)(ssn|nino|mrn|itin|nif|nie|dni|cpf|bsn|pesel|personnummer|personnr|personnumer|cpr|insee|"
    r"nir|niss|curp|svnr|ahv|ahvn\w*|avs|kvnr|fodselsnummer|foedselsnummer|amka|tckn|jmbg|emso|oib|"
    r"egn|cnp|hetu|kennitala|isikukood|aadhaar|cedula|rfc|nuss|ohip|ihi|medicare|medicaid|uhid|"
    r"empi|burgerservicenummer|henkilotunnus)(_|$)|"
    r"social_?sec|securite_?sociale|seguridad_?social|numero_?secu|rodne_?cislo|"
    r"sozialversicherung|krankenversicher|rentenversicher|versichertennummer|"
    r"nhs_?n|medical_?record|health_?(card|insurance_?n|plan_?n)|tessera_?sanitaria|cartao_?saude|"
    r"codice_?fiscale|steuer_?(id|nr|nummer)|tax_?(id|number)|passport|passeport|pasaporte|"
    r"passaporto|reisepass|ausweis|identity_?card|id_?card|driver_?s?_?licen|fuehrerschein|"
    r"matrikel|matricul|rijksregister|national_?id"
)
NAME = _listed(
    """
    name names surname lastname firstname forename fullname givenname maidenname nickname
    middlename vorname nachname familienname zuname nom prenom nombre nombres apellido apellidos
    nome cognome sobrenome apelido naam achternaam voornaam imie nazwisko namn fornamn efternamn
    etternavn efternavn mellemnavn mellomnavn fornavn navn jmeno prijmeni keresztnev vezeteknev
    nimi etunimi sukunimi prenume nume
    adi soyad soyadi isim soyisim ime prezime priimek meno priezvisko ονομα επωνυμο
    имя фамилия отчество фио імя прізвище име презиме
    initials initialen initiales iniciales iniziali iniciais initialer inicjaly kuerzel
    """
)
FAMILY = _listed("family familie famille familia famiglia rodzina pat_short patient_short pt_short")
LONE_PERSON = _listed("pat pt ptn ptnt resp subj cust")
# Numbers that identify something although the name does not say that they are numbers.
LONE_NUMBER = _listed(
    """
    policy police polizza poliza apolice polis polisa insurance versicherung assurance seguro
    assicurazione verzekering contract vertrag contrat contrato contratto umowa avtal account konto
    compte cuenta conto conta rekening dossier akte fallakte chart case_file membership
    """
)
# Other people, whose names say much about a patient: physicians, contacts, relatives.
SOMEBODY = re.compile(
    r"(^|_)(physician|doctor|dr|gp|surgeon|nurse|therapist|midwife|treating|treated_?by|seen_?by|"
    r"referred_?by|referrer|contact_?person|emergency_?contact|guardian|caregiver|carer|"
    r"next_?of_?kin|witness|interviewer|salutation|signed_?by|entered_?by|created_?by|arzt|aerztin|"
    r"hausarzt|behandler|zuweiser|ansprechpartner|betreuer|anrede|medecin|docteur|infirmiere|"
    r"tuteur|medico|doctora?|enfermera|tutor|dottore|infermiere|huisarts|behandelaar|"
    r"verpleegkundige|lekarz|pielegniarka|opiekun|laekare|lakare|laege|lege|enfermeiro)(_|$)|"
    r"^(mother|father|spouse|wife|husband|mutter|vater|ehepartner|conjoint|conyuge|coniuge|conjuge|"
    r"teacher|supervisor|manager)$"
)
# Weights of a survey: how many people a respondent stands for. Not body weight.
SURVEY_WEIGHT = re.compile(
    r"(^|_)((sampling|survey|sample|final|person|design|replicate|household|hh|analysis|expansion|"
    r"post_?strat\w*)_?(weights?|wgts?|wts?|factor)|a?fnlwgt|pwgtp?\d*|wgtp\d*|perwt|hhwt|wtfinl|"
    r"asecwt|pweights?|finalwt|hochrechnungsfaktor|gewichtungsfaktor|ponderation|ponderacion|"
    r"factor_?de_?expansion|fator_?de_?expansao|peso_?campionario|weegfactor|waga_?probkowa)(_|$)"
)
HOUSEHOLD_WEIGHT = re.compile(r"(^|_)(wgtp\d*|hhwt|hh\w*|haushalt\w*)(_|$)")
HOUSEHOLD = re.compile(
    r"(^|_)(hh|hhid|hid|household|haushalt\w*|foyer|menage|hogar|huishouden|hushall|husstand|"
    r"nucleo|agregado|gospodarstwo|family_?(id|no|nr|num\w*)|famil\w*_?nr)(_|$)"
)
THING = _listed(
    """
    country city town county state region province district product drug medication medicine
    hospital clinic facility disease diagnosis procedure school university college company employer
    organisation organization department brand event category group item plan project
    course job occupation industry test variable field class type language place station site ward
    unit vaccine party religion team store shop bank species breed model make land pays pais paese
    ville stadt ort stad miasto area zone material activity service source table column
    """
)
AGE = _listed(
    """
    age ages agep iage alter aged lebensalter edad eta idade leeftijd wiek alder vek ika ikae kor
    yas varsta starost ηλικια возраст вік
    """
)
# How many people a row stands for, in tables of frequencies.
FREQUENCY = _listed(
    """
    n count counts freq freqs frequency frequencies n_people num_people people_count population
    anzahl haeufigkeit personen faelle effectif effectifs frequence frecuencia frecuencias conteo
    frequenza frequenze conteggio frequencia frequencias contagem aantal frequentie liczba
    liczebnosc czestosc antal antall frekvens
    """
)
CONTACT = re.compile(
    r"e_?mail|(^|_)(mail|courriel|correo|phone|telephone|telefon|telefono|telefone|telefoon|tel|"
    r"fax|gsm|celular|movil|handynummer|cellphone|mobile_?(phone|n\w+)|whatsapp|skype|username|"
    r"user_?name|login|url|website|homepage|ip|ip_?addr\w*|mac_?addr\w*|imei|imsi|iban|kontonummer|"
    r"account_?(n\w+|id)|credit_?card\w*|card_?n\w+|kreditkarte\w*|number_?plate|license_?plate|"
    r"plates?|kfz|targa|kenteken|plaque|nummerplade|kennzeichen|vin|signature|photo|"
    r"fingerprint)(_|$)|telefonnummer|phone_?n"
)
ADDRESS = re.compile(
    r"(^|_)(address|adresse|addr|anschrift|street|strasse|rue|calle|direccion|indirizzo|endereco|"
    r"morada|adres|straat|ulica|housenumber|house_?n\w+|hausnummer|hnr|gps|latitude|longitude|lat|lon|"
    r"lng|coordinates?|koordinaten|domicile|domicilio|wohnadresse|gatuadress)(_|$)"
    r"|strassen"
)
OTHER_THING = re.compile(
    r"(^|_)(encounter|visit|stay|admission|episode|claim|order|invoice|transaction|row|event|"
    r"sample|specimen|household|hh|family|hid|hospital|facility|provider|physician|doctor|school|"
    r"company|employer|device|batch|line|site|ward|station|vehicle|contract|ticket|session|"
    r"booking|loan|besuch|fall|haushalt|foyer|menage|hogar|visita|visite)(_|$)"
)
TEXT = re.compile(
    r"(^|_)(notes?|comments?|remarks?|description|free_?text|text|message|memos?|narrative|details?|"
    r"anamnes[ie]s?|history_?text|reason_?text|letter|transcript|"
    r"bemerkung|bemerkungen|kommentare?|notiz|notizen|freitext|anmerkung|anmerkungen|beschreibung|"
    r"hinweise?|vermerk|commentaires?|remarques?|texte|observations?|observaciones|comentarios?|"
    r"notas?|descripcion|texto|osservazioni|commenti|commento|descrizione|annotazioni|testo|"
    r"opmerking|opmerkingen|aantekening|aantekeningen|toelichting|omschrijving|observacoes|"
    r"anotacoes|descricao|uwagi|uwaga|komentarz|komentarze|notatka|notatki|opis|anteckning|"
    r"anteckningar|anmaerkning|anmarkning|beskrivning|bemaerkning|bemaerkninger|merknad|poznamka|"
    r"poznamky|huomautus|megjegyzes)(_|$)"
)
# What stays the same for a person: sex and birth; the places and things it describes have several.
SEX = re.compile(
    r"(^|_)i?(sex|gender|sx|geschlecht|sexe|genre|sexo|genero|sesso|genere|geslacht|koen|kon|kjonn|"
    r"koeen|plec|pohlavi|sukupuoli|nem)(_|$)"
)
# Categories that are often written as numbers.
CODED = re.compile(
    r"(?<!e)stat(e|us|ut|o_civil)|(?<!t)rac(e|1p)|ethnic|hispan|county|countr|region|provin|district|"
    r"(^|_)(nation|relig|land|kanton|departement|cat|catg|grp)|marit|marst|famil\w*stand|etat_civil|"
    r"typ[eo]?(_|$|g$)|categ|kategor|(^|_)class|klasse|(^|_)(code|kode|codigo|codice)(_|$)|_id$|"
    r"(^|_)(ind|occ|soc|indp|occp|socp|ind19\d0|occ19\d0|naics|sic|isco|nace|puma|icd\d*)(_|$)|"
    r"bundesland|estado|staat|konfession|religi|staatsang|nationalit|ciudadan|cittadin"
)
BIRTH = re.compile(
    r"(^|_)(dob|yob|bday|birth\w*|born|geb|gebdat\w*|geburt\w*|naissance|nacimiento|nascita|"
    r"nascimento|geboorte\w*|foedelse\w*|fodelse\w*|fodsel\w*|urodzenia|narozeni|szuletes\w*|"
    r"syntyma\w*)(_|$)"
)
# Amounts, times and places, which many people share without being one person.
_QUANTITIES = """
    age income salary wage wages amount price cost costs revenue sales tax weight height score
    points hours days weeks months minutes seconds duration length distance size count total sum
    balance debt credit capital gain loss rate percent share year month day date time
    temperature pressure bmi level dose quantity qty volume density population savings rent
    assets profit funds zip zipcode postcode postal plz fips tract latitude longitude steps
    glucose icd alter einkommen gehalt lohn betrag preis kosten umsatz steuer gewicht groesse
    punkte stunden tage dauer verdienst brutto netto vermoegen miete summe jahr datum anzahl
    revenu salaire montant prix cout poids
    taille heures jours duree somme annee nombre edad ingreso ingresos salario monto precio
    costo peso altura horas dias importe ano eta reddito stipendio importo prezzo altezza ore
    giorni leeftijd inkomen loon bedrag prijs lengte uren dagen idade renda valor preco wiek
    dochod placa kwota cena waga wzrost alder inkomst lon belopp pris vikt langd
    ikae yas varsta starost ηλικια возраст вік
    """
QUANTITY = _listed(_QUANTITIES)
PLACE = _listed(
    """
    country city town county state region province district land pays pais paese ville stadt ort
    stad miasto commune gemeinde comune municipio gmina kommun area zone nationality
    """
)
QUANTITY_STEM = re.compile(
    r"income|^inc|inc$|expend|wage|weight|wgt|sales|revenue|earn|tax|amount|val$|age$"
)
# Ordinary words that end in "id", unlike "utilityid" and "pid".
NOT_AN_ID = re.compile(
    r"^(aid|bid|did|kid|lid|mid|bidid|grid|avid|acid|arid|maid|raid|said|void|skid|slid|amid|paid|"
    r"laid|druid|squid|rapid|rigid|vivid|humid|lucid|fluid|lipid|tepid|plaid|braid|afraid)$|"
    r"(cov|pa|val|invl|hybr|ac|sa|sol|hol|med|th?yro|stero|opio|typho|hemorrho|liqu|morb|orch|"
    r"flu|lip|retino|sarco|rheumato|fibro|cannabino|flavono)id$"
)
