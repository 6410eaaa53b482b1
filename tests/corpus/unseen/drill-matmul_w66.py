from __future__ import annotations

import operator
from typing import Callable, Dict

import torch
from torch import Tensor

SPELLINGS: Dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "operator": operator.matmul,
    "matmul": torch.matmul,
    "bmm": torch.bmm,
}


def _check(weights: Tensor, values: Tensor) -> None:
    assert weights.ndim == values.ndim == 4
    assert weights.shape[-1] == values.shape[-2]
    assert weights.dtype == values.dtype


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    _check(weights, values)
    return SPELLINGS["operator"](weights, values)


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    _check(weights, values)
    return SPELLINGS["matmul"](weights, values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    _check(weights, values)
    return torch.einsum("bhij,bhjd->bhid", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    _check(weights, values)
    b, h = weights.shape[:2]
    out: Tensor = SPELLINGS["bmm"](weights.flatten(0, 1), values.flatten(0, 1))
    return out.unflatten(0, (b, h))


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    _check(weights, values)
    product: Tensor = weights[..., :, None] * values[..., None, :, :]
    return product.sum(dim=3)


def test_brief_example() -> None:
    w = torch.tensor([0.9, 0.1]).view(1, 1, 1, 2)
    v = torch.eye(2).view(1, 1, 2, 2)
    for f in (by_operator, by_matmul, by_einsum, by_bmm, by_broadcast):
        torch.testing.assert_close(f(w, v), torch.tensor([0.9, 0.1]).view(1, 1, 1, 2))
