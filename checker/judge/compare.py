"""When two outputs are equal, and how far apart they are where they are not.

Every bound is relative to the output's own scale: its standard deviation. In float64
right code differs from the reference by its order of summation (some 1e-15), or, where
it takes a float32 detour such as `torch.sqrt(torch.tensor(d))` or Llama's float32
softmax, by up to 1e-6; wrong code differs by 1e-3 and more. The bound lies between.

In lower precision each step rounds. A sum of n products rounded at unit u = eps / 2 is
off by about √n·u relative to the sum of their magnitudes (Higham, Accuracy and Stability
of Numerical Algorithms, 2nd ed., section 3.1 for the bound n·u, section 2.8 for the √n of
random signs), and an error e in a score changes its weight by the factor exp(e), so that
scores of size s add s·u. Attention takes four such sums of at most `width` or `length`
terms. In float32 the bound is therefore, in standard deviations of the output,

    4 · eps · (4 · √max(width, length) + 2 · largest score)

where the leading 4 stands for the largest of some thousand errors. float16 and bfloat16
products are summed in float32 and rounded once, so the √n drops out:

    eps · (16 + 2 · largest score)

Measured over 1500 draws the reference stays under a quarter of the first and a third of
the second.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from ...kata.functions import Function
from .case import Case

__all__ = [
    "GRADIENT_BOUND",
    "VALUE_BOUND",
    "Gap",
    "agree",
    "alike",
    "case_bound",
    "gap",
    "low_precision_bound",
]

_norm = torch.linalg.vector_norm

VALUE_BOUND = 1e-5
GRADIENT_BOUND = 1e-4
# A float32 angle at position 260 is off by 260 times its rounding.
_FAR_BOUND = 1e-3
# In low precision scores grow to some 8.
_SCORE = 8
# Finite numbers from here on stand for infinity, and beside them every other number would be 0.
_INFINITE = 1e20


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """How far an output is from the right one, in units of the right one's scale."""

    worst: float
    scale: float
    at: tuple[int, ...]
    wrong: int
    total: int
    max_abs: float
    max_rel: float


def gap(actual: Tensor, expected: Tensor, bound: float, keep: Tensor | None = None) -> Gap:
    """Measure the difference of two tensors of one shape.

    bound: what counts as wrong, in units of the scale. keep: a mask of the elements to
    compare. NaN and infinity equal nothing but themselves in the same place.
    """
    actual, expected = actual.detach().double(), expected.detach().double()
    close = _close(actual, expected, bound, keep)
    if close is not None:
        return close
    chosen = torch.ones_like(expected, dtype=torch.bool) if keep is None else keep
    values = expected[chosen & (expected.abs() < _INFINITE)]
    scale = float(values.square().mean().sqrt()) if values.numel() else 1.0
    scale = max(scale, 1e-12)
    same = (actual == expected) | (actual.isnan() & expected.isnan())
    off = torch.where(same, 0.0, (actual - expected).abs() / scale)
    off = torch.where(torch.isnan(off), math.inf, off)
    off = torch.where(chosen, off, 0.0)
    wrong = int((off > bound).sum())
    if off.numel() == 0:
        return Gap(worst=0.0, scale=scale, at=(), wrong=0, total=0, max_abs=0.0, max_rel=0.0)
    flat = int(off.argmax())
    at = _place(flat, off.shape)
    worst = float(off.flatten()[flat])
    largest = torch.where(chosen & ~same, (actual - expected).abs(), 0.0)
    relative = largest / expected.abs().clamp_min(1e-12)
    return Gap(
        worst=worst,
        scale=scale,
        at=at,
        wrong=wrong,
        total=int(chosen.sum()),
        max_abs=float(largest.max()),
        max_rel=float(relative.max()),
    )


def agree(actual: Tensor, expected: Tensor, bound: float, keep: Tensor | None = None) -> bool:
    """Whether `gap` finds nothing wrong; how far off is not measured, which costs the most."""
    actual, expected = actual.detach().double(), expected.detach().double()
    if _close(actual, expected, bound, keep) is not None:
        return True
    # Neither NaN nor infinity, nor what stands for one: then close is all there is.
    finite = float(_norm(actual)) + float(_norm(expected)) < _INFINITE
    if finite and expected.numel() and (keep is None or bool(keep.any())):
        return False
    actual, expected = _tamed(actual), _tamed(expected)
    return gap(actual, expected, bound, keep).wrong == 0


def _tamed(values: Tensor) -> Tensor:
    """The same, with one number for all that stand for infinity: which one is anyone's choice."""
    stands = values.isfinite() & (values.abs() >= _INFINITE)
    return values.where(~stands, values.sign() * torch.finfo(torch.float64).max)


def _close(actual: Tensor, expected: Tensor, bound: float, keep: Tensor | None) -> Gap | None:
    """The answer for two tensors that are all finite and close, as most are; else None."""
    if keep is not None:
        actual, expected = actual[keep], expected[keep]
    if expected.numel() == 0:
        return None
    total = expected.numel()
    scale = max(float(_norm(expected)) / math.sqrt(total), 1e-12)
    worst = float(_norm(actual - expected, math.inf))
    # Any NaN or infinity makes this false, and is looked at one by one.
    if not (worst <= bound * scale and scale < _INFINITE):
        return None
    return Gap(
        worst=worst / scale, scale=scale, at=(), wrong=0, total=total, max_abs=worst, max_rel=0.0
    )


def _place(flat: int, shape: torch.Size) -> tuple[int, ...]:
    # torch.unravel_index would import sympy, half a second, for this.
    place: list[int] = []
    for size in reversed(shape):
        flat, rest = divmod(flat, size)
        place.append(rest)
    return tuple(reversed(place))


def alike(left: Tensor, right: Tensor, close: float) -> bool:
    """Whether two tensors agree to a share of the first's largest entry, NaN with NaN."""
    if left.shape != right.shape:
        return False
    left, right = left.double(), right.double()
    scale = float(left.abs().nan_to_num(0, 0, 0).max()) if left.numel() else 1.0
    return bool(torch.isclose(left, right, rtol=0, atol=close * scale, equal_nan=True).all())


def low_precision_bound(dtype: torch.dtype, width: int, length: int, score: float) -> float:
    """Return the bound of the module's docstring for a dtype and sizes.

    score: the largest absolute score of the case.
    """
    eps = torch.finfo(dtype).eps
    if dtype is not torch.float32:
        return eps * (16 + 2 * score)
    return 4 * eps * (4 * math.sqrt(max(width, length)) + 2 * score)


def case_bound(function: Function, case: Case, dtype: torch.dtype) -> float:
    """Return the bound for a case of a function in a dtype, from its sizes and its gain."""
    # Right code may take a detour through float32, whose error grows with the scores.
    rounding = torch.float32 if dtype is torch.float64 and case.gain > 1 else dtype
    if rounding is torch.float64:
        far = case.large or case.reach > 0
        return _FAR_BOUND if far and function.angles else VALUE_BOUND
    widest = max(size for symbol, size in case.sizes.items() if symbol not in function.numbers)
    # In half precision queries and keys are both made large; far below 0 no score is smaller.
    both = case.below or dtype.itemsize < torch.float32.itemsize
    scores = case.gain ** (1 + both)
    bound = low_precision_bound(rounding, widest, widest, _SCORE * max(1, scores))
    return max(bound, VALUE_BOUND * (10 if case.gain > 1 else 1))
