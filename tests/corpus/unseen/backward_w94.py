from __future__ import annotations

import torch
from torch import Tensor


class AttentionTape:
    """Keeps what the backward formulas need."""

    def __init__(self, query, key, value, causal):
        self.scaled_query = query / query.shape[-1] ** 0.5
        self.key, self.value = key, value
        logits = self.scaled_query.matmul(key.mT)
        if causal:
            tq, tk = logits.shape[-2:]
            visible = logits.new_ones(tq, tk).tril(tk - tq).bool()
            logits = logits.masked_fill(visible.logical_not(), -torch.inf)
        self.weights = torch.softmax(logits, dim=-1)

    def grad_value(self, upstream):
        return self.weights.mT.matmul(upstream)

    def grad_logits(self, upstream):
        through = upstream.matmul(self.value.mT)
        centre = torch.sum(self.weights * through, dim=-1, keepdim=True)
        return self.weights * (through - centre)

    def grad_query_key(self, grad_logits):
        grad_query = grad_logits.matmul(self.key)
        grad_key = grad_logits.mT.matmul(self.scaled_query)
        return grad_query, grad_key


def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    tape = AttentionTape(query, key, value, causal)
    grad_query, grad_key = tape.grad_query_key(tape.grad_logits(grad_output))
    return grad_query, grad_key, tape.grad_value(grad_output)
