"""What a clarifying question is about: concepts in each of its clauses, and rules over them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..texts import table
from .acts import CJK, asks, keywords
from .tokens import clauses, plain, sentences, stem, stems

__all__ = ["Heard", "topics_heard"]

_MASK = frozenset({"mask", "meaning", "entries", "empty"})
_PRONOUN = re.compile(r"\b(?:it|its|they|them|their|that|one|ones|those)\b|它|其|那")
_CLIPPED = re.compile(
    r"^(?:ok |okay |so )?(?:and|or|what about|how about|also)\b|^(?:还有|以及|那|呢)"
)
# Two keywords and a question mark ask; more are a list.
_MOST = 3


@dataclass(frozen=True, slots=True)
class Heard:
    """What was understood. subject: the last topic, which a pronoun may stand for.

    vague: topics that were named without a word on what about them.
    """

    topics: tuple[str, ...]
    subject: str = ""
    asked: bool = False
    vague: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Rule:
    topic: str
    any: tuple[frozenset[str], ...]
    weak: tuple[frozenset[str], ...]
    sure: tuple[frozenset[str], ...]
    alone: tuple[frozenset[str], ...]
    over: frozenset[str]
    over_weak: frozenset[str]
    over_sure: frozenset[str]


def topics_heard(text: str, subject: str = "") -> Heard:
    """Return what a line asks about, each topic once, in the order in which they are answered.

    subject: the topic of what was said before.
    """
    found: dict[str, None] = {}
    asked = False
    for sentence in sentences(plain(text)):
        if keywords(sentence) or not asks(sentence):
            continue
        asked = True
        for clause in clauses(sentence):
            topics = _topics_of(clause, subject, follows=bool(found))
            found.update(dict.fromkeys(topics))
            subject = topics[-1] if topics else subject
    order = tuple(row["id"] for row in table("clarifications.toml")["topic"] if row["id"] in found)
    return Heard(order, subject, asked, ("mask",) if order == ("mask",) and _vague(text) else ())


def _topics_of(clause: str, subject: str, *, follows: bool) -> list[str]:
    """Return a clause's topics. follows: whether the line has asked something already."""
    own = _concepts(clause)
    alone = _ruled(own)
    spread = {"heads"} & set(alone) if "perhead" in own else set[str]()
    referring = follows or bool(_PRONOUN.search(clause) or _CLIPPED.search(clause))
    if not (subject and referring) or set(alone) - {"precision", "shape", *spread}:
        return alone
    if subject in _MASK:
        found = [topic for topic in _ruled(own | {"mask"}) if topic != "mask"]
        if found:
            return found
        if spread or ("shape" in own and "tensor" not in own):
            return ["mask"]
    return alone or ([subject] if "aspect" in own else [])


def _ruled(concepts: frozenset[str]) -> list[str]:
    strong = {rule.topic for rule in _rules() if _stands(rule.any, concepts)}
    weak = {rule.topic for rule in _rules() if _stands(rule.weak, concepts)} - strong
    sure = {rule.topic for rule in _rules() if _stands(rule.sure, concepts)}
    strong |= sure
    weak -= sure
    for rule in _rules():
        if rule.topic in strong:
            strong -= (rule.over | rule.over_sure) if rule.topic in sure else rule.over - sure
        if rule.topic in strong | weak:
            weak -= rule.over | rule.over_weak
    found = strong | weak or {rule.topic for rule in _rules() if _stands(rule.alone, concepts)}
    return [rule.topic for rule in _rules() if rule.topic in found]


def _stands(rows: Sequence[frozenset[str]], concepts: frozenset[str]) -> bool:
    return any(row <= concepts for row in rows)


def _concepts(clause: str) -> frozenset[str]:
    """Return the concepts that a clause names."""
    words = " ".join(["", *stems(clause, _known()), ""])
    cjk = CJK.search(clause)
    return frozenset(
        name
        for name, phrases, chinese in _table()
        if any(phrase in words for phrase in phrases) or (cjk and chinese.search(clause))
    )


_WHETHER = re.compile(
    r"\b(?:is|are|will|do|does|should|need|want|any|can|could|may|would|have|support|handle|care|"
    r"assume|expect|shape|size|which|kind|type|required|optional|given|get|take|accept|it\W*$)\b"
    r"|吗|有|要|需|用不用|是不是|考虑|形状|会|能|吧"
)


def _vague(text: str) -> bool:
    """Whether a line names a thing and says nothing of what is wanted of it."""
    return _WHETHER.search(plain(text)) is None


@cache
def _table() -> tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...]:
    rows = table("hearing/words.toml")["concept"].items()
    return tuple(
        (name, tuple(f" {_phrase(one)} " for one in row["en"]), re.compile(row["zh"]))
        for name, row in rows
    )


def _phrase(words: str) -> str:
    return " ".join(
        word[:-1] if word.endswith("=") else stem(word)
        for word in words.split()
        if word not in {"the", "a", "an", "of"}
    )


@cache
def _known() -> frozenset[str]:
    return frozenset(_words())


def _words() -> Iterator[str]:
    for _, phrases, _ in _table():
        for phrase in phrases:
            yield from (word for word in phrase.split() if word.isalpha())


@cache
def _rules() -> tuple[_Rule, ...]:
    return tuple(
        _Rule(
            row["topic"],
            any=_sets(row, "any"),
            weak=_sets(row, "weak"),
            sure=_sets(row, "sure"),
            alone=_sets(row, "alone"),
            over=frozenset(row.get("over", ())),
            over_weak=frozenset(row.get("over_weak", ())),
            over_sure=frozenset(row.get("over_sure", ())),
        )
        for row in table("hearing/words.toml")["rule"]
    )


def _sets(row: dict[str, Any], kind: str) -> tuple[frozenset[str], ...]:
    return tuple(map(frozenset, row.get(kind, ())))
