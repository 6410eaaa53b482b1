"""Every argument of a case, drawn to its kind."""

from __future__ import annotations

from math import prod
from typing import Any

import torch
from torch import Tensor

from ...kata.arithmetic import worth
from ...kata.functions import Argument, Function
from ...kata.modules import Module
from .case import Case
from .given import Given
from .masks import SHOWN, drawn_mask, with_one_whole

__all__ = ["draw"]

# Whole numbers of more axes are of several steps.
_ROWS = 2


def draw(
    function: Function, case: Case, generator: torch.Generator, *, weighted: bool = True
) -> Given:
    """Draw a case's arguments. weighted: for a class, the model answer's own weights too."""
    tensors: dict[str, Tensor] = {}
    plain: dict[str, Any] = {}
    left: list[str] = []
    state = "" if function.state is None else function.state.name
    sharing, absent = case.sharing(function), case.absent(function)
    for one in function.arguments:
        if one.kind == "choice":
            # What is as it is without being said is left out by turns.
            if one.optional and case.chosen[one.name] == one.default and case.turn % 2:
                left.append(one.name)
            else:
                plain[one.name] = case.chosen[one.name]
        elif one.kind == "size":
            plain[one.name] = worth(one.value, case.scope())
        elif one.kind == "state":
            plain[one.name] = None
        elif one.name in absent or (one.kind == "mask" and case.mask is None):
            left.append(one.name)
        elif one.name not in sharing:
            tensors[one.name] = _tensor(one, case, generator)
            if case.below and one.name in function.below:
                signs = generator if one.name == function.below[0] else None
                tensors[one.name] = _one_sided(tensors[one.name], case.gain, signs)
    for one in function.arguments:
        if one.empties and case.turn % 2:
            _empty(tensors[one.name], tensors[one.empties], generator)
        if one.above and case.gain != 1:
            tensors[one.name] = tensors[one.name] + _largest_scores(one, tensors, case)
        if one.meets and case.turn % 2:
            _meet(tensors[one.name], tensors[one.meets])
        if one.large == "hidden" and case.gain != 1 and function.mask is not None:
            tensors[one.name] = tensors[one.name] + case.gain * ~tensors[function.mask.name]
    module = function.module
    return Given(
        tensors=tensors, plain=plain, left=tuple(left), state=state, kept=state and "last",
        models=function.models,
        settings={} if module is None else module.worth(case.scope()),
        weights=_weights(module, case, generator) if module is not None and weighted else {},
        stacks={} if module is None else module.stacks,
        twice={name: sharing.get(one, one) for name, one in function.twice.items()} | sharing,
    )  # fmt: skip


def _empty(sums: Tensor, parts: Tensor, generator: torch.Generator) -> None:
    """Let sequences have seen nothing in some parts, and of several the first in none at all."""
    empty = torch.rand(sums.shape[:2], generator=generator) > SHOWN
    empty[:, 0] |= len(empty[0]) > 1
    sums[empty], parts[empty] = float("-inf"), 0


def _largest_scores(sums: Argument, tensors: dict[str, Tensor], case: Case) -> Tensor:
    """The largest score that each query gives to a key that it sees, (…, length)."""
    query, key = (tensors[name] for name in sums.above)
    scores = query @ key.mT / query.shape[-1] ** 0.5
    if case.chosen.get("causal"):
        ahead = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(ahead, float("-inf"))
    return scores.amax(-1)


def _meet(numbers: Tensor, probabilities: Tensor) -> None:
    """Let rows be halves or quarters, behind tokens that have none, and numbers be their sums."""
    some = probabilities[: len(probabilities) // 2 + 1]
    size = some.shape[-1]
    many = 4 if size >= 8 else 2 if size >= 4 else 1
    some[:] = 0
    some[:, size - many :] = 1 / many
    numbers[: len(some)] = torch.arange(len(some)) % many / many


def _weights(module: Module, case: Case, generator: torch.Generator) -> dict[str, Tensor]:
    """Draw the model answer's own weights."""
    found: dict[str, Tensor] = {}
    for layer in (one for one in module.layers if not one.extra):
        shape = layer.sized(case.scope())
        scale = 1.5 / shape[-1] ** 0.5 if len(shape) > 1 else 0.5
        for name, axes in (("weight", shape), *([("bias", shape[:1])] if layer.bias else [])):
            values = torch.randn(axes, generator=generator, dtype=torch.float64)
            found[f"{layer.name}.{name}"] = values * (scale if name == "weight" else 0.5)
    return found


def _tensor(one: Argument, case: Case, generator: torch.Generator) -> Tensor:
    shape = [worth(axis, case.scope()) for axis in case.shape_of(one)]
    if one.kind == "mask":
        return drawn_mask(case.mask or "random", shape, generator, case.turn)
    if one.kind == "integers":
        return _integers(one, case, shape, generator)
    if one.kind == "tokens":
        return _tokens(one, case, shape, generator)
    if one.hides:
        return _hiding(one, case, shape, generator)
    if one.kind == "booleans":
        drawn = torch.rand(shape, generator=generator) < SHOWN
        if "empty" in one.masks and len(drawn) > 1:
            drawn[0] = False
        return drawn
    if one.kind == "positions":
        return _positions(one, case, shape, generator)
    if one.kind == "uniform":
        return torch.rand(shape, generator=generator, dtype=torch.float64)
    values = torch.randn(shape, generator=generator, dtype=torch.float64)
    if one.kind == "probabilities":
        return values.softmax(-1)
    if case.far and one.late:
        values[..., : one.late, :] = 0
    if case.zeroes(one) and case.zeros == "all":
        return torch.zeros_like(values)
    if case.zeroes(one):
        # In the middle a causal mask leaves it some keys, and hides others; of a packed buffer
        # that place may be empty.
        for part in (2, 4):
            values[tuple(size // part for size in values.shape[:-1])] = 0
    if case.far and one.far:
        return values + one.far
    if case.gain == 1 or one.large in {"hidden", "kept"}:
        return values
    if one.large == "later":
        # A causal mask hides some of it from queries that see nothing as large.
        values[..., values.shape[-2] // 2 :, :] += case.gain
        return values + case.gain
    return values * case.gain if one.large == "multiplied" else values + case.gain


def _hiding(one: Argument, case: Case, shape: list[int], generator: torch.Generator) -> Tensor:
    """Draw a mask that is True where it hides; by turns what is added in its place."""
    kind = one.masks[case.turn % len(one.masks)]
    hidden = ~drawn_mask(kind, shape, generator, case.turn)
    if not case.adds(one):
        return hidden
    values = torch.randn(shape, generator=generator, dtype=torch.float64)
    plain = torch.rand(shape, generator=generator) < SHOWN
    return values.masked_fill(plain, 0).masked_fill(hidden, float("-inf"))


def _one_sided(values: Tensor, gain: float, generator: torch.Generator | None) -> Tensor:
    """Let vectors have one sign throughout: positive, or, drawn, the first and some negative."""
    # Away from 0, and no further with many features: what is far off is rounded the more.
    away = (values.abs() / 4 + gain) / values.shape[-1] ** 0.25
    if generator is None:
        return away
    below = torch.rand((*values.shape[:-1], 1), generator=generator) < SHOWN
    below.view(-1)[0] = True
    return away.where(~below, -away)


def _integers(one: Argument, case: Case, shape: list[int], generator: torch.Generator) -> Tensor:
    """Draw whole numbers; by turns half lie beyond, the last as far as any, or all fill a sum."""
    scope = case.scope()
    high, most = worth(one.high, scope), worth(one.beyond or one.high, scope)
    low = worth(one.low, scope)
    drawn = torch.randint(low, high + 1, shape, generator=generator)
    if case.regular:
        # What fills a sum is as much as it may be.
        return torch.full_like(drawn, high) if one.fills else _regular(drawn, low, high)
    if most > high and case.turn % 2:
        far = torch.randint(high + 1, most + 1, shape, generator=generator)
        drawn = drawn.where(torch.rand(shape, generator=generator) < 1 / 2, far)
        drawn[..., -1] = most
    if one.fills and case.turn % 3 == 2 and shape[-1] > 1:
        whole = worth(one.fills, scope)
        ends = torch.randint(whole + 1, (shape[-1] - 2,), generator=generator).sort().values
        # The last is empty: it begins where what is filled ends.
        return torch.cat([ends.new_zeros(1), ends, ends.new_tensor([whole, whole])]).diff()
    return drawn


def _regular(drawn: Tensor, low: int, high: int) -> Tensor:
    """All the same; of steps the last one's in order, where a row may hold each of them once."""
    if drawn.dim() <= _ROWS:
        return drawn.flatten()[:1].expand(drawn.shape).clone()
    if drawn.shape[-1] == high + 1 - low:
        drawn[-1] = torch.arange(low, high + 1)
    return drawn


def _tokens(one: Argument, case: Case, shape: list[int], generator: torch.Generator) -> Tensor:
    """Draw tokens; by turns rows are shorter, of two at least, and filled up with what is none.

    Of these the first, the last or none is whole, by turns as well.
    """
    low, high = worth(one.low, case.scope()), worth(one.high, case.scope())
    filler = worth(one.filler or one.low, case.scope())
    among = low < filler <= high
    tokens = torch.randint(low + 1, high + 1 - among, shape, generator=generator)
    tokens += among * (tokens >= filler)
    if case.turn % 2 or shape[-1] < 3:
        return tokens
    lengths = torch.randint(2, shape[-1], (*shape[:-1], 1), generator=generator)
    with_one_whole(lengths, shape[-1], case.turn // 2)
    return tokens.masked_fill(torch.arange(shape[-1]) >= lengths, filler)


def _positions(one: Argument, case: Case, shape: list[int], generator: torch.Generator) -> Tensor:
    """Draw positions: counted up from 0 or from later on, or, by turns, some in any order.

    Those are none of them 0, so that one counted from the least of them is another. No sample
    need stand where another does.
    """
    length, samples = shape[-1], shape[:-1]
    if case.reach:
        return torch.arange(case.reach + 1 - length, case.reach + 1).expand(shape).clone()
    start = int(torch.randint(1, 9, (1,), generator=generator)) if case.turn % 2 else 0
    start += one.far if case.far else 0
    if case.disordered:
        many = [1 + torch.randperm(2 * length, generator=generator)[:length]
                for _ in range(prod(samples))]  # fmt: skip
        return torch.stack(many).view(shape)
    places = torch.arange(start, start + length)
    if samples and case.turn % 2:
        return places + torch.randint(0, 4, (*samples, 1), generator=generator)
    return places.expand(shape).clone()
