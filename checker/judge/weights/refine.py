"""Which weight is which, told by derivatives alone: neither names nor shapes are looked at.

Both sides, the model answer and the submission, are given weights by colour. At first all have
one colour: however the weights are assigned, the model answer then has the same ones, and has
to give what the submission gives. How much an output changes with an entry tells entries
apart, on both sides alike; those told apart get colours of their own, and so on until nothing
splits. This is colour refinement (Weisfeiler & Leman 1968), with derivatives as what an entry
sees of the others. What is still alike then is so by symmetry, as heads are: one of a colour is
set apart by choice on both sides, and what follows from the choice splits the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

__all__ = ["PROBES", "Side", "assigned"]

# Derivatives are taken of so many sums of the outputs, by turns.
PROBES = 3
_MOST_ROUNDS = 400

# Given all weights end to end, and which sum: the derivatives (weights,), None where it raises.
Side = Callable[[Tensor, int], "Tensor | None"]


def assigned(
    mine: Side, right: Side, sizes: tuple[int, int], *, close: float, seed: int,
    known: Sequence[tuple[Tensor, Tensor]] = (),
) -> Tensor | None:  # fmt: skip
    """Say for every weight of the model answer which of the submission's it is, -1 for none.

    None where the two are not told apart alike, so that no assignment is right. A weight that
    changes nothing, as a key's bias does, is given to what changes nothing either where there are
    as many of both, and else to none. sizes: how many weights the submission has, and the model
    answer. close: what derivatives may differ by and be one, in units of the largest. known: what
    is alike beforehand, a row of some of the submission's beside one of the model answer's.
    """
    colouring = _Colouring(mine, right, sizes, close, seed)
    colouring.mark(known)
    return colouring.assignment()


class _Colouring:
    """Colours of the submission's weights and of the model answer's, end to end.

    open: those whose colour is not yet one weight's on both sides; the others are left alone.
    still: by sum of the outputs, the weights that it has not been seen to change with.
    """

    def __init__(
        self, mine: Side, right: Side, sizes: tuple[int, int], close: float, seed: int
    ) -> None:
        self.mine, self.right, self.cut = mine, right, sizes[0]
        self.colours = torch.zeros(sum(sizes), dtype=torch.long)
        self.open = torch.arange(sum(sizes))
        self.still = torch.ones((PROBES, sum(sizes)), dtype=torch.bool)
        self.close, self.seed, self.rounds = close, seed, 0

    @property
    def _settled(self) -> int:
        """How many colours are one weight's on both sides: the first ones."""
        return (len(self.colours) - len(self.open)) // 2

    @property
    def idle(self) -> Tensor:
        """Which weights change nothing."""
        return self.still.all(dim=0)

    def assignment(self) -> Tensor | None:
        """Refine and choose until every colour is one weight's."""
        if not self._refined():
            return None
        while ways := self._ways():
            before = self.colours, self.open, self.still
            for own, theirs in ways:
                self.colours, self.open, self.still = (one.clone() for one in before)
                self._choose(own, theirs)
                if self._refined():
                    break
            else:
                return None
        return self._paired()

    def mark(self, known: Sequence[tuple[Tensor, Tensor]]) -> None:
        """Tell each row from all others, and from what is in none."""
        # A number of its own for each row; what is in several rows has the sum of theirs.
        draw = torch.Generator().manual_seed(self.seed)
        rows = torch.zeros(len(self.colours), dtype=torch.double)
        for mine, right in known:
            numbers = torch.rand((len(mine), 1), generator=draw, dtype=torch.double)
            rows[mine] += numbers
            rows[right + self.cut] += numbers
        self._number(_finer(self.colours[self.open], rows[self.open], 0.0))

    def _choose(self, mine: Tensor, right: Tensor) -> None:
        """Give each of one side a colour that it shares with that of the other side alone."""
        numbers = self.colours[self.open] - self._settled
        fresh = _count(numbers) + torch.arange(len(mine))
        for side in (mine, right):
            numbers[torch.searchsorted(self.open, side)] = fresh
        self._number(numbers)

    def _refined(self) -> bool:
        """Split colours until no sum of the outputs splits any; False where sides differ."""
        unsplit = 0
        while self.rounds < _MOST_ROUNDS and unsplit < PROBES:
            probe = self.rounds % PROBES
            self.rounds += 1
            seen = self._derivatives(probe)
            if seen is None or not self._even(seen):
                return False
            self.still[probe] = seen == 0
            before = self.colours[self.open]
            numbers = _finer(before, seen[self.open], self.close)
            unsplit = unsplit + 1 if _count(numbers) == len(before.unique()) else 0
            if not self._number(numbers):
                return False
        return unsplit == PROBES

    def _derivatives(self, probe: int) -> Tensor | None:
        """Take the derivatives of both sides, in units of the largest; what is nothing is 0."""
        draw = torch.Generator().manual_seed(self.seed + self.rounds)
        palette = torch.rand(len(self.colours), generator=draw, dtype=torch.float64) + 0.25
        palette *= torch.where(torch.rand(len(palette), generator=draw) < 0.5, -0.4, 0.4)
        weights = palette[self.colours]
        mine = self.mine(weights[: self.cut], probe)
        right = self.right(weights[self.cut :], probe)
        if mine is None or right is None:
            return None
        seen = torch.cat([mine, right])
        largest = seen.abs().max()
        if not bool(torch.isfinite(largest)) or not bool(largest > 0):
            return None
        seen = seen / largest
        return torch.where(seen.abs() < self.close, 0.0, seen)

    def _number(self, numbers: Tensor) -> bool:
        """Colour what is open by numbers from 0; False where a side has more of one that acts.

        What is told apart from all else comes first and is open no more.
        """
        count, of_mine = _count(numbers), self.open < self.cut
        mine = torch.bincount(numbers[of_mine], minlength=count)
        right = torch.bincount(numbers[~of_mine], minlength=count)
        done = (mine == 1) & (right == 1)
        fresh = torch.where(done, done.cumsum(0), done.sum() + (~done).cumsum(0)) - 1
        self.colours[self.open] = fresh[numbers] + self._settled
        idle = torch.zeros(count, dtype=torch.bool).index_fill(0, numbers[self.idle[self.open]], 1)
        self.open = self.open[~done[numbers]]
        return bool(((mine == right) | idle).all())

    def _even(self, seen: Tensor) -> bool:
        """Whether what has been paired changes the outputs alike."""
        paired = torch.zeros((2, self._settled), dtype=seen.dtype)
        for side, part in zip(paired, (slice(self.cut), slice(self.cut, None)), strict=True):
            colours = self.colours[part]
            done = colours < self._settled
            side[colours[done]] = seen[part][done]
        return bool((paired.diff(dim=0).abs() <= self.close).all())

    def _ways(self) -> list[tuple[Tensor, Tensor]]:
        """List how to set apart what is alike and acts, as weights of both sides, pair by pair.

        Each feature of a head, and each hidden feature, may be any of its kind, if only all that
        belongs to it goes with it. Where both sides have them in one order, all are set apart at
        once, which is quickest; else those of the rarest colour, as features of one head; else
        one of these, as a head.
        """
        numbers, mine = self.colours[self.open] - self._settled, self.open < self.cut
        count = _count(numbers)
        counts, others = (torch.bincount(numbers[side], minlength=count) for side in (mine, ~mine))
        acting = torch.bincount(numbers[mine & ~self.idle[self.open]], minlength=count)
        many = (acting > 0) & (counts == others) & (counts > 1)
        if not bool(many.any()):
            return []
        rarest = counts.where(many, len(self.colours)).argmin()
        order = numbers.argsort(stable=True)
        sides = [order[side[order]] for side in (mine, ~mine)]
        every = [self.open[side[many[numbers[side]]]] for side in sides]
        rare = [self.open[side[numbers[side] == rarest]] for side in sides]
        return [(one, other) for one, other in (every, rare, [side[:1] for side in rare])]

    def _paired(self) -> Tensor:
        """Pair what has one colour, as often as both sides have it."""
        mine, right = self.colours[: self.cut], self.colours[self.cut :]
        count = _count(self.colours)
        even = torch.bincount(mine, minlength=count) == torch.bincount(right, minlength=count)
        found = torch.full((len(right),), -1)
        own, theirs = (side.argsort(stable=True) for side in (mine, right))
        found[theirs[even[right[theirs]]]] = own[even[mine[own]]]
        return found


def _count(numbers: Tensor) -> int:
    """How many there are, of numbers from 0 of which none is left out."""
    return int(numbers.max()) + 1 if len(numbers) else 0


def _finer(colours: Tensor, seen: Tensor, close: float) -> Tensor:
    """Number from 0 what differs in its colour, or by more than `close` from all else of it."""
    order = seen.argsort()
    order = order[colours[order].argsort(stable=True)]
    differs = (colours[order].diff() != 0) | (seen[order].diff() > close)
    numbers = torch.zeros_like(order)
    numbers[order[1:]] = differs.cumsum(0)
    return numbers
