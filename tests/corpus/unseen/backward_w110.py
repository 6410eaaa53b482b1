from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Saved:
    query: Tensor
    key: Tensor
    value: Tensor
    weights: Tensor
    scale: float


class Attention:
    @staticmethod
    def forward(query: Tensor, key: Tensor, value: Tensor, causal: bool) -> tuple[Tensor, Saved]:
        scale = query.size(-1) ** -0.5
        scores = torch.matmul(query, key.transpose(-2, -1)) * scale
        if causal:
            n, m = scores.shape[-2:]
            last = torch.arange(m - n, m, device=scores.device).unsqueeze(-1)
            ahead = torch.arange(m, device=scores.device) > last
            scores = scores.masked_fill(ahead, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        return weights @ value, Saved(query, key, value, weights, scale)

    @staticmethod
    def backward(saved: Saved, output: Tensor, grad_output: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        grad_value = saved.weights.transpose(-2, -1) @ grad_output
        grad_weights = grad_output @ saved.value.transpose(-2, -1)
        row_sum = (grad_output * output).sum(dim=-1, keepdim=True)
        grad_scores = saved.weights * (grad_weights - row_sum) * saved.scale
        grad_query = grad_scores @ saved.key
        grad_key = grad_scores.transpose(-2, -1) @ saved.key
        return grad_query, grad_key, grad_value


def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    output, saved = Attention.forward(query, key, value, causal)
    return Attention.backward(saved, output, grad_output)
