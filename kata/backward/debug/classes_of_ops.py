"""Every operation with its own backward, as in a small framework."""

from __future__ import annotations

import math

import torch
from torch import Tensor


class MatMul:
    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        self.a, self.b = a, b
        return a @ b

    def backward(self, grad: Tensor) -> tuple[Tensor, Tensor]:
        return grad @ self.b.transpose(-1, -2), self.a.transpose(-1, -2) @ grad


class Scale:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def forward(self, x: Tensor) -> Tensor:
        return x * self.factor

    def backward(self, grad: Tensor) -> Tensor:
        return grad * self.factor


class Hide:
    def forward(self, x: Tensor, hidden: Tensor | None) -> Tensor:
        self.hidden = hidden
        return x if hidden is None else x.masked_fill(hidden, torch.finfo(x.dtype).min)

    def backward(self, grad: Tensor) -> Tensor:
        return grad if self.hidden is None else grad.masked_fill(self.hidden, 0.0)


class Softmax:
    def forward(self, x: Tensor) -> Tensor:
        self.y = torch.softmax(x, dim=-1)
        return self.y

    def backward(self, grad: Tensor) -> Tensor:
        inner = torch.sum(self.y * grad, dim=-1, keepdim=True)
        return self.y * (grad - inner)


def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    look, scale, hide, soft, gather = (
        MatMul(),
        Scale(1 / math.sqrt(query.shape[-1])),
        Hide(),
        Softmax(),
        MatMul(),
    )
    rows, cols = query.shape[-2], key.shape[-2]
    hidden = None
    if causal:
        hidden = torch.ones(rows, cols, device=query.device).triu(cols - rows + 1) != 0
    gather.forward(
        soft.forward(
            hide.forward(scale.forward(look.forward(query, key.transpose(-1, -2))), hidden)
        ),
        value,
    )
    d_weights, d_value = gather.backward(grad_output)
    d_query, d_key_t = look.backward(scale.backward(hide.backward(soft.backward(d_weights))))
    return d_query, d_key_t.transpose(-1, -2), d_value
