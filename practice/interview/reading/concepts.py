"""What a text speaks of: clause by clause, concepts with what is denied of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from ..hearing.tokens import plain, stem
from ..texts import table

__all__ = [
    "Clause", "Mention", "clauses_of", "confused", "opposites", "says_nothing", "sentences",
    "sentences_of",
]  # fmt: skip

_LONGEST = 5
# How many concepts a denial reaches.
_REACH, _REACH_ZH = 3, 2
_SENTENCE = re.compile(r"(?<=[.!?])\s+|[。！？；;\n]+")
_CLAUSE = re.compile(
    r",\s+|，|：|:\s|\s—\s|——|\b(?:while|whereas|but|because|since|so that|which)\b"
    r"|而(?!且|不是)|但|所以|因为"
)
_BRACKETS = re.compile(r"[(（]([^()（）]*)[)）]")
_WORD = re.compile(r"[\u4e00-\u9fff]+|√?[a-z0-9_²·/]+(?:[.,]\d+)*|[-−]inf\b|&|@")
_CJK = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Mention:
    """A concept, and whether it is denied."""

    name: str
    denied: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """What one clause of a sentence speaks of. sentence: its number."""

    mentions: tuple[Mention, ...]
    sentence: int

    @property
    def names(self) -> frozenset[str]:
        """The concepts, denied or not."""
        return frozenset(one.name for one in self.mentions)


@cache
def clauses_of(text: str) -> tuple[Clause, ...]:
    """Return a text's clauses; those that speak of nothing are left out."""
    found: list[Clause] = []
    for number, sentence in enumerate(sentences_of(text)):
        for part in _CLAUSE.split(_BRACKETS.sub(_without_commas, sentence)):
            mentions = tuple(_mentions(part))
            if mentions:
                found.append(Clause(mentions, number))
    return tuple(found)


def sentences_of(text: str) -> list[str]:
    """Return a text's sentences, with its words made comparable."""
    return [one for one in _SENTENCE.split(plain(text)) if one.strip()]


def sentences(clauses: Iterable[Clause]) -> list[list[Clause]]:
    """Return the clauses of each sentence."""
    found: dict[int, list[Clause]] = {}
    for clause in clauses:
        found.setdefault(clause.sentence, []).append(clause)
    return [*found.values()]


def _without_commas(found: re.Match[str]) -> str:
    """A shape in brackets is one thing: its commas part no clauses."""
    return f" {re.sub('[,，]', ' ', found[1])} "


def says_nothing(text: str) -> bool:
    """Whether somebody says that they have no answer, and little else."""
    low = plain(text)
    told = [one for clause in clauses_of(low) for one in clause.mentions]
    return any(re.search(way, low) for way in table(_FILE)["unknown"]) and len(told) <= 6


@cache
def opposites() -> dict[str, frozenset[str]]:
    """Return what stands against each concept that has an opposite."""
    return _against("opposites", "confused")


@cache
def confused() -> dict[str, frozenset[str]]:
    """Return what each concept is easily taken for: a weaker sign than an opposite."""
    return _against("confused")


def _against(*lists: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in (one for name in lists for one in re.split(r"[|\n]", table(_FILE)[name])):
        if pair.strip():
            one, other = pair.split()
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
    return {name: frozenset(against) for name, against in found.items()}


_FILE = "reading/lexicon.toml"


def _mentions(part: str) -> Iterator[Mention]:
    denied = 0
    for name, chinese in _names(part):
        if name == _NOT:
            denied = _REACH_ZH if chinese else _REACH
            continue
        yield Mention(name, denied > 0)
        denied = max(0, denied - 1)


_NOT = "not"


def _names(part: str) -> Iterator[tuple[str, bool]]:
    """Return the concepts and denials of a clause in their order, and whether each is Chinese."""
    words: list[str] = []
    for token in _WORD.findall(
        part.replace("rather than", "rather-than").replace("instead of", "not")
    ):
        if _CJK.match(token):
            yield from ((name, False) for name in _latin(words))
            words = []
            yield from ((name, True) for name in _chinese(token))
        else:
            words += _split(token)
    yield from ((name, False) for name in _latin(words))


def _split(token: str) -> list[str]:
    return [one for one in re.split(r"[/·]", token.replace("√", "sqrt_")) if one]


def _latin(words: list[str]) -> Iterator[str]:
    table_ = _phrases()
    at = 0
    while at < len(words):
        for size in range(min(_LONGEST, len(words) - at), 0, -1):
            name = table_.get(" ".join(stem(word) for word in words[at : at + size]))
            if name is not None:
                yield name
                at += size
                break
        else:
            word = words[at]
            at += 1
            if word.startswith("sqrt_"):
                yield "sqrt"
                words.insert(at, word[5:])
            elif word in _negations():
                yield _NOT
            elif word not in _stop():
                yield stem(word)


def _chinese(run: str) -> Iterator[str]:
    rest = ""
    for found in _found(run + "\0"):
        text = found[0]
        kind = found.lastgroup or ""
        if kind == "rest":
            rest += "" if text == "\0" or text in _stop_zh() else text
            if text in _stop_zh() or text == "\0":
                yield from _pairs(rest)
                rest = ""
            continue
        yield from _pairs(rest)
        rest = ""
        if kind == "idle":
            continue
        yield _NOT if kind == _NOT else _group_names()[kind.partition("_")[0]]
    yield from _pairs(rest)


def _found(run: str) -> Iterator[re.Match[str]]:
    """Cut a run into what is known and single characters."""
    at = 0
    while at < len(run) and (found := _pattern(run[at]).match(run, at)):
        yield found
        at = found.end()


def _pairs(text: str) -> Iterator[str]:
    """Cut what has no name into pairs of characters."""
    yield from (text[at : at + 2] for at in range(len(text) - 1))


@cache
def _rows() -> tuple[tuple[str, tuple[str, ...], str], ...]:
    found: list[tuple[str, tuple[str, ...], str]] = []
    for row in table(_FILE)["concepts"].strip().splitlines():
        name, english, chinese = [*(part.strip() for part in row.split("|", 2)), ""][:3]
        ways = tuple(one.strip() for one in english.split(",") if one.strip())
        found.append((name, (name.replace("-", " "), *ways), chinese))
    return tuple(found)


@cache
def _phrases() -> dict[str, str]:
    found: dict[str, str] = {}
    for name, ways, _ in _rows():
        for way in ways:
            for form in {way, way.replace("_", " ")}:
                found.setdefault(" ".join(stem(word) for word in form.split()), name)
    return found


@cache
def _group_names() -> dict[str, str]:
    return {f"g{at}": name for at, (name, _, _) in enumerate(_rows())}


@cache
def _ways() -> tuple[tuple[str, str], ...]:
    """Return every way to say a concept in Chinese, the longest first, with its group's name."""
    ways = [
        (len(re.sub(r"\(\?.*?\)|[?()|]", "", way)), f"g{at}", way)
        for at, (_, _, chinese) in enumerate(_rows())
        for way in _alternatives(chinese)
        if _CJK.search(way)
    ]
    return tuple((group, way) for _, group, way in sorted(ways, key=lambda one: -one[0]))


@cache
def _pattern(first: str) -> re.Pattern[str]:
    """Match what begins with a character: a concept, the longest first, a denial, or that alone."""
    seen: Counter[str] = Counter()
    parts: list[str] = []
    for group, way in _ways():
        if way[0] == first or not _CJK.match(way) or way[1:2] == "?":
            # A name may stand once in a pattern: later forms of a concept get their own.
            seen[group] += 1
            parts.append(f"(?P<{group}_{seen[group]}>{way})")
    denial = table(_FILE)["negations_zh"]
    idle = "".join(table(_FILE)["idle_zh"].split())
    return re.compile(
        "|".join([*parts, f"(?P<not>{denial})", f"(?P<idle>{idle})", r"(?P<rest>.|\0)"])
    )


def _alternatives(chinese: str) -> list[str]:
    """Split at the bars that stand in no group."""
    found, depth = [""], 0
    for char in chinese:
        depth += (char == "(") - (char == ")")
        if char == "|" and not depth:
            found.append("")
        else:
            found[-1] += char
    return found


@cache
def _negations() -> frozenset[str]:
    return frozenset(table(_FILE)["negations"].split())


@cache
def _stop() -> frozenset[str]:
    return frozenset(table(_FILE)["stop"].split()) | {"a", "an", "the"}


@cache
def _stop_zh() -> frozenset[str]:
    return frozenset(table(_FILE)["stop_zh"])
