"""Words about illness: in the names of columns and in values, in several European languages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gyges.data.column_names import words

_NAMED = re.compile(
    r"(^|_)(diag|diags|diagn\w*|dx|dxs|icd\w*|disease\w*|illness\w*|condition|conditions|"
    r"comorbid\w*|symptom\w*|syndrome|disorder|hiv\w*|aids|cancer|tumou?r|infection|infected|"
    r"std|sti|finding|findings|pathology|mental_?health|disability|addiction|abuse|"
    r"befund\w*|krankheit\w*|erkrankung\w*|leiden|beschwerden|infektion|behinderung|"
    r"maladie\w*|pathologie\w*|affection|handicap|trouble|enfermedad\w*|dolencia|patologia|"
    r"padecimiento|malattia|malattie|doenca\w*|ziekte\w*|aandoening\w*|choroba|choroby|schorzenie|"
    r"rozpoznanie|sjukdom\w*|sygdom\w*|sykdom\w*|lidelse|nemoc|sairaus|tauti|betegseg|boala)"
    r"(_|$)|diagnos|krankheit|erkrankung|sjukdom|hauptdiagnose"
)
_NUMBERS = (
    "number num no n nr nbr count counts anzahl nb nombre numero aantal liczba antal cantidad "
    "quantidade qty total days date datum age year"
)
_COUNTED = frozenset(_NUMBERS.split())
_FLAGGED = frozenset(["family", "history", "any", "has"])
_TERMS_LISTED = """
    hiv aids cancer krebs kanker rak carcinoma karzinom carcinome melanoma leukemia leukaemia
    leukaemie lymphoma tumor tumour tumeur diabetes diabete diabetis diabetic cukrzyca asthma asthme
    asma astma flu influenza grippe gripe griep grypa covid hepatitis hepatite tuberculosis
    tuberkulose tuberculose tbc malaria syphilis gonorrhea chlamydia herpes hypertension hypertonie
    hipertension ipertensione stroke schlaganfall infarction infarkt infarctus ictus angina
    arrhythmia pneumonia pneumonie bronchitis copd gout gicht arthritis arthrose arthrosis
    osteoporosis rheumatism rheuma depression depresion depressione schizophrenia schizophrenie
    bipolar anxiety psychosis psychose dementia demenz demence alzheimer parkinson epilepsy
    epilepsie migraine migraene anemia anaemia anaemie obesity adipositas ulcer ulcus gastritis
    gastroenteritis colitis appendicitis cirrhosis kidney renal nephritis dialysis sepsis fracture
    fraktur alcoholism addiction overdose pregnancy abortion miscarriage eczema psoriasis allergy
    allergie lupus sclerosis sklerose thyroid hypothyroidism measles masern mumps scabies autism
    """
_TERMS = frozenset(_TERMS_LISTED.split())
_ICD10 = re.compile(r"[A-TV-Z]\d[0-9A-Z](\.[0-9A-Z]{1,4})?")
_SAMPLE = 1000  # distinct values that are examined
_LEAST_CODES = 10


def names_illness(name: str) -> bool:
    """Whether the name of a column suggests an illness, and not how many there are.

    >>> names_illness("dx"), names_illness("Befund"), names_illness("number_diagnoses")
    (True, True, False)
    """
    said = words(name)
    return bool(_NAMED.search("_".join(said))) and not set(said) & (_COUNTED | _FLAGGED)


def counts_something(name: str) -> bool:
    """Whether the name of a column suggests a number of things: number_diagnoses."""
    return bool(set(words(name)) & _COUNTED)


def are_illnesses(texts: Sequence[str]) -> bool:
    """Whether every third of these distinct texts names an illness, or all are codes of ICD-10.

    >>> are_illnesses(["Flu", "HIV", "broken leg"]), are_illnesses(["yes", "no"])
    (True, False)
    """
    looked_at = texts[:: max(1, len(texts) // _SAMPLE)]
    known = [text for text in looked_at if _TERMS & set(words(text))]
    if len(looked_at) > 1 and 3 * len(known) >= len(looked_at):
        return True
    codes = [text for text in looked_at if _ICD10.fullmatch(text)]
    has_chapters = len({code[0] for code in codes}) >= 3 or any("." in code for code in codes)
    return len(codes) >= _LEAST_CODES and len(codes) == len(looked_at) and has_chapters
