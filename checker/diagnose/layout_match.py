"""The same values in another layout: whether a traced tensor is one of the reference's steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import torch
from torch import Tensor

from ..judge.classes.behaviour import Trace
from ..judge.classes.cases import Case
from .milestones import HIDDEN, Signature

__all__ = ["Landmark", "Reached", "Sight", "laid_out", "landmarks", "matches", "reach"]


@dataclass(kw_only=True)
class Landmark:
    """A named step of the reference. optional: right code need not make it.

    sorted: all its values in order. cuts: the tensor by heads, by samples, and by heads of
    each sample, as loops make them. positions: the axes that say which sample, query
    or key an entry belongs to.
    """

    name: str
    value: Tensor
    close: float
    positions: tuple[int, ...]
    sorted: Signature
    cuts: tuple[tuple[Tensor, ...], ...]
    optional: bool = False

    @cached_property
    def pieces(self) -> tuple[tuple[Signature, ...], ...]:
        """The values in order of each part that code may make by itself: a head, a sample."""
        return tuple(tuple(Signature.of(one) for one in cut) for cut in self.cuts)


@dataclass(slots=True, kw_only=True)
class Reached:
    """Where a milestone is held; step None where it is the same tensor as the one before."""

    step: int | None


class Sight:
    """A trace's tensors, sorted once and found by how many values they hold."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.by_size: dict[int, list[tuple[int, Tensor]]] = {}
        for number, step in enumerate(trace.steps):
            for value in step.get("values", ()):
                self.by_size.setdefault(value.numel(), []).append((number, value))
        self._sorted: dict[int, Signature] = {}

    @property
    def mixing(self) -> int:
        """The first step that can only come after queries and keys have met."""
        calls = [step["call"] for step in self.trace.steps]
        return next((n for n, call in enumerate(calls) if call in {"softmax", "exp"}), len(calls))

    def values_of(self, number: int) -> list[Tensor]:
        """The floating-point tensors that a step returned."""
        return self.trace.steps[number].get("values", [])

    def holding(self, count: int) -> Iterator[tuple[int, Tensor, Signature]]:
        """Yield the tensors of so many values: step, tensor, and its values in order."""
        for number, value in self.by_size.get(count, ()):
            if id(value) not in self._sorted:
                self._sorted[id(value)] = Signature.of(value)
            yield number, value, self._sorted[id(value)]

    def culprit(self, missing: Landmark, known: list[Landmark], since: int) -> int | None:
        """The first step after `since` that was to be the missing one.

        It places the right values wrongly; or it has their size, and none of the values that
        the reference makes.
        """
        sized = [row for row in self.holding(missing.value.numel()) if row[0] > since]
        for number, value, ordered in sized:
            same_sizes = sorted(value.shape) == sorted(missing.value.shape)
            if same_sizes and ordered.same(missing.sorted, missing.close):
                return number
        others = [m for m in known if m.value.shape == missing.value.shape]
        for number, _, ordered in sized:
            if not any(ordered.same(mark.sorted, mark.close) for mark in others):
                return number
        for place, pieces in enumerate(missing.pieces):
            known_pieces = [one for m in others for one in m.pieces[place]]
            for number, _, ordered in self.holding(pieces[0].count):
                fresh = not any(ordered.same(one, missing.close) for one in known_pieces)
                if number > since and fresh:
                    return number
        later = (n for n in range(since + 1, len(self.trace.steps)) if self.values_of(n))
        return next(later, None)


def landmarks(made: dict[str, Tensor], case: Case, close: float) -> list[Landmark]:
    """Order the reference's steps, with the query and key scaled before their product."""
    found: list[Landmark] = []
    ratio = _scale(made)
    for name, value in made.items():
        found.append(_landmark(name, value, case, close))
        if ratio is None or name not in _last_sources(made):
            continue
        for factor in (ratio, ratio**0.5):
            scaled = _landmark(f"scaled_{name}", value * factor, case, close)
            scaled.optional = True
            found.append(scaled)
    return found


def reach(marks: list[Landmark], sight: Sight) -> dict[str, Reached]:
    """Return the milestones that the trace holds, each with its step."""
    reached: dict[str, Reached] = {}
    taken: list[tuple[Landmark, int]] = []
    for mark in marks:
        if mark.name in reached:
            continue
        same = [at for other, at in taken if mark.sorted.same(other.sorted, mark.close)]
        after = max(same, default=-1)
        # A step that only moves what is there already must put it where it belongs.
        step = _first(mark, sight, after, strict=bool(same))
        if step is not None:
            taken.append((mark, step))
            reached[mark.name] = Reached(step=step)
        elif same and _first(mark, sight, -1, strict=False) is not None:
            reached[mark.name] = Reached(step=None)
    return reached


def matches(value: Tensor, mark: Landmark) -> bool:
    """Whether a tensor is a milestone, entry for entry but for the order within a position."""
    return value.shape == mark.value.shape and _same_places(value, mark)


def laid_out(value: Tensor, like: Tensor) -> Iterator[Tensor]:
    """Yield a tensor's axes in every order that gives it the other one's shape."""
    if sorted(value.shape) != sorted(like.shape):
        return
    for order in permutations(range(value.dim())):
        if all(value.shape[axis] == size for axis, size in zip(order, like.shape, strict=True)):
            yield value.permute(order)


def _first(mark: Landmark, sight: Sight, after: int, *, strict: bool) -> int | None:
    """The step that holds a milestone: best in its own shape, then in another layout."""
    turned = loose = None
    misplaced = False
    for number, value, ordered in sight.holding(mark.value.numel()):
        if number <= after or not ordered.same(mark.sorted, mark.close):
            continue
        if sorted(value.shape) != sorted(mark.value.shape):
            loose = number if loose is None else loose
        elif any(_same_places(one, mark) for one in laid_out(value, mark.value)):
            if value.shape == mark.value.shape:
                return number
            turned = number if turned is None else turned
        else:
            misplaced = True
    if turned is not None or strict:
        return turned
    if loose is not None and not misplaced:
        return loose
    return None if misplaced else _one_piece(mark, sight, after)


def _one_piece(mark: Landmark, sight: Sight, after: int) -> int | None:
    for place, cut in enumerate(mark.cuts):
        for number, _, ordered in sight.holding(cut[0].numel()):
            if number > after and any(ordered.same(one, mark.close) for one in mark.pieces[place]):
                return number
    return None


def _landmark(name: str, value: Tensor, case: Case, close: float) -> Landmark:
    lengths = {case.batch, case.queries, case.keys}
    positions = tuple(axis for axis, size in enumerate(value.shape) if size in lengths)
    cuts = [value.unbind(0)]
    if value.dim() == 4:
        cuts[:0] = [value.unbind(1)]
        cuts.append(value.flatten(0, 1).unbind(0))
    return Landmark(
        name=name,
        value=value,
        close=close,
        positions=positions,
        sorted=Signature.of(value),
        cuts=tuple(cut for cut in cuts if len(cut) > 1),
    )


def _same_places(value: Tensor, mark: Landmark) -> bool:
    """Whether two tensors of one shape hold the same entries at every position."""
    left, right = _by_place(value, mark), _by_place(mark.value, mark)
    hidden = torch.isinf(right)
    if not torch.equal(torch.isinf(left), hidden):
        return False
    left, right = left[~hidden], right[~hidden]
    if right.numel() == 0:
        return False
    scale = float(right.abs().max()) or 1.0
    return bool(((left - right).abs() <= mark.close * scale).all())


def _by_place(value: Tensor, mark: Landmark) -> Tensor:
    first = value.movedim(mark.positions, tuple(range(len(mark.positions))))
    flat = first.double().flatten(len(mark.positions)) if value.dim() > len(mark.positions) else (
        first.double().unsqueeze(-1)
    )  # fmt: skip
    shown = torch.where(flat < HIDDEN, -torch.inf, flat)
    return shown.nan_to_num(nan=torch.inf, posinf=torch.inf, neginf=-torch.inf).sort(-1).values


def _scale(made: dict[str, Tensor]) -> float | None:
    """What the reference multiplies its products by."""
    if "products" not in made or "scores" not in made:
        return None
    return float(made["scores"].norm() / made["products"].norm())


def _last_sources(made: dict[str, Tensor]) -> set[str]:
    """The query and key as they go into the product."""
    names = [name for name in made if name.startswith(("quer", "key"))]
    query = [name for name in names if name.startswith("quer")]
    key = [name for name in names if name.startswith("key")]
    return {*query[-1:], *key[-1:]}
