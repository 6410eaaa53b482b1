"""The attention weights of one small case: those expected, and the submission's own."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from .axes import axis_names
from .flow import Flow
from .layout_match import laid_out
from .report import Heat

__all__ = ["heat"]

_SOFTMAX = {"softmax", "softmin", "log_softmax"}
_BY_HAND = {"div", "__truediv__", "div_", "__itruediv__", "true_divide"}


def heat(flow: Flow, language: str) -> Heat | None:
    """Return the weights of the traced case's first sample, None where none are expected.

    The submission's are found among its traced tensors: where the weights are reached, those;
    else what came out of its softmax.
    """
    mark = next((mark for mark in flow.landmarks if mark.name == "weights"), None)
    if mark is None:
        return None
    expected = mark.value if mark.value.dim() == 4 else mark.value.unsqueeze(1)
    found = flow.reached.get("weights")
    number = found.step if found is not None else _softmax(flow)
    own = _pieces(flow, number) if number is not None else []
    actual = _as_heads(own, expected, flow)
    first = expected[0]
    return Heat(
        case=flow.sight.trace.case.label(language),
        expected=first.tolist(),
        actual=[] if actual is None else actual.tolist(),
        # Softmax gives exactly 0 to what is hidden, and to nothing else on inputs so tame.
        masked=(first == 0).tolist(),
        line=None if number is None else flow.sight.trace.steps[number]["line"],
        reached=found is not None,
    )


def _softmax(flow: Flow) -> int | None:
    """The step that a submission makes its weights in, right or wrong."""
    steps = flow.sight.trace.steps
    calls = [n for n, step in enumerate(steps) if step["call"] in _SOFTMAX and step["values"]]
    if calls:
        return calls[0]
    exps = [n for n, step in enumerate(steps) if step["call"] in {"exp", "__rpow__"}]
    if not exps:
        return None
    divided = (n for n in range(exps[0], len(steps)) if steps[n]["call"] in _BY_HAND)
    return next(divided, None)


def _pieces(flow: Flow, number: int) -> list[Tensor]:
    """The tensors of a step, and of the same call on the same line in a loop's other rounds."""
    steps = flow.sight.trace.steps
    here = steps[number]
    same = [s for s in steps if s["call"] == here["call"] and s["line"] == here["line"]]
    return [s["values"][0] for s in same if s["values"] and s["shape"] == here["shape"]]


def _as_heads(pieces: list[Tensor], expected: Tensor, flow: Flow) -> Tensor | None:
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
    names = axis_names(value.shape, flow.sight.trace.size, flow.sight.trace.case)
    if names[0] == "batch·heads" and list(value.shape[1:]) == [queries, keys]:
        folded = value.reshape(batch, heads, queries, keys)[0]
        other = value.reshape(heads, batch, queries, keys)[:, 0]
        return _nearest((folded, other), expected[0])
    if list(value.shape) == [keys] and len(pieces) == batch * heads * queries:
        rows = torch.stack([piece.double() for piece in pieces])
        by_head = rows.reshape(batch, heads, queries, keys)[0]
        by_query = rows.reshape(batch, queries, heads, keys)[0].transpose(0, 1)
        return _nearest((by_head, by_query), expected[0])
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
