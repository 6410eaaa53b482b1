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

# So many derivatives are taken of each entry, each of another sum of the outputs.
PROBES = 3
_MOST_ROUNDS = 120
_LARGEST = 2**62

# Given all weights end to end: the derivatives (probes, weights), None where it cannot be called.
Side = Callable[[Tensor], "Tensor | None"]


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
    for own, theirs in known:
        colouring.mark(own, theirs)
    return colouring.assignment()


class _Colouring:
    """Colours of the submission's weights and of the model answer's, end to end."""

    def __init__(
        self, mine: Side, right: Side, sizes: tuple[int, int], close: float, seed: int
    ) -> None:
        self.mine, self.right, self.cut = mine, right, sizes[0]
        self.colours = torch.zeros(sum(sizes), dtype=torch.long)
        self.idle = torch.zeros(sum(sizes), dtype=torch.bool)
        self.close, self.seed, self.rounds = close, seed, 0

    def assignment(self) -> Tensor | None:
        """Refine and choose until every colour is one weight's."""
        if not self._refined():
            return None
        while (many := self._alike()) is not None:
            before = self.colours, self.idle
            # Features of one head can be told apart in any order, heads one at a time: all of a
            # colour at once where that holds, which is quicker, else one.
            if not (self._chosen(*many, len(many[0])) and self._refined()):
                self.colours, self.idle = before
                if len(many[0]) == 2 or not (self._chosen(*many, 1) and self._refined()):
                    return None
        return self._paired()

    def mark(self, mine: Tensor, right: Tensor) -> None:
        """Tell each row from all others, and from what is in none."""
        rows = torch.zeros_like(self.colours)
        for side in (mine, right + self.cut):
            rows[side] = torch.arange(1, len(side) + 1)[:, None]
        self.colours = _finer(self.colours, rows[None])

    def _chosen(self, mine: Tensor, right: Tensor, count: int) -> bool:
        """Give the first of both sides colours that they share with each other alone."""
        fresh = int(self.colours.max()) + 1 + torch.arange(count)
        self.colours = self.colours.clone()
        self.colours[mine[:count]] = fresh
        self.colours[right[:count]] = fresh
        return True

    def _refined(self) -> bool:
        """Split colours until nothing splits; False where the sides do not split alike."""
        count = int(self.colours.unique().numel())
        while self.rounds < _MOST_ROUNDS:
            self.rounds += 1
            seen = self._derivatives()
            if seen is None:
                return False
            signs = _told_apart(seen, self.close)
            self.idle = (seen == 0).all(dim=0)
            self.colours = _finer(self.colours, signs)
            if not self._balanced():
                return False
            found = int(self.colours.max()) + 1
            if found == count:
                return True
            count = found
        return False

    def _derivatives(self) -> Tensor | None:
        """Take the derivatives of both sides, in units of the largest; what is nothing is 0."""
        draw = torch.Generator().manual_seed(self.seed)
        palette = torch.rand(len(self.colours), generator=draw, dtype=torch.float64) + 0.25
        palette *= torch.where(torch.rand(len(palette), generator=draw) < 0.5, -0.4, 0.4)
        weights = palette[self.colours]
        mine, right = self.mine(weights[: self.cut]), self.right(weights[self.cut :])
        if mine is None or right is None:
            return None
        seen = torch.cat([mine, right], dim=1)
        largest = seen.abs().amax(dim=1, keepdim=True)
        if not bool(torch.isfinite(largest).all()) or not bool((largest > 0).all()):
            return None
        seen = seen / largest
        return torch.where(seen.abs() < self.close, 0.0, seen)

    def _balanced(self) -> bool:
        """Whether each colour is as frequent on both sides, but for weights that do nothing."""
        count = int(self.colours.max()) + 1
        mine = torch.bincount(self.colours[: self.cut], minlength=count)
        right = torch.bincount(self.colours[self.cut :], minlength=count)
        idle = torch.zeros(count, dtype=torch.bool).index_fill(0, self.colours[self.idle], 1)
        return bool(((mine == right) | idle).all())

    def _alike(self) -> tuple[Tensor, Tensor] | None:
        """The rarest colour of more than one weight of a side that does something."""
        live = self.colours[: self.cut][~self.idle[: self.cut]]
        count = torch.bincount(live)
        many = count.masked_fill(count < 2, len(self.colours)).min(dim=0)
        if not len(count) or int(many.values) == len(self.colours):
            return None
        of_both = (self.colours == many.indices).nonzero().flatten()
        return of_both[of_both < self.cut], of_both[of_both >= self.cut]

    def _paired(self) -> Tensor:
        """Pair what has one colour, as often as both sides have it."""
        mine, right = self.colours[: self.cut], self.colours[self.cut :]
        count = int(self.colours.max()) + 1
        even = torch.bincount(mine, minlength=count) == torch.bincount(right, minlength=count)
        found = torch.full((len(right),), -1)
        own, theirs = (side.argsort(stable=True) for side in (mine, right))
        found[theirs[even[right[theirs]]]] = own[even[mine[own]]]
        return found


def _finer(colours: Tensor, signs: Tensor) -> Tensor:
    """Number what differs in its colour or a sign, the colour counting first; signs: (probes, n).

    Sorting takes the time: it is done once, as long as one number holds all of them.
    """
    both, count = colours, int(colours.max()) + 1
    for sign in signs:
        several = int(sign.max()) + 1
        if count * several > _LARGEST:
            both = both.unique(return_inverse=True)[1]
            count = int(both.max()) + 1
        both, count = both * several + sign, count * several
    return both.unique(return_inverse=True)[1]


def _told_apart(seen: Tensor, close: float) -> Tensor:
    """Number the values of each row, (probes, weights): those that are close have one number."""
    rising, order = seen.sort(dim=1)
    steps = torch.zeros_like(order)
    steps[:, 1:] = (rising.diff(dim=1) > close).long().cumsum(dim=1)
    return torch.zeros_like(order).scatter(1, order, steps)
