# attn-kata: backward
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class AdjointContext:
    """The tape, by hand: every intermediate of both passes is a lazily evaluated property."""

    query: Tensor
    key: Tensor
    value: Tensor
    grad_output: Tensor
    causal: bool

    @cached_property
    def scale(self) -> float:
        return self.query.size(-1) ** -0.5

    @cached_property
    def hidden(self) -> Tensor:
        rows, columns = self.query.size(-2), self.key.size(-2)
        everywhere = torch.ones(rows, columns, dtype=torch.bool, device=self.query.device)
        return everywhere.triu(columns - rows + 1)

    @cached_property
    def probs(self) -> Tensor:
        scores = torch.matmul(self.query, self.key.mT) * self.scale
        if self.causal:
            scores.masked_fill_(self.hidden, -torch.inf)
        return torch.softmax(scores, dim=-1)

    @cached_property
    def delta(self) -> Tensor:
        """rowsum(P o dP), read off the output: rowsum(dO o O)."""
        output = self.probs @ self.value
        return torch.einsum("bhqv,bhqv->bhq", self.grad_output, output).unsqueeze(-1)

    @cached_property
    def grad_scores(self) -> Tensor:
        grad_probs = self.grad_output @ self.value.mT
        return self.probs * (grad_probs - self.delta) * self.scale

    @property
    def grads(self) -> tuple[Tensor, Tensor, Tensor]:
        return (
            self.grad_scores @ self.key,
            self.grad_scores.mT @ self.query,
            self.probs.mT @ self.grad_output,
        )


@torch.no_grad()
def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    wide = torch.promote_types(query.dtype, torch.float32)
    context = AdjointContext(*(t.to(wide) for t in (query, key, value, grad_output)), causal)
    grad_query, grad_key, grad_value = (g.to(query.dtype) for g in context.grads)
    return grad_query, grad_key, grad_value
