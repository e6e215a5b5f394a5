"""Texts that look like names of people: frequent names, titles, initials.

Lists hold names that are frequent in Europe and the Americas, without accents, and without surnames
that are colours, places or trades. A name that is not listed is found by its form, or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import combining, normalize

_LETTERS = str.maketrans({"ß": "ss", "ø": "o", "ł": "l", "ä": "ae", "ö": "oe", "ü": "ue"})
_WORD = r"[^\W\d_][^\W\d_.'’\-]*(?:['’\-][^\W\d_]+)*\.?"
_NAME = re.compile(rf"({_WORD}),? {_WORD}(?: {_WORD}){{0,2}}")
_SURNAME = r"[^\W\d_][^\W\d_]+(?:['’\- ][^\W\d_]+)*"
_INITIAL = r"[^\W\d_a-z]"
_SHORTENED = re.compile(
    rf"{_SURNAME}, ?(?:(?:{_INITIAL}\. ?){{1,3}}|{_INITIAL})|(?:{_INITIAL}\. ?){{1,3}}{_SURNAME}|"
    rf"{_SURNAME} (?:{_INITIAL}\. ?){{1,3}}"
)
_INITIALS = re.compile(rf"(?:{_INITIAL}\. ?-?){{2,4}}")
_TITLES = (
    r"dr|prof|mr|mrs|ms|miss|mister|herrn?|hr|frau|fr|fräulein|mme|mlle|monsieur|madame|sra?|srta|"
    r"señora?|senhora?|don|doña|dott|dott\.?ssa|sig|sig\.?ra|signora?|dhr|mevr|mw|meneer|mevrouw|"
    r"pani?|fru|sir|lady|rev|pastor|nurse|schwester|médico|docteur|doctora?"
)
_TITLED = re.compile(rf"(?:(?:{_TITLES})\.? +)+(?:{_WORD},? ?){{1,4}}", re.IGNORECASE)
_MENTIONED = re.compile(rf"(?:^|[\s(,;:])(?i:{_TITLES})\.? +[^\W\d_a-z][^\W\d_]+")

_FIRST_NAMES_LISTED = """
    aaron abdul achim adam adele adrian adriana agata agnes agnieszka ahmed aicha aisha alan
    albert alejandro aleksandra alessandro alex alexander alexandra alfred ali alice alicia
    alina alma amanda amelia amir amy ana anders andrea andreas andrew andrzej angela angelika
    anita anja anke ann anna anne annette annika antje anton antonio arne arnold arthur astrid
    aurelie ava axel ayse barbara bartosz beatriz ben benjamin bernd bert bettina bianca birgit
    bjorn bob boris brandon brian bruno camille carla carlos carmen carol caroline carsten
    catherine cecilia celine charles charlie charlotte chiara chloe chris christel christian
    christina christine christoph christopher claire clara claudia cornelia cristina cynthia
    dagmar daniel daniela danuta david debora deborah denise dennis detlef diana diego dieter
    dirk dmitri doerte dominik donald donna doris dorothy dorte edith eduardo edward elena elias
    elif elisa elizabeth elke ella emil emilia emily emma eric erik erika ernst erwin esther
    eugen eva evelyn ewa fabian fatima fatma felix ferdinand fernando filip finn flora florian
    francesca francesco francisco francois frank franz frida fritz gabriel gabriele gary georg
    george gerda gerhard giorgio giovanni gisela giulia giuseppe gloria gregor greta grzegorz
    guenter guido guillaume gunter gunther gustavo hakan hamza hanna hannah hannelore hans
    harald harry hassan heather hedwig heidi heike heiko heinz helen helena helga helmut henri
    henrik henry herbert hermann hilde holger horst hugo hussein ibrahim ida igor ilse imran
    ines inge ingeborg ingrid irene irina isaac isabel isabella ismail ivan jack jacob jakob
    jamal james jan jane janet janina jaroslaw jasmin jason javier jean jeffrey jennifer jens
    jerzy jessica jesus jim joachim joan joanna joao jochen joe joel joerg johan johann johanna
    johannes john jonas jonathan jorg jorge jose josef joseph joshua juan judith juergen julia
    julian julie jurgen jutta kai kamil karen karim karin karina karl karla karol karsten
    katarzyna kate katharina kathleen katja kelly kenneth kevin khalid kim kirsten klaus konrad
    kristina krzysztof kurt lara larry lars laura lauren laurent lea leila lena leo leon
    leonardo leonie liam lidia linda lisa lorenzo lotte louis louise luca lucas lucia lucy
    ludwig luis luise lukas lutz magdalena malgorzata malik manfred manuel manuela marc marcel
    marcin marco marek margaret margarete maria marianne marie marina mario marion marius mark
    markus marlene marlies marta martin martina mary mateusz mathias matteo matthew matthias
    maximilian mehmet melanie mia michael michaela michal michel miguel mikael mike milena
    mohamed mohammad mohammed monica monika moritz mustafa nadia nadine nancy natalia natalie
    nathalie nathan nele nicholas nicola nicole niklas nikolai nina noah noel nora norbert olaf
    ole olga oliver olivia omar oscar otto pablo pamela paola pascal patricia patrick patrizia
    paul paula paulo pawel pedro peter petra philip philipp pia pierre piotr rachel rafael
    rainer ralf ramon ramona raquel raul rebecca regina reinhard remy renate rene ricardo
    richard rita robert roberto roger roland rolf roman ronald rosa rosemarie rudolf ruth ryan
    sabine sabrina salma samira samuel sandra sara sarah sascha scott sebastian selma serge
    sergio sharon siegfried sigrid silke silvia simon simone sofia sonja sophie stefan stefanie
    steffen stella stephan stephen steven susan susanne sven sylvia sylvie tamara tanja tatiana
    teresa theo theresa thomas thorsten tim tina tobias tom tomasz torsten ulrich ulrike ursula
    ute uwe valentina vanessa vera veronika victor viktor viktoria vincent volker walter
    waltraud wanda wei werner wilfried wilhelm william wolfgang xavier yasmin youssef yusuf
    yvonne zoe zofia
    """
_SURNAMES_LISTED = """
    adams ahmed albrecht alexander ali allen almeida alonso alvarez andersen anderson andersson
    andre araujo arnold bailey bakker barbosa barnes bauer baumann beck becker bennett berger
    bergmann bertrand bianchi boehm bonnet brandt bruno bryant busch byrne campbell carvalho
    celik cerny chen christensen clark coleman collins colombo conti cox dabrowski davis dekker
    demir diaz dietrich dijkstra dominguez dubois dupont durand dvorak edwards egger eriksson
    esposito evans faure fernandes fernandez ferrari ferreira fischer flores fournier francois
    frank franke friedrich gallo garcia garnier giordano girard gomes gomez gonzales gonzalez
    greco griffin gruber guenther gustafsson gutierrez haas haddad hahn hansen harris hartmann
    hassan hayes heinrich henderson hendriks hernandez herrmann hoffmann hofmann horvath howard
    huang huber hughes hussein ionescu ivanov jackson jansen jenkins jensen jimenez johansen
    johansson johnson jones jong kaminski karlsson kaya keller kelly kennedy khan koch koehler
    kohler korhonen kovacs kowalczyk kowalski kraemer kraus krause kristensen krueger kruger
    kuehn kuhn kumar lambert lang larsen larsson laurent lefebvre legrand lehmann leroy
    lewandowski lewis liu lombardi lopez lorenz ludwig macdonald madsen maier mancini marino
    martinez martins mayer mcdonald meier meijer mercier meyer michel miller mitchell moeller
    moore moreau morel moreno moretti morgan morris moser mueller mulder muller munoz murphy
    nagy navarro nelson neumann nguyen nielsen nieminen nilsson novak novotny nowak obrien
    oconnor oliveira olsen olsson otto patel patterson pedersen pereira perez perry persson
    peters petersen peterson petrov pfeiffer phillips pohl popa popescu powell prochazka ramirez
    ramos rasmussen ribeiro ricci richardson richter rivera rizzo roberts robinson rodrigues
    rodriguez rogers romano romero rossi roth rousseau roux ruiz russell russo ryan sahin
    sanchez sanders santos sauer schmid schmidt schmitz schneider scholz schreiber schroeder
    schubert schulte schulz schulze schumacher schuster scott seidel silva simmons simon singh
    smit smith sorensen sousa souza steiner stewart svensson svoboda szabo szymanski thomas
    thompson torres toth tran varga vazquez vincent virtanen visser vogt voigt vries wagner
    walsh walter wang watson weber wei werner williams wilson winkler wisniewski wojcik wolff
    wozniak wright wu yang yildiz yilmaz zhang ziegler zielinski zimmermann
    """
_FIRST_NAMES = frozenset(_FIRST_NAMES_LISTED.split())
_SURNAMES = frozenset(_SURNAMES_LISTED.split())


def are_names(texts: Sequence[str]) -> bool:
    """Whether most texts have the form of a full name, and every fifth has a frequent first name.

    In lower case, every third must have one. A title or an initial counts as a first name.

    >>> are_names(["Anna Beispiel", "Example, Peter"]), are_names(["Never married", "Divorced"])
    (True, False)
    >>> are_names(["Dr. Roth", "Frau Maier"]), are_names(["Roth, M.", "O. Lang"])
    (True, True)
    """
    by_form = [t for t in texts if _SHORTENED.fullmatch(t) or _TITLED.fullmatch(t)]
    if texts and 2 * len(by_form) > len(texts):
        return True
    shaped = [text for text in texts if _NAME.fullmatch(text)]
    known = [text for text in shaped if _FIRST_NAMES & set(_folded_words(text))]
    in_capitals = [text for text in shaped if text[0].isupper()]
    least = 5 if 2 * len(in_capitals) > len(texts) else 3
    return bool(texts) and 2 * len(shaped) > len(texts) and least * len(known) >= len(texts)


def are_parts_of_names(texts: Sequence[str]) -> bool:
    """Whether most texts are initials, or every third is a frequent first name or surname.

    >>> are_parts_of_names(["A.K.", "D.O."]), are_parts_of_names(["BAUER", "ROTH", "XYZ"])
    (True, True)
    """
    initials = [text for text in texts if _INITIALS.fullmatch(text)]
    if texts and 2 * len(initials) > len(texts):
        return True
    known = [t for t in texts if " " not in t and {*_folded_words(t)} & (_FIRST_NAMES | _SURNAMES)]
    return len(known) >= 2 and 3 * len(known) >= len(texts)


def mention_people(texts: Sequence[str]) -> bool:
    """Whether every tenth text mentions a person with their title: "see Dr. Huber"."""
    found = [text for text in texts if _MENTIONED.search(text)]
    return bool(found) and 10 * len(found) >= len(texts)


def _folded_words(text: str) -> list[str]:
    spelled = text.casefold().translate(_LETTERS)
    plain = "".join(c for c in normalize("NFKD", spelled) if not combining(c))
    return [word for word in re.split(r"[ ,.'’\-]+", plain) if word]
