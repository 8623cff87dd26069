"""How random a string looks, judged by its pairs of neighbouring characters.

Names and words repeat a few pairs ("th", "er", "_s"); issued tokens use all pairs alike.
`randomness` is the mean log-likelihood ratio (bits a pair) between "drawn evenly from letters and
digits" and "written by a person", so it tells `getAccessTokenSilently` from `gnyhxcjf0ospy6` where
counting characters (entropy) cannot.

The table was counted over the words and identifiers of the Python standard library's sources
(66,925 distinct ones, each weighted by 1 + log2 of its count). Row = first character, column =
second one, in the order a-z, digit, anything else; a cell is half a bit per step above "k" (more
likely random) or below it (more likely written).
"""

from functools import lru_cache
from itertools import pairwise

_PAIRS = (
    "ukiitpkukungiiujugifmmoonuuk",  # a
    "golnhrquiiugopilujjogurujrqh",  # b
    "htnphqshluhiorfqsjngkquupush",  # c
    "jqokeopsgtukrpiqulknktsuourd",  # d
    "jqjjnmotrusglhqmoghirnojpuue",  # e
    "juonjjrufuukrrhpujmmkutupusc",  # f
    "lrpreslliuuknjmqujimlrsuurud",  # g
    "ftrpfsushuqoopguuknjluuuquue",  # h
    "lljkklkurushjehkukhhumululun",  # i
    "iunqesuununruugmuqjtguuuqute",  # j
    "krpoeomthutksmoproipntlusuud",  # k
    "ipqkffuugutisqhouskklruuluuh",  # l
    "fksnesuuiurmkqhhurjmluuupuuh",  # m
    "hrighlhskunnrmjourigmmturuuf",  # n
    "mliisnmuoumjifkiugjjjmkoutui",  # o
    "ftpnfpsojurirshiugmilrsukuug",  # p
    "qqqpruusuuunuluoomlrbusuuusg",  # q
    "hrlmfpluhuoolmhpukiimoruluuf",  # r
    "mulrerpljuonqrkktqjgkspumuue",  # s
    "hqmnfouigurmoqjnuijklsqtksue",  # t
    "ljlnilnujuuhigniugigruutuunn",  # u
    "eqoucqushuutoplruppsusruuuri",  # v
    "fsomiptkfuumoiiqsgjpttmruuuf",  # w
    "mrhphntpiuunlrohupneqrrnlule",  # x
    "qonoloqrmuulkjoguohirqnursuc",  # y
    "iuqrcounguummojnurpqrusuotqh",  # z
    "klljmmuutuursrtsuussuuuuuuhd",  # digit
    "jlijjjlljsokjkkiqjgjlnlotrug",  # other
)
_ENOUGH = 96  # characters that are looked at; the mean hardly moves beyond
# Bits for a change of case between two letters: names write aB or AAA, seldom Ab-aB-bA in a row
# (same count as above).
_CASE = {"ul": 0.86, "ll": -0.98, "lu": 5.25, "uu": -0.53}


def _column(char: str) -> int:
    low = char.lower()
    if "a" <= low <= "z":
        return ord(low) - 97
    return 26 if char.isdigit() else 27


@lru_cache(maxsize=8192)
def _pair_bits(first: str, second: str) -> float:
    bits = (ord(_PAIRS[_column(first)][_column(second)]) - ord("k")) / 2
    if first.isalpha() and second.isalpha():
        bits += _CASE.get(_case(first) + _case(second), 0.0)
    return bits


def _case(char: str) -> str:
    return "u" if char.isupper() else "l"


def randomness(text: str) -> float:
    """Mean bits per pair of neighbours: above 0 like an issued token, below 0 like words."""
    if len(text) < 2:
        return 0.0
    text = text[:_ENOUGH]
    padded = f"_{text}_"
    total = sum(_pair_bits(a, b) for a, b in pairwise(padded))
    return total / (len(text) + 1)
