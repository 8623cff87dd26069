"""Words of time: months, weekdays, units and small numbers in English, German and Spanish.

Words, not data: closed lists of what a calendar has.
"""

from __future__ import annotations


def _numbered(words: str, *, first: int = 1) -> dict[str, int]:
    """Return each word with its number; words joined by a slash are the same."""
    return {
        word: number for number, same in enumerate(words.split(), first) for word in same.split("/")
    }


MONTHS = _numbered(
    "january/jan/januar/jänner/enero february/feb/februar/febrero march/mar/märz/maerz/marzo "
    "april/apr/abril may/mai/mayo june/jun/juni/junio july/jul/juli/julio "
    "august/aug/agosto september/sep/sept/septiembre october/oct/oktober/okt/octubre "
    "november/nov/noviembre december/dec/dezember/dez/diciembre"
)
# Names and everyday words too: they need a preposition, a day or a year beside them.
AMBIGUOUS_MONTHS = frozenset("jan mar march may mai apr jun jul sep dec dez okt oct feb".split())
WEEKDAYS = _numbered(
    "monday/mon/montag/lunes tuesday/tue/tues/dienstag/martes wednesday/wed/mittwoch/miércoles "
    "thursday/thu/thurs/donnerstag/jueves friday/fri/freitag/viernes "
    "saturday/sat/samstag/sonnabend/sábado sunday/sun/sonntag/domingo",
    first=0,
)
SHORT_WEEKDAYS = frozenset("mon tue tues wed thu thurs fri sat sun".split())
SEASONS = {
    "spring": 3, "frühling": 3, "frühjahr": 3, "primavera": 3,
    "summer": 6, "sommer": 6, "verano": 6,
    "autumn": 9, "fall": 9, "herbst": 9, "otoño": 9,
    "winter": 12, "invierno": 12,
}  # fmt: skip
# In days; 0, -1 and -2 stand for hours, minutes and seconds.
UNITS = {
    word: days
    for words, days in (
        ("second seconds", -2),
        ("minute minutes minuten minutos", -1),
        ("hour hours stunde stunden hora horas", 0),
        ("day days tag tage tagen día días dia dias", 1),
        ("week weeks woche wochen semana semanas", 7),
        ("fortnight fortnights", 14),
        ("month months monat monate monaten mes meses", 30),
        ("quarter quarters quartal quartalen trimestre trimestres", 91),
        ("year years jahr jahre jahren año años", 365),
    )
    for word in words.split()
}
CARDINALS = _numbered(
    "a/an/one/einem/einer/ein/eine/un/una two/zwei/dos three/drei/tres four/vier/cuatro "
    "five/fünf/cinco six/sechs/seis seven/sieben/siete eight/acht/ocho nine/neun/nueve "
    "ten/zehn/diez eleven/elf twelve/zwölf thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
ORDINALS = _numbered(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first "
    "twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh "
    "twenty-eighth twenty-ninth thirtieth thirty-first"
)
# Days by name, from today.
DAY_OFFSETS = {
    "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0,
    "earlier today": 0, "heute": 0, "heute morgen": 0, "hoy": 0, "esta mañana": 0,
    "yesterday": -1, "last night": -1, "yesterday morning": -1, "yesterday evening": -1,
    "yesterday afternoon": -1, "gestern": -1, "ayer": -1,
    "the day before yesterday": -2, "day before yesterday": -2, "vorgestern": -2, "anteayer": -2,
    "tomorrow": 1,
}  # fmt: skip
