"""The attention weights of one small case: those expected, and the submission's own."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ..process.answers import Step
from ..report.message import Said
from ..report.report import Heat
from .layout_match import laid_out

__all__ = ["heat"]

_SOFTMAX = {"softmax", "softmin", "log_softmax"}
_BY_HAND = {"div", "__truediv__", "div_", "__itruediv__", "true_divide"}


def heat(expected: Tensor, steps: Sequence[Step], reached: int | None, case: Said) -> Heat:
    """Return the weights of a traced case's first sample.

    expected: (batch, heads, queries, keys), or (batch, queries, keys). reached: the step that
    holds them; where none does, the submission's are what came out of its softmax.
    """
    if expected.dim() == 3:
        expected = expected.unsqueeze(1)
    number = reached if reached is not None else _softmax(steps)
    own = _pieces(steps, number, expected.numel()) if number is not None else []
    actual = _as_heads(own, expected)
    first = expected[0]
    return Heat(
        case=case,
        expected=first.tolist(),
        actual=[] if actual is None else actual.tolist(),
        # Softmax gives exactly 0 to what is hidden, and to nothing else on inputs so tame.
        masked=(first == 0).tolist(),
        line=None if number is None else steps[number].line,
        reached=reached is not None,
    )


def _softmax(steps: Sequence[Step]) -> int | None:
    """The step that a submission makes its weights in, right or wrong."""
    calls = [n for n, step in enumerate(steps) if step.call in _SOFTMAX and step.values]
    if calls:
        return calls[0]
    exps = [n for n, step in enumerate(steps) if step.call in {"exp", "__rpow__"}]
    if not exps:
        return None
    divided = (n for n in range(exps[0], len(steps)) if steps[n].call in _BY_HAND)
    return next(divided, None)


def _pieces(steps: Sequence[Step], number: int, count: int) -> list[Tensor]:
    """The tensors of a step; with fewer than `count` numbers, of a loop's other rounds too.

    Those are the same call on the same line.
    """
    here = steps[number]
    if here.values and here.values[0].numel() == count:
        return here.values[:1]
    same = [s for s in steps if s.call == here.call and s.line == here.line]
    return [s.values[0] for s in same if s.values and s.shape == here.shape]


def _as_heads(pieces: list[Tensor], expected: Tensor) -> Tensor | None:
    """Lay weights out as (heads, queries, keys) of the first sample; None where they are not."""
    if not pieces:
        return None
    batch, heads, queries, keys = expected.shape
    if heads > 1:
        pieces = [p.squeeze(1) if p.dim() == 4 and p.shape[1] == 1 else p for p in pieces]
    value = pieces[0].double()
    for like in (expected, expected[:, :1].squeeze(1)):
        turned = list(laid_out(value, like))
        if turned:
            best = _nearest(turned, like)
            if best.dim() == 4:
                return best[0]
            return torch.stack([_turned_alike(p.double(), value, best)[0] for p in pieces[:heads]])
    if value.numel() == expected.numel() and list(value.shape[-2:]) == [queries, keys]:
        # Heads folded into the batch, or cut into groups.
        folded = value.reshape(expected.shape)
        options = [folded, value.reshape(heads, batch, queries, keys).transpose(0, 1)]
        if value.dim() == 5:
            options.append(value.transpose(1, 2).reshape(expected.shape))
        return _nearest(options, expected)[0]
    if list(value.shape) == [keys] and len(pieces) == batch * heads * queries:
        rows = torch.stack([piece.double() for piece in pieces])
        by_head = rows.reshape(batch, heads, queries, keys)[0]
        by_query = rows.reshape(batch, queries, heads, keys)[0].transpose(0, 1)
        return _nearest((by_head, by_query), expected[0])
    if value.dim() == 4 and list(value.shape) == [batch, heads // len(pieces), queries, keys]:
        return torch.cat([piece.double()[0] for piece in pieces])
    if list(value.shape) == [queries, keys]:
        return torch.stack([piece.double() for piece in pieces[:heads]])
    if list(value.shape) == [heads, queries, keys]:
        return value
    return None


def _nearest(options: Sequence[Tensor], like: Tensor) -> Tensor:
    """The layout in which most entries are as expected."""
    return max(options, key=lambda one: int(torch.isclose(one, like).sum()))


def _turned_alike(value: Tensor, first: Tensor, turned: Tensor) -> Tensor:
    """Give a tensor the layout that another of its kind was given."""
    return value if first.shape == turned.shape and first.stride() == turned.stride() else (
        value.transpose(-2, -1)
    )  # fmt: skip
