"""Text made comparable: contractions written out, identifiers split, stems, misspellings mended."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from rapidfuzz.distance import OSA
from snowballstemmer.english_stemmer import (  # pyright: ignore[reportMissingTypeStubs]
    EnglishStemmer,
)

from ..texts import table

__all__ = ["clauses", "plain", "sentences", "stem", "stems"]

_SHORT = (
    (r"[\u2018\u2019\u00b4`]", "'"),
    (r"\bw/o\b", "without"),
    (r"\bw\^o\b", "wo"),
    (r"\bu\b", "you"),
    (r"\bat all\b", ""),
    (r"\b(which|this|that) one\b", r"\1"),
    (r"\bcan't\b|\bcannot\b", "can not"),
    (r"\bwon't\b", "will not"),
    (r"n't\b", " not"),
    (r"\blets\b|\blet's\b", "let us"),
    (r"\b(what|where|how|who|that|it|there|here|which|when|he|she)'?s\b(?<!its)", r"\1 is"),
    (r"\bi'?m\b(?<!\bim\b)", "i am"),
    (r"'m\b", " am"),
    (r"'ll\b", " will"),
    (r"'d\b", " would"),
    (r"'re\b", " are"),
    (r"'ve\b", " have"),
    (r"'s\b", ""),
    (r"\b(?:wanna)\b", "want to"),
    (r"\b(?:gonna)\b", "going to"),
    (r"\b(?:dunno)\b", "do not know"),
)
# An axis as people write it in a shape.
_AXIS = (
    r"(?:\d+|[bcdehlnst]|[dlst]_?[hkqv]|batch(?:_?size)?|seq(?:uence)?(?:_?len(?:gth)?)?|len(?:gth)?|"
    r"time|dims?|(?:n_?|num_?)?heads?|channels?|features?|\w+_dim|hidden|embed|d_model|width)"
)
# Code in a sentence: what it stands for.
_CODE = (
    # A call of what is asked for; its arguments are no topics of their own.
    (r"\b(?:forward|__init__|__call__|\w*attention|attn|mha)\([^()]*\)", " signature "),
    (rf"(?<!\w)[(\[](?=[^)\]]*[a-z])\s*{_AXIS}(?:\s*[,x×*]\s*{_AXIS})+\s*[)\]]", " shape "),
    (rf"\b(?:b|n|batch)(?:\s*[,x×]\s*{_AXIS}){{2,}}\b", " shape "),
    (r"\s*(?:=|\b(?:be|is)|[是为])?\s*\bnone\b(?! (?:of|are|is|can|may)\b)", " optional "),
    (r"\bhead[- ](?:dim(?:ension)?s?|size)\b|(?:每个)?头的?维度", "head_dim"),
)
_ARTICLES = frozenset(
    [
        "a",
        "an",
        "the",
        "these",
        "those",
        "of",
        "very",
        "exactly",
        "actually",
        "really",
        "precise",
        "precisely",
    ]
)
_IDENTIFIER = re.compile(r"[a-z0-9_]+")
# Names of widths stay whole: `dim` alone asks for shapes.
_WIDTH = re.compile(r"\w+_dim|d_model|dim_\w+|n_embd|\w+_width")
_STEMMER = EnglishStemmer()


@cache
def stem(word: str) -> str:
    """Return a word's stem; names and numbers as they are."""
    if not word.isalpha() or len(word) < 4:
        return word
    found: str = _STEMMER.stemWord(word)
    return found


def plain(text: str) -> str:
    """Return a text in small letters with its contractions and its code spoken."""
    low = text.strip().lower()
    for pattern, new in (*_SHORT, *_CODE):
        low = re.sub(pattern, new, low)
    return low


def stems(text: str, known: frozenset[str]) -> list[str]:
    """Return the stems of a plain text's Latin words and numbers, without articles.

    known: the stems that misspellings are mended to.
    """
    found: list[str] = []
    for name in _IDENTIFIER.findall(text):
        parts = [name] if _WIDTH.fullmatch(name) else name.strip("_").split("_")
        found += [_mended(part, known) for part in parts if part and part not in _ARTICLES]
    return found


def _mended(word: str, known: frozenset[str]) -> str:
    own = stem(word)
    if own in known or word in _others() or len(word) < 4 or not word.isalpha():
        return own
    return _nearest(own, known) or own


@cache
def _others() -> frozenset[str]:
    return frozenset(table("hearing/acts.toml")["others"].split())


@cache
def _nearest(word: str, known: frozenset[str]) -> str:
    """Return the known stem that a misspelt one is, "" where there is none.

    Letters swapped in any word; one wrong, missing or doubled in words of five and more, two
    in long ones.
    """
    if len(word) < 4:
        return ""
    allowed = 2 if len(word) >= 8 else 1
    best, least = "", allowed + 1
    for one in known:
        if one[0] != word[0] or abs(len(one) - len(word)) > allowed or len(one) < 4:
            continue
        swapped = sorted(one) == sorted(word)
        if not swapped and min(len(one), len(word)) < 5:
            continue
        distance = OSA.distance(one, word, score_cutoff=allowed)
        if distance < least:
            best, least = one, distance
    return best


_END = re.compile(r"(?<=[?？!！。;；])\s*|(?<=\.)\s+")
_OPENS = (
    "is are do does did should shall can could may might will would what which how where who "
    "when whether if am has have any"
).replace(" ", "|")
_JOINT = re.compile(
    rf"\s*,\s*(?=(?:and |or |but |also |so |then )*(?:{_OPENS})\b)"
    rf"|\s+(?=(?:and|or|but)\s+(?:also |then |if so,? |so )*(?:{_OPENS})\b)"
    r"|，(?!\s*(?:shape|[a-z_]+ ?还是))|\s+/\s+"
)
# A clause that only leads to the next one.
_LEADS = re.compile(
    r"^(?:so |and |but |ok |also )*"
    r"(?:in|on|for|with|if|when|given|at|inside|regarding|about|suppose|say|of|after|before|once|"
    r"as for|since|because|concerning|besides|apart from)\b(?! so\b)"
    r"|^(?:如果|要是|在|对于|当|关于|假如|若|那|另外|除了)"
)


def sentences(text: str) -> list[str]:
    """Split a plain text into sentences, each with its mark."""
    return [part for part in _END.split(text) if part.strip()]


def clauses(sentence: str) -> list[str]:
    """Split a sentence where another question begins."""
    found: list[str] = []
    held = ""
    for part in _pieces(_JOINT.split(sentence)):
        piece = f"{held} {part}".strip()
        held = ""
        if _LEADS.match(piece) and len(piece) < 80:
            held = piece
            continue
        found.append(piece)
    return [*found, held] if held else found


def _pieces(parts: Iterable[str | None]) -> list[str]:
    return [part for part in parts if part and part.strip()]
