# attn-kata: v1
"""Self-attention, ported from a reference that keeps plain weight matrices."""
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def stable_softmax(logits: Tensor, axis: int) -> Tensor:
    shifted = logits - logits.amax(dim=axis, keepdim=True)
    e = shifted.exp()
    return e / e.sum(dim=axis, keepdim=True)


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.d_model = hidden_dim
        self.W_Q = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        self.W_K = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        self.W_V = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        for w in (self.W_Q, self.W_K, self.W_V):
            nn.init.xavier_uniform_(w)

    def forward(self, x: Tensor) -> Tensor:
        Q = torch.einsum("nld,de->nle", x, self.W_Q)
        K = torch.einsum("nld,de->nle", x, self.W_K)
        V = torch.einsum("nld,de->nle", x, self.W_V)
        E = torch.einsum("nie,nje->nij", Q, K) / math.sqrt(self.d_model)
        A = stable_softmax(E, axis=-1)
        return torch.einsum("nij,nje->nie", A, V)
