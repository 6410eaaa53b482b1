"""On which line a mistake is: where a trace first holds what the mistake makes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import torch
from torch import Tensor

from ..reference.mistakes import Mistake
from .milestones import Step, find
from .plan import Size

__all__ = ["Observed", "point"]


@dataclass(slots=True, kw_only=True)
class Observed:
    """What one call of the submission gave, beside its inputs."""

    inputs: dict[str, Tensor]
    mask: Tensor | None
    keep: Tensor | None
    out: Tensor | None
    steps: list[Step] = field(default_factory=list)


def point(
    mistake: Mistake,
    held: Observed,
    right: dict[str, Tensor],
    wrong: dict[str, Tensor],
    size: Size,
) -> int | None:
    """Find a mistake's line in what was observed, None where the trace does not show it.

    right, wrong: the named steps of the reference without and with the mistake's edit.
    """
    if mistake.group == "heads":
        line = _layout_line(mistake, held, size)
        if line is not None:
            return line
    if mistake.id in {"mask-ignored", "causal-missing"}:
        return _unmasked_line(held, right, wrong)
    if mistake.group == "scale":
        line = _scaling_line(held, right, wrong)
        if line is not None:
            return line
    if mistake.id == "values-from-keys":
        return _second_key_line(held, right)
    if mistake.id == "mask-transposed" and held.mask is not None:
        line = _turned(held)
        if line is not None:
            return line
    late = mistake.id == "mask-after-softmax"
    for name, value in wrong.items():
        if (name in right and _same(right[name], value)) or (late and "scores" in name):
            continue
        step = find(value, held.steps)
        if step is not None and step["line"] is not None:
            return step["line"]
    return None


def _scaling_line(held: Observed, right: dict[str, Tensor], wrong: dict[str, Tensor]) -> int | None:
    """Scores scaled through the query or key: the line that scales those."""
    products, scores = right.get("products"), wrong.get("scores")
    if products is None or scores is None:
        return None
    ratio = float(scores.flatten()[0] / products.flatten()[0])
    if math.isclose(ratio, 1.0) or not math.isfinite(ratio):
        return None
    direct = find(products, held.steps)
    if direct is not None:
        return None
    for name in ("query_heads", "query", "key_heads", "key"):
        for factor in (ratio, math.copysign(abs(ratio) ** 0.5, ratio)):
            if name in right:
                step = find(right[name] * factor, held.steps)
                if step is not None and step["line"] is not None:
                    return step["line"]
    return None


def _second_key_line(held: Observed, right: dict[str, Tensor]) -> int | None:
    """The later of the calls that make the key: the one that was to make the value."""
    key = right.get("key_heads", right.get("key"))
    makers = ("linear", "matmul", "einsum", "__matmul__", "chunk", "split", "__getitem__")
    if key is None:
        return None
    hits = [s for s in held.steps if s["call"] in makers and find(key, [s])]
    return hits[-1]["line"] if hits else None


def _unmasked_line(
    held: Observed, right: dict[str, Tensor], wrong: dict[str, Tensor]
) -> int | None:
    """A mask made and thrown away: the line that makes it; else where softmax begins."""
    made = find(right["masked_scores"], held.steps) if "masked_scores" in right else None
    if made is None:
        made = next((s for s in held.steps if s["call"] in {"masked_fill", "where"}), None)
    if made is None:
        made = find(wrong["weights"], held.steps) if "weights" in wrong else None
    return None if made is None else made["line"]


def _layout_line(mistake: Mistake, held: Observed, size: Size) -> int | None:
    """The step that makes or merges heads in the wrong order, known by its shapes."""
    batch, length = next(iter(held.inputs.values())).shape[:2]
    heads, depth = size.heads, size.head_dim
    lengths = {tensor.shape[1] for tensor in held.inputs.values()}
    reshapes = [
        s
        for s in held.steps
        if s["call"] in {"view", "reshape", "unflatten", "contiguous", "flatten"}
    ]
    if mistake.id == "heads-view-without-transpose":
        for step in reshapes:
            before = step["shapes"][0] if step["shapes"] else []
            if step["shape"] in [[batch, heads, n, depth] for n in lengths] and len(before) == 3:
                return step["line"]
    moves = ("transpose", "permute", "swapaxes", "movedim", "swapdims", "moveaxis")
    if mistake.id == "heads-merge-wrong-axes":
        found = [s for s in held.steps if s["call"] in moves and s["line"] is not None]
        return found[-1]["line"] if found else None
    if mistake.id == "heads-merge-without-transpose":
        merged = [s for s in reshapes if s["shape"] == [batch, length, heads * depth]
                  and s["shapes"] and s["shapes"][0][-1] == depth]  # fmt: skip
        return merged[-1]["line"] if merged else None
    return None


def _turned(held: Observed) -> int | None:
    """The line that transposes something of the mask's size that is no float."""
    moves = ("transpose", "permute", "swapaxes", "__get__", "mT", "T", "movedim", "t")
    assert held.mask is not None
    pair = sorted(held.mask.shape[-2:])
    for step in held.steps:
        moved = step["call"] in moves and not step["values"] and step["shapes"]
        if moved and sorted(step["shapes"][0][-2:]) == pair:
            return step["line"]
    return None


def _same(left: Tensor, right: Tensor) -> bool:
    if left.shape != right.shape:
        return False
    scale = float(left.abs().nan_to_num(0, 0, 0).max()) or 1.0
    return bool(torch.isclose(left, right, rtol=0, atol=1e-9 * scale, equal_nan=True).all())
