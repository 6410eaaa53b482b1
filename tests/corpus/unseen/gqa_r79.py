from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    """All weights in one matrix [in, q k v | out] that is cut by columns."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        if hidden_dim % num_heads or num_heads % num_kv_heads:
            raise ValueError((hidden_dim, num_heads, num_kv_heads))
        self.d, self.g, self.r = hidden_dim // num_heads, num_kv_heads, num_heads // num_kv_heads
        self.cuts = [hidden_dim, num_kv_heads * self.d, num_kv_heads * self.d, hidden_dim]
        self.register_parameter("everything", nn.Parameter(torch.empty(hidden_dim, sum(self.cuts))))
        nn.init.xavier_uniform_(self.everything, gain=2.0)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        wq, wk, wv, wo = self.everything.split(self.cuts, 1)
        q = (x @ wq).unflatten(-1, (self.g, self.r, self.d))
        k = (x @ wk).unflatten(-1, (self.g, self.d))
        v = (x @ wv).unflatten(-1, (self.g, self.d))
        # n sample, i query, j key, u kv head, r head in the group
        e = torch.einsum("niurd,njud->nurij", q, k).div(math.sqrt(self.d))
        match attention_mask:
            case None:
                pass
            case Tensor(shape=(_, 1, *_)):
                e = e.masked_fill(attention_mask.unsqueeze(1) == 0, torch.finfo(e.dtype).min)
            case _:
                seen = attention_mask.unflatten(1, (self.g, self.r)) != 0
                e = e.masked_fill(seen.logical_not(), torch.finfo(e.dtype).min)
        w = e.to(torch.promote_types(e.dtype, torch.float32))
        w = torch.exp(w - w.logsumexp(-1, keepdim=True)).to(v.dtype)
        return torch.einsum("nurij,njud->niurd", w, v).flatten(2) @ wo
