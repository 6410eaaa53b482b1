"""The bounds leave room for right code and none for the gentlest wrong code."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from attn_kata.checker.judge.compare import GRADIENT_BOUND, VALUE_BOUND, gap, low_precision_bound
from torch import Tensor

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Plain attention, the truth here."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    return scores.softmax(-1) @ value


def by_einsum(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Right, in another order of operations and with a softmax by hand."""
    scores = torch.einsum(
        "bqd,bkd->bqk", query / query.shape[-1] ** 0.25, key / key.shape[-1] ** 0.25
    )
    grown = (scores - scores.amax(-1, keepdim=True)).exp()
    return torch.einsum("bqk,bkd->bqd", grown / grown.sum(-1, keepdim=True), value)


def float32_island(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Right, with its scale and softmax in float32."""
    scores = query @ key.mT / torch.sqrt(torch.tensor(float(query.shape[-1])))
    return scores.float().softmax(-1).to(value.dtype) @ value


def warm(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Wrong by a softmax temperature of 1.01."""
    return attention(query / 1.01, key, value)


def one_too_many(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Wrong by √(d+1) in place of √d."""
    d = query.shape[-1]
    return attention(query * math.sqrt(d / (d + 1)), key, value)


def leaky(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Wrong by an epsilon of 1e-3 in the denominator."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    grown = (scores - scores.amax(-1, keepdim=True)).exp()
    return grown / (grown.sum(-1, keepdim=True) + 1e-3) @ value


def draws(count: int = 40) -> list[tuple[Tensor, Tensor, Tensor]]:
    """Seeded queries, keys and values."""
    generator = torch.Generator().manual_seed(3)
    shape = (2, 6, 12)
    return [
        tuple(torch.randn(shape, generator=generator, dtype=torch.float64) * 1.5 for _ in range(3))
        for _ in range(count)
    ]  # type: ignore[return-value]


@pytest.mark.parametrize("code", [by_einsum, float32_island])
def test_right_code_has_room(code: Attention) -> None:
    """Right code stays a factor of five under the float64 bound, float32 detours included."""
    worst = max(gap(code(*one), attention(*one), VALUE_BOUND).worst for one in draws())
    assert worst < VALUE_BOUND / 5


@pytest.mark.parametrize("code", [warm, one_too_many, leaky])
def test_gentle_mistakes_are_above(code: Attention) -> None:
    """A temperature of 1.01, √(d+1) and an epsilon of 1e-3 are ten times over the bound."""
    least = min(gap(code(*one), attention(*one), VALUE_BOUND).worst for one in draws())
    assert least > 10 * VALUE_BOUND


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("code", [attention, by_einsum])
def test_low_precision_has_room(dtype: torch.dtype, code: Attention) -> None:
    """Rounding in a lower precision stays under the bound derived for it."""
    bound = low_precision_bound(dtype, 12, 6, 8)
    for one in draws():
        rounded = [tensor.to(dtype) for tensor in one]
        right = attention(*(tensor.double() for tensor in rounded))
        assert gap(code(*rounded), right, bound).worst < bound


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_low_precision_tells_a_missing_scale(dtype: torch.dtype) -> None:
    """In every precision a missing scale is over the bound."""
    bound = low_precision_bound(dtype, 12, 6, 8)
    for query, key, value in draws():
        wrong = attention(query * math.sqrt(12), key, value)
        assert gap(wrong, attention(query, key, value), bound).worst > bound


def test_gradients_leave_room_for_float32_islands() -> None:
    """Gradients through a float32 softmax stay under their bound."""
    for one in draws(10):
        leaves = [[t.clone().requires_grad_() for t in one] for _ in range(2)]
        for code, mine in zip((attention, float32_island), leaves, strict=True):
            code(*mine).square().sum().backward()
        for right, island in zip(*leaves, strict=True):
            assert right.grad is not None
            assert island.grad is not None
            assert gap(island.grad, right.grad, GRADIENT_BOUND).worst < GRADIENT_BOUND


def test_nan_and_infinity_equal_only_themselves() -> None:
    """NaN in one tensor alone is a difference, in the same place of both it is none."""
    right = torch.tensor([1.0, math.nan, math.inf])
    assert gap(right.clone(), right, VALUE_BOUND).wrong == 0
    assert gap(torch.tensor([1.0, 2.0, math.inf]), right, VALUE_BOUND).wrong == 1
    assert gap(torch.tensor([math.nan, math.nan, math.inf]), right, VALUE_BOUND).wrong == 1
    assert gap(torch.tensor([1.0, math.nan, -math.inf]), right, VALUE_BOUND).wrong == 1
