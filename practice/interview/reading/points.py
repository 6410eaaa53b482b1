"""Which points of a question an answer makes, as far as words can tell.

A point is heard where one or two sentences speak of what it speaks of, come near to what candidates
say who make it (`neighbours`), in their words rather than in those of who has it backwards or makes
another point (`wording`), and they and the whole answer lean the way of the model answer. What goes
together is learnt from that: its clauses pair concepts with a side of an opposite (scores: small,
√hidden_dim: large) and deny some (no error). A clause that pairs or denies the other way round
speaks against.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import inf, log

from ....kata.catalogue import LANGUAGES, UnknownKata, find
from ..hearing.acts import CJK
from ..hearing.tokens import plain
from ..questions import Asked, question_called
from ..texts import table
from .concepts import (
    Clause,
    Mention,
    clauses_of,
    confused,
    opposites,
    says_nothing,
    sentences,
)
from .neighbours import Neighbours, neighbours, said
from .phrasings import phrasings
from .wording import nearer

__all__ = ["evidence", "heard", "is_empty", "touches"]

# How much of a point is spoken of (1.0), how much of what the model answer says around it, and the
# direction there.
_AROUND, _HERE = 1.0, 0.45
# What each kind of `evidence` counts, and how much of it is enough, which is less in Chinese, where
# the lexicon knows fewer ways to say a thing: from `python -m attn_kata.dev.reading`.
_COUNTS = (0.55, 2.22, 4.17, 1.16, 4.94, 4.63, 3.70)
_ENOUGH, _ENOUGH_ZH = 2.80, 2.15
# What speaks of so little of a point does not make it, whatever stands around.
_TOUCHED = 0.25
# What denies a thing, or names one that is easily confused, is a weaker sign than an opposite.
_NAMED, _CONFUSED = 0.5, 0.4
# What stands in the question already says little.
_ASKED = 0.4
# A formula's signs say little beside the words: whoever says the same without it has said it.
_SIGN = 0.3
_FORMULA = re.compile(
    r"(?<!\w)(?:[A-Za-z]{1,2}|\d)[²³]?(?:[·×*/^](?:[A-Za-z]{1,2}|\d)[²³]?)+(?!\w)"
    r"|(?<!\w)[A-Za-z]²(?!\w)"
)
_SIGNS = re.compile(r"[a-z][\d²]?|\d")
# A list of keywords has next to no words that join them.
_JOINED, _JOINED_ZH = 0.12, 0.03
_COPY, _WORDING = 0.85, 0.5


@dataclass(frozen=True, slots=True)
class _Key:
    """What is to be heard.

    points: for each point its concepts and those of the sentence of the model answer that says
    it, by language. pairs: how often a concept stands in a clause with a side of an opposite,
    and whether that was denied. alone: how often a concept was denied, and not.
    """

    points: tuple[tuple[tuple[frozenset[str], frozenset[str]], ...], ...]
    weights: Mapping[str, float]
    plain: float
    pairs: Counter[tuple[str, str, bool]]
    alone: Counter[tuple[str, bool]]

    def weight(self, names: Iterable[str]) -> float:
        """Return how much some concepts weigh together."""
        return sum(self.weights.get(name, self.plain) for name in names)


def heard(name: str, text: str) -> tuple[bool, ...]:
    """Return for each point of a question, by its name, whether an answer makes it."""
    enough = _ENOUGH_ZH if CJK.search(text) else _ENOUGH
    # A right answer that leaves a point out leans the right way all the same. What others say tells
    # the points apart; their own few words do not.
    behind = 0.0 if phrasings(name) else -inf
    return tuple(
        row[-1] >= behind
        and sum(count * one for count, one in zip(_COUNTS, row, strict=True)) >= enough
        for row in evidence(name, text)
    )


def evidence(name: str, text: str) -> list[tuple[float, ...]]:
    """Return for each point of a question what speaks for it in an answer; in an empty one nothing.

    How much of it is spoken of and which way that leans; which way the whole leans; how near its
    neighbours are and which way they and those of the whole lean; whose words it has, and how
    much more they are this point's than another's.
    """
    key = _key(name)
    windows = [] if is_empty(name, text) else _windows(clauses_of(text))
    if not windows:
        return [(0.0,) * len(_COUNTS)] * len(key.points)
    whole = _leaning(*_direction(key, clauses_of(text)), doubt=3)
    near = _near(name).told([said(one) for one in windows])
    return [
        (max(-1.0, *(_told_of(key, point, one) for one in windows)), whole,
         one.near, one.here, one.whole, words, ahead)
        for point, one, (words, ahead) in zip(key.points, near, nearer(name, text), strict=True)
    ]  # fmt: skip


def is_empty(name: str, text: str) -> bool:
    """Whether an answer is none: nothing, words in a row, not knowing, the question said back."""
    return _listed(text) or says_nothing(text) or _copied(name, text)


def touches(name: str, at: int, text: str) -> bool:
    """Whether a text speaks of anything that a point speaks of."""
    names = _names(clauses_of(text))
    return any(own & names or around & names for own, around in _key(name).points[at])


def _told_of(
    key: _Key,
    point: Sequence[tuple[frozenset[str], frozenset[str]]],
    window: Sequence[Clause],
) -> float:
    """Return how much a window speaks for a point; nothing where it speaks of none of it."""
    names = frozenset(name for clause in window for name in clause.names)
    shares = [(_share(key, own, names), _share(key, around, names)) for own, around in point]
    if max(own for own, _ in shares) < _TOUCHED:
        return -inf
    most = max(own + _AROUND * around for own, around in shares)
    return most + _HERE * _leaning(*_direction(key, window), doubt=2)


def _leaning(right: float, wrong: float, doubt: float) -> float:
    """Return which way it points, from -1 to 1; little evidence says little."""
    return (right - wrong) / (right + wrong + doubt)


def _share(key: _Key, wanted: frozenset[str], names: frozenset[str]) -> float:
    """Return how much of what is wanted is spoken of, in whichever direction."""
    whole = key.weight(wanted)
    against = opposites()
    spoken = (one for one in wanted if one in names or against.get(one, frozenset()) & names)
    return key.weight(spoken) / whole if whole else 0.0


def _direction(key: _Key, said: Sequence[Clause]) -> tuple[float, float]:
    """Return how much speaks for the model answer, and how much against it."""
    right = wrong = 0.0
    for clause in said:
        for one in clause.mentions:
            fits, clashes = _sided(key, one, clause)
            right, wrong = right + fits, wrong + clashes
            same, other = key.alone[one.name, one.denied], key.alone[one.name, not one.denied]
            told = 1.0 if one.name in opposites() else _NAMED
            wrong += told * bool(other and not same)
            right += told * bool(same and not other and one.denied)
    return right, wrong


def _sided(key: _Key, one: Mention, clause: Clause) -> tuple[float, float]:
    """Weigh a side of an opposite by what stands in the clause with it."""
    against = opposites().get(one.name)
    if against is None:
        return 0.0, 0.0
    told = _CONFUSED if one.name in confused() else 1.0
    fits = clashes = 0.0
    for name in clause.names - {one.name}:
        same = key.pairs[name, one.name, one.denied]
        same += sum(key.pairs[name, side, not one.denied] for side in against)
        other = key.pairs[name, one.name, not one.denied]
        other += sum(key.pairs[name, side, one.denied] for side in against)
        fits += key.weight((name,)) if same and not other else 0.0
        clashes += key.weight((name,)) if other and not same else 0.0
    if fits or clashes:
        return told * fits, told * clashes
    same = key.alone[one.name, one.denied]
    same += sum(key.alone[side, not one.denied] for side in against)
    other = key.alone[one.name, not one.denied]
    other += sum(key.alone[side, one.denied] for side in against)
    return told * 0.5 * bool(same and not other), told * bool(other and not same)


def _windows(said: Sequence[Clause]) -> list[list[Clause]]:
    """Return each sentence, and each two that follow each other."""
    alone = sentences(said)
    return [*alone, *([*one, *other] for one, other in pairwise(alone))]


def _listed(text: str) -> bool:
    """Whether a text is empty, or words in a row that nothing joins."""
    low = plain(text)
    if CJK.search(low):
        signs = CJK.findall(low)
        joining = set(table("reading/lexicon.toml")["joining_zh"])
        return sum(sign in joining for sign in signs) < _JOINED_ZH * len(signs)
    words = re.findall(r"[a-z']+", low)
    joining = set(table("reading/lexicon.toml")["stop"].split()) | {"a", "an", "the", "not", "no"}
    return sum(word in joining for word in words) < _JOINED * len(words) or len(words) < 2


def _copied(name: str, text: str) -> bool:
    """Whether a text is the question said back."""
    own = {one for clause in clauses_of(text) for one in clause.names}
    for language in LANGUAGES:
        ask = question_called(name, language).ask
        there = {one for clause in clauses_of(ask) for one in clause.names}
        if len(own & there) >= _COPY * len(own) and _same_wording(text, ask):
            return True
    return False


def _same_wording(text: str, ask: str) -> bool:
    """Whether most of a text stands so in a question: its words may also be put together anew."""
    own, there = _runs(text), _runs(ask)
    return len(own & there) >= _WORDING * len(own)


def _runs(text: str) -> set[str]:
    """Return each two words that follow each other, and each three characters of Chinese."""
    words = re.findall(r"[a-z0-9_√²]+", text.lower())
    signs = re.findall(r"[\u4e00-\u9fff]+", text)
    triples = {run[at : at + 3] for run in signs for at in range(max(1, len(run) - 2))}
    return triples | {" ".join(pair) for pair in pairwise(words)}


@cache
def _key(name: str) -> _Key:
    asked = [question_called(name, language) for language in LANGUAGES]
    weights, usual = _weights(name, asked)
    pairs: Counter[tuple[str, str, bool]] = Counter()
    alone: Counter[tuple[str, bool]] = Counter()
    for clause in (one for each in asked for one in _told(each)):
        for one in clause.mentions:
            alone[one.name, one.denied] += 1
            if one.name in opposites():
                pairs.update((name, one.name, one.denied) for name in clause.names - {one.name})
    key = _Key((), weights, usual, pairs, alone)
    points = tuple(
        tuple(_point(key, each, at) for each in asked) for at in range(len(asked[0].points))
    )
    return _Key(points, weights, usual, pairs, alone)


@cache
def _near(name: str) -> Neighbours:
    asked = [question_called(name, language) for language in LANGUAGES]
    key = _key(name)
    near = neighbours(asked, phrasings(name), lambda one: key.weights.get(one, key.plain))
    answers = (said(one) for each in asked for one in sentences(clauses_of(each.answer)))
    return near.with_answers(answers)


def _point(key: _Key, asked: Asked, at: int) -> tuple[frozenset[str], frozenset[str]]:
    """Return a point's concepts, and those of the sentence of the model answer that says it."""
    text = asked.points[at]
    worded = _names(clauses_of(_FORMULA.sub(" ", text)))
    # Whoever says in words what stands there as a formula too has said it.
    own = worded if len(worded) > 1 else _names(clauses_of(text))
    around = max(
        map(_names, sentences(clauses_of(asked.answer))),
        key=lambda names: key.weight(names & own) / (3 + key.weight(names)),
        default=frozenset[str](),
    )
    return own, around


def _told(asked: Asked) -> list[Clause]:
    return [clause for text in (*asked.points, asked.answer) for clause in clauses_of(text)]


def _names(said: Iterable[Clause]) -> frozenset[str]:
    return frozenset(name for clause in said for name in clause.names)


def _weights(name: str, asked: Sequence[Asked]) -> tuple[dict[str, float], float]:
    """Weigh a concept by how few of the kata's questions speak of it."""
    beside = _bank(name)
    counts = Counter(one for names in beside for one in names)
    there = _names(clause for each in asked for clause in clauses_of(each.ask))
    every = len(beside)
    weights = {
        one: log(1 + every / count)
        * (_ASKED if one in there else 1.0)
        * (_SIGN if _SIGNS.fullmatch(one) else 1.0)
        for one, count in counts.items()
    }
    usual = log(1 + every)
    return {**dict.fromkeys(there, usual * _ASKED), **weights}, usual


@cache
def _bank(name: str) -> tuple[frozenset[str], ...]:
    """Return what each question of a question's bank speaks of, in both languages."""
    bank, _, inner = name.partition(":")
    try:
        ids = [f"{bank}:{one.id}" for one in find(bank).questions(LANGUAGES[0])]
    except UnknownKata:
        ids = [f"{bank}:{one}" for one in table("unasked.toml") if one != "ask"]
    names = dict.fromkeys([*ids, f"{bank}:{inner}"])
    return tuple(
        _names(clause for language in LANGUAGES for clause in _told(question_called(one, language)))
        for one in names
    )
