"""How near an answer comes to what candidates say who make a point, and which way it leans.

Each window of one or two sentences is held against the phrasings of `phrasings.toml` as a set of
concepts, weighed by how few of the kata's questions speak of them: nearest neighbours by cosine,
and the log-odds of a concept among those who make the point and those who have it backwards. Where
nobody wrote any, the point itself and the trap stand in for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import log, sqrt

from ..questions import Asked
from .concepts import Clause, clauses_of
from .phrasings import Phrasings

__all__ = ["Names", "Neighbours", "Told", "neighbours", "said"]

# How much evidence there has to be before it says much: in a window, and in a whole answer.
_DOUBT, _DOUBT_WHOLE = 4, 8
# A whole answer that leans one way says no more of a point that it does not speak of.
_LEANS = 0.25
# What a concept counts that no phrasing has.
_UNSEEN = 0.5
# A sentence of the model answer this near to a point is a way to say it.
_OWN = 0.15
# Marks a concept that is denied.
_DENIED = "~"

Names = frozenset[str]


@dataclass(frozen=True, slots=True)
class Told:
    """What a text tells of one point.

    near: how near a window of it comes to those who make the point, 1 is the same. here, whole:
    which way that window and the whole text lean, from -1 to 1.
    """

    near: float
    here: float
    whole: float


@dataclass(frozen=True, slots=True)
class _Point:
    """The concepts of each phrasing of a point, and of those of who has it backwards."""

    right: tuple[Names, ...]
    wrong: tuple[Names, ...]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What is said of each point of a question. weight: how much a concept says."""

    points: tuple[_Point, ...]
    weight: Callable[[str], float]

    def told(self, windows: Sequence[Names]) -> list[Told]:
        """Return what a text tells of each point. windows: the concepts of its sentences."""
        right = [one for point in self.points for one in point.right]
        wrong = [one for point in self.points for one in point.wrong]
        leans = self._leaning(frozenset().union(*windows), right, wrong, _DOUBT_WHOLE)
        found: list[Told] = []
        for point in self.points:
            near = [self._near(one, point.right) for one in windows]
            best = max(range(len(windows)), key=near.__getitem__)
            here = self._leaning(windows[best], point.right, point.wrong, _DOUBT)
            found.append(Told(near[best], here, min(leans, _LEANS)))
        return found

    def nearer(self, windows: Sequence[Names], parts: Sequence[Names]) -> list[tuple[float, float]]:
        """Return for each point how much nearer a text is to who makes it than to who misses it.

        From -1 to 1, in the window that comes nearest to either. And how much nearer some window,
        or a part of one, comes to it than to any other point.
        """
        every = [*windows, *parts]
        near = [[self._near(one, point.right) for one in every] for point in self.points]
        found: list[tuple[float, float]] = []
        for at, (point, own) in enumerate(zip(self.points, near, strict=True)):
            missed = [self._near(one, point.wrong) for one in windows]
            made, other = max(zip(own, missed, strict=False), key=max, default=(0.0, 0.0))
            rest = [max(row, default=0.0) for row in zip(*near[:at], *near[at + 1 :], strict=True)]
            ahead = (one - best for one, best in zip(own, rest or [0.0] * len(own), strict=True))
            found.append((made - other, max(ahead, default=0.0)))
        return found

    def with_answers(self, answers: Iterable[Names]) -> Neighbours:
        """The same; each sentence of a model answer is a way to say the point it is nearest to."""
        more: list[list[Names]] = [[] for _ in self.points]
        for one in answers:
            near = [self._near(one, point.right) for point in self.points]
            if max(near) > _OWN:
                more[near.index(max(near))].append(one)
        points = (
            _Point((*point.right, *some), point.wrong)
            for point, some in zip(self.points, more, strict=True)
        )
        return Neighbours(tuple(points), self.weight)

    def _size(self, names: Names) -> float:
        return sum(self.weight(name.rstrip(_DENIED)) ** 2 for name in names)

    def _near(self, window: Names, many: Iterable[Names]) -> float:
        """Return the largest cosine between a window and any of some phrasings."""
        own = self._size(window)
        met = (one for one in many if one & window)
        return max(
            (self._size(one & window) / sqrt(own * self._size(one)) for one in met), default=0
        )

    def _leaning(
        self, names: Names, right: Sequence[Names], wrong: Sequence[Names], doubt: float
    ) -> float:
        """Return which way concepts point, from -1 to 1; little evidence says little."""
        made, missed = (Counter(name for one in side for name in one) for side in (right, wrong))
        ways = (len(wrong) + 2 * _UNSEEN) / (len(right) + 2 * _UNSEEN)
        odds = [
            self.weight(name.rstrip(_DENIED))
            * log((made[name] + _UNSEEN) / (missed[name] + _UNSEEN) * ways)
            for name in names
            if made[name] or missed[name]
        ]
        return sum(odds) / (sum(map(abs, odds)) + doubt)


def said(clauses: Iterable[Clause]) -> Names:
    """Return the concepts of some clauses; one that is denied is another."""
    return frozenset(
        one.name + _DENIED * one.denied for clause in clauses for one in clause.mentions
    )


def _concepts(text: str) -> Names:
    return said(clauses_of(text))


def neighbours(
    asked: Sequence[Asked], phrased: Sequence[Phrasings], weight: Callable[[str], float],
    meant: Callable[[str], Names] = _concepts,
) -> Neighbours:  # fmt: skip
    """Return what is said of a question's points.

    asked: the question in each language. phrased: how its points are said, nothing where nobody
    wrote that. weight: how much a name says. meant: what a text says, in such names.
    """
    traps = tuple(one.trap for one in asked if one.trap)
    texts = [tuple(one.points[at] for one in asked) for at in range(len(asked[0].points))]
    points = tuple(
        _Point(tuple(map(meant, (*own, *some.right))), tuple(map(meant, some.wrong)))
        for own, some in zip(texts, phrased or [Phrasings((), traps)] * len(texts), strict=True)
    )
    return Neighbours(points, weight)
