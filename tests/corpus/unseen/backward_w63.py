# attn-kata: backward
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class AttentionGradConfig:
    causal: bool = False
    fill: float = float("-inf")


class AttentionGrad:
    """Recomputes the forward weights, then walks the graph backwards."""

    def __init__(self, q: Tensor, k: Tensor, v: Tensor, config: AttentionGradConfig):
        self.q, self.k, self.v = q, k, v
        self.config = config
        self.scale = 1.0 / math.sqrt(q.size(-1))

    def weights(self) -> Tensor:
        scores = torch.einsum("bhqd,bhkd->bhqk", self.q, self.k) * self.scale
        if self.config.causal:
            visible = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
            scores = torch.where(visible, scores, self.config.fill)
        return torch.softmax(scores, dim=-1)

    def backward(self, d_out: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        w = self.weights()
        d_value = torch.einsum("bhqk,bhqe->bhke", w, d_out)
        d_w = torch.einsum("bhqe,bhke->bhqk", d_out, self.v)
        inner = torch.einsum("bhqk,bhqk->bhq", w, d_w)
        d_scores = w * (d_w - inner[..., None]) * self.scale
        d_query = torch.einsum("bhqk,bhkd->bhqd", d_scores, self.k)
        d_key = torch.einsum("bhqk,bhqd->bhkd", d_scores, self.q)
        return d_query, d_key, d_value


def attention_backward(query, key, value, grad_output, causal=False):
    config = AttentionGradConfig(causal=causal)
    return AttentionGrad(query, key, value, config).backward(grad_output)
