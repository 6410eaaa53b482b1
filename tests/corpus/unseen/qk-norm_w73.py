from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class LayernormRMS(nn.Module):
    """RMSNorm with zero-centred gamma, as --apply-layernorm-1p has it."""

    def __init__(self, size: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.weight.shape, self.weight + 1, self.eps)


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_attention_heads = num_heads
        self.kv_channels = hidden_dim // num_heads
        self.linear_qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.linear_proj = nn.Linear(hidden_dim, hidden_dim)
        self.q_layernorm = LayernormRMS(self.kv_channels)
        self.k_layernorm = LayernormRMS(self.kv_channels)

    def forward(self, x: Tensor) -> Tensor:
        # [b, s, np, 3 * hn]
        mixed = self.linear_qkv(x).unflatten(-1, (self.num_attention_heads, -1))
        query, key, value = mixed.split(self.kv_channels, dim=-1)
        query = self.q_layernorm(query)
        key = self.k_layernorm(key)
        scores = torch.einsum("bqnd,bknd->bnqk", query, key) / self.kv_channels**0.5
        s = x.size(1)
        future = torch.ones(s, s, dtype=torch.bool, device=x.device).triu(1)
        probs = scores.masked_fill(future, float("-inf")).softmax(dim=-1)
        context = torch.einsum("bnqk,bknd->bqnd", probs, value)
        return self.linear_proj(context.flatten(2))
