from __future__ import annotations

import math
from functools import cached_property

import torch
from torch import Tensor


class AttentionTape:
    """Lazily recomputes what the forward pass made, then walks back over it."""

    def __init__(self, q: Tensor, k: Tensor, v: Tensor, upstream: Tensor, causal: bool) -> None:
        self.q, self.k, self.v, self.upstream = q, k, v, upstream
        self.causal = causal

    @cached_property
    def temperature(self) -> float:
        return math.sqrt(self.q.size(-1))

    @cached_property
    def weights(self) -> Tensor:
        logits = torch.matmul(self.q, self.k.transpose(-2, -1)) / self.temperature
        if self.causal:
            rows, cols = logits.size(-2), logits.size(-1)
            allowed = logits.new_ones(rows, cols, dtype=torch.bool).tril(diagonal=cols - rows)
            logits = logits.masked_fill(~allowed, -math.inf)
        return torch.softmax(logits, dim=-1)

    @cached_property
    def grad_logits(self) -> Tensor:
        grad_weights = torch.matmul(self.upstream, self.v.transpose(-2, -1))
        inner = (grad_weights * self.weights).sum(-1, keepdim=True)
        return self.weights * (grad_weights - inner)

    @cached_property
    def grad_products(self) -> Tensor:
        return self.grad_logits / math.sqrt(self.upstream.size(-1))

    @property
    def grad_q(self) -> Tensor:
        return torch.matmul(self.grad_products, self.k)

    @property
    def grad_k(self) -> Tensor:
        return torch.matmul(self.grad_products.transpose(-2, -1), self.q)

    @property
    def grad_v(self) -> Tensor:
        return torch.matmul(self.weights.transpose(-2, -1), self.upstream)


def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    precise = query.dtype if query.dtype.itemsize > 2 else torch.float32
    tape = AttentionTape(*(t.to(precise) for t in (query, key, value, grad_output)), causal)
    return tape.grad_q.to(query.dtype), tape.grad_k.to(query.dtype), tape.grad_v.to(query.dtype)
